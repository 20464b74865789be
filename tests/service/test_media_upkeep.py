"""Upkeep of stored files: what goes by age, above a total, and with the messages."""

from pathlib import Path

import pytest

from frontdesk.service.media.upkeep import MediaLimits, MediaUpkeep
from frontdesk.service.webhooks.worker import BackgroundWorker, WorkerSettings
from frontdesk.store import accounts, media
from frontdesk.store.database import Connection, Database
from frontdesk.store.media import MediaRequest, StoredFile
from frontdesk.store.media_directory import MediaDirectory

ACCOUNT, DAY = 1, 24 * 60 * 60 * 1000
NOW = 1_774_000_000_000


@pytest.fixture
def files(tmp_path: Path) -> MediaDirectory:
    return MediaDirectory(tmp_path / "media", least_free_bytes=0)


def put(
    database: Database, files: MediaDirectory, number: int, content: bytes, *, age: int
) -> None:
    """Store a file of a message that is so many days old."""
    with files.receive(ACCOUNT, 1_000_000) as incoming:
        incoming.write(content)
        digest = incoming.keep()
    request = MediaRequest(f"k{number}", number, 1, "image", media.WHATSAPP, "1", NOW - age * DAY)
    file = StoredFile(digest, len(content), "image/jpeg")
    at = NOW - age * DAY
    database.write(lambda c: media.add_stored(c, ACCOUNT, request, file, at, lambda: True))


def enforced(database: Database, files: MediaDirectory, limits: MediaLimits) -> dict[str, str]:
    """States by key after the upkeep; as many files are left as rows name."""
    MediaUpkeep(database, files, lambda: NOW, limits).enforce(ACCOUNT)

    def read(connection: Connection) -> dict[str, str]:
        assert set(files.digests(ACCOUNT)) == media.stored_digests(connection, ACCOUNT).keys()
        return {row["key"]: row["state"] for row in connection.rows("SELECT * FROM media")}

    return database.read(read)


def revision(database: Database) -> int:
    return database.read(lambda c: accounts.revision(c, ACCOUNT))


def test_without_limits_nothing_goes(database: Database, files: MediaDirectory) -> None:
    put(database, files, 1, b"old", age=3_000)
    assert enforced(database, files, MediaLimits()) == {"k1": "stored"}


def test_files_of_old_messages_go(database: Database, files: MediaDirectory) -> None:
    put(database, files, 1, b"old", age=31)
    put(database, files, 2, b"new", age=29)
    states = enforced(database, files, MediaLimits(keep_days=30))
    assert states == {"k1": "removed", "k2": "stored"}


def test_the_oldest_go_above_a_total(database: Database, files: MediaDirectory) -> None:
    for number in range(1, 251):
        put(database, files, number, b"x" * 1_000 + bytes([number]), age=300 - number)
    states = enforced(database, files, MediaLimits(total_bytes=10_010))
    assert {key for key, state in states.items() if state == "stored"} == {
        f"k{number}" for number in range(241, 251)
    }


def test_what_the_provider_gives_out_no_more_is_given_up(
    database: Database, files: MediaDirectory
) -> None:
    for number, age in ((1, 8), (2, 6)):
        request = MediaRequest(
            f"k{number}", number, 1, "image", media.WHATSAPP, "1", NOW - age * DAY
        )
        database.write(lambda c, one=request: media.add(c, ACCOUNT, [one]))
    assert enforced(database, files, MediaLimits()) == {"k1": "expired", "k2": "pending"}


def test_a_directory_that_cannot_be_used_stops_no_other_work(
    database: Database, files: MediaDirectory, caplog: pytest.LogCaptureFixture
) -> None:
    put(database, files, 1, b"photo", age=1)
    database.write(lambda c: media.remove(c, ACCOUNT, [1]))
    elsewhere = files.root.rename(files.root.with_name("elsewhere"))
    worker = BackgroundWorker(database, lambda: NOW, WorkerSettings(media_files=files))
    worker.run_once()
    worker.run_once()
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    elsewhere.rename(files.root)
    worker.run_once()
    assert list(files.digests(ACCOUNT)) == []


def test_a_directory_that_is_missing_keeps_what_is_to_be_deleted(
    database: Database, files: MediaDirectory
) -> None:
    put(database, files, 1, b"photo", age=1)
    database.write(lambda c: media.remove(c, ACCOUNT, [1]))
    MediaUpkeep(database, None, lambda: NOW, MediaLimits()).collect(ACCOUNT)
    assert len(list(files.digests(ACCOUNT))) == 1
    MediaUpkeep(database, files, lambda: NOW, MediaLimits()).collect(ACCOUNT)
    assert list(files.digests(ACCOUNT)) == []


@pytest.mark.parametrize("days", [1, 30])
def test_the_age_of_a_message_is_measured_to_the_millisecond(
    database: Database, files: MediaDirectory, days: int
) -> None:
    put(database, files, 1, b"kept", age=days)
    assert enforced(database, files, MediaLimits(keep_days=days)) == {"k1": "stored"}
    MediaUpkeep(database, files, lambda: NOW + 1, MediaLimits(keep_days=days)).enforce(ACCOUNT)
    assert enforced(database, files, MediaLimits(keep_days=days)) == {"k1": "removed"}


def test_the_provider_gives_out_files_for_seven_days(
    database: Database, files: MediaDirectory
) -> None:
    request = MediaRequest("k1", 1, 1, "image", media.WHATSAPP, "1", NOW - 7 * DAY)
    database.write(lambda c: media.add(c, ACCOUNT, [request]))
    assert enforced(database, files, MediaLimits()) == {"k1": "pending"}
    MediaUpkeep(database, files, lambda: NOW + 1, MediaLimits()).enforce(ACCOUNT)
    assert enforced(database, files, MediaLimits()) == {"k1": "expired"}


def test_a_total_that_is_reached_is_not_exceeded(database: Database, files: MediaDirectory) -> None:
    put(database, files, 1, b"12345", age=1)
    assert enforced(database, files, MediaLimits(total_bytes=5)) == {"k1": "stored"}
    before = revision(database)
    assert enforced(database, files, MediaLimits(total_bytes=4)) == {"k1": "removed"}
    assert revision(database) > before
