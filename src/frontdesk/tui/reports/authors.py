"""Table of a report's messages by author, by what they are charged as, and of what the AI ended."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from rich.cells import cell_len

from frontdesk.reports.metrics import (
    RATES,
    Glyphs,
    author_name,
    percent_of,
    pricing_words,
    rate_words,
    value_of,
)
from frontdesk.reports.sheets import ReportOrder, Sheet, SheetColumn
from frontdesk.text.clean import counted, humanize, one_line
from frontdesk.tui.reports.tables import ReportTable
from frontdesk.tui.widgets.text_layout import Piece, cut, fit
from frontdesk.wire.reports import PricingCount, Report

AUTHOR_PARTS = MappingProxyType(
    {"user": "team", "phone": "phone", "ai_agent": "ai", "campaign": "campaign"}
)


@dataclass(frozen=True, slots=True)
class AuthorShare:
    """Messages (`unit`) of a row, and of all rows of its group. part: ink of the bar.

    author: of messages by one author. sentence: text for the copy action. heading: of the group,
    if its first row is this one. of: messages that could be in the group, if not all are.
    """

    name: str
    count: int
    total: int
    sentence: str
    part: str = "accent"
    author: str | None = None
    heading: str = ""
    of: int | None = None
    unit: str = "message"


_COLUMNS: tuple[SheetColumn[AuthorShare], ...] = (
    SheetColumn("sent_by", "Sent by", lambda share: share.name, lambda share: share.name, True),
    SheetColumn(
        "messages", "Messages", lambda share: share.count, lambda share: f"{share.count:,}"
    ),
)
_COUNT_WIDTH, _SHARE_WIDTH = 7, 5
_LEAST_NAME, _LEAST_BAR, _WIDE_BAR = 21, 4, 16


class AuthorTable(ReportTable):
    """Bars of messages by author, by pricing, and of what the AI ended.

    Each is a group of its own, its rows sorted; shares and bars are of the group's total.
    """

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(glyphs, Sheet(_COLUMNS, ()), id=id)
        self.order = ReportOrder("messages")
        self._report: Report | None = None
        self._empty_words = ""
        # Messages by all authors; None without a report.
        self._total: int | None = None
        self._widest_name = 0

    def put_report(self, report: Report | None, words: str) -> None:
        """Show the messages that a report counts; without a report, `words`."""
        self._report, self._empty_words = report, words
        counts = dict(report.outgoing_by_author) if report else {}
        pricing = report.pricing if report else ()
        self._total = sum(counts.values()) if report else None
        self.say_when_empty("No messages sent" if report else words)
        rows = [
            *self._group(_by_author(counts)),
            *self._group(_charged(pricing), "PRICED", of=self._total),
            *self._group(_ended_by_ai(report) if report else [], "ENDED BY AI"),
        ]
        widest = max((cell_len(row.name) for row in rows), default=0)
        if widest != self._widest_name:
            self._widest_name = widest
            self.forget_drawn()
        self.put([(row.author or row.sentence.partition(":")[0], row) for row in rows])

    def _group(
        self, shares: Sequence[AuthorShare], heading: str = "", of: int | None = None
    ) -> list[AuthorShare]:
        """The rows of a group in their order, with its heading at the first."""
        return [
            replace(share, heading="" if at else heading, of=of)
            for at, share in enumerate(Sheet(_COLUMNS, shares).sorted(self.order))
        ]

    def put_sorted(self) -> None:
        self.put_report(self._report, self._empty_words)

    def orders(self) -> list[tuple[str, str]]:
        return [("messages", "Number and share"), ("sent_by", "Name")]

    @property
    def least_width(self) -> int:
        """Width at which no name is cut and bars can be compared."""
        name = max(_LEAST_NAME, self._widest_name + 1)
        return name + _COUNT_WIDTH + _WIDE_BAR + _SHARE_WIDTH + 3

    def head(self, width: int) -> list[Piece]:
        name, mark = (self.order_mark(column) for column in _COLUMNS)
        title = f"SENT BY{name}"
        if self._total is None:
            return [("dim", fit(title, width))]
        return [("dim", _group_heading(title, self._total, width, mark=mark))]

    def words_at(self, position: int) -> str:
        return str(self.rows[position].sentence)

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        share: AuthorShare = self.rows[position]
        part = share.count / share.total if share.total else 0.0
        others = _COUNT_WIDTH + _SHARE_WIDTH + 1
        name = min(max(_LEAST_NAME, self._widest_name + 1), max(1, width - others - _LEAST_BAR))
        room = max(0, width - others - name)
        bar = self._glyphs.bar * max(1 if share.count else 0, round(part * room))
        line: list[Piece] = [
            ("text", fit(cut(share.name, name - 1), name)),
            ("strong", f"{share.count:,}".rjust(_COUNT_WIDTH)),
            (share.part, " " + fit(bar, room)),
            ("dim", percent_of(share.count, share.total).rjust(_SHARE_WIDTH)),
        ]
        return [*_heading_above(share, position, width), line]


def _heading_above(share: AuthorShare, position: int, width: int) -> list[list[Piece]]:
    """Lines above the first row of a group: a blank one, and the heading."""
    if not share.heading:
        return []
    heading = _group_heading(share.heading, share.total, width, share.of, share.unit)
    blank: list[Piece] = [("text@ground", fit("", width))]
    return [*([blank] if position else []), [("dim@ground", heading)]]


def _group_heading(
    title: str,
    total: int,
    width: int,
    of: int | None = None,
    unit: str = "message",
    mark: str = "",
) -> str:
    """Title and total of a group; 100% above the shares says what they are of."""
    if of is not None:
        unpriced = f", {of - total:,} without" if of > total else ""
        return fit(f"{title}  {total:,} of {counted(of, unit)}{unpriced}", width)
    whole = "100%" if total else ""
    return fit(f"{title}  {counted(total, unit)}{mark}", width - _SHARE_WIDTH) + whole.rjust(
        _SHARE_WIDTH
    )


def _by_author(counts: Mapping[str, int]) -> list[AuthorShare]:
    """Messages by author, each in the colour that the author's messages have."""
    shares = []
    for author, count in counts.items():
        name, part = author_name(author), AUTHOR_PARTS.get(author, "accent")
        sentence = f"{name}: {counted(count, 'message')} sent"
        shares.append(AuthorShare(name, count, sum(counts.values()), sentence, part, author))
    return shares


