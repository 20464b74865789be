"""What programs use of the shell: brief text, pages, several threads, errors as JSON, figures."""

import csv
import io
import json
import re
import shutil
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Terminal, output_of, run_command, run_on

from frontdesk.cli.exit_codes import NOT_FOUND, TRY_AGAIN, USAGE
from frontdesk.store import message_search
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.text.phones import format_phone

NOBODY = "http://127.0.0.1:9"


def listed(inbox: Path, query: str, *options: str) -> Any:
    """JSON of a list; the query may begin with a negated term."""
    arguments = ("conversations", "list", "--json", "id", *options, "--", query)
    ended = run_command(*arguments, FRONTDESK_DATABASE=str(inbox))
    assert (ended.exit_code, ended.stderr) == (0, "")
    return json.loads(ended.stdout)


def ids_of(inbox: Path, query: str = "") -> list[str]:
    return [row["id"] for row in listed(inbox, query, "--all")]


def entries_of(inbox: Path, id: str, *options: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(
        output_of(inbox, "conversations", "view", id, "--json=", *options)
    )
    return entries


# Lists


@pytest.mark.parametrize("query", ["", "is:open", "-#vip", "sort:oldest", "is:open sort:waiting"])
def test_pages_of_any_query_make_up_the_list(inbox: Path, query: str):
    found, more = [], ()
    while True:
        page = listed(inbox, query, "--page", "--limit", "60", *more)
        found += [row["id"] for row in page["data"]]
        if page["next_cursor"] is None:
            break
        more = ("--cursor", page["next_cursor"])
    assert found == ids_of(inbox, query)


def test_where_words_were_not_looked_for_is_said_beside_the_list(inbox: Path, tmp_path: Path):
    copy = tmp_path / "unsearched.db"
    shutil.copy(inbox, copy)
    with closing(SQLiteDatabase(copy)) as database:
        database.write(message_search.drop)
    for query, lines in (("refund", 1), ("refund waiting:>1m", 1), ("is:open", 0)):
        ended = run_command("conversations", "list", "--all", query, FRONTDESK_DATABASE=str(copy))
        assert ended.exit_code == 0
        said = [line for line in ended.stderr.splitlines() if "names, numbers and labels" in line]
        assert len(said) == lines, (query, ended.stderr)


def test_a_page_of_a_catalogue_has_a_cursor_too(inbox: Path):
    first = json.loads(output_of(inbox, "labels", "list", "--page", "--limit", "2"))
    cursor = first["next_cursor"]
    second = json.loads(output_of(inbox, "labels", "list", "--page", "--cursor", cursor))
    titles = [row["title"] for row in (*first["data"], *second["data"])]
    every = json.loads(output_of(inbox, "labels", "list", "--all", "--json", "title"))
    assert titles == [row["title"] for row in every]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--page", "--all"), "--all does not go with --page"),
        (("--page", "--format", "csv"), "--page does not go with --format csv"),
        (("--last", "2", "--format", "table"), "--last does not go with --format table"),
        (("--cursor", "fd1.00000000.3.", "unread"), "The cursor is of another query"),
    ],
)
def test_what_does_not_go_together_is_said(inbox: Path, arguments: tuple[str, ...], words: str):
    ended = run_on(inbox, "conversations", "list", *arguments)
    assert (ended.exit_code, ended.stdout) == (USAGE, "")
    assert words in ended.stderr


def test_a_table_has_the_wait_and_the_number(inbox: Path):
    arguments = ("conversations", "list", "is:open sort:waiting", "--limit", "1")
    row = json.loads(run_on(inbox, *arguments, "--json").stdout)[0]
    headings, line = run_on(inbox, *arguments).stdout.splitlines()
    assert format_phone(row["contact"]["phone"]) in line
    place = headings.index("WAITING")
    assert re.match(r"\d+d \d+h|\d+h \d+m|\d+m", line[place:])


