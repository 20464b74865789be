"""`frontdesk report`: prints the inbox report of a period, compared with the previous one."""

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, timedelta, tzinfo
from functools import reduce
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TextIO, TypeVar
from zoneinfo import ZoneInfo

import click

from frontdesk.cli.base import Command, command
from frontdesk.cli.completion import (
    complete_channel,
    complete_label,
    complete_team,
    complete_user,
)
from frontdesk.cli.config import configuration
from frontdesk.cli.exit_codes import say
from frontdesk.cli.options import target_options
from frontdesk.cli.output import (
    Output,
    output_options,
    plain,
    standard_output,
    table,
    table_cell,
)
from frontdesk.cli.target import Target, run_with_client
from frontdesk.reports.conversation_rows import COLUMNS as CONVERSATION_COLUMNS
from frontdesk.reports.export import COLUMNS, markdown, records, title
from frontdesk.reports.figures import parse_figures, parse_targets, with_figures
from frontdesk.reports.metrics import missing_parts
from frontdesk.reports.periods import DEFAULT, SPANS, placed, typed_span
from frontdesk.reports.registry import BY_KEY, BY_SCOPE, OPEN_AT_END, PART_WORDS
from frontdesk.reports.sheets import ASPECTS, PRICED_BY, ReportOrder, parse_order, tables
from frontdesk.selection.names import report_filter_ids
from frontdesk.settings import TargetSettings
from frontdesk.wire import ReportQuery
from frontdesk.wire.queries import CALENDAR_PARTS, COMPARISONS, FILTERED_REPORT_PARTS, GRANULARITIES
from frontdesk.wire.reports import Report
from frontdesk.wire.values import utc_now

if TYPE_CHECKING:
    from frontdesk.client import InboxClient

F = TypeVar("F", bound=Callable[..., Any])

_DAY = timedelta(days=1)
_TABLE_FORMATS = ("table", "markdown")
# Parameters that the report of the viewer does not take.
_NOT_WATCHED = MappingProxyType(
    {
        "first": "--from",
        "last": "--to",
        "figures": "--figures",
        "order": "--sort",
        "compare": "--compare",
    }
)
_NAMED_AND_DAYS = "A named period does not go with --from or --to"
_CHANGE_STYLES = MappingProxyType({"better": "green", "worse": "yellow"})
_DAY_WORDS = ("today", "yesterday")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _options(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Return a decorator that adds options, in their order in help."""

    def add(function: F) -> F:
        return reduce(lambda inner, option: option(inner), reversed(options), function)

    return add


def _period(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    """Check that a period is named, or has days with .. between."""
    if value is not None and value not in SPANS:
        try:
            # Today may be tomorrow in the zone of the report.
            typed_span(value, utc_now().date() + _DAY)
        except ValueError as error:
            there = f"there is {', '.join(SPANS)}, and days such as 2026-03-01..2026-03-07"
            raise click.BadParameter(f"{value!r}: {there}. {error}.") from error
    return value


_period_argument = click.argument(
    "period",
    required=False,
    metavar="[PERIOD]",
    callback=_period,
    shell_complete=lambda context, option, begun: [one for one in SPANS if one.startswith(begun)],
)
_PERIOD_AND_CHANNEL = _options(
    click.option(
        "--from", "first", metavar="DAY", help="First day: 2026-03-01, yesterday, or a time."
    ),
    click.option("--to", "last", metavar="DAY", help="Last day (inclusive), or a time."),
    click.option(
        "--zone", metavar="NAME", help="Time zone, like Europe/Madrid.  [default: the account's]"
    ),
    click.option(
        "--channel",
        metavar="NAME|NUMBER|ID",
        shell_complete=complete_channel,
        help="Count only this channel.",
    ),
)
_label_option = click.option(
    "--label",
    metavar="NAME",
    shell_complete=complete_label,
    help="Only conversations that carry this label now.",
)
_target_option = click.option(
    "--target",
    "lengths",
    metavar="NAME=LENGTH",
    multiple=True,
    callback=lambda context, option, texts: parse_targets(texts),
    help="Count the answers that came in time, as first_response=15m or reply=1h; may be "
    "repeated.  [default: [targets] of the configuration]",
)
_business_option = click.option(
    "--business-hours",
    is_flag=True,
    help="Measure durations and waits in the business hours of the account and its channels.",
)


class _ReportCommand(Command):
    """Runs `nested` commands where their name comes first, otherwise itself."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        nested = self.nested().get("".join(args[:1]))
        if nested is None:
            return super().make_context(info_name, args, parent, **extra)
        return nested.make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)

    @staticmethod
    def nested() -> dict[str, click.Command]:
        return {"conversations": conversations_command}


