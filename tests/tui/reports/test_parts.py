"""Reports by person, team, label and hour, with percentiles and targets."""

from datetime import UTC, timedelta
from typing import Any

import pytest

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.errors import Refused
from frontdesk.mailbox import Mailbox
from frontdesk.reports import export
from frontdesk.reports.metrics import RATES
from frontdesk.reports.registry import METRICS
from frontdesk.reports.sheets import tables as sheet_tables
from frontdesk.settings import TargetSettings
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.preferences import Preferences
from frontdesk.wire import ReportQuery
from frontdesk.wire.reports import Report
from tests.conftest import NOW
from tests.report_parts import with_parts
from tests.tui.conftest import Open, lines, settle, shown
from tests.tui.reports import Answering, line_with
from tests.tui.views import ViewApp, press, type_in

TARGETS = TargetSettings(timedelta(minutes=15), timedelta(hours=1))


class WithParts(Answering):
    """The sample's server, with the parts that a report is asked for."""

    def __init__(self, client: InboxClient) -> None:
        super().__init__(client, lambda query: None)  # type: ignore[arg-type, return-value]
        self._server = client
        self.queries: list[ReportQuery] = []

    async def report(self, query: ReportQuery | None = None) -> Report:
        assert query is not None
        self.queries.append(query)
        users = {user.name: user.id async for user in self._server.users()}
        return with_parts(await self._server.report(query), query, users)


def desk(source: Any, cache: Cache) -> FrontdeskApp:
    """The viewer with targets."""
    mailbox = Mailbox(lambda: source, cache, clock=lambda: NOW)
    clock = Clock(UTC, lambda: NOW)
    return FrontdeskApp(
        mailbox, title="sample", clock=clock, preferences=Preferences(targets=TARGETS)
    )


async def test_a_supervisor_sees_who_is_slow_goes_to_what_waits_there_and_comes_back(
    client: InboxClient, cache: Cache
) -> None:
    app = desk(WithParts(client), cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "f4", "5")
        rows = [line for line in lines(app) if "Okafor" in line or "Ruiz" in line]
        assert [row.split()[0] for row in rows] == ["Grace", "Ana"]
        assert rows[0].split()[2:5] == ["11", "5", "5h"]
        assert "1h30m" in rows[0]
        assert "wait" in lines(app)[1]
        await press(pilot, "j", "enter")
        assert "is:open" in shown(app)
        assert "sort:waiting" in shown(app)
        assert "Grace" in lines(app)[0]
        await press(pilot, "f4")
        assert app.focused is not None
        assert app.focused.id == "channels"
        assert line_with(app, "Okafor")
        await press(pilot, "k", "enter")
        assert "@unassigned" in shown(app)


@pytest.mark.parametrize("size", [(200, 60), (120, 40), (80, 24)])
async def test_every_part_is_shown_at_every_size(
    report: Open, client: InboxClient, size: tuple[int, int]
) -> None:
    app = report(WithParts(client))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "5")
        assert "nobody" in shown(app)
        assert "Grace Okafor" in shown(app)
        await press(pilot, "6")
        assert "London" in shown(app)
        await press(pilot, "7")
        assert "labels have no history" in shown(app)
        await press(pilot, "8")
        assert all(day in shown(app) for day in ("Mon", "Wed", "Sun"))
        assert "MESSAGES RECEIVED BY HOUR" in shown(app)
        await press(pilot, "percent_sign")
        row = line_with(app, "First response, mean")
        assert "~2m00s" in row
        assert "~50m00s" in row
        head = line_with(app, " THIS ")
        assert "P90" in head
        assert ("BEFORE" in head) == (" 29 " in line_with(app, "New conversations"))


async def test_a_figure_has_one_name_on_the_screen_in_the_shell_and_in_exports(
    report: Open, client: InboxClient
) -> None:
    query = ReportQuery(include="users,teams,labels,hours")
    whole = with_parts(await client.report(query), query)
    tables = {headings[0]: (headings, rows) for headings, rows, _ in sheet_tables(whole, UTC)}
    app = report(WithParts(client))
    async with app.run_test(size=(198, 60)) as pilot:
        await settle(pilot)
        figures = [row[0] for row in tables["Metric"][1]]
        assert figures == [metric.name for metric in METRICS]
        assert all(line_with(app, f"{name}  ") for name in figures)
        now = line_with(app, " NOW ")
        for name in tables["Open now"][0]:
            assert f" {name.removesuffix(' now').lower()} " in now
        for key, part in (("3", "Channel"), ("5", "Person"), ("6", "Team"), ("7", "Label")):
            await press(pilot, key)
            shell = next(headings for name, (headings, _) in tables.items() if part in name)
            head = line_with(app, f"{part.upper()}  ")
            short = {metric.heading: metric.short or metric.heading for metric in METRICS}
            names = [short.get(name, name).removesuffix(" now") for name in shell[1:]]
            drawn = head.replace("SOLVED IN", "SOLVED-IN").split()
            known = [name.upper().replace("SOLVED IN", "SOLVED-IN") for name in names]
            known += ["P50", "P90"]
            assert {each.strip("▼") for each in drawn[1:]} <= {"±", *known}
        await press(pilot, "8")
        assert any(f" {name.upper()} BY HOUR " in shown(app) for name in tables)
        await press(pilot, "m")
        assert any(f" {name.upper()} BY HOUR " in shown(app) for name in tables)
    assert {row["figure"] for row in export.records(whole) if row["scope"] == "all"} == {
        *(metric.field for metric in METRICS),
        *(rate.name for rate in RATES),
    }


