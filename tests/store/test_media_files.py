"""Files by their bytes: what holds in a directory and in a bucket alike."""

import hashlib
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests import buckets

from frontdesk.errors import FileTooLarge, NoRoom
from frontdesk.ingest.archive.attachments import FileArchive
from frontdesk.store.incoming_files import abandoned
from frontdesk.store.media_bucket import MediaBucket
from frontdesk.store.media_directory import MediaDirectory
from frontdesk.store.media_files import MediaFiles, StoredBytes, chunks

ACCOUNT, OTHER = 1, 2
PHOTO = b"\xff\xd8\xff" + bytes(range(256)) * 10
DIGEST = hashlib.sha256(PHOTO).hexdigest()
SOUND = b"OggS" + bytes(3_000_000)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with buckets.bucket_server() as address:
        yield address


@pytest.fixture(params=["directory", "bucket"])
def files(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> MediaFiles:
    if request.param == "directory":
        return MediaDirectory(tmp_path / "media", least_free_bytes=0)
    buckets.use(monkeypatch, request.getfixturevalue("server"))
    address = f"s3://{buckets.BUCKET}/{tmp_path.name}"
    return MediaBucket(address, least_free_bytes=0, allow_http=True)


def stored(files: MediaFiles, content: bytes = PHOTO, account_id: int = ACCOUNT) -> str:
    with files.receive(account_id, len(content)) as incoming:
        incoming.write(content)
        return incoming.keep()


def content_of(files: MediaFiles, digest: str, *, preview: bool = False) -> bytes | None:
    file = files.open(ACCOUNT, digest, preview=preview)
    if file is None:
        return None
    try:
        return b"".join(chunks(file))
    finally:
        file.close()


def test_a_file_is_found_by_its_digest(files: MediaFiles) -> None:
    assert stored(files) == DIGEST
    assert files.has(ACCOUNT, DIGEST)
    assert files.size(ACCOUNT, DIGEST) == len(PHOTO)
    assert files.hash(ACCOUNT, DIGEST) == DIGEST
    assert content_of(files, DIGEST) == PHOTO


def test_a_file_that_is_deleted_while_it_is_read_is_whole_or_not_there(
    files: MediaFiles, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened = files.open

    def opened_and_deleted(account_id: int, digest: str) -> StoredBytes | None:
        file = opened(account_id, digest)
        files.delete(account_id, digest)
        return file

    monkeypatch.setattr(files, "open", opened_and_deleted)
    stored(files)
    hashed = files.hash(ACCOUNT, DIGEST)
    assert hashed in (None, DIGEST)
    stored(files)
    archived = FileArchive(tmp_path / "archive").add(files, ACCOUNT, DIGEST)
    assert archived == (hashed is not None)


def test_a_part_of_a_file_is_read(files: MediaFiles) -> None:
    file = files.open(ACCOUNT, stored(files, SOUND))
    assert file is not None
    assert file.size == len(SOUND)
    assert (file.read(0, 4), file.read(len(SOUND) - 2, 9)) == (b"OggS", b"\0\0")
    assert file.read(len(SOUND), 9) == b""
    file.close()


def test_a_file_of_another_account_is_not_there(files: MediaFiles) -> None:
    stored(files)
    assert not files.has(OTHER, DIGEST)
    assert files.open(OTHER, DIGEST) is None


def test_a_preview_lies_beside_its_picture(files: MediaFiles) -> None:
    stored(files)
    assert content_of(files, DIGEST, preview=True) is None
    files.save_preview(ACCOUNT, DIGEST, b"preview")
    assert content_of(files, DIGEST, preview=True) == b"preview"
    assert content_of(files, DIGEST) == PHOTO


def test_the_same_bytes_are_stored_once_in_an_account(files: MediaFiles) -> None:
    stored(files)
    stored(files)
    stored(files, account_id=OTHER)
    files.delete(ACCOUNT, DIGEST)
    assert (files.has(ACCOUNT, DIGEST), files.has(OTHER, DIGEST)) == (False, True)


def test_deleting_takes_the_preview_too(files: MediaFiles) -> None:
    other = stored(files, b"another file")
    stored(files)
    files.save_preview(ACCOUNT, DIGEST, b"preview")
    files.delete(ACCOUNT, DIGEST)
    files.delete(ACCOUNT, DIGEST)
    assert list(files.digests(ACCOUNT)) == [other]


def test_the_digests_of_an_account_are_listed_once(files: MediaFiles) -> None:
    stored(files)
    files.save_preview(ACCOUNT, DIGEST, b"preview")
    stored(files, b"of another account", OTHER)
    assert list(files.digests(ACCOUNT)) == [DIGEST]


def test_a_missing_file_has_no_size_and_no_hash(files: MediaFiles) -> None:
    stored(files, b"another file")
    assert files.size(ACCOUNT, DIGEST) is None
    assert files.hash(ACCOUNT, DIGEST) is None


def test_a_file_that_is_not_kept_leaves_nothing(files: MediaFiles) -> None:
    with files.receive(ACCOUNT, 1 << 20) as incoming:
        incoming.write(PHOTO)
        path = incoming.path
        assert path.exists()
    assert not path.exists()
    assert list(files.digests(ACCOUNT)) == []


def test_a_file_that_begins_again_is_hashed_again(files: MediaFiles) -> None:
    with files.receive(ACCOUNT, 1 << 20) as incoming:
        incoming.write(b"half of another file")
        incoming.restart()
        incoming.write(PHOTO)
        assert (incoming.size, incoming.head) == (len(PHOTO), PHOTO[:64])
        assert incoming.keep() == DIGEST
    assert content_of(files, DIGEST) == PHOTO


def test_the_first_64_bytes_are_kept_in_whatever_pieces_they_come(files: MediaFiles) -> None:
    for size in (1, 7, 63, 64, 65, 500):
        with files.receive(ACCOUNT, 1 << 20) as incoming:
            for at in range(0, 200, size):
                incoming.write(PHOTO[:200][at : at + size])
            assert (incoming.head, incoming.size) == (PHOTO[:64], 200)


def test_a_file_over_the_limit_ends_at_it(files: MediaFiles) -> None:
    with files.receive(ACCOUNT, 1_000) as incoming:
        incoming.write(b"x" * 1_000)
        with pytest.raises(FileTooLarge):
            incoming.write(b"x")
    assert list(files.digests(ACCOUNT)) == []


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", DIGEST.upper(), DIGEST + "0"])
def test_only_a_digest_names_a_file(files: MediaFiles, digest: str) -> None:
    with pytest.raises(ValueError, match="64 hexadecimal digits"):
        files.size(ACCOUNT, digest)


def test_two_writers_of_one_digest_leave_one_whole_file(files: MediaFiles) -> None:
    barrier = threading.Barrier(4)

    def write() -> None:
        with files.receive(ACCOUNT, 1 << 20) as incoming:
            incoming.write(PHOTO)
            barrier.wait()
            incoming.keep()

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(files.digests(ACCOUNT)) == [DIGEST]
    assert files.hash(ACCOUNT, DIGEST) == DIGEST


def test_below_the_floor_of_free_space_nothing_is_received(tmp_path: Path) -> None:
    for files in (
        MediaDirectory(tmp_path / "media", least_free_bytes=1 << 62),
        MediaBucket("s3://never-asked", least_free_bytes=1 << 62),
    ):
        with pytest.raises(NoRoom, match="has less than"), files.receive(ACCOUNT, 1_000):
            pass
    assert not (tmp_path / "media").exists()


def test_a_gigabyte_of_the_disk_stays_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for free, is_refused in ((999_999_999, True), (1_000_000_000, False)):
        usage = SimpleNamespace(free=free)
        monkeypatch.setattr(shutil, "disk_usage", lambda path, usage=usage: usage)
        files = MediaDirectory(tmp_path / "media")
        assert files.free_bytes() == free
        if is_refused:
            with pytest.raises(NoRoom, match=r"has less than 1\.0 GB free"):
                files.receive(ACCOUNT, 1_000).__enter__()
        else:
            with files.receive(ACCOUNT, 1_000) as incoming:
                incoming.write(b"x")


@pytest.mark.parametrize(("seconds", "is_abandoned"), [(3_500, False), (3_700, True)])
def test_what_nobody_has_written_for_an_hour_is_abandoned(
    tmp_path: Path, seconds: int, is_abandoned: bool
) -> None:
    path = tmp_path / "half"
    path.touch()
    written = path.stat().st_mtime - seconds
    os.utime(path, (written, written))
    assert list(abandoned([path, tmp_path / "missing"])) == [path] * is_abandoned
