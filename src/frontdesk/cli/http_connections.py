"""Connections of the HTTP server: so many at once, and none that is held without being used."""

import asyncio
from collections import Counter
from contextlib import suppress

from frontdesk.cli.http_heads import HeadProtocol
from frontdesk.service.problems import Refusal, too_busy

# On each of two ports; `many_files` makes room for them.
MOST_CONNECTIONS = 800
# So many more are told why they are turned away; beyond, there is no time for words.
MOST_TURNED_AWAY = 1_000
MOST_FILES = 4_096
LAST_HEAD_SECONDS = 1.0
RETRY_SECONDS = 1


class BoundedProtocol(HeadProtocol):
    """HTTP/1.1 on one of `most` connections to a port, which `at` counts for all of one server.

    Where more than half of them are taken, one ends with its answer, so that others have a turn;
    so does each once the server is `leaving`, also one that was accepted late.
    head_seconds: how long the head of a request may take, from the connection or the answer before
    it. taking_seconds: how long an answer may lie here that is not taken.
    """

    at: Counter[int | None]
    leaving = False
    most = MOST_CONNECTIONS
    words_for = MOST_TURNED_AWAY
    head_seconds = 10.0
    taking_seconds = 30.0

    _port: int | None = None
    _head_timer: asyncio.TimerHandle | None = None
    _taking_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._port = self.server and self.server[1]
        self.at[self._port] += 1
        if self.at[self._port] > self.most + self.words_for:
            transport.abort()
        elif self.at[self._port] > self.most:
            self.turn_away(too_busy(RETRY_SECONDS))
        else:
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self.at[self._port] -= 1
        self._end_wait_for_head()
        self._end_wait_for_taking()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        # What comes now may be the end of a body that nobody reads: it has the same time.
        if self._head_timer is None and (self.cycle is None or self.cycle.response_complete):
            self._expect_head()

    def on_headers_complete(self) -> None:
        self._end_wait_for_head()
        super().on_headers_complete()
        if self.leaving or self.at[self._port] > self.most / 2:
            self.cycle.keep_alive = False

    def pause_writing(self) -> None:
        super().pause_writing()
        self._expect_taking()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._end_wait_for_taking()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        # Closed, it stays for as long as something is not taken.
        self._expect_taking()

    def _expect_head(self) -> None:
        seconds = LAST_HEAD_SECONDS if self.leaving else self.head_seconds
        self._head_timer = self.loop.call_later(seconds, self._miss_head)

    def _end_wait_for_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _miss_head(self) -> None:
        if self._in_head:
            told = f"The head of a request has to come within {self.head_seconds:g} seconds."
            self.turn_away(Refusal("request_timeout", told))
        else:
            self.transport.close()

    def _expect_taking(self) -> None:
        if self._taking_timer is None:
            self._taking_timer = self.loop.call_later(self.taking_seconds, self.transport.abort)

    def _end_wait_for_taking(self) -> None:
        if self._taking_timer is not None:
            self._taking_timer.cancel()
            self._taking_timer = None


def many_files() -> None:
    """Let this process open as many files as it may need; where it may not, its limit stands."""
    try:
        import resource
    except ImportError:
        return
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if most == resource.RLIM_INFINITY else min(MOST_FILES, most)
    if now != resource.RLIM_INFINITY and now < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
