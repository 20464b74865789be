"""The directory of files: private, whole or not there, within its limits."""

import hashlib
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from frontdesk.errors import Unreachable
from frontdesk.store.media_directory import MediaDirectory

ACCOUNT, OTHER = 1, 2
PHOTO = b"\xff\xd8\xff" + bytes(range(256)) * 10
DIGEST = hashlib.sha256(PHOTO).hexdigest()


@pytest.fixture
def files(tmp_path: Path) -> MediaDirectory:
    return MediaDirectory(tmp_path / "media", least_free_bytes=0)


def stored(files: MediaDirectory, content: bytes = PHOTO, account_id: int = ACCOUNT) -> str:
    with files.receive(account_id, 1 << 20) as incoming:
        incoming.write(content)
        return incoming.keep()


def everything_below(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


def test_a_file_is_found_by_its_digest(files: MediaDirectory) -> None:
    assert stored(files) == DIGEST
    path = files.path(ACCOUNT, DIGEST)
    assert path.read_bytes() == PHOTO
    assert path.relative_to(files.root).parts == ("1", DIGEST[:2], DIGEST[2:4], DIGEST)
    assert files.size(ACCOUNT, DIGEST) == len(PHOTO)
    assert files.hash(ACCOUNT, DIGEST) == DIGEST


def test_files_and_folders_are_private(files: MediaDirectory) -> None:
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


def test_a_file_that_is_not_kept_leaves_nothing(files: MediaDirectory) -> None:
    with files.receive(ACCOUNT, 1 << 20) as incoming:
        incoming.write(PHOTO)
        assert everything_below(files.root) == [f"incoming/{incoming.path.name}"]
    assert everything_below(files.root) == []


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file sizes are POSIX's")
def test_a_disk_that_becomes_full_is_no_room_and_leaves_nothing(tmp_path: Path) -> None:
    """A limit on the size of files stands for a full disk: a part is written, then it fails."""
    program = f"""
import resource, signal
from pathlib import Path
from frontdesk.errors import NoRoom
from frontdesk.store.media_directory import MediaDirectory
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
try:
    files = MediaDirectory(Path({str(tmp_path / "media")!r}), least_free_bytes=0)
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


def test_deleting_takes_the_preview_and_the_empty_folders_too(files: MediaDirectory) -> None:
    stored(files)
    files.save_preview(ACCOUNT, DIGEST, b"preview")
    other = stored(files, b"another file")
    assert files.preview_path(ACCOUNT, DIGEST).read_bytes() == b"preview"
    files.delete(ACCOUNT, DIGEST)
    files.delete(ACCOUNT, DIGEST)
    assert everything_below(files.root) == [str(files.path(ACCOUNT, other).relative_to(files.root))]
    files.delete(ACCOUNT, other)
    assert [path.name for path in files.root.iterdir()] == ["incoming"]


def test_folders_may_be_removed_at_any_step_of_keeping_a_file(
    files: MediaDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another deletes the same file: while a folder is found there, and before the rename."""
    inner = files.path(ACCOUNT, DIGEST).parent
    mkdir, replace, deleted = os.mkdir, os.replace, []

    def delete_once(step: str) -> None:
        if step not in deleted:
            deleted.append(step)
            files.delete(ACCOUNT, DIGEST)

    def make(path: Path, mode: int) -> None:
        try:
            mkdir(path, mode)
        except FileExistsError:
            if path == inner:
                delete_once("found there")
            raise

    def rename(source: Path, target: Path) -> None:
        delete_once("before the rename")
        replace(source, target)

    stored(files)
    monkeypatch.setattr(os, "mkdir", make)
    monkeypatch.setattr(os, "replace", rename)
    stored(files)
    assert sorted(deleted) == ["before the rename", "found there"]
    assert files.hash(ACCOUNT, DIGEST) == DIGEST


def test_folders_may_be_removed_while_files_are_listed(files: MediaDirectory) -> None:
    """Another process deletes files that are about to be listed."""
    # Each in a folder of its own, all below one.
    contents = [str(number).encode() for number in range(2_000)]
    same = [one for one in contents if hashlib.sha256(one).hexdigest().startswith("ab")]
    digests = {stored(files, content) for content in same}
    assert len({digest[:4] for digest in digests}) > 1
    found = files.digests(ACCOUNT)
    first = next(found)
    for digest in digests - {first}:
        files.delete(ACCOUNT, digest)
    assert [*found] == []
    assert [*files.digests(ACCOUNT)] == [first]


def test_a_missing_file_differs_from_a_missing_directory(files: MediaDirectory) -> None:
    with pytest.raises(Unreachable, match="cannot be used"):
        files.size(ACCOUNT, DIGEST)
    with pytest.raises(Unreachable, match="cannot be used"):
        files.open(ACCOUNT, DIGEST)
    stored(files, b"another file")
    assert files.open(ACCOUNT, DIGEST) is None


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be deleted there")
def test_a_file_that_is_deleted_while_it_is_sent_is_sent_whole(files: MediaDirectory) -> None:
    file = files.open(ACCOUNT, stored(files))
    assert file is not None
    begun = file.read(0, 100)
    files.delete(ACCOUNT, DIGEST)
    assert begun + file.read(100, len(PHOTO)) == PHOTO
    file.close()
    assert files.open(ACCOUNT, DIGEST) is None


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_that_cannot_be_written_is_unreachable(files: MediaDirectory) -> None:
    files.root.mkdir(mode=0o500)
    with pytest.raises(Unreachable), files.receive(ACCOUNT, 1_000):
        pass


def test_a_file_in_the_way_is_unreachable(tmp_path: Path) -> None:
    (tmp_path / "media").write_text("no directory")
    files = MediaDirectory(tmp_path / "media", least_free_bytes=0)
    with pytest.raises(Unreachable, match="cannot be used"), files.receive(1, 1_000):
        pass


def test_what_a_killed_process_left_is_swept_after_an_hour(files: MediaDirectory) -> None:
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
from frontdesk.store.media_directory import MediaDirectory
files = MediaDirectory(Path({str(tmp_path / "media")!r}), least_free_bytes=0)
with files.receive(1, 1 << 30) as file:
    file.write(b"half of a file")
    os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", program], check=False)
    assert [name.split("/")[0] for name in everything_below(tmp_path / "media")] == ["incoming"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_folder_that_is_a_link_leads_nowhere(
    files: MediaDirectory, tmp_path: Path, depth: int
) -> None:
    path = files.path(ACCOUNT, stored(files))
    folder = files.root.joinpath(*path.relative_to(files.root).parts[:depth])
    elsewhere = tmp_path / "elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    assert files.size(ACCOUNT, DIGEST) is None
    assert files.open(ACCOUNT, DIGEST) is None
    assert files.find(DIGEST) is None
    assert list(files.digests(ACCOUNT)) == []
    files.delete(ACCOUNT, DIGEST)
    with pytest.raises(Unreachable, match="is a symbolic link"):
        stored(files)
    assert everything_below(elsewhere) == ["/".join(path.relative_to(folder).parts)]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_named_pipe_in_place_of_a_file_is_not_there(files: MediaDirectory) -> None:
    path = files.path(ACCOUNT, stored(files))
    path.unlink()
    os.mkfifo(path)
    assert files.open(ACCOUNT, DIGEST) is None
    assert files.hash(ACCOUNT, DIGEST) is None
    assert files.find(DIGEST) is None
    assert not files.has(ACCOUNT, DIGEST)
