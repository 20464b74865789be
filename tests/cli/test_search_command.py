"""`frontdesk conversations search`: in a whole database, or in the cache of a server."""

import asyncio
import csv
import io
import json
from contextlib import ExitStack
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.commands import output_of, run_command, run_on
from tests.terminals import Terminal

from frontdesk import environment
from frontdesk.cache import Cache
from frontdesk.cli.exit_codes import DONE, ERROR, INTERRUPTED, USAGE
from frontdesk.cli.main import frontdesk
from frontdesk.cli.target import Target, client_of, origin_of
from frontdesk.errors import BadSettings, NotFound
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import (
    ADDRESS_BOOK_NAME,
    Author,
    ContactUpsert,
    MessageRevoke,
    MessageUpsert,
    NoteUpsert,
    Person,
)
from frontdesk.mailbox import Mailbox
from frontdesk.store.connect import open_database
from frontdesk.wire import ConversationFilter

ZOE, BOB = Person(phone="+16505551234"), Person(phone="+16505559876")
HOUR = 3_600_000
CTRL_C = b"\x03"
# Chunks of one message, so that there is a middle to interrupt.
PROGRAM = """
import sys
from functools import partial
from frontdesk.cli.base import run
from frontdesk.cli.main import frontdesk
from frontdesk.store import text_scan
text_scan.chunks = partial(text_scan.chunks, size=1)
sys.argv = {arguments!r}
run(frontdesk)
"""


def message(number: int, who: Person, text: str | None, **others: object) -> MessageUpsert:
    """The message of that hour."""
    type_ = str(others.pop("type", "text"))
    created_at = int(str(others.pop("created_at", number * HOUR)))
    return MessageUpsert(
        "106540352242922",
        who,
        f"w{number}",
        created_at,
        False,
        Author("contact"),
        type_,
        "webhook",
        text=text,
        **others,  # type: ignore[arg-type]
    )


def note(number: int, who: Person, text: str) -> NoteUpsert:
    at = number * HOUR
    return NoteUpsert("106540352242922", who, f"n{number}", at, text, Author("user"))


def contact(who: Person, name: str) -> ContactUpsert:
    return ContactUpsert(who, HOUR, name, ADDRESS_BOOK_NAME, channel="106540352242922")


def fill(target: str, *events: object) -> None:
    database = open_database(target, create=True)
    try:
        database.write(lambda connection: apply_events(connection, 1, list(events), now=0))
    finally:
        database.close()


@pytest.fixture
def target(tmp_path: Path) -> str:
    """What `--database` names: an inbox that no viewer has shown."""
    target = str(tmp_path / "inbox.db")
    fill(
        target,
        contact(ZOE, "Zoë Ara"),
        contact(BOB, "Bob"),
        message(1, ZOE, "Where is my REFUND?"),
        note(2, ZOE, "a refund is due"),
        message(3, BOB, "the réfund came"),
        message(4, BOB, None, type="document", media={"filename": "refunds.pdf"}),
        message(5, BOB, "thank you"),
        message(6, BOB, "no refund, please"),
        MessageRevoke("106540352242922", "w6", 7 * HOUR),
    )
    return target


def run(*arguments: str) -> Result:
    return CliRunner().invoke(frontdesk, ["search", *arguments])


def hits(result: Result) -> list[tuple[str, str]]:
    assert result.exit_code == 0, result.output
    found = [json.loads(line) for line in result.stdout.splitlines()]
    return [(hit["kind"], hit["text"]) for hit in found]


def test_a_word_in_a_database_is_found_though_no_viewer_has_shown_it(target: str):
    done = run_on(target, "search", "refund", "--format=csv")
    assert done.exit_code == DONE, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert list(rows[0]) == ["created_at", "conversation_id", "kind", "id", "text"]
    assert [(row["created_at"], row["kind"], row["text"]) for row in rows] == [
        ("1970-01-01T04:00:00.000Z", "message", "[document · refunds.pdf]"),
        ("1970-01-01T03:00:00.000Z", "message", "the réfund came"),
        ("1970-01-01T02:00:00.000Z", "note", "a refund is due"),
        ("1970-01-01T01:00:00.000Z", "message", "Where is my REFUND?"),
    ]
    assert "4 found in all 5 messages, 1 note, 2 conversations and 2 contacts of" in done.stderr
    assert not environment.cache_file().exists()


def test_case_accents_and_the_order_of_words_do_not_matter(target: str):
    place = ("--database", target, "--format=jsonl", "--kind=contact", "--kind=message")
    assert hits(run("ara", "ZOE", *place)) == [("contact", "Zoë Ara · +16505551234")]
    assert hits(run("came", "REFÚND", *place)) == [("message", "the réfund came")]
    assert hits(run("(650) 555-1234", "--kind=conversation", *place[:3])) == [
        ("conversation", "Zoë Ara · +16505551234")
    ]


