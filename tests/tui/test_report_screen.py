"""The report, driven by keys on the sample; what is read is what stands on the screen."""

import csv
import json
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.errors import Forbidden, InboxError, NotFound, Unauthorised, Unreachable
from frontdesk.mailbox import Mailbox
from frontdesk.tui.clock import Clock
from frontdesk.wire import ConversationFilter, Metrics, Report, ReportQuery
from tests.conftest import NOW
from tests.tui.conftest import lines, settle, shown
from tests.tui.views import ViewApp, press, type_in, view_app

Open = Callable[..., ViewApp]


@pytest.fixture
def report(client: InboxClient, cache: Cache) -> Open:
    """Makes the app with the report of the sample, or of another server."""

    def make(source: Any = None) -> ViewApp:
        return view_app("reports", source or client, cache, Clock(UTC, lambda: NOW))

    return make


class Answering:
    """The sample's server, but reports are answered by a function of the query."""

    def __init__(self, client: InboxClient, answer: Callable[[ReportQuery], Report]) -> None:
        self._client = client
        self._answer = answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def report(self, query: ReportQuery | None = None) -> Report:
        assert query is not None
        return self._answer(query)


def failing(client: InboxClient, error: InboxError) -> Answering:
    def answer(query: ReportQuery) -> Report:
        raise error

    return Answering(client, answer)


def title_of(app: ViewApp) -> str:
    return lines(app)[0]


def line_with(app: ViewApp, words: str) -> str:
    return next((line for line in lines(app) if words in line), "")


async def test_it_opens_on_seven_days_against_the_seven_before(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert title_of(app).startswith(" REPORTS sample · all channels")
        assert title_of(app).endswith("8 – 14 Mar 2026 until 10:00 (UTC)  vs 1 Mar 14:00 – 7 Mar")
        assert "open 60" in lines(app)[1]
        assert "▲ 117 %" in line_with(app, "New conversations")
        assert "66 replies" in line_with(app, "First response time, mean")
        text = shown(app)
        for words in ("NEW CONVERSATIONS PER DAY", "WHO SENT  245 messages", "CHANNEL", "Sa(part)"):
            assert words in text
        assert "the last day is partial" in lines(app)[-2]
        assert lines(app)[-1].endswith("live")


@pytest.mark.parametrize("size", [(40, 10), (60, 15), (80, 24), (100, 32), (120, 40), (200, 60)])
async def test_every_size_shows_the_figures(report: Open, size: tuple[int, int]) -> None:
    app = report()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        assert "65" in line_with(app, "New conversations")
        assert len(lines(app)) == size[1]


async def test_under_40x10_it_says_what_it_needs(report: Open) -> None:
    app = report()
    async with app.run_test(size=(38, 9)) as pilot:
        await settle(pilot)
        assert shown(app).strip() == "40x10 needed, this is 38x9"


async def test_a_narrow_report_shows_one_pane_below_the_figures_and_a_flat_one_only_one(
    report: Open,
) -> None:
    app = report()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for key, words in (
            ("3", "CHANNEL "),
            ("4", "WHO SENT"),
            ("2", "PER DAY"),
            ("1", "PER DAY"),
        ):
            await press(pilot, key)
            assert words in shown(app)
            assert "METRIC" in shown(app)
        await pilot.resize_terminal(60, 15)
        await press(pilot, "3")
        assert "CHANNEL" in shown(app)
        assert "METRIC" not in shown(app)


async def test_tab_goes_through_all_panes_and_back(report: Open) -> None:
    app = report()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        seen = []
        for _ in range(5):
            await press(pilot, "tab")
            seen.append(app.focused.id if app.focused else None)
        assert seen == ["plot", "authors", "channels", "live", "metrics"]
        await press(pilot, "shift+tab")
        assert app.focused
        assert app.focused.id == "live"


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("today", "14 Mar 2026 until 10:00"),
        ("yesterday", "13 Mar 2026 (UTC)"),
        ("30", "13 Feb – 14 Mar 2026 until 10:00"),
        ("90", "15 Dec 2025 – 14 Mar 2026 until 10:00"),
        ("this week", "9 – 14 Mar 2026 until 10:00"),
        ("last week", "2 – 8 Mar 2026 (UTC)  vs 23 Feb – 1 Mar"),
        ("this month", "1 – 14 Mar 2026 until 10:00"),
        ("last month", "1 – 28 Feb 2026 (UTC)"),
    ],
)
async def test_p_chooses_a_period_by_its_name(report: Open, typed: str, words: str) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "p")
        await type_in(pilot, typed)
        await press(pilot, "enter")
        assert words in title_of(app)