def _charged(pricing: Sequence[PricingCount]) -> list[AuthorShare]:
    """Messages by category and type, summed over channels and authors."""
    counts: Counter[tuple[str, str]] = Counter()
    billable: Counter[tuple[str, str]] = Counter()
    for priced in pricing:
        counts[pricing_words(priced)] += priced.count
        billable[pricing_words(priced)] += priced.billable_count
    shares = []
    for kind, count in (+counts).items():
        name = ", ".join(humanize(one_line(word)) for word in kind)
        sentence = f"charged as {name}: {counted(count, 'message')}, {billable[kind]:,} billable"
        shares.append(AuthorShare(name, count, counts.total(), sentence))
    return shares


def _ended_by_ai(report: Report) -> list[AuthorShare]:
    """What the AI resolved and handed to a human, of both together."""
    counts = {rate: round(value_of(report.metrics, rate.part) or 0) for rate in RATES}
    total, unit = sum(counts.values()), "conversation"
    shares = []
    for rate, count in counts.items() if total else ():
        name = rate.label.removeprefix("AI: ")
        share = rate_words(count / total)
        sentence = f"{name} by the AI: {counted(count, unit)}, {share} of what it ended"
        shares.append(AuthorShare(name, count, total, sentence, "ai", unit=unit))
    return shares
