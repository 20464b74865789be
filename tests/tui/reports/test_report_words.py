"""Words of a report's bars: what they say, and what they leave out where there is no room."""

from datetime import UTC, date
from zoneinfo import ZoneInfo

import pytest

from frontdesk.cache import Cache
from frontdesk.errors import Forbidden, InboxError, NotFound, Unreachable
from frontdesk.mailbox import Mailbox
from frontdesk.reports.metrics import figures_of
from frontdesk.tui.clock import Clock
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.reports import panes
from frontdesk.tui.reports.query import ReportOptions
from frontdesk.tui.reports.screen import ReportScreen
from frontdesk.wire import Ref, ReportQuery
from frontdesk.wire.reports import ChannelMetrics, LiveCounts, Metrics, ZonedPeriod
from tests.mailbox.inbox import Inbox
from tests.tui.reports.drawn_reports import report, text_of

KEYS = KeyNames([ReportScreen])
PARTIAL = " the last day is partial, until 10:00"
NOT_OF_ZERO = "A percentage needs a value before that is more than zero."
MARKS = "+ better ! worse, of 5 or more"
COUNTED = "w how this is counted"
UNTIL = "BEFORE until the same time of its last day"
TOKYO = ZoneInfo("Asia/Tokyo")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            Forbidden("Not\nallowed.", scope="reports:write"),
            "This key may not read reports. It needs the scope reports:write.",
        ),
        (Forbidden("Not allowed"), "Not allowed. Reports need a key with the scope reports:read."),
        (NotFound("Nothing here."), "Nothing here. This server has no reports."),
        (Unreachable("No answer"), "No answer. Press r."),
    ],
)
def test_a_refused_report_says_what_to_do_next(error: InboxError, words: str) -> None:
    assert panes.refusal(error, "Press r.") == words


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (60, "  12 – 14 Mar until 10:00 "),
        (71, "  12 – 14 Mar until 10:00 "),
        (72, "  12 – 14 Mar until 10:00  vs 9 – 11 Mar "),
        (99, "  12 – 14 Mar until 10:00  vs 9 – 11 Mar "),
        (100, "  12 – 14 Mar 2026 until 10:00 (UTC)  vs 9 – 11 Mar until 10:00 "),
    ],
)
def test_the_period_is_said_as_far_as_there_is_room(width: int, words: str) -> None:
    assert text_of(panes.period_words(report(), UTC, width)) == words


def test_a_period_that_cannot_be_read_is_said_as_it_was_sent() -> None:
    odd = report(period=ZonedPeriod(from_="some\nday", to="another"), previous_period=None)
    assert text_of(panes.period_words(odd, UTC, 120)) == "  some day – another (UTC) "
    assert panes.series_dates(odd, UTC) == ""
    assert panes.period_words(None, UTC, 120) == []


def test_times_of_a_report_are_those_of_its_zone() -> None:
    assert panes.series_dates(report(), UTC) == "12 – 14 Mar"
    assert panes.series_dates(None, UTC) == ""
    assert panes.as_of(report(), Clock(TOKYO)) == "19:00"
    assert panes.as_of(report(live=None), Clock(UTC)) == panes.as_of(None, Clock(UTC)) == ""
    assert panes.as_of(report(live=LiveCounts(as_of="soon")), Clock(UTC)) == ""
    assert panes.copied_period(report(), UTC, "Shop") == (
        "12 – 14 Mar 2026 until 10:00 (UTC) · Shop"
    )


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (37, " "),
        (38, PARTIAL),
        (43, PARTIAL),
        (44, f"{PARTIAL} · UTC"),
        (67, f"{PARTIAL} · UTC"),
        (68, f"{PARTIAL} · UTC · {COUNTED}"),
        (99, f"{PARTIAL} · UTC · {COUNTED}"),
        (100, f"{PARTIAL} · {COUNTED} · {MARKS}"),
        (136, f"{PARTIAL} · {COUNTED} · {MARKS}"),
        (160, f"{PARTIAL} · {COUNTED} · {MARKS} · {UNTIL}"),
    ],
)
def test_footnotes_are_said_as_far_as_there_is_room(width: int, words: str) -> None:
    assert text_of(panes.foot(report(), ReportQuery(), UTC, width, KEYS)) == words