def test_with_a_limit_the_newest_are_found_and_it_says_how_far_it_searched(target: str):
    result = run("refund", "--limit=2", "--database", target, "--format=jsonl")
    assert [text for _, text in hits(result)] == ["[document · refunds.pdf]", "the réfund came"]
    assert "2 found in the newest 4 of 5 messages, all 1 note, all 2" in result.stderr
    assert "there may be more: --limit goes up to 1000" in result.stderr


@pytest.mark.parametrize("words", ["refund", "réfund came", "refunds.pdf", "ref", "no", "5551234"])
def test_the_message_index_finds_what_a_scan_finds(target: str, words: str):
    seconds = [message(n, BOB, "a refund", created_at=9 * HOUR + n % 5) for n in range(100, 109)]
    fill(target, *seconds, message(110, BOB, "refund", media={"filename": "réfund.pdf"}))
    asked = [
        (*words.split(), f"--limit={limit}", "--database", target, "--format=json", *narrow)
        for limit in (1, 4, 50)
        for narrow in ((), ("--kind=message",), ("from:bob",), ("after:1970-01-01",))
    ]
    scanned = [run(*arguments).stdout for arguments in asked]
    built = CliRunner().invoke(
        frontdesk, ["db", "upgrade", "--database", target, "--message-search"]
    )
    assert built.exit_code == 0, built.output
    assert [run(*arguments).stdout for arguments in asked] == scanned


def test_with_the_message_index_the_newest_are_of_all_messages(target: str):
    CliRunner().invoke(frontdesk, ["db", "upgrade", "--database", target, "--message-search"])
    result = run("refund", "--limit=2", "--kind=message", "--database", target, "--format=jsonl")
    assert [text for _, text in hits(result)] == ["[document · refunds.pdf]", "the réfund came"]
    assert "2 found in all 5 messages of" in result.stderr


def test_a_word_that_is_not_there_was_looked_for_everywhere(target: str):
    result = run("nowhere", "--database", target, "--format=json")
    assert (result.exit_code, result.stdout) == (0, "[]\n")
    assert "not found in all 5 messages, 1 note, 2 conversations and 2 contacts" in result.stderr


def test_a_search_in_a_conversation_stays_in_it(target: str):
    everything = run("refund", "--database", target, "--format=jsonl").stdout.splitlines()
    thread = json.loads(everything[-1])["conversation_id"]
    inside = run("refund", "--in", thread, "--database", target, "--format=jsonl")
    assert hits(inside) == [("note", "a refund is due"), ("message", "Where is my REFUND?")]
    assert "2 found in all 1 message and 1 note of" in inside.stderr
    for nowhere in ("0", "-1", "9" * 40, "x"):
        refused = run("refund", f"--in={nowhere}", "--database", target)
        assert isinstance(refused.exception, NotFound)
        assert "Nothing was searched: there is no conversation" in str(refused.exception)


def test_a_profile_that_names_a_database_is_searched_like_it(target: str):
    added = CliRunner().invoke(
        frontdesk, ["profiles", "add", "work", "--database", target, "--no-check", "--use"]
    )
    assert added.exit_code == 0, added.output
    asked = ("refund", "--format=jsonl")
    named = run(*asked, "--profile", "work")
    assert len(hits(named)) == 4
    assert hits(run(*asked)) == hits(named)


def test_an_empty_database_is_an_error_as_nothing_was_searched(tmp_path: Path):
    path = str(tmp_path / "empty.db")
    fill(path)
    done = run_on(path, "search", "anything")
    assert (done.exit_code, done.stdout) == (ERROR, "")
    assert "Nothing was searched: there are no messages, notes, conversations or" in done.stderr


@pytest.mark.parametrize("words", [" ", "\N{COMBINING ACUTE ACCENT}", ""])
def test_without_a_word_nothing_is_searched(words: str, tmp_path: Path):
    path = str(tmp_path / "inbox.db")
    fill(path, message(1, ZOE, "anything"))
    done = run_on(path, "search", words)
    assert (done.exit_code, done.stdout) == (USAGE, "")
    assert "There is no word to look for" in done.stderr


def test_a_conversation_has_no_contacts_to_search(tmp_path: Path):
    result = run("x", "--in=1", "--kind=contact", "--database", str(tmp_path / "inbox.db"))
    assert isinstance(result.exception, BadSettings)
    assert "--in searches messages and notes" in str(result.exception)


def test_a_user_that_is_not_there_is_named(target: str):
    result = run("refund", "--as=nobody", "--database", target)
    assert isinstance(result.exception, BadSettings)


