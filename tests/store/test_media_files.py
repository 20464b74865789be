"""The directory of files: private, whole or not there, within its limits."""

import hashlib
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from frontdesk.errors import FileTooLarge, NoRoom, Unreachable
from frontdesk.store.media_files import MediaFiles

ACCOUNT, OTHER = 1, 2
PHOTO = b"\xff\xd8\xff" + bytes(range(256)) * 10
DIGEST = hashlib.sha256(PHOTO).hexdigest()


@pytest.fixture
def files(tmp_path: Path) -> MediaFiles:
    return MediaFiles(tmp_path / "media", least_free_bytes=0)


def stored(files: MediaFiles, content: bytes = PHOTO, account_id: int = ACCOUNT) -> str:
    with files.receive(account_id, 1 << 20) as incoming:
        incoming.write(content)
        return incoming.keep()


def everything_below(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


def test_a_file_is_found_by_its_digest(files: MediaFiles) -> None:
    assert stored(files) == DIGEST
    path = files.path(ACCOUNT, DIGEST)
    assert path.read_bytes() == PHOTO
    assert path.relative_to(files.root).parts == ("1", DIGEST[:2], DIGEST[2:4], DIGEST)
    assert files.size(path) == len(PHOTO)
    assert files.hash(ACCOUNT, DIGEST) == DIGEST


def test_files_and_folders_are_private(files: MediaFiles) -> None:
    before = os.umask(0)
    try:
        stored(files)
    finally:
        os.umask(before)
    modes = {
        (path.is_dir(), stat.S_IMODE(path.stat().st_mode))
        for path in (files.root, *files.root.rglob("*"))
    }
    assert modes == {(True, 0o700), (False, 0o600)}


def test_the_same_bytes_are_stored_once_in_an_account(files: MediaFiles) -> None:
    stored(files)
    stored(files)
    stored(files, account_id=OTHER)
    assert len(everything_below(files.root)) == 2


def test_a_file_that_is_not_kept_leaves_nothing(files: MediaFiles) -> None:
    with files.receive(ACCOUNT, 1 << 20) as incoming:
        incoming.write(PHOTO)
        assert everything_below(files.root) == [f"incoming/{incoming.path.name}"]
    assert everything_below(files.root) == []


def test_a_file_that_begins_again_is_hashed_again(files: MediaFiles) -> None:
    with files.receive(ACCOUNT, 1 << 20) as incoming:
        incoming.write(b"half of another file")
        incoming.restart()
        incoming.write(PHOTO)
        assert (incoming.size, incoming.head) == (len(PHOTO), PHOTO[:64])
        assert incoming.keep() == DIGEST
    assert files.path(ACCOUNT, DIGEST).read_bytes() == PHOTO


def test_a_file_over_the_limit_ends_at_it(files: MediaFiles) -> None:
    with files.receive(ACCOUNT, 1_000) as incoming:
        incoming.write(b"x" * 1_000)
        with pytest.raises(FileTooLarge):
            incoming.write(b"x")
    assert everything_below(files.root) == []


def test_below_the_floor_of_free_space_nothing_is_written(tmp_path: Path) -> None:
    files = MediaFiles(tmp_path / "media", least_free_bytes=1 << 62)
    with pytest.raises(NoRoom, match="has less than"), files.receive(ACCOUNT, 1_000):
        pass
    assert not files.root.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file sizes are POSIX's")
def test_a_disk_that_becomes_full_is_no_room_and_leaves_nothing(tmp_path: Path) -> None:
    """A limit on the size of files stands for a full disk: a part is written, then it fails."""
    program = f"""
import resource, signal
from pathlib import Path
from frontdesk.errors import NoRoom
from frontdesk.store.media_files import MediaFiles
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
try:
    files = MediaFiles(Path({str(tmp_path / "media")!r}), least_free_bytes=0)
    with files.receive(1, 1 << 30) as file:
        file.write(b"x" * 100_000)
except NoRoom as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"The disk of {tmp_path / 'media'} is full\n"
    assert everything_below(tmp_path) == []


def test_deleting_takes_the_preview_and_the_empty_folders_too(files: MediaFiles) -> None:
    stored(files)
    files.save_preview(ACCOUNT, DIGEST, b"preview")
    other = stored(files, b"another file")
    assert files.preview_path(ACCOUNT, DIGEST).read_bytes() == b"preview"
    assert files.delete(ACCOUNT, DIGEST) == len(PHOTO) + len(b"preview")
    assert files.delete(ACCOUNT, DIGEST) == 0
    assert everything_below(files.root) == [str(files.path(ACCOUNT, other).relative_to(files.root))]
    files.delete(ACCOUNT, other)
    assert [path.name for path in files.root.iterdir()] == ["incoming"]


def test_the_digests_of_an_account_are_listed_once(files: MediaFiles) -> None:
    stored(files)
    files.save_preview(ACCOUNT, DIGEST, b"preview")
    stored(files, b"of another account", OTHER)
    assert list(files.digests(ACCOUNT)) == [DIGEST]


def test_a_missing_file_differs_from_a_missing_directory(files: MediaFiles) -> None:
    path = files.path(ACCOUNT, DIGEST)
    with pytest.raises(Unreachable, match="cannot be used"):
        files.size(path)
    stored(files, b"another file")
    assert files.size(path) is None
    assert files.hash(ACCOUNT, DIGEST) is None


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_that_cannot_be_written_is_unreachable(files: MediaFiles) -> None:
    files.root.mkdir(mode=0o500)
    with pytest.raises(Unreachable), files.receive(ACCOUNT, 1_000):
        pass


def test_a_file_in_the_way_is_unreachable(tmp_path: Path) -> None:
    (tmp_path / "media").write_text("no directory")
    files = MediaFiles(tmp_path / "media", least_free_bytes=0)
    with pytest.raises(Unreachable, match="cannot be used"), files.receive(1, 1_000):
        pass


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", DIGEST.upper(), DIGEST + "0"])
def test_only_a_digest_names_a_file(files: MediaFiles, digest: str) -> None:
    with pytest.raises(ValueError, match="64 hexadecimal digits"):
        files.path(ACCOUNT, digest)


def test_what_a_killed_process_left_is_swept_after_an_hour(files: MediaFiles) -> None:
    stored(files)
    old, new = (files.root / "incoming" / name for name in ("old", "new"))
    old.write_bytes(b"half")
    new.write_bytes(b"half")
    os.utime(old, (0, 0))
    assert files.sweep() == 1
    assert sorted(path.name for path in (files.root / "incoming").iterdir()) == ["new"]
    assert files.hash(ACCOUNT, DIGEST) == DIGEST


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_process_leaves_no_half_file_under_a_digest(tmp_path: Path) -> None:
    program = f"""
import os, signal
from pathlib import Path
from frontdesk.store.media_files import MediaFiles
with MediaFiles(Path({str(tmp_path / "media")!r}), least_free_bytes=0).receive(1, 1 << 30) as file:
    file.write(b"half of a file")
    os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", program], check=False)
    assert [name.split("/")[0] for name in everything_below(tmp_path / "media")] == ["incoming"]


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
    assert everything_below(files.root) == [
        str(files.path(ACCOUNT, DIGEST).relative_to(files.root))
    ]
    assert files.hash(ACCOUNT, DIGEST) == DIGEST
