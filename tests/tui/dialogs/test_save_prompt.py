"""Names of files to save: what is wrong with one, and one warning before another is replaced."""

from pathlib import Path

import pytest

from frontdesk.tui.dialogs.save_prompt import SaveCheck, check_download, written

ENDINGS = ("csv", "json")


def test_a_file_is_replaced_once_that_was_said(tmp_path: Path) -> None:
    check, name = SaveCheck(ENDINGS), str(tmp_path / "a.csv")
    assert check(name) is None
    Path(name).touch()
    assert "exists" in (check(name) or "")
    assert check(name) is None
    other = str(tmp_path / "b.json")
    Path(other).touch()
    assert "exists" in (check(other) or "")
    assert "exists" in (check(name) or "")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a", ".csv, .json"),
        ("a.txt", ".csv, .json"),
        ("there.csv", "directory"),
        ("nowhere/a.csv", "nowhere"),
        (f"{'a' * 300}.csv", "That name cannot be used: "),
    ],
)
def test_a_name_that_cannot_be_used_is_told_why(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "there.csv").mkdir()
    assert words in (SaveCheck(ENDINGS)(str(tmp_path / name)) or "")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.csv", ""),
        ("a.txt", ".csv, .json"),
        ("there/a.csv", "directory"),
        ("there\\a.csv", "directory"),
        ("a\n.csv", "directory"),
        (f"{'a' * 196}.csv", ""),
        (f"{'a' * 197}.csv", "200"),
        (f"{'é' * 98}.csv", ""),
        (f"{'é' * 99}.csv", "200"),
    ],
)
def test_a_download_has_a_name_alone(name: str, words: str) -> None:
    said = check_download(ENDINGS, name)
    assert (said is None) == (not words)
    assert words in (said or "")


def test_a_file_that_cannot_be_written_is_told_why(tmp_path: Path) -> None:
    said: list[str] = []
    path = tmp_path / "nowhere" / "a.csv"
    assert not written(str(path), "a,b\r\n", said.append)
    assert said == [f"{path} cannot be written: No such file or directory"]
    path.parent.mkdir()
    assert written(str(path), "a,b\r\n", said.append)
    assert (path.read_bytes(), len(said)) == (b"a,b\r\n", 1)