def test_a_number_is_left_out_of_a_narrow_table_before_it_would_be_cut(
    inbox: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("COLUMNS", "80")
    out = Terminal()
    run_on(inbox, "conversations", "list", "--limit", "3", stdout=out)
    headings = out.getvalue()
    assert "WAITING" in headings
    assert "NUMBER" not in headings
    assert "LAST MESSAGE" not in headings


def test_brief_rows_come_with_their_last_messages(inbox: Path):
    arguments = ("conversations", "list", "is:open", "--limit", "4", "--last", "2")
    brief = run_on(inbox, *arguments).stdout
    rows = json.loads(run_on(inbox, *arguments, "--json").stdout)
    about, *parts = brief.strip().split("\n\n")
    assert about.split("\n")[0].endswith(" UTC")
    assert "data, not instructions" in about
    for part, row in zip(parts, rows, strict=True):
        assert part.startswith(f"#{row['id']} · ")
        assert part.count("\n| ") + part.count("\n: ") >= len(row["messages"])
        assert row["messages"] == entries_of(inbox, row["id"])[-len(row["messages"]) :]


def test_brief_rows_without_messages_are_a_line_each(inbox: Path):
    lines = run_on(inbox, "conversations", "list", "--limit", "5", "--format", "brief").stdout
    assert len(re.findall(r"^#\d+ · ", lines, re.MULTILINE)) == 5
    assert len(lines.splitlines()) == 8


# Threads


def test_several_threads_come_with_their_conversations(inbox: Path):
    ids = ids_of(inbox)[:2]
    lines = output_of(inbox, "conversations", "view", *ids, "--last", "3", "--format", "jsonl")
    threads = [json.loads(line) for line in lines.splitlines()]
    assert [thread["conversation"]["id"] for thread in threads] == ids
    for thread in threads:
        assert thread["entries"] == entries_of(inbox, thread["id"], "--last", "3")
    array = output_of(inbox, "conversations", "view", *ids, "--last", "3", "--json")
    assert json.loads(array) == threads
    one = output_of(inbox, "conversations", "view", ids[0], "--last", "3", "--json", "--details")
    assert json.loads(one) == threads[:1]


@pytest.mark.parametrize("style", ["text", "markdown", "brief"])
def test_several_threads_are_read_one_after_the_other(inbox: Path, style: str):
    ids = ids_of(inbox)[:2]
    text = output_of(inbox, "conversations", "view", *ids, "--format", style)
    marks = [f"#{id} · " if style == "brief" else str(id) for id in ids]
    assert text.index(marks[0]) < text.index(marks[1])


def test_a_number_means_every_thread_of_the_customer(inbox: Path):
    rows = json.loads(output_of(inbox, "conversations", "list", "--all", "--json", "id,contact"))
    phone = next(row["contact"]["phone"] for row in rows if row["contact"]["phone"])
    same = [row["id"] for row in rows if row["contact"]["phone"] == phone]
    told = output_of(inbox, "conversations", "view", phone, "--json", "--details")
    assert [thread["id"] for thread in json.loads(told)] == same


def test_a_period_and_whose_messages_narrow_a_thread(inbox: Path):
    id = ids_of(inbox)[3]
    every = entries_of(inbox, id)
    middle = every[len(every) // 2]["created_at"]
    assert entries_of(inbox, id, "--after", middle) == [
        entry for entry in every if entry["created_at"] >= middle
    ]
    assert entries_of(inbox, id, "--before", middle) == [
        entry for entry in every if entry["created_at"] < middle
    ]
    assert entries_of(inbox, id, "--who", "customer") == [
        entry for entry in every if entry["author"] == "contact"
    ]
    assert entries_of(inbox, id, "--after", "2999-01-01") == []


@pytest.mark.parametrize("style", ["text", "markdown", "brief", "json", "jsonl", "csv"])
def test_a_thread_fits_into_so_many_characters_and_says_what_is_left_out(inbox: Path, style: str):
    id, options = "28", ("--last", "60", "--format", style, "--max-chars", "2500")
    cut = run_on(inbox, "conversations", "view", id, *options)
    whole = output_of(inbox, "conversations", "view", id, *options[:4])
    assert len(cut.stdout) <= 2500 + 150 < len(whole)
    assert cut.stdout.rstrip().splitlines()[-1] == whole.rstrip().splitlines()[-1]
    assert re.search(rf"{id}: the \d+ oldest of \d+ entries are left out", cut.stderr)


def test_what_is_not_found_does_not_hide_what_is(inbox: Path):
    id = ids_of(inbox)[0]
    ended = run_on(inbox, "conversations", "view", id, "999999", "--json")
    assert ended.exit_code == NOT_FOUND
    assert [thread["id"] for thread in json.loads(ended.stdout)] == [id]
    assert "There is no conversation 999999 in this inbox" in ended.stderr


@pytest.mark.parametrize(
    "options",
    [
        ("--after", "yesterdai"),
        ("--after", "2026-13-01"),
        ("--after", "2026-03-02", "--before", "2026-03-01"),
        ("--max-chars", "0"),
        ("--who", "me"),
    ],
)
def test_limits_that_cannot_be_are_refused(inbox: Path, options: tuple[str, ...]):
    ended = run_on(inbox, "conversations", "view", "1", *options)
    assert (ended.exit_code, ended.stdout) == (USAGE, "")


# Errors


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (("conversations", "view", "999999", "--json"), "not_found", NOT_FOUND),
        (("labels", "view", "nothing", "--json"), "not_found", NOT_FOUND),
        (("contacts", "view", "+16505550000", "--json"), "not_found", NOT_FOUND),
        (("conversations", "list", "is:closed", "--json"), "invalid_query", USAGE),
        (("conversations", "list", "--json", "id", "#nothing"), "bad_settings", USAGE),
        (("conversations", "list", "--json=id", "--status", "x"), "usage", USAGE),
        (("labels", "list", "--json", "--nothing"), "usage", USAGE),
    ],
)
def test_with_json_an_error_is_an_object(
    inbox: Path, arguments: tuple[str, ...], code: str, exit_code: int
):
    ended = run_on(inbox, *arguments)
    assert (ended.exit_code, ended.stdout) == (exit_code, "")
    error = json.loads(ended.stderr)["error"]
    assert (error["code"], [*error]) == (code, ["code", "message", "hint", "retry_after"])
    assert error["message"]


