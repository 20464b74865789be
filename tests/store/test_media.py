"""Rows of files: requested once, claimed once, settled once, and no file deleted that is used."""

import hashlib
import threading
from collections import Counter
from pathlib import Path

import pytest

from frontdesk.store import media
from frontdesk.store.database import Connection, Database, Row
from frontdesk.store.media import Claim, MediaRequest, StoredFile
from frontdesk.store.media_directory import MediaDirectory

pytestmark = pytest.mark.both_engines

ACCOUNT = 1
NOW, MINUTE = 1_000_000_000, 60_000


def request(message_id: int, *, channel_id: int = 1, kind: str = "image") -> MediaRequest:
    return MediaRequest(
        f"key-{message_id}", message_id, channel_id, kind, media.WHATSAPP, f"r{message_id}",
        NOW + message_id, name="photo.jpg",
    )  # fmt: skip


def add(database: Database, *requests: MediaRequest) -> None:
    database.write(lambda connection: media.add(connection, ACCOUNT, requests))


def claimed(
    database: Database,
    token: str = "mine",
    *,
    now: int = NOW,
    limit: int = 10,
    resting: tuple[int, ...] = (),
) -> list[int]:
    claim = Claim(token, now, now + 10 * MINUTE)
    rows = database.write(
        lambda connection: media.claim(connection, ACCOUNT, claim, limit, resting)
    )
    return [row["message_id"] for row in rows]


def file_of(content: bytes) -> StoredFile:
    return StoredFile(hashlib.sha256(content).hexdigest(), len(content), "image/jpeg", 4, 3)


def store(database: Database, key: str, content: bytes = b"photo", token: str = "mine") -> bool:
    return database.write(
        lambda connection: media.settle_stored(
            connection, ACCOUNT, key, token, file_of(content), NOW, lambda: True
        )
    )


def row_of(database: Database, key: str) -> Row:
    row = database.read(lambda connection: media.by_key(connection, ACCOUNT, key))
    assert row is not None
    return row


def collected(database: Database, deleted: list[str] | None = None) -> int:
    delete = [].append if deleted is None else deleted.append
    return database.write(lambda connection: media.collect_garbage(connection, ACCOUNT, delete))


def test_the_newest_files_are_claimed_first_and_once(database: Database) -> None:
    add(database, *(request(message_id) for message_id in (3, 1, 4, 2)))
    assert claimed(database, limit=3) == [4, 3, 2]
    assert claimed(database, "other") == [1]
    assert claimed(database, "third") == []


def test_a_message_has_one_file(database: Database) -> None:
    add(database, request(1))
    again = MediaRequest("other", 1, 1, "image", media.WHATSAPP, "other", NOW)
    add(database, again)
    assert row_of(database, "key-1")["message_id"] == 1
    assert database.read(lambda c: media.by_key(c, ACCOUNT, "other")) is None


def test_the_claim_of_a_killed_worker_ends(database: Database) -> None:
    add(database, request(1))
    assert claimed(database) == [1]
    assert claimed(database, "other", now=NOW + 10 * MINUTE) == []
    assert claimed(database, "other", now=NOW + 10 * MINUTE + 1) == [1]
    assert not store(database, "key-1")
    assert store(database, "key-1", token="other")


def test_a_resting_number_is_left_out(database: Database) -> None:
    add(database, request(1, channel_id=5), request(2, channel_id=6))
    assert claimed(database, resting=(6,)) == [1]


def test_a_postponed_file_is_claimed_when_it_is_due_and_may_not_count(database: Database) -> None:
    add(database, request(1))
    for counted, attempts in ((True, 1), (False, 1)):
        now = NOW + 2 * MINUTE
        claim = Claim("mine", now, now + MINUTE)
        (row,) = database.write(lambda c, claim=claim: media.claim(c, ACCOUNT, claim, 9))
        assert database.write(
            lambda c, counted=counted: media.postpone(
                c, ACCOUNT, "key-1", "mine", due_at=NOW + MINUTE, reason="why", counted=counted
            )
        )
        assert row["attempts"] == attempts - counted
    assert claimed(database, now=NOW) == []
    assert claimed(database, now=NOW + MINUTE) == [1]
    assert not database.read(lambda c: media.any_due(c, ACCOUNT, NOW + MINUTE))


