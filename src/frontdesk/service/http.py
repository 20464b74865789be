"""HTTP requests and responses, size limits and entity tags."""

import hashlib
from dataclasses import dataclass, field
from typing import Generic, Self, TypeVar

from starlette.types import Scope, Send

from frontdesk import __version__
from frontdesk.service.auth import Caller
from frontdesk.service.problems import MEDIA_TYPE, Refusal
from frontdesk.wire import Wire

W = TypeVar("W", bound=Wire)

MAX_REQUEST_BYTES = 8192


@dataclass(frozen=True, slots=True)
class Request:
    """Parsed HTTP request. `path` has no leading slash and is still percent-encoded.

    address: the client's, "" if unknown.
    """

    method: str
    # Hidden from repr: may contain phone numbers, search terms and keys.
    path: str = field(repr=False)
    query: bytes = field(repr=False)
    authorization: tuple[str, ...] = field(repr=False)
    if_none_match: str
    header_bytes: int
    address: str = ""

    @classmethod
    def of(cls, scope: Scope) -> "Request":
        headers: list[tuple[bytes, bytes]] = list(scope["headers"])
        raw = scope.get("raw_path") or scope["path"].encode()
        return cls(
            scope["method"],
            raw.decode("latin-1").removeprefix("/"),
            scope["query_string"],
            tuple(value.decode("latin-1") for name, value in headers if name == b"authorization"),
            ",".join(
                value.decode("latin-1") for name, value in headers if name == b"if-none-match"
            ),
            sum(len(name) + len(value) + 4 for name, value in headers),
            (scope.get("client") or ("",))[0],
        )


@dataclass(frozen=True, slots=True)
class Written(Generic[W]):
    """Serialized response body of a wire model."""

    json: bytes

    @classmethod
    def of(cls, value: W) -> Self:
        """Serialize the members that are set; null ones included."""
        return cls(value.model_dump_json(exclude_unset=True).encode())


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""


async def send_response(send: Send, response: Response, *, with_body: bool) -> None:
    """Send a complete response; for HEAD without its body."""
    headers = [(name.lower().encode(), value.encode()) for name, value in response.headers]
    if response.status != 304:
        headers.append((b"content-length", str(len(response.body)).encode()))
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": response.body if with_body else b""})


def check_size(request: Request) -> None:
    """Raises: Refusal: address or headers exceed MAX_REQUEST_BYTES."""
    if len(request.path) + len(request.query) > MAX_REQUEST_BYTES:
        raise Refusal("uri_too_long", f"The address may have {MAX_REQUEST_BYTES} bytes.")
    if request.header_bytes > MAX_REQUEST_BYTES:
        raise Refusal("headers_too_large", f"The headers may have {MAX_REQUEST_BYTES} bytes.")


def refused(refusal: Refusal, request_id: str, base_uri: str) -> Response:
    """Build a problem document. base_uri: prefix of the problem's `type`."""
    headers = (
        ("Content-Type", MEDIA_TYPE),
        ("Cache-Control", "no-store"),
        *refusal.headers,
    )
    return Response(refusal.status, headers, refusal.document(request_id, base_uri))


def entity_tag(request: Request, caller: Caller, awake_at: int | None, minute: int | None) -> str:
    """Compute a weak ETag from the account's revision and the request; needs no response.

    awake_at and minute cover what time alone changes within a revision.
    """
    grant = caller.grant
    told = (
        __version__,
        grant.account_id,
        caller.revision,
        awake_at,
        minute,
        grant.user_id,
        sorted(grant.scopes),
        request.path,
        sorted(request.query.split(b"&")),
    )
    return f'W/"{hashlib.sha256(repr(told).encode()).hexdigest()[:32]}"'


def document_tag(document: bytes) -> str:
    """Compute the weak ETag of a document that is the same for all callers."""
    return f'W/"{hashlib.sha256(document).hexdigest()[:32]}"'


def tags(if_none_match: str) -> list[str]:
    """Parse `If-None-Match` into weak tags."""
    # Proxies may have made a weak tag strong; ours are all weak.
    found = (tag.strip() for tag in if_none_match.split(","))
    return [tag if tag.startswith("W/") else f"W/{tag}" for tag in found]


def caching(tag: str) -> tuple[tuple[str, str], ...]:
    """Headers of a response that may be stored but must be revalidated."""
    return (
        ("ETag", tag),
        ("Cache-Control", "private, no-cache"),
        ("Vary", "Authorization, Accept-Encoding"),
    )
