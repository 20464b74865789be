"""Files that messages name: requested with the messages, removed with them."""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.erase import erase
from frontdesk.ingest.events import (
    Author,
    DomainEvent,
    MessageEdit,
    MessageRevoke,
    MessageUpsert,
    Person,
    StatusUpdate,
)
from frontdesk.ingest.media.requests import hex_digest
from frontdesk.store import media
from frontdesk.store.database import Connection, Database
from frontdesk.store.media import StoredFile

CHANNEL, ANA = "106540352242922", Person("+34600000002")
NOW = 1_774_000_000_000
DAY = 24 * 60 * 60 * 1000
DIGEST = hashlib.sha256(b"photo").hexdigest()

PHOTO = MessageUpsert(
    CHANNEL, ANA, "wamid.1", NOW - 1_000, False, Author("contact"), "image", "webhook",
    text="Broken", media={"id": "4490709327384033", "mime_type": "image/jpeg", "sha256": DIGEST},
)  # fmt: skip


def apply(database: Database, *events: DomainEvent, now: int = NOW) -> None:
    database.write(lambda connection: apply_events(connection, 1, list(events), now=now))


def rows(database: Database) -> list[Mapping[str, Any]]:
    def read(connection: Connection) -> list[Mapping[str, Any]]:
        return connection.rows("SELECT * FROM media ORDER BY message_id")

    return database.read(read)


def states(database: Database) -> list[tuple[str, str | None]]:
    return [(row["state"], row["remote"]) for row in rows(database)]


def store(database: Database, digest: str = DIGEST) -> None:
    """Stand for a worker that fetched all files."""

    def work(connection: Connection) -> None:
        for row in media.claim(connection, 1, media.Claim("t", NOW, NOW + 1), 99):
            file = StoredFile(digest, 5, "image/jpeg")
            media.settle_stored(connection, 1, row["key"], "t", file, NOW, lambda: True)

    database.write(work)


def test_a_file_is_requested_with_its_message(database: Database) -> None:
    apply(database, PHOTO)
    (row,) = rows(database)
    assert (row["state"], row["remote"], row["kind"], row["expected"], row["created_at"]) == (
        "pending", "4490709327384033", "image", DIGEST, PHOTO.at,
    )  # fmt: skip
    assert len(row["key"]) >= 22


def test_messages_that_lack_their_file_come_newest_first(database: Database) -> None:
    text = replace(PHOTO, wamid="wamid.0", type="text", media=None)
    later = replace(PHOTO, wamid="wamid.2", at=PHOTO.at + 1)
    apply(database, PHOTO, text, later)

    def lacking(after: int = -1, *, requested: bool = True) -> list[str | None]:
        found = database.read(
            lambda c: media.messages_without_file(c, 1, after, None, requested=requested)
        )
        return [row["wamid"] for row in found]

    assert lacking() == ["wamid.2", "wamid.1"]
    assert lacking(PHOTO.at) == ["wamid.2"]
    assert lacking(requested=False) == []
    store(database)
    assert lacking() == []


def test_a_message_that_comes_twice_has_one_request(database: Database) -> None:
    apply(database, PHOTO, PHOTO)
    apply(database, PHOTO)
    assert states(database) == [("pending", "4490709327384033")]


@pytest.mark.parametrize(
    "event",
    [
        replace(PHOTO, at=NOW - 7 * DAY),
        replace(PHOTO, media={"mime_type": "image/jpeg"}),
        replace(PHOTO, media={"id": "../../etc/passwd"}),
        replace(PHOTO, media={"id": ".."}),
        replace(PHOTO, media={"id": "44.90"}),
        replace(PHOTO, media={"id": 4490709327384033}),
        replace(PHOTO, type="text", media=None),
        replace(PHOTO, source="chat_export"),
        replace(PHOTO, deleted_at=NOW, wamid=None),
    ],
    ids=[
        "old",
        "no id",
        "a path",
        "the folder above",
        "a dot",
        "a number",
        "text",
        "of a phone",
        "deleted",
    ],
)
def test_a_file_that_cannot_be_fetched_is_not_requested(
    database: Database, event: MessageUpsert
) -> None:
    apply(database, event)
    assert rows(database) == []


def test_a_message_of_which_only_a_status_was_known_gets_its_file(database: Database) -> None:
    apply(database, StatusUpdate(CHANNEL, ANA, "wamid.1", NOW - 500, "sent"))
    assert rows(database) == []
    apply(database, replace(PHOTO, outbound=True, author=Author("phone"), source="echo"))
    assert states(database) == [("pending", "4490709327384033")]


def test_another_caption_leaves_the_file_and_another_file_is_fetched(database: Database) -> None:
    apply(database, PHOTO)
    store(database)
    key = rows(database)[0]["key"]
    apply(database, MessageEdit(CHANNEL, "wamid.1", NOW, "image", "Broken!", media=PHOTO.media))
    assert [(row["key"], row["state"]) for row in rows(database)] == [(key, "stored")]
    other = {**(PHOTO.media or {}), "id": "12345"}
    apply(database, MessageEdit(CHANNEL, "wamid.1", NOW + 1, "image", "Broken!", media=other))
    assert states(database) == [("pending", "12345")]
    assert rows(database)[0]["key"] != key


def test_a_file_goes_with_a_message_that_is_deleted_for_everyone(database: Database) -> None:
    apply(database, PHOTO)
    store(database)
    apply(database, MessageRevoke(CHANNEL, "wamid.1", NOW))
    assert states(database) == [("removed", None)]
    deleted: list[str] = []
    database.write(lambda c: media.collect_garbage(c, 1, deleted.append))
    assert deleted == [DIGEST]
    # A copy of the message that comes later does not bring it back.
    apply(database, PHOTO)
    assert states(database) == [("removed", None)]


def test_a_deleted_message_that_comes_after_its_deletion_requests_nothing(
    database: Database,
) -> None:
    apply(database, MessageRevoke(CHANNEL, "wamid.1", NOW))
    apply(database, PHOTO)
    assert rows(database) == []


def test_an_erased_person_has_no_files(database: Database) -> None:
    bob = replace(PHOTO, person=Person("+34600000003"), wamid="wamid.2", media={"id": "77"})
    apply(database, PHOTO, bob)
    store(database)
    result = erase(database, 1, ANA.phone or "", lambda more: None)
    assert result.rows["media"] == 1
    assert states(database) == [("stored", "77")]
    assert database.read(lambda c: media.any_garbage(c, 1))


def test_digests_are_read_in_hex_and_in_base64() -> None:
    raw = hashlib.sha256(b"photo").digest()
    assert hex_digest(base64.b64encode(raw).decode()) == DIGEST
    assert hex_digest(DIGEST.upper()) == DIGEST
    for text in ("", "abc", "3f9d94d3", json.dumps({}), None, 5, "=" * 44):
        assert hex_digest(text) is None
