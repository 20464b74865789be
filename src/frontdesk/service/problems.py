"""Problem documents (RFC 9457) with stable error codes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import quote

from frontdesk.errors import QueryTimeout, Unreachable, UnusableFile
from frontdesk.system.crash_trace import trace
from frontdesk.wire import ParameterProblem, Problem

MEDIA_TYPE = "application/problem+json"
PROBLEM_BASE_URI = "tag:inbox.invalid,2026:problem/"
_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
REALM = 'Bearer realm="frontdesk"'
RETRY_SECONDS = 1

# Status and title by code. Of several faults in a request, the earliest code here decides.
CODES: Mapping[str, tuple[int, str]] = MappingProxyType(
    {
        "invalid_parameter": (400, "A query parameter cannot be used"),
        "invalid_filter": (400, "A filter has a value that is not allowed"),
        "assignee_me_unavailable": (400, "The key belongs to no user"),
        "message_search_unavailable": (400, "The service has no index of messages"),
        "invalid_limit": (400, "The limit is not allowed"),
        "invalid_cursor": (400, "The cursor cannot be read"),
        "cursor_mismatch": (400, "The cursor belongs to another list"),
        "invalid_phone": (400, "The phone number is not E.164"),
        "invalid_period": (400, "The period of the report cannot be used"),
        "malformed_request": (400, "The request is malformed"),
        "missing_credentials": (401, "An API key is needed"),
        "invalid_key": (401, "The API key is not valid"),
        "key_revoked": (401, "The API key has been revoked"),
        "key_expired": (401, "The API key has expired"),
        "insufficient_scope": (403, "The API key lacks a scope"),
        "contacts_masked": (403, "Contacts are masked for the API key"),
        "account_disabled": (403, "The account is disabled"),
        "conversation_not_found": (404, "There is no such conversation"),
        "contact_not_found": (404, "There is no such contact"),
        "media_not_found": (404, "There is no such file"),
        "media_pending": (404, "The file has not been fetched yet"),
        "preview_unavailable": (404, "There is no preview of this file"),
        "text_unavailable": (404, "No program has read words in this file"),
        "route_not_found": (404, "There is no such path"),
        "method_not_allowed": (405, "The method is not allowed"),
        "media_expired": (410, "The provider did not have the file any more"),
        "media_failed": (410, "The file could not be fetched"),
        "media_refused": (410, "The file is over a limit of the service"),
        "media_removed": (410, "The file was removed"),
        "uri_too_long": (414, "The address is too long"),
        "range_not_satisfiable": (416, "The file has no such range"),
        "rate_limited": (429, "Too many requests"),
        "too_many_auth_failures": (429, "Too many bad API keys"),
        "headers_too_large": (431, "The headers are too large"),
        "internal_error": (500, "The service failed"),
        "service_unavailable": (503, "The service is not available now"),
        "query_timeout": (503, "The answer takes too long to find"),
    }
)

# Codes of the webhook receiver, which is not part of `/v1`.
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
# Codes of `/mcp`, which has those of bodies too.
MCP_CODES: Mapping[str, tuple[int, str]] = MappingProxyType(
    {
        "origin_not_allowed": (403, "Pages of this origin may not use the service"),
        "host_not_allowed": (421, "The service is not reached by this name"),
    }
)
_ALL_CODES = MappingProxyType({**CODES, **RECEIVER_CODES, **MCP_CODES})


@dataclass(frozen=True, slots=True)
class ParameterFault:
    """Fault in one query parameter, with its problem code."""

    code: str
    problem: ParameterProblem


@dataclass(eq=False)
class ApiError(Exception):
    """Ends the request with the problem `code`. `detail` is shown to the client.

    overload: refused because too many came at once.
    """

    code: str
    detail: str
    headers: tuple[tuple[str, str], ...] = ()
    errors: tuple[ParameterProblem, ...] | None = None
    retry_after: int | None = None
    required_scope: str | None = None
    key_scopes: tuple[str, ...] | None = None
    resource: str | None = None
    allow: tuple[str, ...] | None = None
    overload: bool = False
    status: int = field(init=False)

    def __post_init__(self) -> None:
        self.status = _ALL_CODES[self.code][0]

    def document(self, request_id: str, base_uri: str) -> bytes:
        """Serialize the problem document. base_uri: prefix of its `type`."""
        problem = Problem(
            type=f"{base_uri}{self.code}",
            title=_ALL_CODES[self.code][1],
            status=self.status,
            detail=self.detail,
            instance=_instance(request_id),
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


def _instance(request_id: str) -> str:
    """Return a URI that names a request; ids of clients may be any text."""
    if _UUID.fullmatch(request_id):
        return f"urn:uuid:{request_id}"
    return f"tag:inbox.invalid,2026:request/{quote(request_id, safe='')}"


def bad_parameters(faults: list[ParameterFault]) -> ApiError:
    """Merge parameter faults into one refusal, under the code that comes first in CODES."""
    order = list(CODES)
    code = min((fault.code for fault in faults), key=order.index)
    deciding = next(fault.problem for fault in faults if fault.code == code)
    return ApiError(
        code,
        f"{deciding.parameter}: {deciding.detail}.",
        errors=tuple(fault.problem for fault in faults),
    )


def unauthorised(code: str, detail: str) -> ApiError:
    """Build a 401 with its `WWW-Authenticate` challenge (RFC 6750)."""
    challenge = REALM if code == "missing_credentials" else f'{REALM}, error="invalid_token"'
    return ApiError(code, detail, headers=(("WWW-Authenticate", challenge),))


def lacking(scope: str, key_scopes: tuple[str, ...]) -> ApiError:
    """Build a 403 for a key without `scope`."""
    return ApiError(
        "insufficient_scope",
        f"The API key lacks the scope {scope}.",
        headers=(("WWW-Authenticate", f'Bearer error="insufficient_scope", scope="{scope}"'),),
        required_scope=scope,
        key_scopes=key_scopes,
    )


def no_route() -> ApiError:
    """Build a 404 for an unknown path."""
    return ApiError("route_not_found", "This service has no such path.")


def problem_of(error: Exception) -> ApiError:
    """Map any exception to the problem in the response."""
    match error:
        case ApiError():
            return error
        case Unreachable():
            return unavailable(error)
    return failed(error)


def failed(error: Exception) -> ApiError:
    """Build a 500 that reveals nothing about a bug."""
    if isinstance(error, UnusableFile):
        return ApiError(
            "internal_error",
            "The database is damaged: a backup must be put in its place, or what is readable saved "
            "with the command .recover of sqlite3.",
        )
    return ApiError("internal_error", "The service failed; its log knows the request id.")


def cause(error: Exception) -> str:
    """Describe the cause of a 500 for the log: a stack trace, or the state of the file."""
    return str(error) if isinstance(error, UnusableFile) else trace(error)


def retry_later(code: str, detail: str, seconds: int, *, overload: bool = False) -> ApiError:
    """Build a problem with `Retry-After`."""
    headers = (("Retry-After", str(seconds)),)
    return ApiError(code, detail, headers=headers, retry_after=seconds, overload=overload)


def too_busy(seconds: int) -> ApiError:
    """Build a 503 for a request over a concurrency limit."""
    return retry_later("service_unavailable", "Too much comes at once.", seconds, overload=True)


def unavailable(error: Unreachable) -> ApiError:
    """Build a 503 for an unavailable database."""
    seconds = max(RETRY_SECONDS, round(error.retry_after or 0))
    if isinstance(error, QueryTimeout):
        return retry_later("query_timeout", "The database took too long.", seconds)
    return retry_later("service_unavailable", "The database does not answer now.", seconds)