def test_a_stored_file_is_known_with_its_facts(database: Database) -> None:
    add(database, request(1))
    claimed(database)
    assert store(database, "key-1", b"photo")
    row = row_of(database, "key-1")
    assert (row["state"], row["size"], row["mime"], row["width"], row["height"]) == (
        "stored", 5, "image/jpeg", 4, 3,
    )  # fmt: skip
    assert database.read(lambda c: media.of_messages(c, ACCOUNT, [1, 2])).keys() == {1}


def test_another_account_does_not_have_the_key(database: Database) -> None:
    add(database, request(1))
    assert database.read(lambda c: media.by_key(c, ACCOUNT + 1, "key-1")) is None


def test_a_file_that_was_deleted_meanwhile_is_not_stored(database: Database) -> None:
    add(database, request(1))
    claimed(database)
    assert not database.write(
        lambda c: media.settle_stored(
            c, ACCOUNT, "key-1", "mine", file_of(b"photo"), NOW, lambda: False
        )
    )
    assert row_of(database, "key-1")["state"] == "pending"


def test_a_file_is_deleted_when_the_last_row_that_names_it_goes(database: Database) -> None:
    add(database, request(1), request(2))
    claimed(database)
    assert store(database, "key-1")
    assert store(database, "key-2")
    digest = file_of(b"photo").digest
    deleted: list[str] = []
    database.write(lambda c: media.remove(c, ACCOUNT, [1]))
    assert database.read(lambda c: media.any_garbage(c, ACCOUNT))
    assert collected(database, deleted) == 0
    database.write(lambda c: media.remove(c, ACCOUNT, [2]))
    assert collected(database, deleted) == 1
    assert deleted == [digest]
    assert not database.read(lambda c: media.any_garbage(c, ACCOUNT))


def test_a_removed_file_forgets_what_was_known_of_it(database: Database) -> None:
    add(database, request(1))
    claimed(database)
    store(database, "key-1")
    database.write(lambda c: media.remove(c, ACCOUNT, [1]))
    row = row_of(database, "key-1")
    assert row["state"] == "removed"
    assert {row[name] for name in ("name", "digest", "size", "mime", "width")} == {None}


def test_a_removed_file_is_not_stored_by_the_worker_that_fetches_it(database: Database) -> None:
    add(database, request(1))
    claimed(database)
    database.write(lambda c: media.remove(c, ACCOUNT, [1]))
    assert not store(database, "key-1")
    assert row_of(database, "key-1")["state"] == "removed"


def test_other_contents_of_a_message_are_fetched_anew(database: Database) -> None:
    add(database, request(1))
    claimed(database)
    store(database, "key-1")
    edited = MediaRequest("new", 1, 1, "image", media.WHATSAPP, "other", NOW)
    database.write(lambda c: media.replace_remote(c, ACCOUNT, edited))
    assert row_of(database, "new")["state"] == "pending"
    assert collected(database) == 1


def test_two_messages_exchange_their_files(database: Database) -> None:
    add(database, request(1), request(2))
    database.write(lambda c: media.move(c, ACCOUNT, {1: 2, 2: 1}, {}))
    rows = database.read(lambda c: media.of_messages(c, ACCOUNT, [1, 2]))
    assert {message_id: row["key"] for message_id, row in rows.items()} == {
        1: "key-2",
        2: "key-1",
    }


def test_old_files_of_the_provider_are_given_up(database: Database) -> None:
    add(database, request(1), request(2))
    assert database.write(lambda c: media.expire(c, ACCOUNT, NOW + 2)) == {1}
    assert [row_of(database, key)["state"] for key in ("key-1", "key-2")] == ["expired", "pending"]


def test_failed_files_are_tried_again_on_demand(database: Database) -> None:
    add(database, request(1), request(2))
    claimed(database)
    for key, state in (("key-1", media.FAILED), ("key-2", media.EXPIRED)):
        database.write(lambda c, k=key, s=state: media.settle(c, ACCOUNT, k, "mine", s, "why"))
    failures = database.read(lambda c: media.failures(c, ACCOUNT, 9))
    assert {(row["state"], row["reason"], row["n"]) for row in failures} == {
        ("failed", "why", 1),
        ("expired", "why", 1),
    }
    assert database.write(lambda c: media.retry(c, ACCOUNT, after=0)) == 1
    assert claimed(database) == [1]


