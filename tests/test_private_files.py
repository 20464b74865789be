"""Files that only their owner can read."""

import os
import stat
from pathlib import Path

import pytest

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