@command(
    "report",
    "frontdesk report last-week --by day",
    "frontdesk report today --by user --spread",
    "frontdesk report --by user --by day --figures sent,first_response",
    "frontdesk report this-week --by team --figures first_response,waiting",
    "frontdesk report 30d --user ana@example.com --by week --spread",
    "frontdesk report 7d --by user --sort waiting:change",
    "frontdesk report --watch --channel Madrid",
    "frontdesk report --from 2026-03-01 --to 2026-03-31 --format csv > march.csv",
    "frontdesk report conversations --help",
    cls=_ReportCommand,
)
@_period_argument
@target_options
@_PERIOD_AND_CHANNEL
@click.option(
    "--user",
    "of_user",
    metavar="NAME|EMAIL|ID",
    shell_complete=complete_user,
    help="Only what this user did; “me” for yourself.",
)
@click.option(
    "--team", metavar="NAME|ID", shell_complete=complete_team, help="Only what this team did."
)
@_label_option
@click.option(
    "--by",
    type=click.Choice((*GRANULARITIES, *BY_SCOPE)),
    multiple=True,
    help="Also by period, user, team, label, ad or channel; may be repeated. A period with user or "
    "team is also a table of each person in each part of it.",
)
@click.option(
    "--figures",
    metavar="NAMES",
    help=f"Only these, with commas between: {', '.join(BY_KEY)}; and of channels, pricing and "
    "others only what --by, --hours and --waits name.",
)
@click.option(
    "--sort",
    "order",
    metavar="COLUMN",
    help="Sort the tables that have this column, by its heading: name, change, waiting, open, "
    f"messages. After a figure, {', '.join(f':{one}' for one in ASPECTS)} of it. Numbers are "
    "sorted from the highest, words from A on, and with - before it the other way round.",
)
@_business_option
@click.option("--hours", is_flag=True, help="Also by weekday and hour.")
@click.option("--spread", is_flag=True, help="Show p50 and p90 beside each mean.")
@click.option(
    "--waits", is_flag=True, help="Also how long customers wait now: <1h, 1–4h, 4–24h, >1d."
)
@click.option(
    "--backlog",
    is_flag=True,
    help="Also how many conversations were open at the end, and with --by day at that of each.",
)
@_target_option
@click.option(
    "--compare",
    type=click.Choice(COMPARISONS),
    help="Compare with the week, month or year before, or as many days.",
)
@click.option(
    "--watch", is_flag=True, help="Show the report of the viewer, kept current, until Ctrl-C."
)
@output_options()
def report_command(
    target: Target,
    period: str | None,
    first: str | None,
    last: str | None,
    zone: str | None,
    channel: str | None,
    of_user: str | None,
    team: str | None,
    label: str | None,
    by: tuple[str, ...],
    figures: str | None,
    order: str | None,
    business_hours: bool,
    hours: bool,
    spread: bool,
    waits: bool,
    backlog: bool,
    lengths: dict[str, timedelta],
    compare: str | None,
    watch: bool,
    output: Output,
) -> None:
    """Compare a period with the one before.

    PERIOD is today, yesterday, 7d (the default), 30d, 90d, 12w, this-week, last-week, this-month
    or last-month, or days such as 2026-03-01..2026-03-07, both included.

    `frontdesk report conversations` writes a row for each conversation.
    """
    if watch:
        _refuse_without_terminal(output)
        _refuse_not_watched()
        if period not in (None, *SPANS):
            raise click.UsageError("--watch takes a period by its name")
    if period and (first or last):
        raise click.UsageError(_NAMED_AND_DAYS)
    if first is not None:
        _day(first, "--from")
    end = _end(last)
    fields = parse_figures(figures) if figures else None
    if order is not None and output.format not in _TABLE_FORMATS:
        raise click.UsageError(f"--sort goes with --format {' and '.join(_TABLE_FORMATS)} only")
    sorting = parse_order(order) if order is not None else None
    subject = _subject(user=of_user, team=team, label=label)
    grouped = [BY_SCOPE[name] for name in BY_SCOPE if name in by]
    # Channels are a part of every report.
    parts = [name for name in grouped if name != "channels"]
    backlog = backlog or OPEN_AT_END.field in (fields or ())
    flags = {"hours": hours, "spread": spread, "waits": waits, "backlog": backlog}
    # Parts that a report of some figures has too; waits are among the counts of now.
    named = [name for name, enabled in {"hours": hours, "live": waits}.items() if enabled]
    parts += [name for name, enabled in flags.items() if enabled]
    granularity = _granularity(by)
    if granularity and {"users", "teams"}.intersection(parts):
        parts.append("person_series")
    _check_parts(subject, parts, business_hours=business_hours)
    targets = configuration(whole=False).targets._replace(**lengths)

    async def work(client: "InboxClient") -> Report:
        ids = await report_filter_ids(client, channel=channel, **subject)
        query = ReportQuery(
            from_=first,
            to=end,
            timezone=zone,
            granularity=granularity,
            compare=compare,
            clock="business" if business_hours else None,
            include=",".join(parts) or None,
            **targets.parameters | ids,
        )
        report = await client.report(await _placed(client, query, period))
        for part in missing_parts(report, query):
            say(f"this server does not report {PART_WORDS[part]}")
        if fields is None:
            return report
        return with_figures(report, fields, [*grouped, *named])

    if watch:
        shown = {
            "period": SPANS[period] if period else DEFAULT,
            "zone": zone,
            "business": business_hours,
            "granularity": granularity,
            "breakdown": grouped[-1] if grouped else "",
            "hours": hours,
            "spread": spread,
        }
        _open_wall(target, {"channel": channel, **subject}, shown, targets)
    else:
        _write(run_with_client(target, work, waits=True), output, sorting)


