"""Output formats: control characters, alignment, spreadsheet formulas."""

import csv
import io
import json
import os
import re
from datetime import timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from tests.commands import Terminal, run_on

from frontdesk.cli.output import Output, cut, json_of, moment, plain, table
from frontdesk.errors import BadSettings
from frontdesk.exports.tables import Column, local_time, markdown_cell
from frontdesk.text.clean import clean, escape_formula
from frontdesk.wire import Label

HOSTILE = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202eevil\r\n=1+1\t|"
COLUMNS: tuple[Column[tuple[str, str | None]], ...] = (
    Column("name", lambda row: row[0], "NAME"),
    Column("hidden", lambda row: "secret"),
    Column("made_at", lambda row: row[1], "MADE", moment=True),
)


def written(style: str, *rows: tuple[str, str | None]) -> str:
    out = io.StringIO()
    writer = Output(style).writer(COLUMNS, out)
    for row in rows:
        writer.add(row)
    writer.end()
    return out.getvalue()


@pytest.mark.parametrize("style", ["table", "markdown"])
def test_no_control_reaches_a_terminal(style: str):
    text = written(style, (HOSTILE, None))
    assert all(one == "\n" or one.isprintable() for one in text)
    assert "\u202e" not in text


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_table_has_a_line_for_each_row_and_its_columns_align(first: str, second: str):
    lines = table(("A", "B"), [(first, "x"), (second, "y")]).split("\n")
    assert len(lines) == 3
    ends = {cell_len(line[: line.rindex(last)]) for line, last in zip(lines, "Bxy", strict=True)}
    assert len(ends) == 1


@given(st.lists(st.text(max_size=50), min_size=2, max_size=4), st.integers(40, 90))
def test_a_table_fits_the_terminal(row: list[str], width: int):
    for line in table(["H"] * len(row), [row], width=width).split("\n"):
        assert cell_len(line) <= width


@given(st.text(max_size=40), st.integers(1, 30))
def test_cut_text_is_no_wider_than_the_limit(text: str, width: int):
    assert cell_len(cut(plain(text), width)) <= width


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1+1", "+1 2"],
)
def test_csv_marks_formulas_as_text(text: str):
    assert escape_formula(text) == f"'{text}"
    cell = next(csv.DictReader(io.StringIO(written("csv", (text, None)))))["name"]
    assert cell == f"'{text}"


@pytest.mark.parametrize("text", ["+447700900002", "-12.5", "", "a=b", "1+1", "'quoted"])
def test_numbers_and_words_stay_as_they_are_in_csv(text: str):
    assert escape_formula(text) == text


@given(st.lists(st.tuples(st.text(max_size=30), st.none()), max_size=4))
def test_csv_round_trips_except_for_formula_escapes(rows: list[tuple[str, None]]):
    read = list(csv.DictReader(io.StringIO(written("csv", *rows), newline="")))
    assert [row["name"] for row in read] == [escape_formula(name) for name, _ in rows]
    assert [row["hidden"] for row in read] == ["secret"] * len(rows)


def test_tables_show_the_readers_time_and_csv_the_moment():
    row = ("x", "2026-03-14T09:26:53.000Z")
    assert local_time(row[1]) in written("table", row)
    assert "2026-03-14T09:26:53.000Z" in written("csv", row)
    assert local_time(row[1], timezone(timedelta(hours=5, minutes=30))) == "2026-03-14 14:56"
    assert local_time("sometime") == "sometime"
    assert "-" in written("table", ("x", None)).split()


@pytest.mark.parametrize("style", ["json", "jsonl"])
def test_json_is_what_the_server_sent_and_no_more(style: str):
    label = Label.model_validate({"id": "1", "title": "naïve", "unknown": 1})
    out = io.StringIO()
    writer = Output(style).writer(out=out)
    writer.add(label)
    writer.end()
    assert "naïve" in out.getvalue()
    read = json.loads(out.getvalue())
    assert read == ([{"id": "1", "title": "naïve"}] if style == "json" else read)
    assert "color" not in out.getvalue()


def test_nothing_is_an_empty_list():
    out = io.StringIO()
    Output("json").writer(COLUMNS, out).end()
    assert json.loads(out.getvalue()) == []
    assert written("jsonl") == ""
    assert written("table") == "NAME  MADE\n"


def test_markdown_shows_marks_as_they_are():
    assert markdown_cell("a|b *c* <b> [x](y) `d`") == r"a\|b \*c\* \<b\> \[x\](y) \`d\`"


