"""Files that are handed to other programs, and saved."""

import os
import time
from pathlib import Path

import pytest

from frontdesk.tui.files import FileAtHand, OpenedFiles, opener, save, suggested_path

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
OGG = b"OggS" + b"\0" * 60
SCREEN = {"DISPLAY": ":0"}


def at_hand(directory: Path, content: bytes, name: str | None = None) -> FileAtHand:
    path = directory / "kept"
    path.write_bytes(content)
    return FileAtHand.of(path, name, "photo")


def test_the_bytes_say_what_a_file_is(tmp_path: Path) -> None:
    file = at_hand(tmp_path, PNG, "../../etc/passwd.exe")
    assert (file.type, file.name, file.is_known) == ("image/png", "passwd.exe.png", True)
    file = at_hand(tmp_path, b"<html>", "photo.jpg")
    assert not file.is_known
    assert at_hand(tmp_path, OGG).name == "photo.ogg"


@pytest.mark.parametrize(
    ("name", "kind", "plain"),
    [
        ("$(touch x) holiday.png", "photo", "photo.png"),
        ("plan.dwg", "document", "document.dwg"),
        ("a.$(id)", "document", "document.bin"),
        ("a.`id`", "; reboot", "file.bin"),
    ],
)
def test_the_name_of_a_copy_for_programs_has_no_word_of_its_sender(
    tmp_path: Path, name: str, kind: str, plain: str
) -> None:
    path = tmp_path / "content"
    path.write_bytes(PNG if name.endswith("png") else b"anything")
    assert FileAtHand.of(path, name, kind).plain_name == plain


def test_over_ssh_no_program_of_the_system_opens_files() -> None:
    assert opener({**SCREEN, "SSH_CONNECTION": "1"}) == []


def test_what_was_handed_over_is_deleted_at_the_end(tmp_path: Path) -> None:
    file, opened = at_hand(tmp_path, PNG, "mirror.png"), OpenedFiles(tmp_path / "media")
    handed = [opened.copy_of(file) for _ in range(2)]
    assert [path.name for path in handed] == ["photo.png", "photo.png"]
    assert handed[0].read_bytes() == PNG
    opened.clear()
    assert not [path for path in (tmp_path / "media").rglob("*") if path.is_file()]
    assert file.path.exists()


def test_what_a_killed_viewer_left_goes_a_day_later_and_that_of_others_stays(
    tmp_path: Path,
) -> None:
    left, young, other = (tmp_path / "open" / name for name in ("1", "3", "2"))
    for directory in (left, young, other):
        directory.mkdir(parents=True)
        (directory / "photo.png").write_bytes(PNG)
    day_ago = time.time() - 86_400
    os.utime(left, (day_ago - 60, day_ago - 60))
    os.utime(young, (day_ago + 600, day_ago + 600))
    OpenedFiles(tmp_path)
    assert {path.name for path in (tmp_path / "open").iterdir()} == {"2", "3"}


def test_a_saved_file_is_private_and_is_suggested_under_a_name_not_taken(tmp_path: Path) -> None:
    file = at_hand(tmp_path, PNG, "mirror.png")
    assert suggested_path(file.name, tmp_path) == tmp_path / "mirror.png"
    save(file.path, tmp_path / "mirror.png")
    assert (tmp_path / "mirror.png").stat().st_mode & 0o077 == 0
    assert suggested_path(file.name, tmp_path) == tmp_path / "mirror (2).png"
    assert suggested_path(file.name, tmp_path / "missing") == tmp_path / "mirror (2).png"
