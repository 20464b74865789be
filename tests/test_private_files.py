"""Files that only their owner can read."""

import os
import stat
from pathlib import Path

import pytest

from frontdesk.errors import BadSettings, UnusableFile
from frontdesk.system import private_files
from frontdesk.tui.dialogs.save_prompt import written


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_put_in_place_whole_and_closed_to_others(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_text("before, and longer")
    path.chmod(0o644)
    private_files.replace(path, b"after")
    assert (path.read_bytes(), mode(path)) == (b"after", 0o600)
    assert os.listdir(tmp_path) == ["kept"]


def test_a_failed_replace_leaves_no_temporary_file(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    (path / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match="kept"):
        private_files.replace(path, b"after")
    assert os.listdir(tmp_path) == ["kept"]


def test_a_leftover_temporary_file_of_the_same_pid_does_not_prevent_replace(tmp_path: Path) -> None:
    (tmp_path / f".kept.{os.getpid()}").write_text("left by a process that was killed")
    private_files.replace(tmp_path / "kept", b"after")
    assert os.listdir(tmp_path) == ["kept"]


def test_a_file_that_is_to_be_new_is_not_one_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    private_files.make(path, new=True)
    private_files.make(path)
    with pytest.raises(FileExistsError):
        private_files.make(path, new=True)
    assert mode(path) == 0o600


@pytest.mark.parametrize(("bits", "closed"), [(0o600, True), (0o640, False), (0o602, False)])
def test_a_file_that_others_can_open_is_not_closed(tmp_path: Path, bits: int, closed: bool) -> None:
    path = tmp_path / "kept"
    private_files.make(path)
    path.chmod(bits)
    assert private_files.is_closed_to_others(path.stat()) == closed


def test_a_link_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("words")
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    with pytest.raises(OSError, match="link"):
        private_files.open_here(tmp_path / "link")


def test_files_saved_by_the_viewer_are_private_to_their_owner(tmp_path: Path) -> None:
    path = tmp_path / "thread.txt"
    assert written(str(path), "Ana: hello\n", pytest.fail)
    assert (path.read_text(), mode(path)) == ("Ana: hello\n", 0o600)


def status(bits: int, owner: int) -> os.stat_result:
    return os.stat_result((stat.S_IFREG | bits, 1, 1, 1, owner, 0, 0, 0, 0, 0))


@pytest.mark.parametrize(
    ("bits", "closed", "changed_by_others"),
    [
        (0o600, True, False),
        (0o700, True, False),
        (0o640, False, False),
        (0o604, False, False),
        (0o601, False, False),
        (0o610, False, False),
        (0o620, False, True),
        (0o602, False, True),
    ],
)
def test_who_can_open_or_change_a_file_is_said_by_its_mode(
    bits: int, closed: bool, changed_by_others: bool
) -> None:
    for owner in (os.geteuid(), 0):
        assert private_files.is_closed_to_others(status(bits, owner)) is closed
        assert private_files.can_be_written_by_others(status(bits, owner)) is changed_by_others


def test_a_file_of_another_user_is_open_to_others() -> None:
    for other in {1, 2, 1000} - {os.geteuid()}:
        assert not private_files.is_closed_to_others(status(0o600, other))
        assert private_files.can_be_written_by_others(status(0o600, other))


def test_directories_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "kept"
    private_files.make_directories(path)
    private_files.make_directories(path)
    assert mode(path.parent) == 0o700
    assert not path.exists()


def test_a_file_is_closed_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_text("words")
    for bits in (0o644, 0o600, 0o700):
        path.chmod(bits)
        private_files.close_to_others(path)
        assert mode(path) == 0o600


def test_a_text_is_saved_and_read(tmp_path: Path) -> None:
    path = tmp_path / "new" / "kept"
    private_files.save_text(path, "Zoë")
    assert private_files.load_text(path) == private_files.load_text(str(path)) == "Zoë"
    assert mode(path) == 0o600


def test_a_text_is_saved_where_a_link_leads(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("before")
    link.symlink_to(target)
    private_files.save_text(link, "after")
    assert link.is_symlink()
    assert target.read_text() == "after"


def test_a_mebibyte_of_a_text_is_read(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    private_files.save_text(path, "x" * (2**20 + 1))
    assert len(private_files.load_text(path)) == 2**20


def test_a_text_that_cannot_be_read_or_saved_is_an_error_that_says_why(tmp_path: Path) -> None:
    path, link, opened = tmp_path / "kept", tmp_path / "link", tmp_path / "opened"
    private_files.save_text(path, "words")
    link.symlink_to(path)
    opened.write_text("words")
    opened.chmod(0o644)
    for bad, why in [
        (link, "cannot be read: it is a symbolic link"),
        (tmp_path / "missing", "cannot be read: No such file or directory"),
        (tmp_path, "is not a file"),
        (opened, f"can be read by others: chmod 600 {opened}"),
    ]:
        with pytest.raises(BadSettings) as raised:
            private_files.load_text(bad)
        assert str(raised.value) == f"{bad} {why}"
    with pytest.raises(UnusableFile, match=r"/inside cannot be written: (Not a dir|File exists)"):
        private_files.save_text(path / "inside", "words")
