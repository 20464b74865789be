"""Every error of the service as one shape: a problem document with a stable code (contract 2)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from frontdesk.crash import trace
from frontdesk.errors import QueryTimeout, Unreachable, UnusableFile
from frontdesk.wire import ParameterProblem, Problem

MEDIA_TYPE = "application/problem+json"
REALM = 'Bearer realm="frontdesk"'
RETRY_SECONDS = 1

# Status and title by code. Within one request, an earlier code of a parameter wins over a later.
CODES: Mapping[str, tuple[int, str]] = MappingProxyType(
    {
        "invalid_parameter": (400, "A query parameter cannot be used"),
        "invalid_filter": (400, "A filter has a value that is not allowed"),
        "assignee_me_unavailable": (400, "The key belongs to no user"),
        "invalid_limit": (400, "The limit is not allowed"),
        "invalid_cursor": (400, "The cursor cannot be read"),
        "cursor_mismatch": (400, "The cursor belongs to another list"),
        "invalid_phone": (400, "The phone number is not E.164"),
        "invalid_period": (400, "The period of the report cannot be used"),
        "malformed_request": (400, "This is not an HTTP request"),
        "missing_credentials": (401, "An API key is needed"),
        "invalid_key": (401, "The API key is not valid"),
        "key_revoked": (401, "The API key has been revoked"),
        "key_expired": (401, "The API key has expired"),
        "insufficient_scope": (403, "The API key lacks a scope"),
        "account_disabled": (403, "The account is disabled"),
        "conversation_not_found": (404, "There is no such conversation"),
        "contact_not_found": (404, "There is no such contact"),
        "route_not_found": (404, "There is no such path"),
        "method_not_allowed": (405, "The method is not allowed"),
        "uri_too_long": (414, "The address is too long"),
        "rate_limited": (429, "Too many requests"),
        "too_many_auth_failures": (429, "Too many bad API keys"),
        "headers_too_large": (431, "The headers are too large"),
        "internal_error": (500, "The service failed"),
        "service_unavailable": (503, "The service is not available now"),
        "query_timeout": (503, "The answer takes too long to find"),
    }
)

# Those of the webhook receiver, which is no part of the interface and asks for no key.
RECEIVER_CODES: Mapping[str, tuple[int, str]] = MappingProxyType(
    {
        "invalid_json": (400, "The body is not JSON"),
        "invalid_signature": (401, "The signature is not that of the body"),
        "verify_token_mismatch": (403, "The verify token is not the one that was agreed on"),
        "request_timeout": (408, "The body did not come in time"),
        "payload_too_large": (413, "The body is too large"),
        "unsupported_media_type": (415, "The body must be JSON"),
    }
)
_ALL_CODES = MappingProxyType({**CODES, **RECEIVER_CODES})


@dataclass(frozen=True, slots=True)
class ParameterFault:
    """One bad query parameter, under the code that it has."""

    code: str
    problem: ParameterProblem


@dataclass(eq=False)
class Refusal(Exception):
    """The request ends here with the problem `code`. `detail` is safe to show."""

    code: str
    detail: str
    headers: tuple[tuple[str, str], ...] = ()
    errors: tuple[ParameterProblem, ...] | None = None
    retry_after: int | None = None
    required_scope: str | None = None
    key_scopes: tuple[str, ...] | None = None
    resource: str | None = None
    allow: tuple[str, ...] | None = None
    status: int = field(init=False)

    def __post_init__(self) -> None:
        self.status = _ALL_CODES[self.code][0]

    def document(self, request_id: str, base_uri: str) -> bytes:
        """The problem document, for this occurrence; its type is `base_uri` and its code."""
        problem = Problem(
            type=f"{base_uri}{self.code}",
            title=_ALL_CODES[self.code][1],
            status=self.status,
            detail=self.detail,
            instance=f"urn:uuid:{request_id}",
            code=self.code,
            request_id=request_id,
            errors=self.errors,
            retry_after=self.retry_after,
            required_scope=self.required_scope,
            key_scopes=self.key_scopes,
            resource=self.resource,
            allow=self.allow,
        )
        return problem.model_dump_json(exclude_none=True).encode()


def bad_parameters(faults: list[ParameterFault]) -> Refusal:
    """One refusal for all bad parameters, under the code that comes first in the catalogue."""
    order = list(CODES)
    code = min((fault.code for fault in faults), key=order.index)
    deciding = next(fault.problem for fault in faults if fault.code == code)
    return Refusal(
        code,
        f"{deciding.parameter}: {deciding.detail}.",
        errors=tuple(fault.problem for fault in faults),
    )


def unauthorised(code: str, detail: str) -> Refusal:
    """A 401, with the challenge that belongs to it (RFC 6750)."""
    challenge = REALM if code == "missing_credentials" else f'{REALM}, error="invalid_token"'
    return Refusal(code, detail, headers=(("WWW-Authenticate", challenge),))


def lacking(scope: str, held: tuple[str, ...]) -> Refusal:
    """A 403 for a key without `scope`."""
    return Refusal(
        "insufficient_scope",
        f"The API key lacks the scope {scope}.",
        headers=(("WWW-Authenticate", f'Bearer error="insufficient_scope", scope="{scope}"'),),
        required_scope=scope,
        key_scopes=held,
    )


def no_route() -> Refusal:
    """A 404 for a path."""
    return Refusal("route_not_found", "This service has no such path.")


def failed(error: Exception) -> Refusal:
    """A 500; of a bug it tells nothing."""
    if isinstance(error, UnusableFile):
        return Refusal(
            "internal_error",
            "The database is damaged: a backup must be put in its place, or what is readable saved "
            "with the command .recover of sqlite3.",
        )
    return Refusal("internal_error", "The service failed; its log knows the request id.")


def cause(error: Exception) -> str:
    """What a log is to say of an error behind a 500: where a bug is, or what is wrong."""
    return str(error) if isinstance(error, UnusableFile) else trace(error)


def too_busy(seconds: int) -> Refusal:
    """A 503 for who comes while too much is under way; nothing was asked of the database."""
    return Refusal(
        "service_unavailable",
        "Too much comes at once.",
        headers=(("Retry-After", str(seconds)),),
        retry_after=seconds,
    )


def unavailable(error: Unreachable) -> Refusal:
    """A 503 for a database that does not do what it is asked for, with a time to try again."""
    seconds = max(RETRY_SECONDS, round(error.retry_after or 0))
    late = isinstance(error, QueryTimeout)
    return Refusal(
        "query_timeout" if late else "service_unavailable",
        "The database took too long." if late else "The database does not answer now.",
        headers=(("Retry-After", str(seconds)),),
        retry_after=seconds,
    )
