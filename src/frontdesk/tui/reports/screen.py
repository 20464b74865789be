"""Report view: metrics of a period, compared with the previous one, and live counts.

Its dialogs choose a range of dates, and explain a metric.
"""

from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar
from zoneinfo import available_timezones

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from frontdesk.errors import InboxError
from frontdesk.query import Query, Term
from frontdesk.query.language import AI, PHONE
from frontdesk.query.terms import AD, AUTHOR, SORT, TEAM
from frontdesk.reports.export import ENDINGS, default_name, exported
from frontdesk.reports.metrics import ALL, BreakdownRow, Figure, with_part
from frontdesk.reports.periods import (
    CUSTOM,
    PERIODS,
    Span,
    beside,
    next_granularity,
    typed_span,
)
from frontdesk.text.clean import counted, one_line
from frontdesk.tui import sentences
from frontdesk.tui.action_groups import MOVE, REPORT
from frontdesk.tui.clipboard import say
from frontdesk.tui.dialogs.base import Choice, Dialog
from frontdesk.tui.dialogs.factories import ask
from frontdesk.tui.dialogs.picker import Picker
from frontdesk.tui.dialogs.prompt import Prompt
from frontdesk.tui.dialogs.save_prompt import ending, save, save_prompt
from frontdesk.tui.key_names import HintLine
from frontdesk.tui.reports import panes
from frontdesk.tui.reports.authors import AuthorShare
from frontdesk.tui.reports.plots import HeatMap, Plot
from frontdesk.tui.reports.query import created_in
from frontdesk.tui.reports.reading import REMEMBERED, WIDE, ReportReading
from frontdesk.tui.reports.saving import ROW_ENDINGS, save_rows
from frontdesk.tui.reports.tables import LiveLine, ReportTable
from frontdesk.tui.reports.wall import WallScreen
from frontdesk.tui.theme import STYLES
from frontdesk.wire import ConversationFilter, ReportQuery
from frontdesk.wire.reports import Report


def date_prompt(span: Span, today: date) -> Prompt:
    """Prompt for a range of dates in the format of `typed_span`."""
    last = span.end - timedelta(days=1) if span.end else today

    def check(typed: str) -> str | None:
        try:
            typed_span(typed, today)
        except ValueError as error:
            return str(error)
        return None

    return Prompt("first and last day: ", value=f"{span.first} .. {last}", check=check)


if TYPE_CHECKING:
    from frontdesk.own_commands.command import OwnCommand
    from frontdesk.tui.dialogs.command_menu import CommandTarget


# Authors of messages by which conversations are found.
_WRITTEN_BY = {"ai_agent": AI, "phone": PHONE}


