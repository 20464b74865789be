"""Rows of a report as a file: whole or not at all, private, and said where they are."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.app import App

from frontdesk.errors import Unreachable
from frontdesk.exports.tables import BYTE_ORDER_MARK
from frontdesk.tui.reports.saving import save_rows
from frontdesk.wire.reports import ConversationReport


async def rows(count: int, *, fails: bool = False) -> AsyncIterator[ConversationReport]:
    for number in range(count):
        yield ConversationReport.model_construct(id=str(number))
    if fails:
        raise Unreachable("No answer")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["rows.ndjson", "~/rows.ndjson"])
async def test_rows_are_lines_of_a_private_file_in_the_directory_that_is_said(
    home: Path, name: str
) -> None:
    assert await save_rows(App(), name, rows(3)) == ("saved as rows.ndjson in ~", 3)
    lines = (home / "rows.ndjson").read_text("utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["0", "1", "2"]
    assert (home / "rows.ndjson").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in home.iterdir()] == ["rows.ndjson"]


async def test_a_table_begins_with_a_mark_and_its_headings(home: Path) -> None:
    assert await save_rows(App(), "rows.csv", rows(0)) == ("saved as rows.csv in ~", 0)
    text = (home / "rows.csv").read_text("utf-8")
    assert text.startswith(f"{BYTE_ORDER_MARK}id,")
    assert text.count("\n") == 1


async def test_what_was_not_read_whole_leaves_no_file_and_the_old_one_as_it_was(
    home: Path,
) -> None:
    (home / "rows.ndjson").write_text("old")
    with pytest.raises(Unreachable):
        await save_rows(App(), "rows.ndjson", rows(2, fails=True))
    assert (home / "rows.ndjson").read_text() == "old"
    assert [path.name for path in home.iterdir()] == ["rows.ndjson"]
