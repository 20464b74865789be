"""Counts and reports of other servers give the same numbers."""

from typing import Any

import pytest
from tests.client import inbox_rows
from tests.client.full_read import client_of
from tests.client.other_server import OtherServer, Variant

from frontdesk.errors import BadResponse
from frontdesk.wire import Counts
from frontdesk.wire.reports import Report

GIVEN = inbox_rows.counts()
FLAT = ("all", "open", "snoozed", "resolved", "mine", "assigned", "unassigned", "awaiting_human")
METRICS = inbox_rows.metrics(61)
PREVIOUS = inbox_rows.metrics(70)


async def counts_of(body: Any) -> Counts:
    variant = Variant(body=lambda name, _: body)
    async with client_of(OtherServer((variant,))) as client:
        return await client.counts()


async def report_of(body: Any) -> Report:
    variant = Variant(body=lambda name, _: body)
    async with client_of(OtherServer((variant,))) as client:
        return await client.report()


def flat(make: Any = lambda value: value, suffix: str = "") -> dict[str, Any]:
    return {f"{name}{suffix}": make(GIVEN[name]) for name in FLAT}


IF_ASKED = {*("samples", "spread", "targets", "answered_conversations_count", "open_at_end_count")}


@pytest.mark.parametrize(
    "body",
    [
        flat(),
        flat(suffix="_count"),
        flat(str),
        {"data": flat()},
        {"meta": flat(suffix="_count")},
        {"counts": flat(str), "as_of": "now"},
        {
            **{name: GIVEN[name] for name in ("mine", "assigned", "unassigned", "awaiting_human")},
            "by_status": {name: GIVEN[name] for name in ("open", "snoozed", "resolved")},
        },
        {
            "me": 1,
            "total": 7,
            **{name: GIVEN[name] for name in FLAT if name not in ("mine", "all")},
        },
    ],
)
async def test_counts_of_another_shape_are_the_same_counts(body: Any) -> None:
    counts = (await counts_of(body)).model_dump(mode="json")
    assert {name: counts[name] for name in FLAT} == {name: GIVEN[name] for name in FLAT}


async def test_counts_by_status_alone_are_summed_up() -> None:
    counts = await counts_of({"by_status": GIVEN["by_status"]})
    assert (counts.all, counts.open) == (6, 2)
    assert counts.by_status is not None
    assert counts.by_status.open.mine == 1


async def test_counts_of_which_one_is_unknown_are_not_summed_up() -> None:
    counts = await counts_of({"open": 3, "snoozed": None, "resolved": 2})
    assert (counts.all, counts.open, counts.snoozed) == (None, 3, None)


@pytest.mark.parametrize("body", [{}, [], {"a": {}}, {"open": "many"}, 7])
async def test_a_body_without_counts_is_a_bad_response(body: Any) -> None:
    with pytest.raises(BadResponse):
        await counts_of(body)


async def test_a_count_that_nobody_knows_is_reported() -> None:
    body = {**flat(), "urgent": 3}
    server = OtherServer((Variant(body=lambda name, _: body),))
    async with client_of(server) as client:
        await client.counts()
        assert "There is a count that is not known: urgent" in client.server.differences


@pytest.mark.parametrize(
    "body",
    [
        {**METRICS, "previous": PREVIOUS},
        {"current": METRICS, "previous": PREVIOUS},
        {"summary": METRICS, "previous_period": PREVIOUS},
        {
            "metrics": {name: value and str(value) for name, value in METRICS.items()},
            "previous": {name: value and str(value) for name, value in PREVIOUS.items()},
        },
        {
            "metrics": {name.removeprefix("avg_"): value for name, value in METRICS.items()},
            "previous": {name.removeprefix("avg_"): value for name, value in PREVIOUS.items()},
        },
    ],
)
async def test_reports_of_another_shape_have_the_same_figures(body: Any) -> None:
    report = await report_of(body)
    assert report.metrics.model_dump(mode="json", exclude=IF_ASKED) == METRICS
    assert report.previous is not None
    assert report.previous.model_dump(mode="json", exclude=IF_ASKED) == PREVIOUS
    assert report.period.from_ == ""


async def test_a_report_keeps_its_period_and_names_unknown_figures() -> None:
    body = {
        "period": {"from": "2026-03-14T00:00:00Z", "to": 1_773_500_000, "timezone": "Europe/Oslo"},
        "metrics": {**METRICS, "csat": 4.5},
    }
    server = OtherServer((Variant(body=lambda name, _: body),))
    async with client_of(server) as client:
        report = await client.report()
        assert "The report has a figure that is not known: csat" in client.server.differences
    assert report.period.from_ == "2026-03-14T00:00:00.000Z"
    assert report.period.to == "2026-03-14T14:53:20.000Z"
    assert report.period.timezone == "Europe/Oslo"
    assert report.previous is None


@pytest.mark.parametrize("body", [{}, [], {"metrics": {}}, {"period": {}}])
async def test_an_incomplete_report_is_a_bad_response(body: Any) -> None:
    with pytest.raises(BadResponse):
        await report_of(body)


async def test_a_report_has_the_pricing_that_can_be_read() -> None:
    good = {
        "channel": {"id": "101", "name": None},
        "author": "api",
        "category": "utility",
        "count": 3,
        "billableCount": "2",
    }
    odd = [good, {**good, "channel": 7}, {"channel": {"id": "101"}}, "many", None]
    report = await report_of({"metrics": METRICS, "pricing": odd})
    (found,) = (one for one in report.pricing if one.author == "api" and one.channel.id == "101")
    assert (found.category, found.type, found.count) == ("utility", None, 3)
    assert (await report_of({"metrics": METRICS, "pricing": {"marketing": 3}})).pricing == ()
