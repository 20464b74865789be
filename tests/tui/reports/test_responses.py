"""The report with partial, refused and missing responses."""

import asyncio
from typing import Any

import pytest

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.errors import Forbidden, InboxError, NotFound, Unauthorised, Unreachable
from frontdesk.mailbox import Mailbox
from frontdesk.wire import ReportQuery
from frontdesk.wire.reports import Metrics, Report
from tests.conftest import NOW
from tests.tui.conftest import Open, idle_until, lines, settle, shown
from tests.tui.reports import Answering, failing, line_with, title_of
from tests.tui.views import press, type_in


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
        await press(pilot, *["j"] * 6, "2")
        row = line_with(app, "First response, mean")
        assert "·······" in row
        assert row.split()[3:6] == ["–", "13m31s", "–"] or "– " in row
        assert " 0 " not in row.replace("0 replies", "")
        assert "Sat 14 Mar (part): no samples" in shown(app)


async def test_few_samples_are_said_and_not_judged(report: Open, client: InboxClient) -> None:
    async def few(query: ReportQuery) -> Report:
        answer = await client.report(query)
        few = {**answer.metrics.samples, "avg_reply_time": 4}
        metrics = answer.metrics.model_copy(update={"samples": few})
        return answer.model_copy(update={"metrics": metrics})

    source: Any = Answering(client, few)  # type: ignore[arg-type]
    source.report = few
    app = report(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert " few " in line_with(app, "Waiting, mean")
        assert "%! " in line_with(app, "Resolution, mean")


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


@pytest.mark.parametrize("wall", [False, True])
async def test_the_status_line_says_that_the_report_is_not_allowed(
    report: Open, client: InboxClient, wall: bool
) -> None:
    error = Forbidden("The key may not do this.", scope="reports:read")
    app = report(failing(client, error))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        if wall:
            await press(pilot, "W")
        assert "This key may not read reports. It needs the scope reports:read." in shown(app)
        assert lines(app)[-1].endswith("not allowed (403)")


@pytest.mark.parametrize("error", [Unreachable("No answer."), NotFound("There is nothing here.")])
async def test_an_unknown_report_makes_no_statement_about_figures(
    report: Open, client: InboxClient, error: InboxError
) -> None:
    app = report(failing(client, error))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for words in ("0 messages", "No messages", "oading"):
            assert words not in shown(app)
        for key, heading in (("4", "SENT BY"), ("3", "CHANNEL")):
            await press(pilot, key)
            below = lines(app)[lines(app).index(line_with(app, f"▸{heading}")) + 2]
            assert str(error).rstrip(".") in below


async def test_a_report_that_loads_makes_no_statement_about_figures(
    report: Open, client: InboxClient
) -> None:
    async def halt(query: ReportQuery) -> Report:
        await asyncio.Event().wait()
        raise AssertionError

    source: Any = Answering(client, lambda query: None)  # type: ignore[arg-type, return-value]
    source.report = halt
    app = report(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await idle_until(pilot, lambda: "PERSON" in shown(app))
        assert " messages" not in shown(app)
        assert "No messages" not in shown(app)
        assert shown(app).count("Loading…") == 3


async def test_a_part_that_is_read_does_not_hide_why_the_report_is_missing(
    report: Open, client: InboxClient
) -> None:
    async def only_parts(query: ReportQuery) -> Report:
        if query.include in (None, "spread"):
            raise Unreachable("No answer.")
        return await client.report(query)

    source: Any = Answering(client, lambda query: None)  # type: ignore[arg-type, return-value]
    source.report = only_parts
    app = report(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "5", "ctrl+r")
        assert "No answer. No report of this period is saved" in shown(app)
        assert "oading" not in shown(app)


async def test_a_report_without_messages_sent_says_so(report: Open, client: InboxClient) -> None:
    whole = await client.report(ReportQuery(granularity="day", from_="2026-03-08"))
    unresolved = {"bot_resolutions_count": 0, "bot_handoffs_count": 0}
    silent = whole.model_copy(
        update={
            "outgoing_by_author": {},
            "pricing": (),
            "metrics": whole.metrics.model_copy(update=unresolved),
        }
    )
    app = report(Answering(client, lambda query: silent))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        assert "SENT BY  0 messages" in shown(app)
        assert "No messages sent" in shown(app)


async def test_a_refused_key_is_reported(report: Open, client: InboxClient) -> None:
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


async def test_the_report_period_is_remembered_at_the_next_start(
    report: Open, client: InboxClient, cache: Cache
) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "p")
        await type_in(pilot, "last month")
        await press(pilot, "enter")
    mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
    assert mailbox.get_setting("report") is not None
    again = report()
    async with again.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert "1 – 28 Feb 2026" in title_of(again)
        await settle(pilot)


async def test_it_is_read_again_on_ctrl_r_and_f5(report: Open, client: InboxClient) -> None:
    options = []

    async def counting(query: ReportQuery) -> Report:
        options.append(query)
        return await client.report(query)

    source: Any = Answering(client, lambda query: None)  # type: ignore[arg-type, return-value]
    source.report = counting
    app = report(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        before = len(options)
        await press(pilot, "ctrl+r")
        again = len(options)
        assert again > before
        await press(pilot, "f5")
        assert len(options) > again