@pytest.mark.parametrize("style", ["table", "jsonl"])
def test_nothing_of_a_hit_is_obeyed_by_the_terminal(style: str, tmp_path: Path):
    path = str(tmp_path / "inbox.db")
    hostile = "\x1b]0;refund\x07 \x1b[2J\u202e\x9b31m"
    fill(path, contact(ZOE, f"refund {hostile}"), message(1, ZOE, hostile), note(2, ZOE, hostile))
    result = run("refund", "--database", path, "--format", style)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("refund") >= 3
    assert not set("\x1b\x07\x9b\u202e") & set(result.output)


def test_contents_nested_to_any_depth_do_not_stop_a_search(tmp_path: Path):
    path = str(tmp_path / "inbox.db")
    depths = range(850, 1050)
    fill(path, *(message(depth, ZOE, "refund", content={"a": "b"}) for depth in depths))
    database = open_database(path)
    nested = [
        {"wamid": f"w{depth}", "content": '{"a":' * depth + '"x"' + "}" * depth} for depth in depths
    ]
    sql = "UPDATE message SET content_json = :content WHERE wamid = :wamid"
    database.write(lambda connection: connection.run_many(sql, nested))
    database.close()
    done = run_on(path, "search", "refund", "--limit=1000", "--format=jsonl")
    assert (done.exit_code, len(done.stdout.splitlines())) == (0, len(depths)), done.stderr


def test_an_interrupted_search_shows_what_it_has_found(tmp_path: Path):
    path, temporary = str(tmp_path / "inbox.db"), tmp_path / "temporary"
    temporary.mkdir()
    many = [message(number, BOB, "thank you") for number in range(1, 5000)]
    fill(path, *many, message(5000, ZOE, "a refund"))
    arguments = ["frontdesk", "search", "refund", "--database", path]
    terminal = Terminal(PROGRAM.format(arguments=arguments), temporary)
    try:
        terminal.wait_for(rb"the newest \d+ of 5,000 messages \xe2\x80\xa6")
        terminal.press(CTRL_C)
        code, words = terminal.ending()
    finally:
        terminal.close()
    assert code == INTERRUPTED
    assert "message  a refund" in words
    assert "frontdesk: interrupted; 1 found in the newest" in words


def look(inbox: Path, origin: str) -> None:
    """Read a page of conversations and the newest thread, as the viewer does."""

    async def read() -> None:
        with ExitStack() as ending:
            cache = Cache(environment.cache_file(), origin)
            ending.callback(cache.close)
            mailbox = Mailbox(lambda: client_of(Target(database=str(inbox)), ending), cache)
            await mailbox.connect()
            await mailbox.refresh_conversations(ConversationFilter())
            await mailbox.refresh_thread(mailbox.conversations(ConversationFilter())[0].id)
            await mailbox.close()

    asyncio.run(read())


NOBODY = "http://127.0.0.1:9"


@pytest.fixture
def gone(inbox: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a server of which the sample was shown, and that does not answer any more."""
    monkeypatch.setenv("FRONTDESK_API_KEY", "a-key")
    look(inbox, origin_of(NOBODY, "a-key"))
    return NOBODY


def test_search_finds_cached_rows_of_an_unreachable_server(gone: str, inbox: Path):
    newest = json.loads(
        output_of(inbox, "list", "conversations", "--format=jsonl", "--all").splitlines()[0]
    )
    word = newest["last_message"]["text"].split()[0]
    found = run(word, "--url", gone, "--format=jsonl")
    members = [json.loads(line) for line in found.stdout.splitlines()]
    assert newest["id"] in {hit["conversation_id"] for hit in members}
    assert all(word.lower() in hit["text"].lower() for hit in members)
    assert "found in what the viewer has shown on this computer: " in found.stderr
    assert "nothing else was searched" in found.stderr
    inside = ("--in", newest["id"], "--kind", "message", "--format", "csv")
    assert len(run(word, "--url", gone, *inside).stdout.splitlines()) >= 2
    missing = run(word, "--url", gone, "--in", "0", "--format", "json")
    assert (missing.exit_code, missing.stdout) == (0, "[]\n")
    assert "not found in what the viewer has shown" in missing.stderr


def test_a_server_of_which_nothing_was_shown_is_an_error():
    done = run_command("search", "anything", "--url", NOBODY, FRONTDESK_API_KEY="a-key")
    assert (done.exit_code, done.stdout) == (ERROR, "")
    assert "Nothing was searched: only what the viewer has shown is" in done.stderr
    assert not environment.cache_file().exists()


def test_another_key_has_been_shown_nothing(gone: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FRONTDESK_API_KEY", "fd_live_" + "a" * 54)
    assert "Nothing was searched" in str(run("a", "--url", gone).exception)
