"""`GET /v1/media/{key}`: files of messages, previews of pictures, and the words of files."""

import logging
import re
from dataclasses import dataclass
from hashlib import sha256

import anyio
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from frontdesk.errors import Unreachable
from frontdesk.ingest.media.facts import PREVIEW_SIDE
from frontdesk.service.access_control import AccessControl, RequestContext
from frontdesk.service.api_keys import MEDIA_SCOPE
from frontdesk.service.endpoint import ApiPath
from frontdesk.service.executors import RETRY_SECONDS, Reads, WriteBehind
from frontdesk.service.media.responses import (
    CACHING,
    CHANGING,
    NotSatisfiable,
    StoredFileResponse,
    byte_range,
    file_headers,
    file_tag,
    text_headers,
)
from frontdesk.service.middleware import check_method
from frontdesk.service.params import Parameters
from frontdesk.service.problems import ApiError, lacking, retry_later
from frontdesk.service.rate_limit import ClientQuota
from frontdesk.store import media
from frontdesk.store.database import Connection, Row
from frontdesk.store.media_files import MediaFiles, StoredBytes

METHODS = ("GET", "HEAD")
# Files that are sent at once by a worker, and to one key; more are answered 503.
MOST_AT_ONCE = 64
MOST_OF_A_KEY = 16
PENDING_SECONDS = 5

_KEY = re.compile("[A-Za-z0-9_-]{1,64}")

_log = logging.getLogger("frontdesk.service")

_DETAILS = {
    media.EXPIRED: "The provider did not have the file any more when it was asked for.",
    media.FAILED: "The file could not be fetched from the provider.",
    media.REFUSED: "The file is over a limit of this service.",
    media.REMOVED: "The file was removed: erased, deleted by its sender, or by age.",
}


AS_TEXT = "text"
MEDIA_ENDPOINT = ApiPath("media", "/media/{key}", MEDIA_SCOPE, ("width", "as"))


@dataclass(frozen=True, slots=True)
class _Found:
    """A stored file of the key's account, its preview, or the words that were read in it."""

    account_id: int
    key_id: str
    row: Row
    preview: bool
    text: str | None = None

    @property
    def tag(self) -> str:
        if self.text is not None:
            return file_tag(sha256(self.text.encode()).hexdigest())
        return file_tag(self.row["digest"], preview=self.preview)


