"""Cache files: paths, permissions, schema, foreign and newer files."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from frontdesk.cache import files
from frontdesk.cache.files import FileState
from frontdesk.system import first_frame_file


def test_a_cache_is_whole_when_it_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, seen = tmp_path / "pages-1.db", []
    create_tables = files.create_tables

    def watched(connection: sqlite3.Connection) -> None:
        seen.append(files.state(path))
        create_tables(connection)
        seen.append(files.state(path))

    monkeypatch.setattr(files, "create_tables", watched)
    files.prepare(path)
    assert seen == [FileState.FREE, FileState.FREE]
    assert files.state(path) is FileState.OURS
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_file_is_set_aside_with_its_journal_and_two_of_such_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "pages.db"
    for number in range(1, 12):
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).write_text(f"{suffix}{number}")
        path.with_name(path.name + first_frame_file.SUFFIX).write_text("a frame")
        aside = files.move_aside(path, "corrupt")
        assert aside == path.with_name(f"pages.db.corrupt-{number}")
        assert files.set_aside(path)[-1] == aside
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {
        f"pages.db.corrupt-{number}{suffix}": f"{suffix}{number}"
        for number in (10, 11)
        for suffix in ("", "-wal", "-shm")
    }


def test_a_cache_that_another_process_was_quicker_to_make_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pages-1.db"
    create_tables = files.create_tables

    def other_first(connection: sqlite3.Connection) -> None:
        monkeypatch.setattr(files, "create_tables", create_tables)
        files.prepare(path)
        create_tables(connection)

    monkeypatch.setattr(files, "create_tables", other_first)
    monkeypatch.setattr(os, "getpid", iter((1, 2)).__next__)
    files.prepare(path)
    assert files.state(path) is FileState.OURS
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_companion_files_may_be_deleted_while_their_sizes_are_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a viewer deletes its first frame with each write."""
    path, stat = tmp_path / "pages.db", os.stat
    path.write_bytes(b"pages")
    frame = Path(first_frame_file.file_of(path))
    frame.write_bytes(b"frame")

    def looked_at(looked: Path, **options: bool) -> os.stat_result:
        found = stat(looked, **options)
        if Path(looked) == frame:
            frame.unlink()
        return found

    monkeypatch.setattr(os, "stat", looked_at)
    assert files.size_of(path) == len(b"pages" + b"frame")
    assert files.size_of(path) == len(b"pages")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
@pytest.mark.parametrize("name", ["a b", "50%", "a%3fb", "why?mode=ro", "#1", "né", "\udcff"])
def test_a_cache_may_have_any_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name / f"{name}.db"
    for _ in range(2):
        files.prepare(path)
        assert files.state(path) is FileState.OURS
        with closing(files.reader(files.address_of(path))) as reader:
            assert reader.execute("PRAGMA application_id").fetchone() == (files.APPLICATION_ID,)
    assert [file.name for file in path.parent.iterdir()] == [path.name]
