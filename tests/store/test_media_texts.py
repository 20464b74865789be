"""Words that were read in files: claimed once, found, kept, and gone with their messages."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.stores import bytes_of

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.audit import differences
from frontdesk.ingest.erase import erase
from frontdesk.ingest.events import Author, MessageEdit, MessageRevoke, MessageUpsert, Person
from frontdesk.store import expiry, media, media_texts, message_search
from frontdesk.store.conversations import ConversationSelection
from frontdesk.store.database import Connection, Database, Row
from frontdesk.store.media import Claim, MediaRequest, StoredFile
from frontdesk.store.media_texts import FileText
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.text.search import Terms

ACCOUNT, NOW, MINUTE = 1, 1_773_480_600_000, 60_000
CHANNEL, PHONE = "106540352242922", "+14155550142"
VOICE = FileText("Deliver it to\nthe lighthouse", "voice@ab12", "en")
EVERYTHING = ConversationSelection((0, 1, 2))


def note(number: int, **changes: object) -> MessageUpsert:
    members = {"media": {"id": f"m{number}"}, **changes}
    return MessageUpsert(
        CHANNEL, Person(phone=PHONE), f"wamid.{number}", NOW + number, False, Author("contact"),
        "audio", "webhook", **members,  # type: ignore[arg-type]
    )  # fmt: skip


def receive(database: Database, *events: object) -> None:
    database.write(lambda c: apply_events(c, ACCOUNT, events, now=NOW + 100))


def store(database: Database, number: int, digest: str = "a" * 64) -> str:
    """Store the file of a note, as it was fetched; returns its key."""

    def work(connection: Connection) -> str:
        row = connection.row(
            "SELECT id, channel_id, created_at FROM message WHERE wamid = :wamid",
            {"wamid": f"wamid.{number}"},
        )
        assert row is not None
        request = MediaRequest(
            f"key-{number}", row["id"], row["channel_id"], "audio", media.WHATSAPP, "r",
            row["created_at"],
        )  # fmt: skip
        file = StoredFile(digest, 9, "audio/ogg", duration_ms=6_000)
        media.add_stored(connection, ACCOUNT, request, file, NOW, lambda: True)
        key = connection.row("SELECT key FROM media WHERE message_id = :id", {"id": row["id"]})
        assert key is not None
        name: str = key["key"]
        assert media_texts.mark(connection, ACCOUNT, name, lambda row: row["kind"] == "audio")
        return name

    return database.write(work)


def claim(database: Database, key: str, token: str = "mine", now: int = NOW) -> bool:
    held = Claim(token, now, now + 10 * MINUTE)
    return database.write(lambda c: media_texts.claim(c, ACCOUNT, key, held))


def settle(database: Database, key: str, text: FileText | None, token: str = "mine") -> int | None:
    return database.write(lambda c: media_texts.settle(c, ACCOUNT, key, token, text, NOW))


def read(database: Database, number: int = 1, text: FileText = VOICE) -> str:
    key = store(database, number)
    assert claim(database, key)
    assert settle(database, key, text) is not None
    return key


def row_of(database: Database, key: str) -> Row:
    sql = "SELECT * FROM media WHERE key = :key"
    row = database.read(lambda c: c.row(sql, {"key": key}))
    assert row is not None
    return row


def found(database: Database, words: str, *, files: bool = True) -> int | None:
    return database.read(
        lambda c: (
            message_search.match_page(
                c, ACCOUNT, EVERYTHING, Terms.of(words), None, 9, files=files
            ).total
        )
    )


def is_sound(database: Database) -> bool:
    database.write(message_search.check_index)
    return database.read(lambda c: [*differences(c, ACCOUNT)]) == []


@pytest.fixture
def inbox(database: Database) -> Database:
    receive(database, note(1, text="For the crew"), note(2))
    return database


@pytest.mark.both_engines
def test_words_of_a_file_are_found_by_those_who_may_read_files(inbox: Database) -> None:
    read(inbox)
    assert [found(inbox, "lighthouse"), found(inbox, "lighthouse", files=False)] == [1, 0]
    assert found(inbox, "crew", files=False) == 1
    # A message has the words, or its file has them.
    assert found(inbox, "crew lighthouse") == 0
    assert is_sound(inbox)


@pytest.mark.both_engines
def test_a_file_is_claimed_once_and_again_when_the_claim_of_a_killed_worker_ends(
    inbox: Database,
) -> None:
    key = store(inbox, 1)
    assert [claim(inbox, key, "one"), claim(inbox, key, "two")] == [True, False]
    assert not inbox.read(lambda c: media_texts.any_due(c, ACCOUNT, NOW))
    later = NOW + 11 * MINUTE
    assert inbox.read(lambda c: media_texts.any_due(c, ACCOUNT, later))
    assert claim(inbox, key, "two", later)
    # The clock of another host: who ends last has the claim no more.
    assert settle(inbox, key, VOICE, "one") is None
    assert settle(inbox, key, VOICE, "two") == row_of(inbox, key)["message_id"]


@pytest.mark.both_engines
def test_a_claim_that_is_given_back_uncounted_is_no_attempt(inbox: Database) -> None:
    key = store(inbox, 1)
    assert claim(inbox, key)
    inbox.write(
        lambda c: media.postpone(
            c, ACCOUNT, key, "mine", due_at=NOW + 5, reason="stopped", counted=False, text=True
        )
    )
    row = row_of(inbox, key)
    assert (row["attempts"], row["claim"], row["text_state"]) == (0, None, "due")
    assert not inbox.read(lambda c: media_texts.any_due(c, ACCOUNT, NOW))


@pytest.mark.both_engines
@pytest.mark.parametrize(("result", "state"), [(FileText("", "v@2"), "read"), (None, "read")])
def test_a_reading_that_gives_nothing_or_fails_leaves_the_words_of_before(
    inbox: Database, result: FileText | None, state: str
) -> None:
    key = read(inbox)
    again = inbox.write(lambda c: media_texts.mark_again(c, ACCOUNT, after=0))
    assert (again, row_of(inbox, key)["text_state"]) == (1, "due")
    assert claim(inbox, key)
    settle(inbox, key, result)
    row = row_of(inbox, key)
    assert (row["text"], row["text_state"], row["text_by"]) == (VOICE.text, state, VOICE.by)
    assert found(inbox, "lighthouse") == 1


@pytest.mark.both_engines
@pytest.mark.parametrize(("result", "state"), [(FileText("", "v@2"), "none"), (None, "failed")])
def test_a_file_without_words_and_one_that_failed_are_told_apart(
    inbox: Database, result: FileText | None, state: str
) -> None:
    key = store(inbox, 1)
    assert claim(inbox, key)
    settle(inbox, key, result)
    row = row_of(inbox, key)
    assert (row["text"], row["text_state"]) == (None, state)
    counted = inbox.read(lambda c: media_texts.tallies(c, ACCOUNT))
    assert counted == [{"state": state, "n": 1}]
    failed = inbox.write(lambda c: media_texts.mark_again(c, ACCOUNT, after=0, states=["failed"]))
    assert failed == int(state == "failed")


@pytest.mark.both_engines
def test_the_same_bytes_read_by_the_same_reader_are_copied(inbox: Database) -> None:
    read(inbox)
    same = inbox.read(lambda c: media_texts.copy_of(c, ACCOUNT, "a" * 64, VOICE.by))
    assert same == VOICE
    assert inbox.read(lambda c: media_texts.copy_of(c, ACCOUNT, "a" * 64, "voice@other")) is None
    assert inbox.read(lambda c: media_texts.copy_of(c, ACCOUNT, "b" * 64, VOICE.by)) is None


@pytest.mark.both_engines
def test_words_come_for_all_messages_with_the_bytes_that_another_machine_read(
    inbox: Database,
) -> None:
    store(inbox, 1)
    store(inbox, 2)
    ids = inbox.write(lambda c: media_texts.set_for_digest(c, ACCOUNT, "a" * 64, VOICE, NOW))
    assert len(ids) == 2
    assert is_sound(inbox)
    exported = inbox.read(lambda c: media_texts.texts(c, ACCOUNT, ""))
    assert [(row["digest"], row["text"]) for row in exported] == [("a" * 64, VOICE.text)]


@pytest.mark.both_engines
def test_a_message_that_is_deleted_while_its_file_is_read_gets_no_words(inbox: Database) -> None:
    key = store(inbox, 1)
    assert claim(inbox, key)
    receive(inbox, MessageRevoke(CHANNEL, "wamid.1", NOW + 50))
    assert settle(inbox, key, VOICE) is None
    assert row_of(inbox, key)["text"] is None
    assert found(inbox, "lighthouse") == 0


@pytest.mark.both_engines
def test_a_conversation_that_is_erased_while_a_file_is_read_gets_no_words(inbox: Database) -> None:
    key = store(inbox, 1)
    assert claim(inbox, key)
    erase(inbox, ACCOUNT, PHONE, lambda number: None)
    assert settle(inbox, key, VOICE) is None


@pytest.mark.both_engines
def test_a_file_that_an_edit_replaces_is_read_anew(inbox: Database) -> None:
    key = read(inbox)
    assert found(inbox, "lighthouse") == 1
    inbox.write(lambda c: c.run("UPDATE media SET source = 'whatsapp', remote = 'm1'"))
    edit = MessageEdit(CHANNEL, "wamid.1", NOW + 50, "audio", "For the crew", None, {"id": "m9"})
    receive(inbox, edit)
    assert found(inbox, "lighthouse") == 0
    assert inbox.read(lambda c: media.by_key(c, ACCOUNT, key)) is None
    assert is_sound(inbox)


@pytest.mark.both_engines
def test_words_go_where_their_file_is_when_they_come(inbox: Database) -> None:
    keys = [store(inbox, 1), store(inbox, 2, "b" * 64)]
    ids = [row_of(inbox, key)["message_id"] for key in keys]
    assert claim(inbox, keys[0])
    times = {ids[0]: NOW + 1, ids[1]: NOW + 2}
    inbox.write(lambda c: media.move(c, ACCOUNT, {ids[0]: ids[1], ids[1]: ids[0]}, times))
    assert settle(inbox, keys[0], VOICE) == ids[1]
    hits = inbox.read(
        lambda c: c.rows("SELECT message_id, created_at FROM message_text WHERE part = 1")
    )
    assert hits == [{"message_id": ids[1], "created_at": NOW + 2}]
    assert is_sound(inbox)


@pytest.mark.both_engines
def test_words_of_bytes_that_many_sent_are_erased_for_one_and_kept_for_the_others(
    inbox: Database,
) -> None:
    other = replace(note(3), person=Person(phone="+14155550199"))
    receive(inbox, other)
    read(inbox)
    kept = read(inbox, 3)
    assert found(inbox, "lighthouse") == 2
    erase(inbox, ACCOUNT, PHONE, lambda number: None)
    assert (found(inbox, "lighthouse"), row_of(inbox, kept)["text"]) == (1, VOICE.text)
    assert is_sound(inbox)


@pytest.mark.both_engines
def test_marks_of_an_operator_are_rows_and_outlive_an_interruption(inbox: Database) -> None:
    keys = [read(inbox), read(inbox, 2)]
    assert inbox.write(lambda c: media_texts.mark_again(c, ACCOUNT, after=0)) == 2
    assert claim(inbox, keys[0])
    settle(inbox, keys[0], FileText("Deliver it to the mill", "voice@cd34"))
    assert [row_of(inbox, key)["text_state"] for key in keys] == ["read", "due"]
    assert [found(inbox, "mill"), found(inbox, "lighthouse")] == [1, 1]
    assert is_sound(inbox)
    due = inbox.read(lambda c: media_texts.backlog(c, ACCOUNT))
    assert due == {"n": 1, "at": NOW + 2}


@pytest.mark.both_engines
def test_words_outlive_their_file(inbox: Database) -> None:
    key = read(inbox)
    waiting = store(inbox, 2)
    inbox.write(lambda c: media.purge(c, ACCOUNT, kind="audio"))
    row = row_of(inbox, key)
    assert (row["state"], row["digest"], row["text"]) == ("removed", None, VOICE.text)
    assert found(inbox, "lighthouse") == 1
    # What was not read yet never will be.
    assert row_of(inbox, waiting)["text_state"] == "failed"
    assert is_sound(inbox)


@pytest.mark.both_engines
def test_an_index_that_is_built_again_has_the_words_of_files(inbox: Database) -> None:
    message_id = row_of(inbox, read(inbox))["message_id"]
    inbox.write(message_search.drop)
    message_search.build(inbox, lambda more: None)
    assert (found(inbox, "lighthouse"), is_sound(inbox)) == (1, True)
    inbox.write(lambda c: c.run("UPDATE media SET text = 'another' WHERE text > ''"))
    assert inbox.read(lambda c: [*differences(c, ACCOUNT)]) == [
        f"message {message_id}: not found by its words alone"
    ]
    inbox.write(message_search.build_again)
    message_search.build(inbox, lambda more: None)
    assert (found(inbox, "another"), is_sound(inbox)) == (1, True)


@pytest.mark.parametrize("way", ["deletion", "expiry", "erase"])
def test_no_word_of_a_file_is_left_in_the_database(tmp_path: Path, way: str) -> None:
    path = tmp_path / "inbox.db"
    database = SQLiteDatabase(path, create=True)
    receive(database, note(1, text="For the crew"), note(2))
    read(database, text=FileText("xylophone " * 900, "voice@ab12"))
    assert b"xylophone" in bytes_of(path)
    if way == "deletion":
        receive(database, MessageRevoke(CHANNEL, "wamid.1", NOW + 50))
    elif way == "expiry":
        database.write(lambda c: expiry.expire(c, ACCOUNT, NOW + 60, NOW + 99, 100))
    else:
        erase(database, ACCOUNT, PHONE, lambda number: None)
    assert found(database, "xylophone") == 0
    assert is_sound(database)
    database.close()
    assert b"xylophone" not in bytes_of(path)


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("Hello\n\n \nworld\n", "Hello\nworld"),
        ("\x1b[31mred\x00 a\u202eb", "\ufffd[31mred\ufffd a<RLO>b"),
        (" \n\t\n", ""),
        ("x" * 20_001, "x" * 19_987 + "\n… (cut here)"),
    ],
)
def test_what_a_program_said_is_made_fit_to_be_shown(output: str, text: str) -> None:
    assert FileText.of(output, "voice@1").text == text