class MediaHandler:
    """ASGI endpoint of files.

    Order of checks: blocked address, key, rate limit, method, scope, parameters, row, ETag, file.
    The database is not read any more while a file is sent.
    """

    def __init__(
        self,
        files: MediaFiles | None,
        access: AccessControl,
        reads: Reads,
        writes: WriteBehind,
        *,
        strict_query: bool,
    ) -> None:
        self._files = files
        self._access = access
        self._reads = reads
        self._writes = writes
        self._strict_query = strict_query
        self._sending = ClientQuota(MOST_AT_ONCE, MOST_OF_A_KEY, RETRY_SECONDS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request, context = Request(scope), RequestContext.of(scope)
        context.route = MEDIA_ENDPOINT.log_route
        self._access.check_address(request, context)

        def find(connection: Connection, inline: bool) -> _Found:
            return self._find(request, context, connection)

        found = await self._reads.read(find, context.now)
        if _is_known(request, found.tag):
            self._access.refund_unchanged(context)
            caching = CACHING if found.text is None else CHANGING
            await Response(status_code=304, headers={"ETag": found.tag, **caching})(
                scope, receive, send
            )
            return
        if found.text is not None:
            headers = text_headers(found.tag)
            await Response(found.text.encode(), headers=headers)(scope, receive, send)
            return
        with self._sending.reservation(found.key_id) as slots:
            slots.grow(1)
            response = await self._response(request, found)
            await response(scope, receive, send)

    def _find(self, request: Request, context: RequestContext, connection: Connection) -> _Found:
        """Raises: ApiError."""
        principal = self._access.authorize(request, context, connection)
        if principal.stored:
            self._writes.touch_key(principal.grant.key_id, principal.last_used_at, context.now)
        check_method(request.method, METHODS, "This interface only reads: use GET.")
        grant = principal.grant
        if MEDIA_SCOPE not in grant.scopes:
            raise lacking(MEDIA_SCOPE, tuple(sorted(grant.scopes)))
        preview, text = self._wanted(request)
        key = request.path_params["key"]
        row = media.by_key(connection, grant.account_id, key) if _KEY.fullmatch(key) else None
        if row is None or self._files is None:
            raise ApiError("media_not_found", "There is no such file in this inbox.")
        if text:
            # The words of a file stay when it is removed by age.
            if row["text"] is None:
                raise ApiError("text_unavailable", "No program has read words in this file.")
            return _Found(grant.account_id, grant.key_id, row, preview=False, text=row["text"])
        _check_state(row)
        if preview and not row["preview"]:
            raise ApiError("preview_unavailable", "There is no preview of this file.")
        return _Found(grant.account_id, grant.key_id, row, preview)

    def _wanted(self, request: Request) -> tuple[bool, bool]:
        """Return whether the preview, and whether the words are asked for. Raises: ApiError."""
        parameters = Parameters(
            request.scope["query_string"], MEDIA_ENDPOINT.parameters, strict=self._strict_query
        )
        width = parameters.get("width")
        if width is not None and width != str(PREVIEW_SIDE):
            parameters.add_fault(
                "invalid_parameter", "width", "invalid", f"only {PREVIEW_SIDE} is possible"
            )
        form = parameters.get("as")
        if form is not None and form != AS_TEXT:
            parameters.add_fault(
                "invalid_parameter", "as", "invalid", f"only {AS_TEXT} is possible"
            )
        parameters.raise_if_invalid()
        return width is not None, form is not None

    async def _response(self, request: Request, found: _Found) -> Response:
        """Open the file. Raises: ApiError: it is gone, or cannot be read now."""
        file = await anyio.to_thread.run_sync(self._opened, found)
        row = found.row
        mime = "image/webp" if found.preview else row["mime"]
        name = _preview_name(row["name"]) if found.preview else row["name"]
        headers = file_headers(found.tag, name, mime, row["kind"])
        wanted = request.headers.get("range")
        condition = request.headers.get("if-range")
        if condition is not None and condition != found.tag:
            wanted = None
        try:
            return StoredFileResponse(file, headers, byte_range(wanted, file.size))
        except NotSatisfiable:
            size = file.size
            file.close()
            raise ApiError(
                "range_not_satisfiable",
                f"The file has {size} bytes.",
                headers=(("Content-Range", f"bytes */{size}"),),
            ) from None

    def _opened(self, found: _Found) -> StoredBytes:
        """Raises: ApiError: the file was lost, or its place cannot be read now."""
        assert self._files is not None
        account_id, digest = found.account_id, found.row["digest"]
        try:
            file = self._files.open(account_id, digest, preview=found.preview)
        except Unreachable as error:
            _log.error("%s", error)
            message = "The files cannot be read now."
            raise retry_later("service_unavailable", message, RETRY_SECONDS) from None
        if file is None:
            _log.error("A stored file is missing: %s", digest)
            raise ApiError("media_removed", _DETAILS[media.REMOVED])
        return file


def _check_state(row: Row) -> None:
    """Raises: ApiError: the file is not stored."""
    state = row["state"]
    if state == media.PENDING:
        raise retry_later("media_pending", "The file has not been fetched yet.", PENDING_SECONDS)
    if state != media.STORED:
        raise ApiError(f"media_{state}", _DETAILS[state])


def _is_known(request: Request, tag: str) -> bool:
    """Check `If-None-Match`, which compares weakly."""
    known = ",".join(request.headers.getlist("if-none-match"))
    return any(text.strip().removeprefix("W/") == tag for text in known.split(","))


def _preview_name(name: str | None) -> str | None:
    return None if name is None else f"{name.rpartition('.')[0] or name}.webp"