def test_cleaned_text_is_what_is_measured():
    assert plain("a\u200bb\n c") == "ab c"
    assert plain(clean("\x1b[1m")) == "\ufffd[1m"


def test_a_narrow_table_leaves_out_its_last_texts_and_no_others():
    row = ["215", "a" * 30, "b" * 30, "2026-03-14 09:26", "c" * 30]
    headings = ["ID", "CONTACT", "LABELS", "AT", "LAST"]
    heading, line = table(headings, [row], width=48, rigid=[0, 3]).split("\n")
    assert heading.split() == ["ID", "CONTACT", "LABELS", "AT"]
    assert cell_len(line) <= 48
    assert "2026-03-14 09:26" in line


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["NEW", "RESOLVED", "FIRST RESPONSE", "P90"]), st.integers(0, 10**6)
        ),
        min_size=2,
        max_size=12,
    ),
    st.integers(50, 120),
)
def test_columns_of_a_split_table_follow_below_and_none_is_cut(
    figures: list[tuple[str, int]], width: int
):
    headings = ["CHANNEL", *(name for name, _ in figures)]
    row = ["Ciudad de México", *(f"{number:,}" for _, number in figures)]
    rigid = range(1, len(headings))
    lines = table(headings, [row], width=width, rigid=rigid, split=rigid).split("\n")
    assert max(map(cell_len, lines)) <= width
    parts = [zip(*map(_cells, lines[at : at + 2]), strict=True) for at in range(0, len(lines), 3)]
    columns = [column for part in parts for column in list(part)[1:]]
    assert columns == list(zip(headings[1:], row[1:], strict=True))
    assert all(line.startswith("Ciudad de México") for line in lines[1::3])


@pytest.mark.parametrize(("width", "lines"), [(23, 2), (22, 5)])
def test_a_table_that_fits_exactly_is_not_split(width: int, lines: int):
    headings, row = ["CHANNEL", "A", "B"], ["London", "1" * 6, "2" * 6]
    drawn = table(headings, [row], width=width, rigid=[1, 2], split=[2])
    assert len(drawn.split("\n")) == lines, drawn


def test_a_split_table_is_continued_only_from_the_columns_that_may_begin_a_part():
    headings = ["CHANNEL", "SENT", "WAITING", "P50", "P90"]
    lines = table(headings, [["London", *"1234"]], width=30, split=[1, 2]).split("\n")
    assert [line.split() for line in lines[::3]] == [headings[:2], [headings[0], *headings[2:]]]


def _cells(line: str) -> list[str]:
    return re.split(r" {2,}", line)


@pytest.mark.parametrize("width", [24, 30, 40, 90])
def test_times_are_never_cut(width: int):
    rows = [["a" * 40, "2026-03-14 09:26", "b" * 40]]
    assert "2026-03-14 09:26" in table(["A", "AT", "B"], rows, width=width, rigid=[1])


