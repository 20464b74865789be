"""`--sort` of lists: by any column, in one order for words, numbers and times."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.commands import run_on

from frontdesk.cli.exit_codes import USAGE
from frontdesk.cli.rows import sorted_rows
from frontdesk.errors import BadSettings
from frontdesk.exports.tables import Column


@dataclass(frozen=True)
class Row:
    id: str
    name: str | None = None
    count: int | None = None
    active: bool = False
    seen_at: str | None = None


COLUMNS: tuple[Column[Row], ...] = (
    Column("id", lambda row: row.id),
    Column("name", lambda row: row.name),
    Column("count", lambda row: row.count),
    Column("active", lambda row: row.active),
    Column("seen_at", lambda row: row.seen_at, moment=True),
)
ROWS = (
    Row("10", "bo", 3, True, "2026-03-02T00:00:00.000Z"),
    Row("9", "Álvaro", 20, False, "2026-03-04T00:00:00.000Z"),
    Row("100", "", None, True, None),
    Row("2", "ann", 20, False, "2026-03-03T00:00:00.000Z"),
)


@pytest.mark.parametrize(
    ("column", "ids"),
    [
        ("id", ["2", "9", "10", "100"]),
        ("-id", ["100", "10", "9", "2"]),
        ("name", ["9", "2", "10", "100"]),
        ("-Name", ["10", "2", "9", "100"]),
        ("count", ["9", "2", "10", "100"]),
        ("-count", ["10", "9", "2", "100"]),
        ("active", ["10", "100", "9", "2"]),
        ("seen-at", ["9", "2", "10", "100"]),
        ("-seen_at", ["10", "2", "9", "100"]),
    ],
)
def test_words_numbers_and_times_have_their_orders_and_what_is_empty_comes_last(
    column: str, ids: list[str]
) -> None:
    assert [row.id for row in sorted_rows(ROWS, COLUMNS, column)] == ids


def test_a_column_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(BadSettings) as refused:
        sorted_rows(ROWS, COLUMNS, "-size")
    assert str(refused.value) == (
        "There is no column 'size' in this list: there is id, name, count, active, seen_at"
    )


@pytest.mark.parametrize(
    ("command", "column"),
    [("labels", "title"), ("users", "name"), ("channels", "name"), ("replies", "short_code")],
)
def test_the_first_rows_of_a_whole_list_are_printed(inbox: Path, command: str, column: str) -> None:
    def printed(*options: str) -> list[str]:
        ended = run_on(inbox, command, "list", *options, "--json", column)
        assert ended.exit_code == 0
        return [row[column] for row in json.loads(ended.stdout)]

    whole = printed("--all", "--sort", column)
    assert printed("--all", "--sort", f"-{column}") == whole[::-1]
    assert printed("--sort", column, "--limit", "2") == whole[:2]
    assert sorted(whole) == sorted(printed("--all"))


def test_who_wrote_last_comes_first_of_contacts(inbox: Path) -> None:
    options = ("--sort", "last_activity_at", "--limit", "5", "--json", "last_activity_at")
    ended = run_on(inbox, "contacts", "list", *options)
    times = [row["last_activity_at"] for row in json.loads(ended.stdout)]
    assert times == sorted(times, reverse=True)
    assert "more contacts: --all, or --limit 10" in ended.stderr


@pytest.mark.parametrize("option", [("--page",), ("--cursor", "v1.x")])
def test_an_order_needs_the_whole_list(inbox: Path, option: tuple[str, ...]) -> None:
    ended = run_on(inbox, "labels", "list", "--sort", "title", *option)
    assert ended.exit_code == USAGE
    assert "--sort needs the whole list" in ended.stderr
