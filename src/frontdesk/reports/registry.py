"""Registry of what a report shows: figures of a period and of now, and what its rows are of.

Keys, headings, order, and what stays in a narrow table follow from it, in each output.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


def heading_key(heading: str) -> str:
    """Key of a column by its heading: first_response."""
    return heading.lower().replace(" ", "_")


@dataclass(frozen=True, slots=True)
class Metric:
    """Figure of a period. heading: name of its column; short: where there is little room.

    better: 1 if higher is better, -1 if lower is, 0 if neither. sampled: unit of the samples of a
    mean. status: filter for the related conversations; difference: which those are, where they are
    not exactly the counted ones. dated: the counted ones are those that began in the period.
    target: name of the target of a mean that has one.
    """

    field: str
    name: str
    heading: str
    formula: str
    difference: str
    better: int = 0
    sampled: str = ""
    status: str | None = None
    dated: bool = False
    short: str = ""
    target: str = ""

    @property
    def key(self) -> str:
        """Name that people and programs write."""
        return heading_key(self.heading)

    @property
    def timed(self) -> bool:
        """True for a mean duration in seconds, which is None without samples."""
        return bool(self.sampled)


METRICS = (
    Metric(
        "conversations_count",
        "New conversations",
        "New",
        "Conversations that began in the period. A customer has one with each number, for life: "
        "who writes again later is under Reopened.",
        "those that began in the period; all, if its days are not those of this computer's zone",
        dated=True,
    ),
    Metric(
        "reopened_count",
        "Reopened",
        "Reopened",
        "How often a resolved conversation was opened again in the period. "
        "New and reopened together are the work that came in.",
        "all open conversations: the server cannot filter for reopened ones",
        status="open",
    ),
    Metric(
        "incoming_messages_count",
        "Messages received",
        "Received",
        "Messages from customers in the period, without reactions, calls and system lines.",
        "all conversations: the server cannot filter them by the dates of messages",
    ),
    Metric(
        "outgoing_messages_count",
        "Messages sent",
        "Sent",
        "Messages to customers in the period by anybody or anything, failed ones too, "
        "without reactions, calls and system lines.",
        "all conversations: the server cannot filter them by the dates of messages",
    ),
    Metric(
        "resolutions_count",
        "Resolved",
        "Resolved",
        "How often a conversation was resolved in the period; one may be resolved repeatedly.",
        "all conversations that are resolved now, whenever that was done",
        better=1,
        status="resolved",
    ),
    Metric(
        "avg_first_response_time",
        "First response, mean",
        "First response",
        "Mean time from the beginning of an episode (or from being handed to a human) to the "
        "first answer by a person, over the first answers given in the period. An episode goes "
        "from opening to resolving; those that we began ourselves are left out.",
        "all open conversations: the server cannot filter them by first responses",
        better=-1,
        sampled="replies",
        status="open",
        short="First",
        target="first_response",
    ),
    Metric(
        "avg_reply_time",
        "Waiting, mean",
        "Waiting",
        "Mean time that a customer waited for an answer by a person, over all answers in the "
        "period but the first of each episode.",
        "all open conversations: the server cannot filter them by replies",
        better=-1,
        sampled="replies",
        status="open",
        short="Reply",
        target="reply",
    ),
    Metric(
        "avg_resolution_time",
        "Resolution, mean",
        "Resolution",
        "Mean time from the beginning of an episode to its being resolved, over those resolved "
        "in the period.",
        "all conversations that are resolved now, whenever that was done",
        better=-1,
        sampled="closed",
        status="resolved",
        short="Solved in",
    ),
    Metric(
        "bot_handoffs_count",
        "Handed to a human",
        "To a human",
        "Conversations that the AI agent handed to a human in the period, each counted once.",
        "all open conversations: the server cannot filter for those handed to a human",
        status="open",
        short="Human",
    ),
    Metric(
        "bot_resolutions_count",
        "Resolved by AI",
        "By AI",
        "Resolutions in the period of episodes in which the AI agent wrote and no person did.",
        "all conversations that are resolved now, whoever did that and whenever",
        status="resolved",
        short="AI",
    ),
)
ANSWERED = Metric(
    "answered_conversations_count",
    "Conversations answered",
    "Answered",
    "Conversations in which the person wrote to the customer in the period, each counted once.",
    "all conversations: the server cannot filter them by the dates of messages",
)
ARRIVED = Metric(
    "ad_conversations_count",
    "Came from the ad",
    "From ad",
    "Conversations in which the customer wrote from the ad in the period, each counted once.",
    "all conversations: the server cannot filter them by the dates of messages",
)
OPEN_AT_END = Metric(
    "open_at_end_count",
    "Open at the end",
    "Open at end",
    "Conversations that were not resolved at the end of the period, and now of one that is not "
    "over. Snoozed ones are among them.",
    "all open conversations, of now and without those that are snoozed",
    status="open",
)
REOPENED_IN_7_DAYS = Metric(
    "reopened_in_7_days_count",
    "Resolved, and reopened within 7 days",
    "Back in 7d",
    "Resolutions in the period after which the conversation was opened again within seven days. "
    "Those of the last seven days may still come back.",
    "all open conversations: the server cannot filter for reopened ones",
    status="open",
)
BY_FIELD: Mapping[str, Metric] = {
    metric.field: metric
    for metric in (*METRICS, ANSWERED, ARRIVED, OPEN_AT_END, REOPENED_IN_7_DAYS)
}
BY_KEY: Mapping[str, Metric] = {metric.key: metric for metric in BY_FIELD.values()}
# The figures of all, in the order of their table.
LISTED = (*METRICS[:4], ANSWERED, METRICS[4], OPEN_AT_END, *METRICS[5:])


class NowFigure(NamedTuple):
    """Figure of a person or team at this moment. warned: to be seen unless it is 0."""

    field: str
    heading: str
    warned: bool = False

    @property
    def key(self) -> str:
        """Name that people write; headings of ages are signs that a shell reads as its own."""
        return self.field if self.field.startswith("waiting_") else heading_key(self.heading)

    @property
    def optional(self) -> bool:
        """True if it depends on the request or the server."""
        return self.field.startswith(("waiting_", "over_"))


# Ages of waits: members of `WaitAges`, and headings.
WAIT_AGES: Mapping[str, str] = {
    "under_1h": "<1h",
    "under_4h": "1–4h",
    "under_1d": "4–24h",
    "over_1d": ">1d",
}
NOW_FIGURES = (
    NowFigure("availability", "Status"),
    NowFigure("open", "Open"),
    NowFigure("waiting", "Waits", warned=True),
    NowFigure("longest_waiting_since", "Longest"),
    NowFigure("unread", "Unread"),
    *(
        NowFigure(f"waiting_{age}", words, warned=age == "over_1d")
        for age, words in WAIT_AGES.items()
    ),
    NowFigure("over_first_response", "Over first", warned=True),
    NowFigure("over_reply", "Over reply", warned=True),
)


@dataclass(frozen=True, slots=True)
class Dimension:
    """What the rows of a table are of. part: its member of the report.

    scope, heading: what a row is. fields: figures in the order of the columns. changed: those that
    are shown with their change. ranked: keys of columns from the one that stays longest in a narrow
    table on; the others follow in their order. first: the column that the viewer sorts by at first.
    remark: how the figures are to be read.
    """

    part: str
    scope: str
    heading: str
    fields: tuple[str, ...]
    changed: tuple[str, ...]
    ranked: tuple[str, ...]
    first: str
    remark: str = ""

    @property
    def metrics(self) -> tuple[Metric, ...]:
        return tuple(BY_FIELD[field] for field in self.fields)

    def weight(self, key: str) -> int:
        """Weight of a column: one with less leaves a narrow table before one with more."""
        return len(self.ranked) - self.ranked.index(key) if key in self.ranked else 0


_TIMES = ("avg_first_response_time", "avg_reply_time")
CHANGED = ("conversations_count", "avg_first_response_time")
_COUNTS = (
    *("conversations_count", "incoming_messages_count", "outgoing_messages_count"),
    *("resolutions_count", *_TIMES, "avg_resolution_time"),
)
_OF_CHANNELS = (
    *("new", "new:change", "received", "resolved", "first_response", "first_response:p90"),
    *("waiting", "resolution", "reopened", "to_a_human", "by_ai", "sent", "first_response:change"),
)
_OF_PERSONS = (
    *("open", "waits", "waiting_over_1d", "first_response", "first_response:p90", "waiting"),
    *("sent", "resolved", "over_first", "over_reply", "longest", "back_in_7d", "resolution"),
    *("answered", "first_response:change", "waiting:change", "unread", "status"),
)
_BY_PERSON = (
    *(*_TIMES, "avg_resolution_time", "outgoing_messages_count", ANSWERED.field),
    *("resolutions_count", REOPENED_IN_7_DAYS.field),
)
DIMENSIONS: Mapping[str, Dimension] = {
    dimension.part: dimension
    for dimension in (
        Dimension(
            "channels",
            "channel",
            "Channel",
            (*_COUNTS, "reopened_count", "bot_handoffs_count", "bot_resolutions_count"),
            CHANGED,
            _OF_CHANNELS,
            "new",
        ),
        Dimension("users", "user", "Person", _BY_PERSON, _TIMES, _OF_PERSONS, "waits"),
        Dimension(
            "teams",
            "team",
            "Team",
            _BY_PERSON,
            _TIMES,
            _OF_PERSONS,
            "waits",
            "members of the teams, on the teams' channels",
        ),
        Dimension(
            "labels",
            "label",
            "Label",
            _COUNTS,
            CHANGED,
            _OF_CHANNELS,
            "new",
            "conversations that carry the label now: labels have no history",
        ),
        Dimension(
            "ads",
            "ad",
            "Ad",
            (ARRIVED.field, _COUNTS[0], *_COUNTS[3:]),
            (ARRIVED.field, "avg_first_response_time"),
            ("from_ad", "from_ad:change", *_OF_CHANNELS),
            "from_ad",
            "conversations that customers came to by the ad in the period",
        ),
    )
}
# Figures that persons have by part of the period, unless others are chosen.
PIVOTED = ("outgoing_messages_count", "resolutions_count", "avg_first_response_time")
# Parts by what a row of theirs is of.
BY_SCOPE: Mapping[str, str] = {dimension.scope: part for part, dimension in DIMENSIONS.items()}
# Values that are no row of a table of their own, with the words for a server that lacks them.
PART_WORDS: Mapping[str, str] = {
    "users": "by person",
    "teams": "by team",
    "labels": "by label",
    "ads": "by ad",
    "hours": "by hour",
    "spread": "p50 and p90",
    "targets": "targets",
    "waits": "waits by age",
    "backlog": "what was open at the end",
    "person_series": "by person in each part",
}
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
AUTHORS: Mapping[str, str] = {
    "user": "Agents",
    "phone": "Agents (phone app)",
    "ai_agent": "AI agent",
    "campaign": "Campaigns",
    "api": "Other programs",
    "automation": "Automation",
}
