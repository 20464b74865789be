"""What people type who know other programs: mistyped commands, ranges of days, orders."""

from pathlib import Path

import pytest
from tests.commands import output_of, run_command, run_on


@pytest.mark.parametrize(
    ("words", "like"),
    [
        (("reprot",), "'report'"),
        (("conversation",), "'conversations'"),
        (("conversations", "lst"), "'list'"),
        (("db", "check-up"), "'check'"),
    ],
)
def test_a_mistyped_command_is_said_with_like_ones(words: tuple[str, ...], like: str) -> None:
    ended = run_command(*words)
    assert ended.exit_code == 2
    assert f"No such command '{words[-1]}'. Did you mean " in ended.stderr
    assert like in ended.stderr


def test_a_command_like_none_has_no_guess() -> None:
    ended = run_command("xyzzy")
    assert ended.stderr == "frontdesk: No such command 'xyzzy'.\n"


def test_a_range_of_days_is_a_period_with_both_days(inbox: Path) -> None:
    days = ("--from", "2026-03-02", "--to", "2026-03-07")
    assert output_of(inbox, "report", "2026-03-02..2026-03-07") == output_of(inbox, "report", *days)
    rows = ("report", "conversations", "2026-03-02..2026-03-07")
    assert output_of(inbox, *rows) == output_of(inbox, *rows[:2], *days)


def test_days_that_make_up_a_month_are_compared_with_the_month_before(inbox: Path) -> None:
    text = output_of(inbox, "report", "2026-02-01..2026-02-28")
    assert "previous: 2026-01-01 00:00 – 2026-02-01 00:00" in text


@pytest.mark.parametrize("typed", ["2026-03-01..2026-02-01", "2026-13-01", "fortnight"])
def test_what_is_no_period_is_refused_with_what_there_is(inbox: Path, typed: str) -> None:
    ended = run_on(inbox, "report", typed)
    assert ended.exit_code == 2
    assert f"'{typed}': there is today, yesterday, 7d," in ended.stderr


def test_today_and_yesterday_are_days_of_an_option_too(inbox: Path) -> None:
    named = output_of(inbox, "report", "yesterday", "--figures", "new")
    days = ("--from", "yesterday", "--to", "yesterday")
    assert output_of(inbox, "report", *days, "--figures", "new") == named
    since = output_of(inbox, "report", "--from", "yesterday", "--to", "today", "--zone", "UTC")
    assert since.split("\n")[0].endswith("(UTC)")


def test_the_order_of_a_list_is_an_option_and_a_term(inbox: Path) -> None:
    def ids(query: str, *more: str) -> list[str]:
        listed = ("conversations", "list", query, "--all", "--format", "jsonl", "--json", "id")
        return output_of(inbox, *listed, *more).split()

    by_wait = ids("is:open", "--sort", "waiting")
    assert by_wait == ids("is:open sort:waiting")
    assert by_wait == ids("is:open sort:oldest", "--sort", "waiting")
    assert sorted(by_wait) == sorted(ids("is:open"))
    assert by_wait != ids("is:open")
