"""The report as it is read: parameters, requests, and how its panes are filled."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, tzinfo
from functools import partial
from typing import ClassVar

from textual import events, work
from textual.app import ComposeResult

from frontdesk.errors import BadResponse, Forbidden, InboxError, NotFound, Refused
from frontdesk.inbox.link import problem_words
from frontdesk.inbox.sentences import LOADING
from frontdesk.reports.metrics import Glyphs, with_part
from frontdesk.tui.dialogs.view_table import Opening
from frontdesk.tui.reports import panes
from frontdesk.tui.reports.panes import ReportPanes
from frontdesk.tui.reports.query import ReportOptions, zone_of
from frontdesk.tui.views.base import ViewScreen
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.text_layout import Piece
from frontdesk.wire import ReportQuery, instant
from frontdesk.wire.reports import Report

REMEMBERED = "report"
# Width from which tables have p50 and p90.
WIDE = 100


class ReportReading(ViewScreen):
    """Owns the report's parameters; the panes own their display."""

    # What to do next without a report.
    WITHOUT_REPORT: ClassVar[str] = "{report.period} chooses another period."

    def __init__(
        self, opening: Opening, *, glyphs: Glyphs, options: ReportOptions | None = None
    ) -> None:
        """options: those remembered from the last time unless given."""
        super().__init__(opening)
        self._options = options or ReportOptions.stored(self.mailbox.get_setting(REMEMBERED))
        self._glyphs = glyphs
        self._panes = ReportPanes(glyphs)
        self._report: Report | None = None
        # Why the last request for the report failed.
        self._failure: InboxError | None = None
        self._part_refusals: dict[str, str] = {}
        # If the server refused p50 and p90 that only the width asked for.
        self._refuses_spread = False
        # If the server refused figures by person.
        self._refuses_people = False
        # If it is wide, large, and what its table is of, as of when it was read last.
        self._shape = (self.app.size.width >= WIDE, False, "channels")

    def body(self) -> ComposeResult:
        yield self._panes
        yield Bar(id="foot")

    def _zone(self) -> tzinfo:
        return zone_of(self._options, self._report, self.clock)

    def _today(self) -> date:
        return self.clock.now().astimezone(self._zone()).date()

    def _ask_for(self, options: ReportOptions) -> None:
        """Show the cached report for new parameters at once, then refresh it."""
        self._options = options
        self._failure = None
        self.remember()
        self.show_saved()
        self.describe()
        self.renew()

    def remember(self) -> None:
        """Keep the parameters for the next time."""
        self.mailbox.set_setting(REMEMBERED, self._options.to_store())

    async def read(self) -> None:
        await self.ask(self._read_report)
        await self._read_parts()

    async def _read_parts(self) -> None:
        for part in self._parts():
            await self.ask(partial(self._read_part, part))

    @work(group="parts", exclusive=True)
    async def renew_parts(self) -> None:
        """Read the parts that are shown."""
        await self._read_parts()

    async def _read_part(self, part: str) -> None:
        self._part_refusals.pop(part, None)
        try:
            await self.mailbox.refresh_report(self._query(part))
        except InboxError as error:
            otherwise = self.named("{view.refresh} asks again.")
            self._part_refusals[part] = panes.refusal(error, otherwise)
            if part == "users" and isinstance(error, (Forbidden, NotFound, Refused)):
                self._refuses_people = True
            raise
        finally:
            self._show_parts()

    def _parts(self) -> list[str]:
        """Parts that are shown: those of the options, and what a large screen has beside them."""
        parts = self._options.included(self._breakdown)
        beside = ("users", "hours") if self._panes.is_huge else ()
        return [
            *parts,
            *(part for part in beside if part not in parts and self._options.has_part(part)),
        ]

    @property
    def _breakdown(self) -> str:
        """What the table is of: if nothing was chosen, people where it has room and they do not.

        Channels where people cannot be had.
        """
        if self._options.breakdown:
            return self._options.breakdown
        is_theirs = self._panes.shows_all and not self._panes.is_huge
        return "users" if is_theirs and self._has_people else "channels"

    @property
    def _has_people(self) -> bool:
        """False if the server is known to have no figures by person for this report."""
        if not self._options.has_part("users") or self._refuses_people:
            return False
        answer = self.mailbox.report(self._query("users"))
        return answer is None or answer.users is not None

    def _query(self, part: str = "") -> ReportQuery:
        """The query of the report or a part; wide tables have p50 and p90 without being asked."""
        spread = self._options.spread or (self._is_wide and not self._refuses_spread)
        options = replace(self._options, spread=spread)
        return options.query(self._today(), self.opening.preferences.targets, part)

    @property
    def _is_wide(self) -> bool:
        return self.app.size.width >= WIDE

    def on_resize(self, event: events.Resize) -> None:
        shape = self._is_wide, self._panes.is_huge, self._breakdown
        if shape != self._shape:
            self._shape = shape
            if self.composed:
                self.show_saved()
                self.renew()

    async def _read_report(self) -> None:
        query = self._query()
        try:
            changed = await self.mailbox.refresh_report(query)
        except InboxError as error:
            is_refused = isinstance(error, Refused) and self._is_wide and not self._options.spread
            if is_refused and not self._refuses_spread:
                self._refuses_spread = True
                await self._read_report()
                return
            if self._options.business and isinstance(error, Refused):
                self._options = replace(self._options, business=False)
                self.remember()
                self.warn(panes.NO_BUSINESS_HOURS)
                await self._read_report()
                return
            self._failure = error
            self.connection.shows_failure(error)
            self.show_saved()
            raise
        self._failure = None
        if changed or self._report is None:
            self.show_saved()
        if self._query() != query:
            # The response revealed the account's time zone, where the date is another.
            await self._read_report()

    def seen_at(self) -> datetime | None:
        live = self._report.live if self._report else None
        return instant(live.as_of) if live else None

    def show_saved(self) -> None:
        report = self.mailbox.report(self._query())
        if report is None and self._report is None:
            # Before a response, the account's zone is unknown: use the local date.
            today = self.clock.now().date()
            report = self.mailbox.report(
                self._options.query(today, self.opening.preferences.targets)
            )
        self._report = report
        self._panes.show(
            self._with_waits(report),
            self._empty_words(),
            self._missing_words("channels"),
            zone=self._zone(),
            granularity=self._options.granularity_on(self._today()),
            now=self.clock.now(),
        )
        self._show_parts()

    def _show_parts(self) -> None:
        """Show the breakdown and the hours, or why they are missing."""
        if not self.composed:
            return
        self._show_live()
        part = self._breakdown
        is_base = part == "channels"
        answer = self._report if is_base else self.mailbox.report(self._query(part))
        has_part = self._options.has_part(part)
        answer = answer if has_part else None
        self._panes.show_breakdown(part, answer, self._missing_words(part))
        hours = self.mailbox.report(self._query("hours")) if self._options.hours else None
        words = self._missing_words("hours")
        self._panes.show_hours(hours, words, shown=self._options.hours)
        if self._panes.is_huge:
            self._panes.show_beside(
                self.mailbox.report(self._query("users")),
                self.mailbox.report(self._query("hours")),
                self._missing_words("users"),
            )

    def _show_live(self) -> None:
        """Show what is the case now, and was open at the end."""
        report = self._with_waits(self._report)
        self._panes.show_live(report, panes.as_of(report, self.clock))

    def _with_waits(self, report: Report | None) -> Report | None:
        """How long customers wait, and what was open at the end, come in a request of their own."""
        if report is None:
            return None
        return with_part(report, "waits", self.mailbox.report(self._query("waits")))

    def _missing_words(self, part: str) -> str:
        if not self._options.has_part(part):
            return panes.not_together(part, self._options.subject.partition(":")[0])
        return self._part_refusals.get(part) or self._problem or LOADING

    @property
    def _problem(self) -> str:
        """Why there is no report, or ""."""
        return problem_words(self._failure) if self._failure else self.connection.problem

    def _empty_words(self) -> str:
        """Why there is no report, and what to do next."""
        if isinstance(self._failure, (Forbidden, NotFound, Refused, BadResponse)):
            return panes.refusal(self._failure, self.named(self.WITHOUT_REPORT))
        if not self._problem:
            return LOADING
        again = self.named("{view.refresh}: retry")
        return f"{self._problem.rstrip('.')}. No report of this period is saved. {again}"

    def heading(self) -> tuple[Sequence[Piece], Sequence[Piece]]:
        width = self.size.width
        scope = panes.scope_words(self.mailbox, self._options, self._report)
        return (
            panes.heading(self.inbox_title, scope, width),
            panes.period_words(self._report, self._zone(), width),
        )

    def describe(self) -> None:
        super().describe()
        for bar in self.query("#foot").results(Bar) if self.composed else ():
            width, keys = self.size.width, self.key_names
            asked = self._options.query(self._today(), self.opening.preferences.targets)
            bar.show(panes.foot(self._report, asked, self._zone(), width, keys))

    def _channel_name(self) -> str:
        return panes.channel_words(self._options.channel, self._channels())

    def _channels(self) -> Mapping[str, str]:
        return panes.channels_by_id(self.mailbox, self._report)
