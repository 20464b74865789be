"""Messages sent by author, and by what they are charged as."""

from collections.abc import Sequence

import pytest

from frontdesk.client import InboxClient
from frontdesk.wire import Ref, ReportQuery
from frontdesk.wire.reports import PricingCount
from tests.tui.conftest import Open, lines, settle, shown
from tests.tui.reports import Answering, line_with
from tests.tui.views import ViewApp, press, type_in


def groups(app: ViewApp) -> dict[str, list[str]]:
    """Rows of the pane below each heading, without the panes beside it."""
    head = next(at for at, line in enumerate(lines(app)) if "SENT BY" in line)
    start = lines(app)[head].index("SENT BY")
    found: dict[str, list[str]] = {}
    rows: list[str] = []
    for line in lines(app)[head:]:
        words = line[start:].strip(" ┃")
        if not words and rows and not found.get("ENDED BY AI", [""]):
            break
        if " messages" in words or " conversations" in words:
            rows = found.setdefault(words.partition("  ")[0], [])
        elif "%" in words:
            rows.append(words)
    return found


def shares(rows: Sequence[str]) -> list[int]:
    return [int(row.rpartition(" ")[2].strip("<%")) for row in rows]


async def test_each_group_has_its_heading_its_total_and_shares_of_that(report: Open) -> None:
    app = report()
    async with app.run_test(size=(198, 60)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        for heading in ("SENT BY  247 messages▼ ", "ENDED BY AI  19 conversations "):
            assert line_with(app, heading).endswith(" 100%")
        assert "%" not in line_with(app, "PRICED  177 of 247 messages, 70 without")
        sent, charged, ended = groups(app).values()
        assert [row.split("  ")[0] for row in charged] == [
            *("service, free customer service", "marketing, regular", "utility, regular")
        ]
        assert [" ".join(row.split()) for row in ended[:1]] == ["handed over 14 ████████████ 74%"]
        for rows in (sent, charged, ended):
            assert shares(rows) == sorted(shares(rows), reverse=True)
            assert sum(shares(rows)) in range(97, 104)


async def test_each_group_is_sorted_by_name_or_by_number_and_stays_where_it_is(
    report: Open,
) -> None:
    app = report()
    async with app.run_test(size=(198, 60)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        first = groups(app)
        await press(pilot, "S")
        await type_in(pilot, "name")
        await press(pilot, "enter")
        assert line_with(app, "SENT BY▲  247 messages ")
        by_name = groups(app)
        for rows, before in zip(by_name.values(), first.values(), strict=True):
            assert sorted(rows) == sorted(before)
            names = [row.split("  ")[0].casefold() for row in rows]
            assert names == sorted(names)
        await press(pilot, "S", "enter")
        assert line_with(app, "SENT BY▼  247 messages ")
        backwards = groups(app)
        assert [rows[::-1] for rows in backwards.values()] == [*by_name.values()]


async def test_a_blank_line_is_above_each_further_heading_and_no_row_is_one(report: Open) -> None:
    app = report()
    async with app.run_test(size=(80, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "4", *["j"] * 7)
        text = [line.strip(" ┃") for line in lines(app)]
        for heading in ("PRICED", "ENDED BY AI"):
            at = next(at for at, line in enumerate(text) if line.startswith(heading))
            assert text[at - 1] == ""
        await press(pilot, "y")
        assert app.copied[0].startswith("charged as service, free customer service: 171 messages")


@pytest.mark.parametrize("size", [(80, 40), (120, 60), (140, 60), (200, 60)])
async def test_labels_are_whole_where_there_is_room(report: Open, size: tuple[int, int]) -> None:
    app = report()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        assert "service, free customer service " in shown(app)


async def test_the_pane_grows_with_its_labels_to_a_third_of_the_screen(
    report: Open, client: InboxClient
) -> None:
    whole = await client.report(ReportQuery(granularity="day", from_="2026-03-08"))
    name = "authentication in other countries, regular"
    category = "authentication_in_other_countries"
    priced = PricingCount(
        channel=Ref(id="1"), author="phone", category=category, type="regular", count=9
    )
    app = report(Answering(client, lambda query: whole.model_copy(update={"pricing": (priced,)})))
    async with app.run_test(size=(198, 60)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        start = line_with(app, "SENT BY").index("SENT BY")
        assert 198 - start in range(51, 68)
        assert line_with(app, name).endswith(" 100%")
        await pilot.resize_terminal(80, 60)
        await press(pilot, "4")
        assert f"{name} " in line_with(app, name)
        assert all(len(line) <= 80 for line in lines(app))


async def test_one_message_is_not_written_in_the_plural(report: Open, client: InboxClient) -> None:
    whole = await client.report(ReportQuery(granularity="day", from_="2026-03-08"))
    priced = PricingCount(channel=Ref(id="1"), author="phone", count=1, billable_count=1)
    app = report(Answering(client, lambda query: whole.model_copy(update={"pricing": (priced,)})))
    async with app.run_test(size=(198, 60)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        assert "PRICED  1 of 247 messages, 246 without" in line_with(app, "PRICED")


async def test_slash_finds_rows_by_the_heading_that_they_are_below(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "4", "slash")
        await type_in(pilot, "charged as market")
        await press(pilot, "enter", "y")
        assert app.copied[0].startswith("charged as marketing, regular: 5 messages, ")


async def test_a_bar_is_as_long_as_its_share_of_the_group(report: Open) -> None:
    app = report()
    async with app.run_test(size=(80, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        rows = [row for group in groups(app).values() for row in group]
        full = max(
            row.count("█") * 100 / share
            for row, share in zip(rows, shares(rows), strict=True)
            if share > 10
        )
        for row, share in zip(rows, shares(rows), strict=True):
            assert abs(row.count("█") - share * full / 100) <= 2