def test_purging_takes_files_by_age_by_kind_and_down_to_a_total(database: Database) -> None:
    add(database, request(1), request(2, kind="video"), request(3), request(4))
    claimed(database)
    for message_id in (1, 2, 3, 4):
        store(database, f"key-{message_id}", bytes(message_id))
    assert database.write(lambda c: media.purge(c, ACCOUNT, before=NOW + 2)) == {1}
    assert database.write(lambda c: media.purge(c, ACCOUNT, kind="video")) == {2}
    assert database.write(lambda c: media.purge_to(c, ACCOUNT, 4)) == {3}
    assert database.write(lambda c: media.purge_to(c, ACCOUNT, 4)) == set()
    states = [row_of(database, f"key-{message_id}")["state"] for message_id in (1, 2, 3, 4)]
    assert states == ["removed", "removed", "removed", "stored"]


def test_shared_bytes_count_once(database: Database) -> None:
    add(database, request(1), request(2), request(3))
    assert claimed(database) == [3, 2, 1]
    store(database, "key-1")
    store(database, "key-2")
    rows = database.read(lambda c: media.tallies(c, ACCOUNT))
    assert {row["state"]: (row["n"], row["bytes"]) for row in rows} == {
        "stored": (2, 5),
        "pending": (1, 0),
    }
    assert database.read(lambda c: media.oldest_pending(c, ACCOUNT)) == NOW + 3


