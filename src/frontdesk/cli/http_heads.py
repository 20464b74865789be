"""What the HTTP server says by itself: bounded heads, problem documents where it must refuse."""

import uuid

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from frontdesk.service.exchange import MAX_REQUEST_BYTES, refused
from frontdesk.service.options import PROBLEM_BASE_URI
from frontdesk.service.problems import Refusal

# Of a head that has not ended. What ends below this is judged by the application.
MOST_HEAD_BYTES = 4 * MAX_REQUEST_BYTES
LINGER_SECONDS = 2.0


class HeadProtocol(HttpToolsProtocol):
    """HTTP/1.1 on one connection. A head without an end is refused before it fills the memory."""

    problem_base_uri = PROBLEM_BASE_URI

    _heads = 0
    _in_head = False
    _head_bytes = 0
    _refusal: bytes | None = None

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._heads += 1
        self._in_head = True
        self._head_bytes = 0

    def on_headers_complete(self) -> None:
        self._in_head = False
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        if self._refusal is not None:
            return
        heads = self._heads
        super().data_received(data)
        # What a head begins with is not counted: it is no more than can be received at once.
        if self._in_head and self._heads == heads and self._refusal is None:
            self._head_bytes += len(data)
            if self._head_bytes > MOST_HEAD_BYTES:
                self.send_400_response("")

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request, and close; what was asked before it is answered before."""
        self.turn_away(self._reason())

    def turn_away(self, refusal: Refusal) -> None:
        """Say a last thing and close, once what was asked before is answered."""
        self._refusal = self._refused(refusal)
        if self.cycle is None or self.cycle.response_complete:
            self._close_refusing()

    def on_response_complete(self) -> None:
        last = not self.pipeline
        super().on_response_complete()
        if last and self._refusal is not None:
            self._close_refusing()

    def _close_refusing(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(self._refusal or b"")
            try:
                # What is still being sent is taken in for a while: a reset could undo the answer.
                self.transport.write_eof()
            except OSError:
                # Nobody is there any more.
                self.transport.abort()
            else:
                self.loop.call_later(LINGER_SECONDS, self.transport.close)

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
        if len(getattr(self, "url", b"")) > MAX_REQUEST_BYTES:
            return Refusal("uri_too_long", f"The address may have {MAX_REQUEST_BYTES} bytes.")
        if self._head_bytes > MOST_HEAD_BYTES:
            return Refusal("headers_too_large", f"The headers may have {MAX_REQUEST_BYTES} bytes.")
        return Refusal("malformed_request", "This is not an HTTP request.")
