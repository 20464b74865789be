"""What the viewer costs while little happens, and over a thin line: `python -m tests.bench idle`.

An hour of polling the real service is simulated on a clock of its own: requests, answers of
"unchanged", bytes as HTTP/1.1 would write them. Then bytes that a key press sends to the terminal,
and memory after scrolling through a long list.
"""

import argparse
import asyncio
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

from textual import events

from frontdesk.client import InboxClient
from frontdesk.ingest.events import ContactUpsert
from frontdesk.mailbox import Mailbox
from frontdesk.sample.demo import ME, SEED, create_demo, demo_parts
from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.app import Application, create_app
from frontdesk.store.accounts import user_named
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from tests.bench import warm_cache
from tests.bench.ratios import table
from tests.bench.sessions import Program, Stroke, Work, environment_in, side_by_side
from tests.bench.workspace import Workspace
from tests.pseudo_terminal import PseudoTerminal
from tests.soak.virtual_loop import VirtualLoop, virtual_loop
from tests.tui.memory_inbox import WaitedCache

NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
SIZES = ((80, 24), (200, 60))
PRESSES = {
    "cursor down": (b"j", 40),
    "page down": (b"\x1b[6~", 2),
    "next status": (b"]", 12),
    "next conversation": (b"J", 20),
}
PAGE_DOWN = b"\x1b[6~"
# At a size at which names are shown whole, and a page is so many rows; in bursts of so many pages.
SCROLLED_AT, PAGE_ROWS, BURST = (120, 40), 17, 5
TIMEOUT = 60.0

Scope = dict[str, Any]
Send = Callable[[Scope], Awaitable[None]]


@dataclass
class Traffic:
    """What went through a service, in bytes of HTTP/1.1. untagged: its tags are kept back."""

    service: Callable[..., Awaitable[None]]
    untagged: bool = False
    requests: int = 0
    unchanged: int = 0
    received: int = 0
    sent: int = 0

    async def __call__(
        self, scope: Scope, receive: Callable[[], Awaitable[Scope]], send: Send
    ) -> None:
        self.requests += 1
        line = scope["raw_path"] + b"?" + scope["query_string"]
        self.sent += len(b"GET  HTTP/1.1\r\n\r\n") + len(line) + _size(scope["headers"])

        async def count(message: Scope) -> None:
            if message["type"] == "http.response.start":
                headers = list(message["headers"])
                if self.untagged:
                    headers = [pair for pair in headers if pair[0].lower() != b"etag"]
                self.unchanged += message["status"] == 304
                self.received += len(b"HTTP/1.1 200 OK\r\n\r\n") + _size(headers)
                message = {**message, "headers": headers}
            else:
                self.received += len(message.get("body", b""))
            await send(message)

        await self.service(scope, receive, count)

    def forget(self) -> None:
        """Count from here on."""
        self.requests = self.unchanged = self.received = self.sent = 0


def _size(headers: list[tuple[bytes, bytes]]) -> int:
    return sum(len(name) + len(value) + len(b": \r\n") for name, value in headers)


def hour(directory: Path, *, in_use: bool, untagged: bool) -> Traffic:
    """An hour of the real viewer on the real service, on a clock of its own; nobody writes.

    in_use: a key is pressed each minute; else the last one is pressed at the start.
    """
    with virtual_loop(Random("bench")) as runner:
        return runner.run(_hour(directory, in_use=in_use, untagged=untagged))


async def _hour(directory: Path, *, in_use: bool, untagged: bool) -> Traffic:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    with ExitStack() as ending:
        service, key = _service(directory / "inbox.db", loop.milliseconds, ending)
        traffic = Traffic(service, untagged)
        cache = WaitedCache(directory / f"pages-{in_use}-{untagged}.db", "bench")
        ending.callback(cache.close)
        client = InboxClient("http://localhost", key, app=traffic, clock=loop.time, now=loop.now)
        mailbox = Mailbox(lambda: client, cache, clock=loop.now)
        app = FrontdeskApp(mailbox, title="bench", clock=Clock(UTC, loop.now))
        async with app.run_test(size=(120, 40)):
            # What is loaded ahead after a start is none of this.
            await asyncio.sleep(300.0)
            traffic.forget()
            for _ in range(60):
                if in_use:
                    app.post_message(events.Key("f12", None))
                await asyncio.sleep(60.0)
    return traffic