@command(
    "conversations",
    "frontdesk report conversations last-month > last-month.csv",
    "frontdesk report conversations --from 2026-03-01 --to 2026-03-31 --format jsonl",
)
@_period_argument
@target_options
@_PERIOD_AND_CHANNEL
@_label_option
@_target_option
@_business_option
@output_options("csv", "jsonl", default="csv")
def conversations_command(
    target: Target,
    period: str | None,
    first: str | None,
    last: str | None,
    zone: str | None,
    channel: str | None,
    label: str | None,
    lengths: dict[str, timedelta],
    business_hours: bool,
    output: Output,
) -> None:
    """Write a row for each conversation in which something was counted in a period.

    PERIOD is as of `frontdesk report`: today, yesterday, 7d (the default) and so on.

    Sums of the rows are the figures of `frontdesk report` for the same period. Durations are
    sums in seconds: of several first responses, replies or resolutions of one conversation
    together.
    """
    if period and (first or last):
        raise click.UsageError(_NAMED_AND_DAYS)
    if first is not None:
        _day(first, "--from")
    end = _end(last)
    targets = configuration(whole=False).targets._replace(**lengths)

    async def work(client: "InboxClient") -> None:
        found = await report_filter_ids(client, channel=channel, label=label)
        query = ReportQuery(
            from_=first,
            to=end,
            timezone=zone,
            channel=found["channel"],
            label=found["label"],
        )
        whole = await client.report(await _placed(client, query, period))
        # Both ends stay where they are from page to page.
        rows = client.conversation_reports(
            query.model_copy(
                update={
                    "from_": whole.period.from_,
                    "to": whole.period.to,
                    "timezone": None,
                    "clock": "business" if business_hours else None,
                    **targets.parameters,
                }
            )
        )
        writer = output.writer(CONVERSATION_COLUMNS)
        async for row in rows:
            writer.add(row)
        writer.end()

    run_with_client(target, work, waits=True)


def _refuse_without_terminal(output: Output) -> None:
    """Raises: UsageError: there is no terminal to draw on, or text of a format is asked for."""
    if output.format != "table" or not sys.stdout.isatty():
        raise click.UsageError(
            "--watch draws on a terminal, and not into a pipe or file: "
            "for a report now and then, run frontdesk report today from a timer"
        )


def _refuse_not_watched() -> None:
    """Raises: UsageError: an option of this command is none of the viewer's report."""
    given = click.get_current_context().params
    refused = [option for name, option in _NOT_WATCHED.items() if given[name]]
    if refused:
        raise click.UsageError(
            f"--watch shows the report of the viewer, without {' or '.join(refused)}: "
            "leave out --watch for tables"
        )


def _open_wall(
    target: Target,
    names: Mapping[str, str | None],
    shown: Mapping[str, Any],
    targets: TargetSettings,
) -> None:
    """Show the wall. names: of the channel, and of a user, team or label; shown: other options."""
    from frontdesk.cli.viewer import open_wall
    from frontdesk.tui.reports.query import ReportOptions

    async def ids_of(client: "InboxClient") -> dict[str, str | None]:
        return await report_filter_ids(client, **names)

    ids = run_with_client(target, ids_of) if any(names.values()) else {"channel": None}
    channel = ids.pop("channel")
    subject = next((f"{kind}:{id}" for kind, id in ids.items() if id is not None), "")
    options = ReportOptions(**shown, channel=channel, subject=subject)
    open_wall(target, options, targets)