def test_several_workers_claim_each_file_once(database: Database) -> None:
    add(database, *(request(message_id) for message_id in range(1, 41)))
    taken: Counter[int] = Counter()
    lock = threading.Lock()

    def work(token: str) -> None:
        while mine := claimed(database, token, limit=3):
            with lock:
                taken.update(mine)

    threads = [threading.Thread(target=work, args=(f"worker {n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert taken == Counter(range(1, 41))


def test_the_same_photo_arrives_while_its_file_is_being_deleted(
    database: Database, tmp_path: Path
) -> None:
    """Whoever is first: a row that says stored has its file."""
    files = MediaDirectory(tmp_path / "media", least_free_bytes=0)
    add(database, request(1), request(2))
    claimed(database)
    barrier = threading.Barrier(2)

    def fetch(key: str) -> bool:
        with files.receive(ACCOUNT, 1 << 20) as incoming:
            incoming.write(b"photo")
            digest = incoming.keep()
        return database.write(
            lambda c: media.settle_stored(
                c, ACCOUNT, key, "mine", file_of(b"photo"), NOW,
                lambda: files.has(ACCOUNT, digest),
            )
        )  # fmt: skip

    assert fetch("key-1")
    database.write(lambda c: media.remove(c, ACCOUNT, [1]))
    results: list[bool] = []

    def second() -> None:
        barrier.wait()
        results.append(fetch("key-2"))

    thread = threading.Thread(target=second)
    thread.start()
    barrier.wait()
    database.write(
        lambda c: media.collect_garbage(c, ACCOUNT, lambda digest: files.delete(ACCOUNT, digest))
    )
    thread.join()
    is_there = files.has(ACCOUNT, file_of(b"photo").digest)
    assert (row_of(database, "key-2")["state"] == "stored") == is_there == results[0]


def test_any_number_of_messages_is_asked_for_their_files(database: Database) -> None:
    add(database, *(request(message_id) for message_id in range(1, 503)))
    for asked in (0, 1, 500, 501, 502):
        ids = range(1, asked + 1)
        found = database.read(lambda c, ids=ids: media.of_messages(c, ACCOUNT, ids))
        assert sorted(found) == list(ids)


def stored_files(database: Database, count: int) -> None:
    """As many files of one byte, the first stored first."""

    def add_each(connection: Connection) -> None:
        for number in range(1, count + 1):
            file = StoredFile(f"{number:064x}", 1, "image/jpeg")
            one = request(number)
            media.add_stored(connection, ACCOUNT, one, file, NOW + number, lambda: True)

    database.write(add_each)


def test_files_above_a_total_go_by_a_hundred_at_once(database: Database) -> None:
    stored_files(database, 103)
    totals = [database.write(lambda c: media.purge_to(c, ACCOUNT, 2)) for _ in range(3)]
    assert [len(removed) for removed in totals] == [100, 1, 0]
    assert row_of(database, "key-101")["state"] == "removed"
    assert [row_of(database, f"key-{number}")["state"] for number in (102, 103)] == ["stored"] * 2


def test_discarded_files_are_deleted_by_a_hundred_at_once(database: Database) -> None:
    digests = [f"{number:064x}" for number in range(101)]
    database.write(lambda c: media.discard(c, ACCOUNT, digests))
    deleted: list[str] = []
    assert [collected(database, deleted) for _ in range(3)] == [100, 1, 0]
    assert sorted(deleted) == digests


def test_a_file_that_is_stored_already_is_added_once(database: Database) -> None:
    file = file_of(b"photo")

    def added(at: int, *, is_there: bool) -> bool:
        return database.write(
            lambda c: media.add_stored(c, ACCOUNT, request(1), file, at, lambda: is_there)
        )

    assert not added(NOW, is_there=False)
    assert database.read(lambda c: media.by_key(c, ACCOUNT, "key-1")) is None
    assert added(NOW, is_there=True)
    assert not added(NOW + 1, is_there=True)
    assert row_of(database, "key-1")["digest"] == file.digest
    database.write(lambda c: media.remove(c, ACCOUNT, [1]))
    assert not added(NOW + 2, is_there=True)


def test_what_waits_can_be_hurried(database: Database) -> None:
    add(database, request(1))
    claimed(database)
    database.write(
        lambda c: media.postpone(
            c, ACCOUNT, "key-1", "mine", due_at=NOW + MINUTE, reason="why", counted=True
        )
    )
    assert not database.read(lambda c: media.any_due(c, ACCOUNT, NOW))
    assert database.write(lambda c: media.hurry(c, ACCOUNT, conversation_id=7)) == 0
    assert database.write(lambda c: media.hurry(c, ACCOUNT)) == 1
    assert database.read(lambda c: media.any_due(c, ACCOUNT, NOW))


def test_only_failures_of_later_messages_are_tried_again(database: Database) -> None:
    add(database, request(1), request(2))
    claimed(database)
    for key in ("key-1", "key-2"):
        database.write(lambda c, k=key: media.settle(c, ACCOUNT, k, "mine", media.REFUSED, "why"))
    assert database.write(lambda c: media.retry(c, ACCOUNT, after=0, conversation_id=7)) == 0
    assert database.write(lambda c: media.retry(c, ACCOUNT, after=NOW + 1)) == 1
    assert [row_of(database, key)["state"] for key in ("key-1", "key-2")] == ["refused", "pending"]


def test_the_most_frequent_failures_come_first(database: Database) -> None:
    add(database, *(request(message_id) for message_id in range(1, 7)))
    claimed(database)
    for number, reason in enumerate(("b", "a", "c", "c", "a", "a"), start=1):
        key = f"key-{number}"
        database.write(
            lambda c, k=key, r=reason: media.settle(c, ACCOUNT, k, "mine", media.FAILED, r)
        )
    found = database.read(lambda c: media.failures(c, ACCOUNT, 9))
    assert [(row["reason"], row["n"]) for row in found] == [("a", 3), ("c", 2), ("b", 1)]
    assert len(database.read(lambda c: media.failures(c, ACCOUNT, 2))) == 2


def test_it_is_known_if_any_file_of_a_state_is_older(database: Database) -> None:
    add(database, request(1))
    for state, before, known in (
        ("pending", NOW + 2, True),
        ("pending", NOW + 1, False),
        ("stored", NOW + 2, False),
    ):
        assert known == database.read(
            lambda c, s=state, b=before: media.any_before(c, ACCOUNT, s, b)
        )


def test_a_number_of_none_is_none(database: Database) -> None:
    assert database.read(lambda c: media.oldest_pending(c, ACCOUNT)) is None
    assert database.read(lambda c: media.tallies(c, ACCOUNT)) == []
    assert database.read(lambda c: media.stored_bytes(c, ACCOUNT)) == 0
    assert not database.read(lambda c: media.is_used(c, ACCOUNT, file_of(b"x").digest))


def test_a_file_that_is_being_fetched_is_not_given_up(database: Database) -> None:
    add(database, request(1), request(2))
    assert claimed(database, limit=1) == [2]
    assert database.write(lambda c: media.expire(c, ACCOUNT, NOW + MINUTE)) == {1}
    assert [row_of(database, key)["state"] for key in ("key-1", "key-2")] == ["expired", "pending"]