def test_a_terminal_has_colours_unless_the_user_wants_none(monkeypatch: pytest.MonkeyPatch):
    status: Column[str] = Column("status", str, "STATUS", styles={"open": "green"})

    def drawn(out: io.StringIO) -> str:
        writer = Output("table").writer((status,), out)
        writer.add("open")
        writer.end()
        return out.getvalue()

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[32mopen" in drawn(Terminal())
    assert drawn(io.StringIO()) == "STATUS\nopen\n"
    monkeypatch.setenv("NO_COLOR", "1")
    assert "[32m" not in drawn(Terminal())


MARK = b"\xef\xbb\xbf"


def csv_bytes(path: Path, output: Output) -> bytes:
    """What is written to a new file."""
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = output.writer(COLUMNS, out)
        writer.add(("Álvaro Niño", None))
        writer.end()
    return path.read_bytes()


def test_csv_in_a_file_begins_with_a_byte_order_mark(tmp_path: Path):
    written = csv_bytes(tmp_path / "a.csv", Output("csv"))
    assert written.startswith(MARK + b"name,")
    assert written.count(MARK) == 1
    assert not csv_bytes(tmp_path / "a.csv", Output("csv", bom=False)).startswith(MARK)
    assert not csv_bytes(tmp_path / "a.jsonl", Output("jsonl")).startswith(MARK)


def test_csv_that_is_appended_to_a_file_has_no_second_mark(tmp_path: Path):
    path = tmp_path / "a.csv"
    csv_bytes(path, Output("csv"))
    with path.open("a", encoding="utf-8") as out:
        Output("csv").writer(COLUMNS, out).end()
    assert path.read_bytes().count(MARK) == 1


def test_csv_in_a_pipe_has_a_mark_only_if_it_is_asked_for():
    for bom, begin in ((None, b"name"), (True, MARK), (False, b"name")):
        reading, writing = os.pipe()
        with os.fdopen(writing, "w", encoding="utf-8") as out:
            Output("csv", bom=bom).writer(COLUMNS, out).end()
        with os.fdopen(reading, "rb") as pipe:
            assert pipe.read().startswith(begin)


def test_a_file_in_another_encoding_has_no_mark(tmp_path: Path):
    with (tmp_path / "a.csv").open("w", encoding="iso8859-1") as out:
        Output("csv").writer(COLUMNS, out).end()
    assert (tmp_path / "a.csv").read_bytes().startswith(b"name")


def test_the_option_for_a_mark_is_refused_without_csv(inbox: Path):
    assert run_on(inbox, "labels", "list", "--bom").exit_code == 2
    assert run_on(inbox, "labels", "list", "--format=csv", "--bom").stdout.startswith("\ufeffid,")


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (None, ["ID   NAME                STATUS  AT", f"215  {'a' * 18}  open    2026"]),
        (37, ["ID   NAME                STATUS  AT", f"215  {'a' * 18}  open    2026"]),
        (36, ["ID   NAME               STATUS  AT", f"215  {'a' * 16}…  open    2026"]),
        (27, ["ID   NAME      STATUS  AT", f"215  {'a' * 7}…  open    2026"]),
        # No column is narrower than eight: others are left out.
        (26, ["ID   NAME             AT", f"215  {'a' * 14}…  2026"]),
        (17, ["ID   AT", "215  2026"]),
        # These two are never cut.
        (3, ["ID   AT", "215  2026"]),
    ],
)
def test_the_widest_column_is_cut_first_and_none_below_eight(
    width: int | None, lines: list[str]
) -> None:
    drawn = table(
        ["ID", "NAME", "STATUS", "AT"],
        [["215", "a" * 18, "open", "2026"]],
        width=width,
        rigid=[0, 3],
    ).split("\n")
    assert drawn == lines


def test_a_whole_column_is_left_out_and_not_cut() -> None:
    row = ["Ana", "+44 20 7946 0018", "Hello"]
    headings = ["NAME", "NUMBER", "LAST"]
    assert table(headings, [row], width=29, whole=[1]).split("\n") == [
        "NAME  NUMBER            LAST",
        "Ana   +44 20 7946 0018  Hello",
    ]
    assert table(headings, [row], width=28, whole=[1]).split("\n") == [
        "NAME  NUMBER",
        "Ana   +44 20 7946 0018",
    ]
    assert table(headings, [row], width=21, whole=[1]).split("\n") == ["NAME", "Ana"]


def test_the_first_column_is_never_left_out() -> None:
    assert table(["A", "B"], [["x" * 30, "y" * 30]], width=10).split("\n") == [
        "A",
        f"{'x' * 9}…",
    ]


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("日本語", 5, "日本…"),
        ("日本", 4, "日本"),
        ("", 1, ""),
    ],
)
def test_a_text_is_cut_with_an_ellipsis(text: str, width: int, shown: str) -> None:
    assert cut(text, width) == shown


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [(None, "-"), (0, "1970-01-01 00:00Z"), (59_999, "1970-01-01 00:00Z")],
)
def test_a_moment_of_the_database_is_to_the_minute(milliseconds: int | None, shown: str) -> None:
    assert moment(milliseconds) == shown


ROW = {"id": "7", "contact": {"phone": "+44", "name": None}, "last": None}


@pytest.mark.parametrize(
    ("fields", "members"),
    [
        ((), ROW),
        (("id",), {"id": "7"}),
        (("contact.phone", "id"), {"contact.phone": "+44", "id": "7"}),
        (("last.text.body",), {"last.text.body": None}),
        (("contact.name",), {"contact.name": None}),
    ],
)
def test_json_has_the_members_that_are_asked_for(fields: tuple[str, ...], members: object) -> None:
    assert json.loads(json_of(ROW, fields)) == members


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("name", "--json: no member 'name'; there is id, contact, last; before an argument write"),
        ("contact.fax", "no member 'contact.fax'; there is phone, name; before"),
        ("id.x", "no member 'id.x'; it has none; before an argument write --json="),
    ],
)
def test_a_member_that_is_not_there_is_refused_with_those_that_are(field: str, words: str) -> None:
    with pytest.raises(BadSettings, match=re.escape(words)):
        json_of(ROW, (field,))