async def test_percentiles_stand_only_beside_a_mean_that_has_room(
    report: Open, client: InboxClient
) -> None:
    app = report(WithParts(client))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "5", "percent_sign")
        head = line_with(app, "PERSON")
        assert " FIRST " in head
        assert " P90" in head
        assert head.count("P50") <= head.count(" FIRST ") + head.count(" REPLY ")


async def test_the_cell_under_the_cursor_is_read_out_and_a_key_shows_first_responses(
    report: Open, client: InboxClient
) -> None:
    app = report(WithParts(client))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "8", "j", *["l"] * 5)
        words = "Tue 14:00: 9 received, first response 14m00s; was 9, 14m00s"
        assert words in shown(app)
        assert line_with(app, "▸Tue").count("█") > 0
        await press(pilot, "m")
        assert "FIRST RESPONSE, MEAN BY HOUR" in shown(app)
        assert set(line_with(app, "Sun ").replace("Sun", "")) <= {" ", "·", "┃"}
        await press(pilot, "2")
        assert "NEW CONVERSATIONS PER DAY" in shown(app)


async def test_parts_are_asked_for_only_while_they_are_shown(
    report: Open, client: InboxClient
) -> None:
    source = WithParts(client)
    app = report(source)
    async with app.run_test(size=(98, 40)) as pilot:
        await settle(pilot)
        assert {query.include for query in source.queries} == {None, "waits,backlog"}
        await press(pilot, "5", "8", "percent_sign")
        assert {query.include for query in source.queries[-4:]} == {
            *("spread", "users,spread", "hours,spread", "waits,backlog")
        }
        await press(pilot, "percent_sign", "2", "3")
        source.queries.clear()
        await press(pilot, "ctrl+r")
        assert [query.include for query in source.queries] == [None, "waits,backlog"]


async def test_a_server_that_lacks_parts_is_said_to(report: Open, client: InboxClient) -> None:
    async def plain(query: ReportQuery) -> Report:
        rest = {"include": None, "target_first_response": None, "target_reply": None}
        return await client.report(query.model_copy(update=rest))

    source: Any = Answering(client, plain)  # type: ignore[arg-type]
    source.report = plain
    app = report(source)
    async with app.run_test(size=(98, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "5")
        assert "this server does not report by person" in shown(app)
        await press(pilot, "8")
        assert "this server does not report by hour" in shown(app)
        await press(pilot, "percent_sign")
        assert "this server does not report p50 and p90" in lines(app)[-2]
        assert "65" in line_with(app, "New conversations")


async def test_a_part_that_fails_says_why_and_the_rest_stays(
    report: Open, client: InboxClient
) -> None:
    async def failing(query: ReportQuery) -> Report:
        if query.include:
            raise Refused("The part is out of order", code="out_of_order")
        return await client.report(query)

    source: Any = Answering(client, failing)  # type: ignore[arg-type]
    source.report = failing
    app = report(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "5")
        assert "The part is out of order" in shown(app)
        # Also p50 and p90, which wide tables have.
        assert "P90" not in line_with(app, "METRIC")
        assert "65" in line_with(app, "New conversations")


async def test_targets_are_columns_and_counts_of_those_who_wait_longer(
    client: InboxClient, cache: Cache
) -> None:
    app = desk(WithParts(client), cache)
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "f4")
        assert "IN TIME" in shown(app)
        assert "82% in 1h" in line_with(app, "Waiting, mean")
        assert "wait longer than 1h 9" in lines(app)[1]
        assert "wait <1h 3   wait 1–4h 2   wait 4–24h 1   wait >1d 12" in lines(app)[2]
        await press(pilot, "W")
        assert "wait longer than 1h" in shown(app)
        await press(pilot, "escape", "0", *["l"] * 4, "enter")
        assert "waiting over 1 h" in shown(app)
        await press(pilot, "f4", "0", *["l"] * 7, "enter")
        assert "waiting over 4 h   waiting under 1 day" in shown(app)