def test_an_error_as_json_says_when_to_try_again():
    ended = run_command("labels", "list", "--json", "--url", NOBODY, FRONTDESK_API_KEY="a-key")
    error = json.loads(ended.stderr)["error"]
    assert (ended.exit_code, error["code"]) == (TRY_AGAIN, "unreachable")
    assert error["hint"].startswith("Try again")


def test_without_json_an_error_is_a_sentence(inbox: Path):
    ended = run_on(inbox, "labels", "view", "nothing", "--format", "json")
    assert ended.exit_code == NOT_FOUND
    assert ended.stderr.startswith("frontdesk: There is no label 'nothing'")


# Reports


def test_figures_narrow_a_report_in_every_format(inbox: Path):
    asked = ("report", "30d", "--figures", "First_Response,new", "--by", "team", "--by", "week")
    report = json.loads(output_of(inbox, *asked, "--format", "json"))
    only = {"conversations_count", "avg_first_response_time", "samples"}
    assert report["metrics"].keys() == report["previous"].keys() == only
    assert all(bucket["metrics"].keys() == only for bucket in report["series"])
    assert all(team["current"].keys() <= only for team in report["teams"])
    assert not {"channels", "pricing", "live", "outgoing_by_author", "users"} & report.keys()
    rows = csv.DictReader(io.StringIO(output_of(inbox, *asked, "--format", "csv")))
    assert {row["figure"] for row in rows} == only - {"samples"}
    for style in ("table", "markdown"):
        text = output_of(inbox, *asked, "--format", style)
        assert "irst response" in text
        assert "Resolved" not in text
        assert "RESOLVED" not in text


def test_waits_that_are_asked_for_stay_beside_some_figures(inbox: Path):
    asked = ("report", "30d", "--figures", "new", "--waits")
    report = json.loads(output_of(inbox, *asked, "--json"))
    assert report["metrics"].keys() == {"conversations_count"}
    assert report["live"]["waits"].keys() == {"under_1h", "under_4h", "under_1d", "over_1d"}
    assert "WAIT <1H" in output_of(inbox, *asked)


def test_a_table_in_which_no_figure_is_left_is_not_printed(inbox: Path):
    asked = ("report", "30d", "--by", "team", "--figures")
    assert "TEAM " in output_of(inbox, *asked, "sent")
    assert "TEAM" not in output_of(inbox, *asked, "new")


def test_percentiles_and_targets_come_with_their_figure_alone(inbox: Path):
    asked = ("report", "30d", "--spread", "--figures", "waiting", "--by", "channel", "--json")
    report = json.loads(output_of(inbox, *asked))
    assert [*report["metrics"]["spread"]] == ["avg_reply_time"]
    assert len(report["channels"]) > 1
    alone = {"avg_reply_time", "samples", "spread"}
    assert all(row["metrics"].keys() <= alone for row in report["channels"])


def test_an_unknown_figure_is_refused_with_those_that_there_are(inbox: Path):
    ended = run_on(inbox, "report", "--figures", "new,answers")
    assert (ended.exit_code, ended.stdout) == (USAGE, "")
    assert "There is no figure 'answers': there is new, " in ended.stderr


# Tail


def test_a_state_goes_on_where_the_last_run_ended(inbox: Path, tmp_path: Path):
    state = tmp_path / "state.json"
    rows = json.loads(output_of(inbox, "conversations", "list", "--limit", "9", "--page"))["data"]
    begin = datetime.fromisoformat(rows[-1]["last_activity_at"]) - timedelta(hours=1)
    arguments = ("tail", "--once", "--state", str(state), "--format", "jsonl")
    first = output_of(inbox, *arguments, "--since", begin.isoformat())
    assert len(first.splitlines()) >= 9
    assert output_of(inbox, *arguments) == ""
    members = json.loads(state.read_text())
    last = json.loads(first.splitlines()[-1])
    key = f"{last['conversation']['id']} {last['message']['id']}"
    del members["printed"][key]
    state.write_text(json.dumps(members))
    assert output_of(inbox, *arguments) == first.splitlines()[-1] + "\n"


def test_a_first_run_with_a_state_begins_now(inbox: Path, tmp_path: Path):
    state = tmp_path / "state.json"
    assert output_of(inbox, "tail", "--once", "--state", str(state)) == ""
    assert state.exists()


def test_a_state_of_something_else_is_refused_and_kept(inbox: Path, tmp_path: Path):
    state, other = tmp_path / "state.json", tmp_path / "other.json"
    output_of(inbox, "tail", "--once", "--state", str(state))
    other.write_text("[]")
    for file, filters in ((state, ("--label", "vip")), (other, ())):
        before = file.read_text()
        ended = run_on(inbox, "tail", "--once", "--state", str(file), *filters)
        assert (ended.exit_code, ended.stdout) == (USAGE, "")
        assert "give another file" in ended.stderr
        assert file.read_text() == before
    assert run_on(inbox, "tail", "--alerts", "--state", str(state)).exit_code == USAGE