class Explanation(Dialog[None]):
    """Shows a title and some sentences."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,w,enter", "leave", "Back", id="explanation.leave"),
    ]

    def __init__(self, title: str, words: str) -> None:
        super().__init__()
        self._title, self._words = title, words

    def compose(self) -> ComposeResult:
        with Vertical(id="explanation"):
            yield Static(self._title, id="explanation-title", markup=False)
            yield Static(self._words, markup=False)
            yield HintLine("{explanation.leave} back", id="explanation-keys")

    def action_leave(self) -> None:
        self.dismiss()


ALL_CHANNELS = ""
ACCOUNTS_ZONE = ""


class ReportScreen(ReportReading):
    """Keys and clicks of the report."""

    view_name = "reports"
    keys = (
        "{view.back} back",
        "{report.period} {report.before} {report.after} dates",
        "{report.subject} filter",
        "{report.sort} sort",
        "{report.channels} {report.users} channels, people",
        "{report.hours} hours",
        "{report.business} business hours",
        "{report.channel} channel",
        "{report.granularity} day/week",
        "{list.open} rows",
        "{report.spread} p50/p90",
        "{report.formula} how this is counted",
        "{report.export} export",
    )
    REFRESH_SECONDS = 60.0
    NEWS_SECONDS = 5.0
    CSS_PATH = [STYLES / "report.tcss"]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "pane('metrics')", "Go to figures", id="report.metrics", group=REPORT),
        Binding("2", "pane('plot')", "Go to plot", id="report.plot", group=REPORT),
        Binding("3", "breakdown('channels')", "Go to channels", id="report.channels", group=REPORT),
        Binding("4", "pane('authors')", "Go to authors", id="report.authors", group=REPORT),
        Binding(
            "5",
            "breakdown('users')",
            "Go to people",
            id="report.users",
            group=REPORT("person agent who slow"),
        ),
        Binding("6", "breakdown('teams')", "Go to teams", id="report.teams", group=REPORT("team")),
        Binding(
            "7",
            "breakdown('labels')",
            "Go to labels",
            id="report.labels",
            group=REPORT("label topic"),
        ),
        Binding(
            "8",
            "hours",
            "Go to weekdays and hours",
            id="report.hours",
            group=REPORT("heat map weekday when"),
        ),
        Binding("9", "breakdown('ads')", "Go to ads", id="report.ads", group=REPORT),
        Binding("0", "pane('live')", "Go to live figures", id="report.live", group=REPORT),
        Binding("tab", "step(1)", "Next pane", id="pane.next", group=MOVE("focus tab")),
        Binding(
            "shift+tab", "step(-1)", "Previous pane", id="pane.before", group=MOVE("focus tab")
        ),
        Binding("j,down", "metric(1)", "Next figure", id="report.next_metric", group=REPORT),
        Binding("k,up", "metric(-1)", "Previous figure", id="report.before_metric", group=REPORT),
        Binding(
            "p",
            "period",
            "Period or dates…",
            id="report.period",
            group=REPORT("dates days week month"),
        ),
        Binding(
            "left_square_bracket,comma",
            "beside(-1)",
            "Previous period",
            id="report.before",
            group=REPORT("previous"),
        ),
        Binding(
            "right_square_bracket,full_stop",
            "beside(1)",
            "Next period",
            id="report.after",
            group=REPORT("next"),
        ),
        Binding("c", "channel", "Channel…", id="report.channel", group=REPORT("number")),
        Binding(
            "f", "subject", "Filter by person, team or label…", id="report.subject", group=REPORT
        ),
        Binding("Z", "zone", "Time zone…", id="report.zone", group=REPORT("timezone")),
        Binding(
            "g",
            "granularity",
            "Hours, days, weeks or months",
            id="report.granularity",
            group=REPORT("granularity"),
        ),
        Binding("S", "sort", "Sort rows…", id="report.sort", group=REPORT("order")),
        Binding(
            "w",
            "formula",
            "How this figure is counted",
            id="report.formula",
            group=REPORT("explain definition"),
        ),
        Binding(
            "percent_sign",
            "spread",
            "p50 and p90",
            id="report.spread",
            group=REPORT("percentile median"),
        ),
        Binding("B", "business", "Business hours or all time", id="report.business", group=REPORT),
        Binding(
            "m",
            "measure",
            "Hours: messages or first response",
            id="report.measure",
            group=REPORT("heat map"),
        ),
        Binding(
            "W",
            "wall",
            "This report on a wall",
            id="report.wall",
            group=REPORT("screen watch monitor"),
        ),
        Binding("E", "export", "Export report…", id="report.export", group=REPORT("download file")),
        Binding(
            "vertical_line",
            "pipe",
            "Pipe to a program…",
            id="report.pipe",
            group=REPORT("shell program run filter"),
        ),
    ]

    def on_mount(self) -> None:
        if not self.composed:
            return
        self._panes.channels.seek(self._options.row)
        self._panes.enter(self._options.pane if self._options.pane in panes.ORDER else "metrics")

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self._panes.entered(event.widget)

    # Contents

    # Keys

    def action_pane(self, name: str) -> None:
        if name == "plot" and self._options.hours:
            self._keep(hours=False)
        self._panes.enter(name)

    def action_breakdown(self, part: str) -> None:
        """Show a table by channel, person, team or label."""
        if part != self._breakdown:
            self._keep(breakdown=part)
        self._panes.enter("channels")

    def action_hours(self) -> None:
        """Show weekdays and hours in place of the plot."""
        if not self._options.hours:
            self._keep(hours=True)
        self._panes.enter("plot")

    def action_measure(self) -> None:
        """Show first responses by hour rather than messages, or the other way round."""
        if self._options.hours:
            self._panes.switch_hours()
        else:
            self.action_hours()

    def action_spread(self) -> None:
        """Show or hide p50 and p90 beside the means; wide tables have them always."""
        if self._is_wide:
            self.notify(f"From {WIDE} columns on, p50 and p90 are always there", markup=False)
            return
        self._ask_for(replace(self._options, spread=not self._options.spread))

    def action_business(self) -> None:
        """Measure durations and waits in business hours, or in all time."""
        self._ask_for(replace(self._options, business=not self._options.business))

    def _keep(self, **shown: Any) -> None:
        """Change and remember what is shown, and read the parts that this needs."""
        self._options = replace(self._options, **shown)
        self.remember()
        self._show_parts()
        self.renew_parts()

    def choose(self, filter: ConversationFilter, difference: str = "", more: str = "") -> None:
        """Remember the row that leads to conversations, so that the report opens on it again."""
        group: BreakdownRow | None = self._panes.channels.row
        row = group.key if group else ""
        options = replace(self._options, pane=self._panes.at, row=row)
        self.mailbox.set_setting(REMEMBERED, options.to_store())
        super().choose(self._narrowed(filter), difference, more)

    def _narrowed(self, filter: ConversationFilter) -> ConversationFilter:
        """Return a filter with the user or label that the report is of."""
        kind, _, value = self._options.subject.partition(":")
        name = {"user": "assignee", "label": "label"}.get(kind)
        if name is None or getattr(filter, name) is not None:
            return filter
        return filter.model_copy(update={name: value})

    def action_step(self, step: int) -> None:
        self._panes.step(step)

    def action_metric(self, step: int) -> None:
        """Move to another metric while the plot keeps the focus."""
        self._panes.metrics.action_move(step)

    def action_period(self) -> None:
        """Select a named period, or enter dates."""
        choices = [Choice(name, name, panes.span_hint(name, self._today())) for name in PERIODS]
        choices.append(Choice(CUSTOM, "dates…", "1 Mar – 14 Mar"))
        picker = Picker("Period", choices, current=self._options.period)
        ask(self.app, picker, self._take_period)

    def _take_period(self, name: str) -> None:
        if name == CUSTOM:
            today = self._today()
            prompt = date_prompt(self._options.span(today), today)
            ask(self.app, prompt, self._take_dates)
        else:
            self._ask_for(replace(self._options, period=name, first=None, end=None))

    def _take_dates(self, typed: str) -> None:
        self._ask_for(self._options.with_span(typed_span(typed, self._today())))

    def action_beside(self, step: int) -> None:
        """Go to the previous or next period of the same length."""
        today = self._today()
        span: Span | None = beside(self._options.span(today), step, today)
        if span is None:
            self.notify("The period after this one has not begun", markup=False)
        else:
            self._ask_for(self._options.with_span(span))

    def action_channel(self) -> None:
        choices = [Choice(ALL_CHANNELS, "all channels")]
        choices += [Choice(id, name) for id, name in self._channels().items()]
        current = self._options.channel or ALL_CHANNELS
        picker = Picker("Channel", choices, current=current)
        ask(self.app, picker, lambda id: self._ask_for(replace(self._options, channel=id or None)))

    def action_zone(self) -> None:
        """Select the time zone of the report's days."""
        choices = [Choice(ACCOUNTS_ZONE, "as the account says")]
        choices += [Choice(name, name) for name in sorted(available_timezones())]
        current = self._options.zone or ACCOUNTS_ZONE
        picker = Picker("Time zone", choices, current=current)
        ask(self.app, picker, lambda name: self._ask_for(replace(self._options, zone=name or None)))

    def action_granularity(self) -> None:
        """Cycle through hours, days, weeks and months, as far as they suit the period."""
        today = self._today()
        shown, days = self._options.granularity_on(today), self._options.span(today).days(today)
        self._ask_for(replace(self._options, granularity=next_granularity(shown, days)))

    def action_subject(self) -> None:
        """Select one user, team or label that the report is of."""
        choices, current = panes.subject_choices(self.mailbox), self._options.subject
        picker = Picker("Report of", choices, current=current)
        ask(self.app, picker, lambda value: self._ask_for(replace(self._options, subject=value)))

    def action_sort(self) -> None:
        """Select what the focused table is sorted by; selecting it again reverses the order."""
        table = self._panes.sorted_table
        choices = [Choice(key, name) for key, name in table.orders()]
        current = table.order.key if table.order else ""
        picker = Picker("Sort rows by (again: reversed)", choices, current=current)
        ask(self.app, picker, self._panes.sort)

    def action_wall(self) -> None:
        """Show this report without keys, refreshed by itself."""
        self.app.push_screen(WallScreen(self.opening, self._options, glyphs=self._glyphs))

    def action_formula(self) -> None:
        """Explain the count of now that is selected, or else the metric under the cursor."""
        live = self._panes.live.selected
        if self._panes.at == "live" and live.meaning:
            self.app.push_screen(Explanation(live.name, live.meaning))
            return
        figure = self._panes.metrics.row
        if figure is not None:
            self.app.push_screen(
                Explanation(figure.metric.name, panes.formula(figure, self.key_names["list.open"]))
            )

    def copied(self) -> str:
        if self._report is None:
            return ""
        words = self._panes.copied()
        return f"{words} · {panes.copied_period(self._report, self._zone(), self._channel_name())}"

    def action_export(self) -> None:
        """Ask what to save, then for a file name."""
        if self._report is None:
            self.notify("There is no report to save yet", markup=False)
            return
        choices = [
            Choice("report", "This report"),
            Choice("rows", "Its conversations, one row each"),
        ]
        ask(self.app, Picker("Save", choices, current="report"), self._ask_for_name)

    def _ask_for_name(self, what: str) -> None:
        if self._report is None:
            return
        name = default_name(self._report, self._zone())
        if what == "rows":
            name = name.replace("inbox-report", "conversations")
            ask(self.app, save_prompt(self.app, name, ROW_ENDINGS), self._save_rows)
            return
        report = self._whole(self._report)
        ask(self.app, save_prompt(self.app, name, ENDINGS), partial(self._save, report))

    @work(group="rows", exclusive=True)
    async def _save_rows(self, name: str) -> None:
        """Save a row for each conversation of the period that is shown."""
        if self._report is None:
            return
        period, query = self._report.period, self._query()
        if query.user or query.team:
            self.warn("Rows of conversations are of all, or of one channel or label")
            return
        rows = self.mailbox.conversation_reports(
            ReportQuery(
                from_=period.from_,
                to=period.to,
                channel=query.channel,
                label=query.label,
                clock=query.clock,
                target_first_response=query.target_first_response,
                target_reply=query.target_reply,
            )
        )
        try:
            saved, count = await save_rows(self.app, name, rows)
        except (InboxError, OSError) as error:
            self.warn(one_line(str(error)))
            return
        self.notify(f"{counted(count, 'conversation')} {saved}", markup=False)

    def command_target(self, command: "OwnCommand") -> "CommandTarget | str":
        """The report, as CSV on standard input."""
        if "report" not in command.places:
            return super().command_target(command)
        return sentences.NO_REPORT_YET if self._report is None else self._command_target()

    def _command_target(self) -> "CommandTarget":
        """The report as what a command is run on."""
        from frontdesk.tui.dialogs.command_menu import CommandTarget

        report = self._report
        assert report is not None
        return CommandTarget({}, "report", load=lambda use: use(self._csv(report)))

    def _csv(self, report: Report) -> str:
        return exported(self._whole(report), "csv", self._zone())

    def action_pipe(self) -> None:
        """Ask for a program, and give it the report as CSV."""
        from frontdesk.tui.dialogs.pipe import ask_for_program

        if self._report is None:
            self.notify(sentences.NO_REPORT_YET, markup=False)
            return
        target, menu = self._command_target(), self.command_menu()
        ask_for_program(
            self, self.mailbox, lambda command: menu.run(command, target), input="the report"
        )

    def _whole(self, report: Report) -> Report:
        """The report with the parts that are shown."""
        for part in self._parts():
            report = with_part(report, part, self.mailbox.report(self._query(part)))
        return report

    def _save(self, report: Report, name: str) -> None:
        text = exported(report, ending(name), self._zone())
        if saved := save(self.app, name, text, self.warn):
            self.notify(f"{saved[:1].upper()}{saved[1:]}", markup=False)

    # Messages of the panes

    @on(Plot.CursorMoved)
    @on(HeatMap.CellChosen)
    def _follow(self, event: Plot.CursorMoved | HeatMap.CellChosen) -> None:
        event.stop()
        self._panes.follow()

    @on(ReportTable.Opened)
    def _open_row(self, event: ReportTable.Opened) -> None:
        """Show the conversations behind a row, as closely as a /v1 filter allows."""
        event.stop()
        channel = self._options.channel
        match event.row:
            case Figure(metric=metric):
                filter = ConversationFilter(status=metric.status, channel=channel)
                more = self._created() if metric.dated else ""
                self.choose(filter, "" if more else metric.difference, more)
            case BreakdownRow():
                self._open_group(event.row)
            case AuthorShare(author=str(author)):
                filter = ConversationFilter(channel=channel)
                written = _WRITTEN_BY.get(author)
                if written is None:
                    self.choose(filter, panes.ALL_OF_AUTHORS)
                else:
                    terms = Query.of(Term(AUTHOR, written))
                    self.choose(filter, panes.NOT_ONLY_OF_PERIOD, str(terms))

    def _created(self) -> str:
        """Term for the conversations that began in the period; "" if there is none."""
        if self._report is None:
            return ""
        running = self._options.span(self._today()).end is None
        return created_in(self._report, self.clock, running=running)

    @on(LiveLine.FigureSelected)
    def _explain_live(self, event: LiveLine.FigureSelected) -> None:
        """Say what is counted where the name alone does not."""
        event.stop()
        if event.live.meaning:
            say(self, f"{event.live.name.capitalize()}: {event.live.meaning}")

    @on(LiveLine.FigureOpened)
    def _open_live(self, event: LiveLine.FigureOpened) -> None:
        event.stop()
        filter = event.live.filter.model_copy(update={"channel": self._options.channel})
        waiting = event.live.waiting
        more = f"{waiting} sort:waiting" if waiting else ""
        self.choose(filter, event.live.difference, more)

    def _open_group(self, group: BreakdownRow) -> None:
        """Show the open conversations of a person or team, or those of a channel, label or ad."""
        channel = self._options.channel
        if group.key == ALL:
            self.choose(ConversationFilter(channel=channel), panes.NOT_ONLY_OF_PERIOD)
            return
        match group.scope:
            case "user":
                filter = ConversationFilter(
                    status="open", assignee=group.id or "unassigned", channel=channel
                )
                self.choose(filter, more="sort:waiting")
            case "label":
                filter = ConversationFilter(label=group.name, channel=channel)
                self.choose(filter, panes.ALL_WITH_LABEL)
            case "team":
                terms = Query.of(Term(TEAM, group.name), Term(SORT, "waiting"))
                filter = ConversationFilter(status="open", channel=channel)
                self.choose(filter, panes.OPEN_OF_TEAM, str(terms))
            case "ad":
                terms = Query.of(Term(AD, group.id or group.name))
                self.choose(ConversationFilter(channel=channel), panes.ALL_FROM_AD, str(terms))
            case _:
                self.choose(ConversationFilter(channel=group.id), panes.ALL_OF_CHANNEL)
