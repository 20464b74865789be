"""Limits per connection: heads, trailers and pipelined requests; maps parser errors to problems."""

import uuid
from typing import NoReturn

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from frontdesk.service.http import MAX_REQUEST_BYTES, refused
from frontdesk.service.options import PROBLEM_BASE_URI
from frontdesk.service.problems import Refusal, too_busy

# Limit on the fields of a request, and on any unfinished element. The application judges shorter
# heads.
MAX_HEAD_BYTES = 4 * MAX_REQUEST_BYTES
# Maximum of header and trailer fields of a request together.
MAX_FIELDS = 128
# Maximum of pipelined requests that wait for earlier responses.
MAX_QUEUED_REQUESTS = 32
RETRY_SECONDS = 1
LINGER_SECONDS = 2.0


class HeadProtocol(HttpToolsProtocol):
    """HTTP/1.1 protocol that bounds everything buffered before a request is answered.

    A request beyond a limit is answered with an error after earlier requests, and the connection
    closes. Trailer fields are counted and dropped.
    """

    problem_base_uri = PROBLEM_BASE_URI

    _in_head = False
    _in_body = False
    _fields = 0
    _field_bytes = 0
    # Number of parser callbacks, and bytes received since the last one.
    _events = 0
    _pending_bytes = 0
    _parse_error: Refusal | None = None
    # Final response; empty to close without one.
    _refusal: bytes | None = None

    @property
    def ending(self) -> bool:
        """True if the connection was refused and accepts no more requests."""
        return self._refusal is not None

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= MAX_QUEUED_REQUESTS:
            self.fail(too_busy(RETRY_SECONDS))
        super().on_message_begin()
        self._events += 1
        self._in_head = True
        self._fields = self._field_bytes = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        self._events += 1
        self._fields += 1
        self._field_bytes += len(name) + len(value) + 4
        if self._fields > MAX_FIELDS:
            told = f"A request may have {MAX_FIELDS} header and trailer fields."
            self.fail(Refusal("headers_too_large", told))
        if self._field_bytes > MAX_HEAD_BYTES:
            self.fail(_headers_too_large())
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._events += 1
        self._in_head, self._in_body = False, True
        upgrade = self.parser.should_upgrade()
        if upgrade and any(_announces_body(*field) for field in self.headers):
            told = "A request with a body cannot ask for another protocol (Upgrade, CONNECT)."
            self.fail(Refusal("malformed_request", told))
        if upgrade or self.expect_100_continue:
            # The next bytes may be a body or another request; this is ambiguous.
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        self._events += 1
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._events += 1
        self._in_body = False
        super().on_message_complete()

    def data_received(self, data: bytes) -> None:
        if self.ending:
            return
        events = self._events
        super().data_received(data)
        # Elements that start and continue in these bytes are bounded by the read size.
        if self._events != events:
            self._pending_bytes = 0
            return
        self._pending_bytes += len(data)
        if self._pending_bytes > MAX_HEAD_BYTES and not self.ending:
            self.send_400_response("")

    def fail(self, refusal: Refusal) -> NoReturn:
        """Abort parsing from a callback; `refusal` becomes the response."""
        self._parse_error = refusal
        raise refusal

    def send_400_response(self, msg: str) -> None:
        """Answer a parse error after earlier requests, and close."""
        self.turn_away(self._parse_error or self._reason())

    def turn_away(self, refusal: Refusal) -> None:
        """Answer with `refusal` after earlier requests, and close.

        A request with an incomplete body is dropped, as it cannot be answered any more.
        """
        if self.ending:
            return
        self._refusal = self._refused(refusal)
        if not (self._drop_incomplete() if self._in_body else self._is_answering()):
            self._close_refusing()

    def end(self) -> None:
        """Close the connection after the output is written."""
        self.transport.close()

    def on_response_complete(self) -> None:
        last = not self.pipeline
        super().on_response_complete()
        if last and self.ending:
            self._close_refusing()

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _drop_incomplete(self) -> bool:
        """Drop the last request; return True if earlier responses are in progress."""
        if self.pipeline and self.pipeline[0][0] is self.cycle:
            self.pipeline.popleft()
            return True
        if self.cycle.response_started:
            # Its response has started; another would be taken for that of the next request.
            self._refusal = b""
            return self._is_answering()
        self.cycle.disconnected = True
        self.cycle.message_event.set()
        return False

    def _close_refusing(self) -> None:
        if not self.transport.is_closing():
            # Keep reading for a while: closing with unread input resets the connection and loses
            # the response.
            self.flow.resume_reading()
            self.transport.write(self._refusal or b"")
            try:
                self.transport.write_eof()
            except OSError:
                # The client has disconnected.
                self.transport.abort()
            else:
                self.loop.call_later(LINGER_SECONDS, self.end)

    def _refused(self, refusal: Refusal) -> bytes:
        request_id = str(uuid.uuid4())
        response = refused(refusal, request_id, self.problem_base_uri)
        headers = [
            *response.headers,
            ("X-Request-Id", request_id),
            ("Content-Length", str(len(response.body))),
            ("Connection", "close"),
        ]
        lines = "".join(f"{name.lower()}: {value}\r\n" for name, value in headers)
        return STATUS_LINE[response.status] + lines.encode("latin-1") + b"\r\n" + response.body

    def _reason(self) -> Refusal:
        if self._in_body:
            return Refusal("malformed_request", "The body of the request is not valid HTTP/1.1.")
        if len(getattr(self, "url", b"")) > MAX_REQUEST_BYTES:
            return Refusal("uri_too_long", f"The address may have {MAX_REQUEST_BYTES} bytes.")
        if self._pending_bytes > MAX_HEAD_BYTES:
            return _headers_too_large()
        return Refusal("malformed_request", "This is not an HTTP request.")


def _headers_too_large() -> Refusal:
    return Refusal("headers_too_large", f"The headers may have {MAX_REQUEST_BYTES} bytes.")


def _announces_body(name: bytes, value: bytes) -> bool:
    return name == b"transfer-encoding" or (name == b"content-length" and bool(value.strip(b" 0")))