async def test_dates_can_be_typed_and_wrong_ones_are_explained(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "p")
        await type_in(pilot, "dates")
        await press(pilot, "enter")
        await type_in(pilot, "2026-03-05 2026-03-01")
        await press(pilot, "enter")
        assert "The first day comes after the last" in shown(app)
        await type_in(pilot, "2026-03-01 2026-03-05")
        await press(pilot, "enter")
        assert "1 – 5 Mar 2026 (UTC)  vs 24 – 28 Feb" in title_of(app)


async def test_the_brackets_go_to_the_period_before_and_after(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "left_square_bracket")
        assert "1 – 7 Mar 2026 (UTC)" in title_of(app)
        await press(pilot, "comma")
        assert "22 – 28 Feb 2026" in title_of(app)
        await press(pilot, "full_stop", "right_square_bracket")
        assert "8 – 14 Mar 2026 until 10:00" in title_of(app)
        await press(pilot, "right_square_bracket")
        assert "has not begun" in app.said
        assert "8 – 14 Mar 2026 until 10:00" in title_of(app)


async def test_g_changes_the_parts_of_the_plot(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "g")
        assert "PER HOUR" in shown(app)
        await press(pilot, "2", "g")
        assert "PER DAY" in shown(app)


@pytest.mark.parametrize("key", ["c", "f"])
async def test_a_channel_can_be_chosen(report: Open, key: str) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, key)
        await type_in(pilot, "madrid")
        await press(pilot, "enter")
        assert "sample · Madrid" in title_of(app)
        assert "17" in line_with(app, "New conversations")


async def test_another_zone_has_other_days(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "Z")
        await type_in(pilot, "tokyo")
        await press(pilot, "enter")
        assert "8 – 14 Mar 2026 until 19:00 (Asia/Tokyo)" in title_of(app)


async def test_capital_s_orders_the_channels_and_again_turns_them_round(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for first in ("Madrid", "Wholesale"):
            await press(pilot, "S")
            await type_in(pilot, "received")
            await press(pilot, "enter")
            head = next(at for at, line in enumerate(lines(app)) if " CHANNEL" in line)
            assert "RECEIVED" in lines(app)[head]
            rows = [line[1:20].strip() for line in lines(app)[head + 1 : head + 6]]
            received = [int(line[37:50].split()[-1]) for line in lines(app)[head + 1 : head + 6]]
            assert received == sorted(received, reverse=first == "Madrid")
            assert len(set(rows)) == 5


async def test_w_says_what_the_figure_is(report: Open) -> None:
    app = report()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "j", "j", "j", "j", "j", "w")
        assert "first answer by a person" in " ".join(shown(app).split())
        assert "Taken of 66 samples" in shown(app)
        await press(pilot, "escape")
        assert "Taken of" not in shown(app)


async def test_the_plot_follows_the_figure_and_its_cursor_names_a_day(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "j", "j")
        assert "MESSAGES RECEIVED PER DAY" in shown(app)
        await press(pilot, "2", "k", "h")
        assert "REOPENED PER DAY" in shown(app)
        assert "Fri 13 Mar:" in shown(app)
        await press(pilot, "home", "left", "right", "end", "l")
        assert "Sat 14 Mar (part):" in shown(app)


@pytest.mark.parametrize(
    ("row", "chosen", "words"),
    [
        (0, ConversationFilter(), "no filter for when one began"),
        (4, ConversationFilter(status="resolved"), "resolved now, whenever"),
        (8, ConversationFilter(status="open"), "handed over"),
    ],
)
async def test_enter_on_a_figure_leads_to_the_nearest_conversations_and_says_so(
    report: Open, row: int, chosen: ConversationFilter, words: str
) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, *["j"] * row, "enter")
        assert app.chosen == [chosen]
        assert words in app.said


