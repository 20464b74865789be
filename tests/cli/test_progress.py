"""Progress of long commands: a line that goes, waits that a server asks for, interruptions."""

import io
import os
import signal
from contextlib import redirect_stderr

import click
import pytest
from tests.client.prepared_server import CONVERSATION, Server, answer, client_of
from tests.commands import Terminal

from frontdesk.cli.exit_codes import INTERRUPTED
from frontdesk.cli.progress import (
    Progress,
    interruptible,
    progress,
    waiting,
    walked,
    whole,
)

CLEARED = "\r\x1b[K"
PAGE = {"data": [CONVERSATION], "next_cursor": "a", "has_more": True}
NEXT = {"data": [{**CONVERSATION, "id": "2"}], "next_cursor": "b", "has_more": True}
LAST = {"data": [{**CONVERSATION, "id": "3"}], "next_cursor": None, "has_more": False}


def test_the_line_is_replaced_and_goes_once() -> None:
    with redirect_stderr(Terminal()) as shown:
        line = Progress(shown=True)
        line.clear()
        line.say("asking …")
        line.count(2_000, "rows")
        line.count(30, "rows")
        line.clear()
        line.clear()
    assert shown.getvalue() == "".join(
        f"{CLEARED}{words}" for words in ("asking …", "2,000 rows …", "2,030 rows …", "")
    )


@pytest.mark.parametrize(("stream", "chosen"), [(Terminal, False), (io.StringIO, True)])
def test_no_line_is_shown_where_none_is_chosen_or_there_is_no_terminal(
    stream: type[io.StringIO], chosen: bool
) -> None:
    with redirect_stderr(stream()) as shown:
        line = Progress(shown=chosen)
        line.say("asking …")
        line.clear()
    assert shown.getvalue() == ""


def test_a_wait_is_said_while_it_lasts() -> None:
    with redirect_stderr(Terminal()) as shown:
        with waiting(7.2):
            said = shown.getvalue()
        assert said == f"{CLEARED}waiting 7 s, as the server asks …"
    assert shown.getvalue() == f"{said}{CLEARED}"


@pytest.mark.parametrize(("most", "rows"), [(None, 3), (2, 2), (0, 0)])
async def test_rows_of_all_pages_or_of_the_first(most: int | None, rows: int) -> None:
    server = Server(answer(200, PAGE), answer(200, NEXT), answer(200, LAST))
    with redirect_stderr(Terminal()) as shown:
        async with client_of(server) as client:
            pages, line = client.conversations(), Progress(shown=True)
            found = [row async for row in walked(pages, "rows", line, most_pages=most)]
    assert len(found) == len(server.asked) == rows
    assert not shown.getvalue() or shown.getvalue().endswith(CLEARED)


def test_an_interruption_says_what_there_is() -> None:
    with (
        redirect_stderr(io.StringIO()) as said,
        pytest.raises(click.exceptions.Exit) as ended,
        interruptible("half is there"),
    ):
        raise KeyboardInterrupt
    assert ended.value.exit_code == INTERRUPTED
    assert said.getvalue() == "frontdesk: interrupted; half is there\n"


def test_what_must_be_whole_is_interrupted_behind_it() -> None:
    handler, done = signal.getsignal(signal.SIGINT), []

    def interrupted() -> None:
        with whole():
            os.kill(os.getpid(), signal.SIGINT)
            done.append(True)

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert done
    assert signal.getsignal(signal.SIGINT) is handler
    with whole():
        pass


@pytest.mark.parametrize(
    ("stream", "length", "drawn"),
    [(Terminal, 400, True), (Terminal, 0, False), (io.StringIO, 400, False)],
)
def test_a_bar_is_drawn_on_a_terminal_where_there_is_something_to_do(
    stream: type[io.StringIO], length: int, drawn: bool
) -> None:
    with redirect_stderr(stream()) as shown, progress("Reading", length) as advance:
        advance(200)
        advance(200)
    assert ("Reading" in shown.getvalue()) == drawn
    assert ("100%" in shown.getvalue()) == drawn
