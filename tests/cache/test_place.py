"""How the file of a cache comes to be."""

import os
import sqlite3
from pathlib import Path

import pytest

from frontdesk.cache import place
from frontdesk.cache.place import State


def test_a_cache_is_whole_when_it_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, seen = tmp_path / "pages-1.db", []
    lay_out = place.lay_out

    def watched(connection: sqlite3.Connection) -> None:
        seen.append(place.state(path))
        lay_out(connection)
        seen.append(place.state(path))

    monkeypatch.setattr(place, "lay_out", watched)
    place.prepare(path)
    assert seen == [State.FREE, State.FREE]
    assert place.state(path) is State.OURS
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_cache_that_another_process_was_quicker_to_make_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pages-1.db"
    lay_out = place.lay_out

    def other_first(connection: sqlite3.Connection) -> None:
        monkeypatch.setattr(place, "lay_out", lay_out)
        place.prepare(path)
        lay_out(connection)

    monkeypatch.setattr(place, "lay_out", other_first)
    monkeypatch.setattr(os, "getpid", iter((1, 2)).__next__)
    place.prepare(path)
    assert place.state(path) is State.OURS
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