async def test_enter_on_a_channel_or_an_author_leads_to_their_conversations(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "3", "enter")
        assert app.chosen == [ConversationFilter(channel="108200000000013")]


async def test_enter_on_who_sent_keeps_the_channel(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "4", "enter")
        assert app.chosen == [ConversationFilter()]
        assert "who wrote" in app.said


@pytest.mark.parametrize(
    ("keys", "chosen", "said"),
    [
        (("enter",), ConversationFilter(status="open"), False),
        (("l", "enter"), ConversationFilter(status="open", assignee="unassigned"), False),
        (("right", "right", "enter"), ConversationFilter(status="open"), True),
        (("l", "l", "l", "left", "h", "enter"),
         ConversationFilter(status="open", assignee="unassigned"), False),
    ],
)  # fmt: skip
async def test_the_live_numbers_lead_to_their_lists(
    report: Open, keys: tuple[str, ...], chosen: ConversationFilter, said: bool
) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "0", *keys)
        assert app.chosen == [chosen]
        assert ("Not exactly the same set" in app.said) == said


async def test_y_copies_what_stands_under_the_cursor(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "y", "0", "y", "2", "y", "3", "y", "4", "y")
        figure, live, part, channel, author = app.copied
        assert figure.startswith("New conversations: 65 (previous 30, ▲ 117 %) · 8 – 14 Mar 2026")
        assert live.startswith("open: 60")
        assert part.startswith("New conversations, Sat 14 Mar (part): 16, was 8")
        assert channel.startswith("Madrid: New conversations 17, Reopened")
        assert author.startswith("people, here: 169 messages sent")


async def test_it_is_saved_as_what_the_ending_says_and_never_over_a_file_unasked(
    report: Open, tmp_path: Path
) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for ending in ("csv", "json", "md"):
            await press(pilot, "E")
            assert "inbox-report-2026-03-08-2026-03-14.csv" in shown(app)
            await type_in(pilot, f"{tmp_path}/report.{ending}")
            await press(pilot, "enter")
        rows = list(csv.DictReader((tmp_path / "report.csv").read_text("utf-8").splitlines()))
        assert rows[0]["value"] == "65"
        assert {row["scope"] for row in rows} == {"all", "channel", "author", "part", "live"}
        assert len({row["from"] for row in rows if row["scope"] == "part"}) == 14
        body = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
        assert body["metrics"]["conversations_count"] == 65
        assert len(body["previous_series"]) == 7
        markdown = (tmp_path / "report.md").read_text(encoding="utf-8")
        assert "| New conversations | 65 | 30 | ▲ 117 % |  |" in markdown
        (tmp_path / "report.md").write_text("mine", encoding="utf-8")
        await press(pilot, "E")
        await type_in(pilot, f"{tmp_path}/report.md")
        await press(pilot, "enter")
        assert "there already" in shown(app)
        assert (tmp_path / "report.md").read_text(encoding="utf-8") == "mine"
        await press(pilot, "enter")
        assert (tmp_path / "report.md").read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize(
    ("name", "problem"),
    [("report.xls", ".csv, .json, .md"), ("nowhere/report.csv", "no directory"), (".csv", "end")],
)
async def test_a_name_that_cannot_be_saved_under_is_explained(
    report: Open, tmp_path: Path, name: str, problem: str
) -> None:
    app = report()
    async with app.run_test(size=(160, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "E")
        await type_in(pilot, f"{tmp_path}/{name}")
        await press(pilot, "enter")
        assert problem in shown(app)
        await press(pilot, "escape", "escape")
        assert list(tmp_path.glob("*.csv")) == []


async def test_slash_finds_a_figure_and_n_goes_on(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "slash")
        await type_in(pilot, "time")
        await press(pilot, "enter")
        assert "FIRST RESPONSE, MEAN PER DAY" in shown(app)
        await press(pilot, "n")
        assert "WAITING, MEAN PER DAY" in shown(app)
        await press(pilot, "N")
        assert "FIRST RESPONSE, MEAN PER DAY" in shown(app)


async def test_nothing_measured_never_looks_like_zero(report: Open, client: InboxClient) -> None:
    whole = await client.report(ReportQuery(granularity="day", from_="2026-03-08"))
    none = {name: None for name in Metrics.model_fields if "avg" in name}
    assert whole.series
    parts = [
        part.model_copy(
            update={
                "metrics": part.metrics.model_copy(update=none),
                "samples": dict.fromkeys(none, 0),
            }
        )
        for part in whole.series
    ]
    bare = whole.model_copy(
        update={"metrics": whole.metrics.model_copy(update=none), "series": tuple(parts)}
    )
    app = report(Answering(client, lambda query: bare))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, *["j"] * 5)
        row = line_with(app, "First response time, mean")
        assert "·······" in row
        assert "no samples" in row
        assert " 0 " not in row.replace("0 replies", "")
        assert "Sat 14 Mar (part): no samples" in shown(app)


