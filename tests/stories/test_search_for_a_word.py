"""A user searches a word in a conversation that was never opened on this computer."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from frontdesk.ingest.events import Person
from frontdesk.sample.demo import ME, create_demo
from frontdesk.store import message_search
from frontdesk.store.sqlite import SQLiteDatabase
from tests.ingest.event_helpers import apply, inbound
from tests.tui.recorded_terminal import Recorded, viewer_on

DAY = 86_400_000
CHANNEL = "108200000000011"
PERSON = Person(phone="+447700900777", wa_id="447700900777")


@pytest.fixture(params=["the server searches", "the server does not"])
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Recorded]:
    """The viewer on an inbox where the word is older than the newest page of its thread."""
    path, now = tmp_path / "inbox.db", time.time_ns() // 1_000_000
    create_demo(path, now=now)
    database = SQLiteDatabase(path)
    texts = ["my zirconium ring", *(f"and number {number}" for number in range(120))]
    for number, text in enumerate(texts):
        wrote = now - 60 * DAY + number * 60_000
        said = inbound(wrote, f"z{number}", channel=CHANNEL, person=PERSON, text=text)
        apply(database, said)
    if request.param != "the server searches":
        database.write(message_search.drop)
    database.close()
    terminal = viewer_on(path, ME, tmp_path)
    try:
        terminal.until("live")
        yield terminal
    finally:
        terminal.close()


def test_a_word_that_was_never_opened_here(
    terminal: Recorded, request: pytest.FixtureRequest
) -> None:
    terminal.send("szircon")
    if "does not" in request.node.name:
        take_the_offer(terminal)
        return
    terminal.until("1 found in all messages and the notes loaded here", "my zirconium ring")
    terminal.send("\r")
    terminal.until("my zirconium ring", "number 1", within="entries")
    terminal.until("from:", within="header")


def take_the_offer(terminal: Recorded) -> None:
    terminal.until("No match in the", "messages opened on this computer", "Yes, load them")
    # Enter alone answers nothing; the user moves to the answer.
    terminal.send("\r\x1b[B\x1b[A\r")
    terminal.until("next unread", gone="No match in")
    terminal.send("szirconx")
    terminal.until("No match in", gone="Yes, load them")
