"""`frontdesk search`: of a database, of a server, and of what is kept of it."""

import asyncio
import csv
import io
import json
from contextlib import ExitStack
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.client.prepared_server import CONVERSATION
from tests.commands import output_of, run_command, run_on
from tests.fake_service import Query, Reply, fake_service

from frontdesk.cache import Cache
from frontdesk.cli.exit_codes import DONE, ERROR, USAGE
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
from frontdesk.store import message_search
from frontdesk.store.connect import open_database
from frontdesk.system import environment
from frontdesk.wire import ConversationFilter

ZOE, BOB = Person(phone="+16505551234"), Person(phone="+16505559876")
HOUR = 3_600_000


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
        ("1970-01-01T01:00:00.000Z", "message", "Where is my REFUND?"),
    ]
    words = "2 found in all messages and the notes loaded here, and all contacts"
    assert words in done.stderr
    assert not environment.cache_file().exists()


def test_case_accents_and_the_order_of_words_do_not_matter(target: str):
    place = ("--database", target, "--format=jsonl", "--kind=contact", "--kind=message")
    assert hits(run("ara", "ZOE", *place)) == [("contact", "Zoë Ara · +16505551234")]
    assert hits(run("came", "REFÚND", *place)) == [("message", "the réfund came")]
    by_number = run("(650) 555-1234", "--kind=conversation", *place[:3])
    assert hits(by_number) == [("conversation", "Zoë Ara · +16505551234")]
    assert "1 found in all contacts" in by_number.stderr


def test_a_contact_leads_to_its_conversation(target: str):
    found = run("zoe", "--kind=contact", "--database", target, "--json", "conversation_id")
    assert json.loads(found.stdout) == [{"conversation_id": "1"}]


def test_with_a_limit_the_newest_are_found(target: str):
    result = run("refund", "--limit=1", "--kind=message", "--database", target, "--format=jsonl")
    assert hits(result) == [("message", "[document · refunds.pdf]")]
    assert "1 found in all messages" in result.stderr
    assert "there may be more: --limit goes up to 1000" in result.stderr


def test_terms_narrow_a_search_in_a_database(target: str):
    place = ("--database", target, "--format=jsonl")
    assert hits(run("refund", "from:zoë", *place)) == [("message", "Where is my REFUND?")]
    assert hits(run("refund", "before:1970-01-01", *place)) == []


def test_two_letters_are_looked_for_everywhere(target: str):
    result = run("my", "--database", target, "--format=jsonl")
    assert ("message", "Where is my REFUND?") in hits(result)
    assert "in all messages" in result.stderr


def test_a_database_without_an_index_says_what_to_do(target: str):
    database = open_database(target)
    database.write(message_search.drop)
    database.close()
    result = run("refund", "--kind=message", "--database", target)
    assert isinstance(result.exception, NotFound)
    assert "messages are not searched before `frontdesk db upgrade`" in result.stderr


def test_a_word_that_is_not_there_was_looked_for_everywhere(target: str):
    result = run("nowhere", "--database", target, "--format=json")
    assert (result.exit_code, result.stdout) == (0, "[]\n")
    assert "not found in all messages and the notes loaded here, and all" in result.stderr


def test_a_search_in_a_conversation_reads_it_whole(target: str):
    inside = run("refund", "--in=1", "--database", target, "--format=jsonl")
    assert hits(inside) == [("note", "a refund is due"), ("message", "Where is my REFUND?")]
    assert "2 found in all messages and notes of the conversation" in inside.stderr
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
    assert len(hits(named)) == 2
    assert hits(run(*asked)) == hits(named)


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
    fill(path, contact(ZOE, f"refund {hostile}"), message(1, ZOE, hostile))
    result = run("refund", "--database", path, "--format", style)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("refund") >= 3
    assert not set("\x1b\x07\x9b\u202e") & set(result.output)


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


def test_a_key_that_may_not_read_contacts_searches_messages(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FRONTDESK_API_KEY", "a-key")
    match = {
        "conversation_id": CONVERSATION["id"],
        "message_id": "9",
        "created_at": "2026-03-14T09:26:53.000Z",
        "direction": "inbound",
        "excerpt": "about the refund",
        "cursor": "c",
    }

    def answer(path: str, query: Query) -> object:
        if path == "/v1/contacts":
            return Reply(403, {"code": "insufficient_scope", "detail": "no"})
        if path == "/v1/conversations" and query.get("q") == "refund":
            return {"data": [CONVERSATION], "next_cursor": None, "matches": [match]}
        return None

    with fake_service(answer) as server:
        found = run("refund", "--url", server.url, "--format=jsonl")
    assert hits(found) == [("message", "about the refund")]
    assert "1 found in all messages and the notes loaded here\n" in found.stderr


def test_a_key_that_may_not_read_messages_searches_this_computer(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FRONTDESK_API_KEY", "a-key")
    denied = {
        "code": "insufficient_scope",
        "detail": "The key lacks messages:read.",
        "required_scope": "messages:read",
    }

    def answer(path: str, query: Query) -> object:
        return Reply(403, denied) if "q" in query else {"data": [], "next_cursor": None}

    with fake_service(answer) as server:
        found = run("refund", "--url", server.url, "--format=jsonl")
    assert "The key lacks messages:read; only this computer is searched\n" in found.stderr
