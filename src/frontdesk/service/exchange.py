"""One HTTP exchange: what is read of a request, what is sent back, and when it need not be."""

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
    """What is read of an HTTP request. `path` is without its first slash, still encoded.

    address: the client's, "" where it has none.
    """

    method: str
    # Not to be seen where a request is shown: numbers, what is searched for, keys.
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
    """A value of the interface as it is sent."""

    json: bytes

    @classmethod
    def of(cls, value: W) -> Self:
        """A value with those members that were given to it."""
        return cls(value.model_dump_json(exclude_unset=True).encode())


@dataclass(frozen=True, slots=True)
class Response:
    """Status, headers and the whole body."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""


async def send_response(send: Send, response: Response, *, with_body: bool) -> None:
    """Send a whole response; without its body for HEAD."""
    headers = [(name.lower().encode(), value.encode()) for name, value in response.headers]
    if response.status != 304:
        headers.append((b"content-length", str(len(response.body)).encode()))
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": response.body if with_body else b""})


def check_size(request: Request) -> None:
    """Raises: Refusal: the address or the headers are longer than anyone needs."""
    if len(request.path) + len(request.query) > MAX_REQUEST_BYTES:
        raise Refusal("uri_too_long", f"The address may have {MAX_REQUEST_BYTES} bytes.")
    if request.header_bytes > MAX_REQUEST_BYTES:
        raise Refusal("headers_too_large", f"The headers may have {MAX_REQUEST_BYTES} bytes.")


def refused(refusal: Refusal, request_id: str, base_uri: str) -> Response:
    """A refusal as a problem document; its type is `base_uri` and its code."""
    headers = (
        ("Content-Type", MEDIA_TYPE),
        ("Cache-Control", "no-store"),
        *refusal.headers,
    )
    return Response(refusal.status, headers, refusal.document(request_id, base_uri))


def entity_tag(request: Request, caller: Caller, awake_at: int | None, minute: int | None) -> str:
    """What changes whenever the answer might: by the account's revision, not by the answer.

    awake_at and minute tell what time alone has changed since that revision.
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
    """What changes with a document that is the same for everyone."""
    return f'W/"{hashlib.sha256(document).hexdigest()[:32]}"'


def tags(if_none_match: str) -> list[str]:
    """The tags of an `If-None-Match` header, as weak ones."""
    # Proxies may have made a weak tag strong; ours are all weak.
    found = (tag.strip() for tag in if_none_match.split(","))
    return [tag if tag.startswith("W/") else f"W/{tag}" for tag in found]


def caching(tag: str) -> tuple[tuple[str, str], ...]:
    """The headers of an answer that may be kept but must be asked for again."""
    return (
        ("ETag", tag),
        ("Cache-Control", "private, no-cache"),
        ("Vary", "Authorization, Accept-Encoding"),
    )