async def test_few_samples_are_said_and_not_judged(report: Open, client: InboxClient) -> None:
    async def few(query: ReportQuery) -> Report:
        answer = await client.report(query)
        parts = tuple(
            part.model_copy(update={"samples": {"avg_reply_time": 0, "avg_first_response_time": 0}})
            for part in answer.series or ()
        )
        return answer.model_copy(update={"series": parts})

    source: Any = Answering(client, few)  # type: ignore[arg-type]
    source.report = few
    app = report(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "few samples" in line_with(app, "Customer waiting time, mean")
        assert "worse" in line_with(app, "Resolution time, mean")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Forbidden("The key may not do this.", scope="reports:read"), "the scope reports:read"),
        (NotFound("There is nothing here."), "This server has no reports"),
    ],
)
async def test_a_report_that_is_refused_says_why_in_the_pane(
    report: Open, client: InboxClient, error: InboxError, words: str
) -> None:
    app = report(failing(client, error))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert words in " ".join(shown(app).split())


async def test_a_refused_key_is_told(report: Open, client: InboxClient) -> None:
    app = report(failing(client, Unauthorised("The server refuses the key.")))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "key refused (401)" in lines(app)[-1]


async def test_offline_shows_what_was_seen_and_of_when(
    report: Open, client: InboxClient, cache: Cache
) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
    async with InboxClient("http://localhost:1", "key") as nobody:
        again = report(failing(nobody, Unreachable("No answer.")))
        async with again.run_test(size=(120, 40)) as pilot:
            await settle(pilot)
            assert "offline · as of 10:00" in lines(again)[-1]
            assert "65" in line_with(again, "New conversations")
            await press(pilot, "left_square_bracket", "left_square_bracket")
            assert "No report of this period is saved" in shown(again)


async def test_what_was_asked_for_is_there_the_next_time(
    report: Open, client: InboxClient, cache: Cache
) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "p")
        await type_in(pilot, "last month")
        await press(pilot, "enter")
    mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
    assert mailbox.recall("report") is not None
    again = report()
    async with again.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert "1 – 28 Feb 2026" in title_of(again)
        await settle(pilot)


async def test_it_is_read_again_on_ctrl_r_and_f5(report: Open, client: InboxClient) -> None:
    asked = []

    async def counting(query: ReportQuery) -> Report:
        asked.append(query)
        return await client.report(query)

    source: Any = Answering(client, lambda query: None)  # type: ignore[arg-type, return-value]
    source.report = counting
    app = report(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        before = len(asked)
        await press(pilot, "ctrl+r")
        again = len(asked)
        assert again > before
        await press(pilot, "f5")
        assert len(asked) > again


@pytest.mark.parametrize("key", ["escape", "q"])
async def test_it_is_left_without_a_choice(report: Open, key: str) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, key)
        assert app.chosen == [None]


@pytest.mark.parametrize("key", ["question_mark", "f1"])
async def test_all_its_keys_are_explained(report: Open, key: str) -> None:
    app = report()
    async with app.run_test(size=(120, 60)) as pilot:
        await settle(pilot)
        await press(pilot, key)
        for words in (
            "Period or dates",
            "Hours, days, weeks or months",
            "Save as CSV",
            "Time zone",
        ):
            assert words in shown(app)


async def test_without_colour_nothing_is_lost(
    report: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        text = shown(app)
        for words in ("worse", "better", "█", "░", "▸METRIC"):
            assert words in text


async def test_a_terminal_without_blocks_gets_a_plot_all_the_same(
    report: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "linux")
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        text = shown(app)
        assert "█" not in text
        assert "###" in text
        assert "+ 117 %" in text