def _service(path: Path, clock: Callable[[], int], ending: ExitStack) -> tuple[Application, str]:
    """The service over the sample, and a key of one of its agents."""
    database = SQLiteDatabase(path, durable=False)
    ending.callback(database.close)
    me = database.read(lambda connection: user_named(connection, 1, ME))
    key, guest = new_ephemeral_key(1, int(me["id"]) if me else None)
    service = create_app(database, ephemeral_keys=[guest], clock=clock)
    ending.callback(service.close)
    return service, key


def hours() -> str:
    """A line for each way to spend an hour."""
    rows = [["an hour", "requests", "“unchanged”", "KB received", "KB sent"]]
    with tempfile.TemporaryDirectory(prefix="frontdesk-bench-") as name:
        directory = Path(name)
        create_demo(directory / "inbox.db", now=int(NOW.timestamp() * 1000))
        for in_use in (False, True):
            for untagged in (False, True):
                traffic = hour(directory, in_use=in_use, untagged=untagged)
                words = "in use" if in_use else "left alone"
                rows.append(
                    [
                        f"{words}{', no tags' if untagged else ''}",
                        f"{traffic.requests:,}",
                        f"{traffic.unchanged:,}",
                        f"{traffic.received / 1000:,.0f}",
                        f"{traffic.sent / 1000:,.0f}",
                    ]
                )
    return table(rows)


def key_bytes() -> str:
    """Bytes that a key press sends to the terminal, at two sizes of it."""
    rows = [
        ["bytes to the terminal for a key", *(f"{columns}x{lines}" for columns, lines in SIZES)]
    ]
    command = (sys.executable, "-m", "frontdesk", "demo")
    program = Program("demo", command, newest_names())
    with tempfile.TemporaryDirectory(prefix="frontdesk-bench-") as name:
        environment = environment_in(Path(name))
        for words, (key, presses) in PRESSES.items():
            works = {words: Work(program, [Stroke(words, key, presses)])}
            found = (side_by_side(works, environment, size)[words] for size in SIZES)
            rows.append([words, *(f"{mean(one.presses[words].bytes):,.0f}" for one in found)])
    return table(rows)


def newest_names() -> str:
    """A pattern of those who wrote last in the sample; their names do not depend on the time."""
    newest = next(demo_parts(SEED, 0))
    contacts = (event for event in newest if isinstance(event, ContactUpsert))
    return "|".join(re.escape(one.name) for one in islice(contacts, 12) if one.name)


def scrolled(count: int, database: str) -> str:
    """Memory before and after scrolling through conversations, of a cache or of a database."""
    with tempfile.TemporaryDirectory(prefix="frontdesk-bench-") as name:
        home = Path(name)
        if database:
            command = (sys.executable, "-m", "frontdesk", "--database", database)
            program = Program("database", command, r"\d+ (?:of [\d,]+ )?loaded")
        else:
            warm = Workspace(home, count, warm_cache.MESSAGES)
            warm.make()
            program = warm.viewer("viewer")
        environment = {**environment_in(home), **program.variables}
        terminal = PseudoTerminal(program.command, environment, SCROLLED_AT)
        try:
            terminal.wait_for(lambda text: bool(re.search(program.content, text)), TIMEOUT)
            terminal.settle(0.5, 10.0)
            before = terminal.resident_megabytes()
            held = _scroll(terminal, count)
            after = terminal.resident_megabytes()
        finally:
            terminal.close()
    heading = ["scrolled through", "MB before", "MB after"]
    return table([heading, [f"{held} conversations", f"{before:.0f}", f"{after:.0f}"]])


def _scroll(terminal: PseudoTerminal, count: int) -> str:
    """Page down over `count` rows, as fast as they are drawn; how many rows are loaded then."""
    for _ in range(count // PAGE_ROWS // BURST + 1):
        terminal.write(PAGE_DOWN * BURST)
        terminal.settle(0.02, 1.0)
    terminal.settle(0.5, 10.0)
    found = re.search(r"([\d,]+)(?: of [\d,]+)? loaded", terminal.text)
    return found[1] if found else "an unknown number of"


def add_options(parser: argparse.ArgumentParser) -> None:
    """What is measured, and on what is scrolled."""
    parser.add_argument("--only", choices=("hour", "keys", "memory"))
    parser.add_argument("--conversations", type=int, default=100_000, help="to scroll through")
    parser.add_argument("--database", default="", help="scroll in this one, not in a cache")


def run(options: argparse.Namespace) -> None:
    """Print the tables."""
    works: dict[str, Callable[[], str]] = {
        "hour": hours,
        "keys": key_bytes,
        "memory": lambda: scrolled(options.conversations, options.database),
    }
    for name, work in works.items():
        if options.only in (None, name):
            sys.stdout.write(f"{work()}\n\n")
            sys.stdout.flush()