def _check_parts(subject: Iterable[str], parts: Sequence[str], *, business_hours: bool) -> None:
    for part in parts if business_hours else ():
        if part in CALENDAR_PARTS:
            raise click.UsageError(f"--business-hours is not shown {PART_WORDS[part]}")
    for name in subject:
        allowed = FILTERED_REPORT_PARTS[name]
        if refused := [part for part in parts if part not in allowed]:
            raise click.UsageError(
                f"A report of one {name} is not shown {PART_WORDS[refused[0]]}: "
                f"there is {', '.join(PART_WORDS[part] for part in allowed)}"
            )


def _subject(**names: str | None) -> dict[str, str]:
    """Return the only one of user, team and label."""
    named = {name: value for name, value in names.items() if value is not None}
    if len(named) > 1:
        raise click.UsageError(f"A report is of one of {' and '.join(f'--{n}' for n in named)}")
    return named


def _granularity(by: Sequence[str]) -> str | None:
    """Return the only granularity among the values of --by."""
    named = [name for name in dict.fromkeys(by) if name in GRANULARITIES]
    if len(named) > 1:
        raise click.UsageError(f"--by takes one of {' and '.join(named)}")
    return named[0] if named else None


def _end(last: str | None) -> str | None:
    """Return the exclusive end of a period whose last day is included."""
    day = _day(last, "--to") if last is not None else None
    if day is None:
        return last
    if day == date.max:
        raise click.BadParameter(f"{last}: there is no day after it", param_hint="'--to'")
    return (day + _DAY).isoformat()


def _day(text: str, option: str) -> date | None:
    """Return the day that an option names; None for a time, which the server reads."""
    if not _DATE.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        words = f"{text}: there is no such day"
        raise click.BadParameter(words, param_hint=repr(option)) from error


async def _placed(client: "InboxClient", asking: ReportQuery, period: str | None) -> ReportQuery:
    """Return the query for a period, or days by their words, in its zone's calendar."""
    words = [day for day in (asking.from_, asking.to) if day in _DAY_WORDS]
    if period is None and not words:
        return asking
    zone = asking.timezone or (await client.report()).period.timezone
    today = utc_now().astimezone(_zone(zone)).date()
    if period is not None:
        try:
            return placed(asking, period, zone, today)
        except ValueError as error:
            raise click.UsageError(f"{error}") from error
    first, last = (today - _DAY * (day == "yesterday") for day in (asking.from_, asking.to))
    days = {"timezone": zone}
    days |= {"from_": first.isoformat()} if asking.from_ in words else {}
    days |= {"to": (last + _DAY).isoformat()} if asking.to in words else {}
    return asking.model_copy(update=days)


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError) as error:
        hint = "give its name as Europe/Madrid, or --from and --to"
        raise click.UsageError(f"This machine knows no time zone {name!r}: {hint}") from error


def _write(report: Report, output: Output, order: ReportOrder | None = None) -> None:
    if output.format == "json":
        output.write_value(report)
    elif output.format in ("csv", "jsonl"):
        output.write(records(report), COLUMNS)
    else:
        out = standard_output()
        zone = _shown_zone(report.period.timezone)
        is_markdown = output.format == "markdown"
        out.write(markdown(report, zone, order) if is_markdown else _readable(report, out, order))
        out.flush()


def _readable(report: Report, out: TextIO, order: ReportOrder | None) -> str:
    zone = _shown_zone(report.period.timezone)
    parts = [plain(line) for line in title(report, zone).split("\n")]
    for headings, rows, remark in tables(report, zone, order):
        names = [heading.upper() for heading in headings]
        rigid = [at for at, name in enumerate(headings) if at and name not in PRICED_BY]
        cells = [
            [table_cell(cell, _CHANGE_STYLES.get(cell.rpartition(" ")[2], "")) for cell in row]
            for row in rows
        ]
        split = [at for at, name in enumerate(headings) if name not in ASPECTS.values()]
        parts += ["", table(names, cells, out=out, rigid=rigid, split=split)]
        parts += filter(None, [remark])
    return "\n".join(parts) + "\n"


def _shown_zone(name: str) -> tzinfo:
    """Return the report's zone, UTC if unknown on this machine."""
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        return UTC