async def test_headings_and_changes_are_whole(client: InboxClient, cache: Cache) -> None:
    app = desk(WithParts(client), cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "f4")
        for size in ((120, 40), (100, 30), (80, 24)):
            await pilot.resize_terminal(*size)
            await press(pilot, "4")
            assert "…" not in line_with(app, " THIS ")
            await press(pilot, "percent_sign")
            figures = [line_with(app, name) for name in ("Resolved  ", "Resolution, mean")]
            assert "%+" in figures[0]
            assert "%!" in figures[1]
            assert "…" not in line_with(app, " THIS ")
            await press(pilot, "percent_sign")


async def test_people_are_sorted_and_saved_as_they_are_shown(
    report: Open, client: InboxClient, tmp_path: Any
) -> None:
    app = report(WithParts(client))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "5", "S")
        await type_in(pilot, "sent")
        await press(pilot, "enter")
        names = ("Ruiz", "Okafor", "nobody")
        rows = [name for line in lines(app) for name in names if name in line]
        assert rows == list(names)
        await press(pilot, "E", "enter")
        await type_in(pilot, f"{tmp_path}/people.csv")
        await press(pilot, "enter")
        saved = (tmp_path / "people.csv").read_text("utf-8")
        assert "user,Grace Okafor,this" in saved
        assert "user,nobody,now" in saved


async def test_people_are_sorted_by_who_waits_now_and_by_their_status(
    report: Open, client: InboxClient
) -> None:
    app = report(WithParts(client))
    names = ("Ruiz", "Okafor", "nobody")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "5")
        for typed, order in (
            ("waits", ["Ruiz", "Okafor", "nobody"]),
            ("waits", ["nobody", "Okafor", "Ruiz"]),
            ("status", ["Okafor", "Ruiz", "nobody"]),
            ("status", ["Ruiz", "Okafor", "nobody"]),
        ):
            await press(pilot, "S")
            await type_in(pilot, typed)
            await press(pilot, "enter")
            assert [name for line in lines(app) for name in names if name in line] == order
        assert "STATUS▼" in line_with(app, "PERSON")


async def test_figures_are_sorted_by_any_column_and_as_listed_again(
    report: Open, client: InboxClient
) -> None:
    app = report(WithParts(client))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        listed = figures(app)
        for typed, heading in (("metric", "METRIC▲"), ("previous", "BEFORE▼"), ("this", "THIS▼")):
            await press(pilot, "1", "S")
            await type_in(pilot, typed)
            await press(pilot, "enter")
            assert heading in line_with(app, " THIS")
            assert sorted(figures(app)) == sorted(listed)
            assert figures(app) != listed
        await press(pilot, "S")
        await type_in(pilot, "as listed")
        await press(pilot, "enter")
        assert figures(app) == listed


async def test_the_plot_and_the_hours_take_each_other_s_place_and_other_panes_leave_them(
    report: Open, client: InboxClient
) -> None:
    app = report(WithParts(client))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        steps = {"8": True, "1": True, "3": True, "2": False, "4": False}
        for key, has_hours in steps.items():
            await press(pilot, key)
            assert ("Mon" in shown(app) and "Sun" in shown(app)) is has_hours, key


def figures(app: ViewApp) -> list[str]:
    """Lines of the table of figures."""
    start = next(at for at, line in enumerate(lines(app)) if line[1:].startswith("METRIC")) + 1
    return lines(app)[start : start + len(METRICS) + 1]


async def test_f_makes_it_the_report_of_one_person_and_enter_leads_to_theirs(
    client: InboxClient, cache: Cache
) -> None:
    app = desk(client, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "f4", "f")
        await type_in(pilot, "grace")
        await press(pilot, "enter")
        assert "Grace Okafor" in lines(app)[0]
        assert "Conversations answered" in shown(app)
        assert "Messages received" not in shown(app)
        await press(pilot, "7")
        assert "a report of one user is not shown by label" in shown(app)
        await press(pilot, "1", "enter")
        assert '@"Grace Okafor"' in shown(app)


async def test_the_row_of_all_is_the_last_and_rows_are_sorted_by_a_change(
    report: Open, client: InboxClient
) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "3", "S")
        await type_in(pilot, "received: change")
        await press(pilot, "enter")
        head = next(at for at, line in enumerate(lines(app)) if "CHANNEL" in line)
        assert " ±▼" in lines(app)[head]
        rows = [line for line in lines(app)[head + 1 :] if line.strip()]
        assert [row.split()[0] for row in rows if row.startswith(" all ")] == ["all"]
        await press(pilot, "1", "S")
        await type_in(pilot, "change")
        await press(pilot, "enter")
        first = next(at for at, line in enumerate(lines(app)) if "METRIC" in line) + 1
        assert not lines(app)[first].startswith(" New conversations")


async def test_capital_b_asks_for_business_hours_or_says_that_there_are_none(
    report: Open, client: InboxClient
) -> None:
    app = report()
    async with app.run_test(size=(160, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "B")
        assert "business hours" not in lines(app)[0]
        assert "New conversations" in shown(app)
        assert "The server has no business hours of this inbox" in app.toasts