def test_footnotes_begin_with_what_the_server_did_not_answer() -> None:
    query = ReportQuery(include="users,waits", target_reply=60)
    foot = text_of(panes.foot(report(), query, UTC, 120, KEYS))
    assert foot == (
        " this server does not report by person · this server does not report waits by age"
        " · this server does not report targets"
    )
    assert panes.foot(None, query, UTC, 120, KEYS) == []
    midnight_there = ZoneInfo("Etc/GMT+10")
    foot = text_of(panes.foot(report(), ReportQuery(), midnight_there, 300, KEYS))
    assert foot.startswith(f" {COUNTED}")


def test_a_named_period_says_its_dates() -> None:
    today = date(2026, 3, 14)
    hints = {name: panes.span_hint(name, today) for name in panes.PERIODS}
    assert hints == {
        "today": "14 Mar",
        "yesterday": "13 Mar",
        "7 days": "8 Mar – 14 Mar",
        "30 days": "13 Feb – 14 Mar",
        "90 days": "15 Dec – 14 Mar",
        "12 weeks": "21 Dec – 14 Mar",
        "this week": "9 Mar – 14 Mar",
        "last week": "2 Mar – 8 Mar",
        "this month": "1 Mar – 14 Mar",
        "last month": "1 Feb – 28 Feb",
    }


def test_a_formula_says_of_how_many_samples_a_mean_is() -> None:
    shown = {figure.metric.field: figure for figure in figures_of(report())}
    texts = {
        field: panes.formula(shown[field], "enter").split("\n\n")[1:-1]
        for field in ("conversations_count", "avg_reply_time", "avg_resolution_time")
    }
    assert texts == {
        "conversations_count": [NOT_OF_ZERO],
        "avg_reply_time": ["Taken of 9 samples. Shorter is better.", NOT_OF_ZERO],
        "avg_resolution_time": ["Taken of 2,700 samples. Shorter is better.", NOT_OF_ZERO],
    }


def test_a_figure_is_copied_with_its_change_and_samples() -> None:
    assert [panes.figure_words(figure) for figure in figures_of(report())] == [
        "New conversations: 1,204 (previous 1,000, ▲ 20 %)",
        "Messages received: 88 (previous 88, =)",
        "Messages sent: 50 (previous 0, new)",
        "Resolved: 5 (previous 10, ▼ 50 % worse)",
        "First response, mean: – (previous –, no samples)",
        "Waiting, mean: 12m06s (previous 6m03s, ▲ 100 % worse), 9 replies",
        "Resolution, mean: 1d3h (previous 1d3h, ≈), 2,700 closed",
    ]


def test_the_heading_names_the_inbox_and_what_the_report_is_of() -> None:
    assert text_of(panes.heading("My\ninbox", "Shop", 99)) == " REPORT My inbox · Shop"
    assert text_of(panes.heading("My\ninbox", "Shop", 100)) == " REPORTS My inbox · Shop"
    assert panes.channel_words(None, {}) == "all channels"
    assert panes.channel_words("1", {"1": "Shop"}) == "Shop"
    assert panes.channel_words("2", {"1": "Shop"}) == "2"
    assert panes.not_together("ads", "") == "business hours are not shown by ad"
    assert panes.not_together("labels", "user") == "a report of one user is not shown by label"


def test_the_scope_of_a_report_is_all_or_what_it_was_narrowed_to(cache: Cache) -> None:
    mailbox = Mailbox(Inbox, cache)
    person = report(user=Ref(id="7", name="Ana\nRuiz"), team=Ref(id="1", name="London"))
    channel = ChannelMetrics(channel=Ref(id="5", name="Shop"), metrics=Metrics())
    for options, shown, words in (
        (ReportOptions(), None, "all channels"),
        (ReportOptions(business=True), None, "all channels · business hours"),
        (ReportOptions(subject="label:vip"), None, "vip"),
        (ReportOptions(subject="user:7"), None, "7"),
        (ReportOptions(subject="user:7"), person, "Ana Ruiz"),
        (ReportOptions(subject="team:1", business=True), person, "London · business hours"),
        (ReportOptions(channel="5"), None, "5"),
        (ReportOptions(channel="5"), report(channels=(channel,)), "Shop"),
        (ReportOptions(channel="5", subject="label:vip"), None, "5 · vip"),
    ):
        assert panes.scope_words(mailbox, options, shown) == words
