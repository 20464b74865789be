"""The inbox report as frozen data. Durations are seconds."""

from pydantic import Field

from frontdesk.wire.base import Time, Wire
from frontdesk.wire.resources import Ref


class Percentiles(Wire):
    """Percentiles of the values behind a mean, in seconds; None where there are none."""

    p50: float | None = Field(default=None, description="Half of the values are not larger.")
    p90: float | None = Field(default=None, description="Nine of ten values are not larger.")
    approximate: bool = Field(
        default=False,
        description="From a histogram, with an error of at most 5 %; else exact.",
    )


class TargetShare(Wire):
    """Durations of a period that are within a target, and all of them."""

    target_seconds: int = Field(description="The target that was asked for.")
    within: int = Field(default=0, description="Durations that are not longer.")
    samples: int = Field(default=0, description="All durations.")
    approximate: bool = Field(
        default=False,
        description="From a histogram, with an error of at most 5 %; else exact.",
    )


class Metrics(Wire):
    """Figures of a period. A mean is None where there is nothing to take it of."""

    conversations_count: int = Field(default=0, description="Conversations that began.")
    reopened_count: int = Field(
        default=0,
        description="Conversations that were opened again after a resolution.",
    )
    incoming_messages_count: int = Field(default=0, description="Messages from customers.")
    outgoing_messages_count: int = Field(
        default=0,
        description="Messages to customers, of all authors.",
    )
    resolutions_count: int = Field(
        default=0,
        description="Resolutions; a conversation may have several.",
    )
    avg_first_response_time: float | None = Field(
        default=None,
        description="Mean seconds from the beginning or hand-over of an episode to the "
        "first answer of a person.",
    )
    avg_resolution_time: float | None = Field(
        default=None,
        description="Mean seconds from the beginning of an episode to its resolution.",
    )
    avg_reply_time: float | None = Field(
        default=None,
        description="Mean seconds that customers waited for later answers of a person.",
    )
    bot_handoffs_count: int = Field(
        default=0,
        description="Conversations that a bot handed to a person.",
    )
    bot_resolutions_count: int = Field(
        default=0,
        description="Resolutions of episodes that no person answered in.",
    )
    spread: dict[str, Percentiles] = Field(
        default={},
        description="How the values behind each mean are spread, by its name; if asked for.",
    )
    targets: dict[str, TargetShare] = Field(
        default={},
        description="How many of `first_response` and `reply` are within the target asked for.",
    )


class Period(Wire):
    """from_ <= moment < to; on the wire the first is called `from`."""

    from_: str = Field(description="The first instant of the period.")
    to: str = Field(description="The first instant after it.")

    from_time = Time("from_")
    to_time = Time("to")


class ZonedPeriod(Period):
    """A period and the zone in which its days are counted, by its IANA name."""

    timezone: str = Field(default="UTC", description="The IANA name of the zone of its days.")


class ChannelMetrics(Wire):
    """Figures of one channel."""

    channel: Ref = Field(description="The channel.")
    metrics: Metrics = Field(description="Its figures of the period.")
    previous: Metrics | None = Field(default=None, description="Its figures of the period before.")


class LiveCounts(Wire):
    """Conversations that are open now. unattended: not answered yet, or waiting again."""

    open: int | None = Field(default=None, description="Open now.")
    unassigned: int | None = Field(default=None, description="Open without an assignee.")
    unattended: int | None = Field(
        default=None,
        description="Open and not answered yet, or waiting again.",
    )
    awaiting_human: int | None = Field(default=None, description="Open and handed over by a bot.")
    as_of: str | None = Field(default=None, description="When the counts were true.")
    over_first_response: int | None = Field(
        default=None,
        description="Open, and waiting for the first response longer than the target asked for.",
    )
    over_reply: int | None = Field(
        default=None,
        description="Open, and waiting for a later reply longer than the target asked for.",
    )

    as_of_time = Time("as_of")


class Bucket(Wire):
    """A part of the period. samples: how many values each mean was taken of, by its name."""

    start: str = Field(description="The first instant of the bucket.")
    end: str = Field(description="The first instant after it.")
    metrics: Metrics = Field(description="Its figures.")
    samples: dict[str, int] = Field(
        default={},
        description="The number of values behind each mean, by its name.",
    )

    start_time = Time("start")
    end_time = Time("end")


class PricingCount(Wire):
    """Messages of a channel and an author that the provider charged alike.

    category, type: as in the pricing of messages, None where that was not told. billable_count:
    how many of `count` the provider said to be billable. previous_: in the period before.
    """

    channel: Ref = Field(description="The channel.")
    author: str = Field(description="Who wrote the messages.")
    category: str | None = Field(
        default=None,
        description="The category that they were charged as; null if it was not told.",
    )
    type: str | None = Field(
        default=None,
        description="Regular, or why they were free; null if it was not told.",
    )
    count: int = Field(default=0, description="Messages of the period.")
    billable_count: int = Field(
        default=0,
        description="Those of them that the provider charges for.",
    )
    previous_count: int = Field(default=0, description="Messages of the period before.")
    previous_billable_count: int = Field(
        default=0,
        description="Those of them that the provider charged for.",
    )


class PersonFigures(Wire):
    """Figures of persons in a period. A mean is None where there is nothing to take it of."""

    outgoing_messages_count: int = Field(default=0, description="Messages that they sent.")
    answered_conversations_count: int = Field(
        default=0,
        description="Conversations that they answered.",
    )
    avg_first_response_time: float | None = Field(
        default=None,
        description="Mean seconds to the first answers that they gave.",
    )
    avg_reply_time: float | None = Field(
        default=None,
        description="Mean seconds that customers waited for their later answers.",
    )
    resolutions_count: int = Field(default=0, description="Resolutions by them.")
    spread: dict[str, Percentiles] = Field(
        default={},
        description="How the values behind each mean are spread, by its name; if asked for.",
    )
    targets: dict[str, TargetShare] = Field(
        default={},
        description="How many of `first_response` and `reply` are within the target asked for.",
    )


class PersonNow(Wire):
    """Open conversations that are assigned to persons at this moment."""

    availability: str | None = Field(
        default=None,
        description="As of the user; null if it is not known, and for several.",
    )
    open: int = Field(default=0, description="Open conversations.")
    waiting: int = Field(default=0, description="Those in which the customer waits.")
    longest_waiting_since: str | None = Field(
        default=None,
        description="Since when the customer waits who waits longest.",
    )
    unread: int = Field(default=0, description="Open conversations with unread messages.")

    longest_waiting_since_time = Time("longest_waiting_since")


class UserReport(Wire):
    """Figures of one user; user None: messages and conversations of nobody in particular."""

    user: Ref | None = Field(
        default=None,
        description="The user; null for what no known user did, and conversations of nobody.",
    )
    current: PersonFigures = Field(description="Figures of the period.")
    previous: PersonFigures | None = Field(
        default=None, description="Figures of the period before."
    )
    now: PersonNow | None = Field(default=None, description="At this moment.")


class TeamReport(Wire):
    """Figures of a team's members on its channels."""

    team: Ref = Field(description="The team.")
    current: PersonFigures = Field(description="Figures of the period.")
    previous: PersonFigures | None = Field(
        default=None, description="Figures of the period before."
    )
    now: PersonNow | None = Field(default=None, description="At this moment.")


class LabelReport(Wire):
    """Figures of the conversations that carry a label now; labels have no history."""

    label: Ref = Field(description="The label.")
    current: Metrics = Field(description="Figures of the period.")
    previous: Metrics | None = Field(default=None, description="Figures of the period before.")


class HourGrid(Wire):
    """Figures by weekday (from Monday) and hour of the report's zone."""

    received: tuple[tuple[int, ...], ...] = Field(
        default=(),
        description="Messages from customers.",
    )
    avg_first_response_time: tuple[tuple[float | None, ...], ...] = Field(
        default=(),
        description="Mean seconds to the first answer.",
    )


class Hours(HourGrid):
    """Figures by weekday and hour, and those of the period before."""

    previous: HourGrid | None = Field(default=None, description="The same of the period before.")


class Report(Wire):
    """Figures of an inbox in a period, and in the period before.

    channel: the only one that is counted, None for all. outgoing_by_author: messages of the
    period. pricing: messages by what the provider charged them as, as far as it told. series, and
    previous_series beside it: None unless a granularity was asked for. users, teams, labels, hours:
    None unless they were included.
    """

    period: ZonedPeriod = Field(description="The period of the report.")
    previous_period: Period | None = Field(
        default=None,
        description="The period that it is compared with.",
    )
    channel: str | None = Field(
        default=None,
        description="The only channel that is counted; null for all.",
    )
    metrics: Metrics = Field(description="The figures of the period.")
    previous: Metrics | None = Field(default=None, description="The figures of the period before.")
    outgoing_by_author: dict[str, int] = Field(
        default={},
        description="Messages of the period to customers, by author.",
    )
    channels: tuple[ChannelMetrics, ...] = Field(
        default=(),
        description="The figures of each channel.",
    )
    pricing: tuple[PricingCount, ...] = Field(
        default=(),
        description="Messages by what the provider charged them as, as far as it told.",
    )
    live: LiveCounts | None = Field(default=None, description="Conversations that are open now.")
    series: tuple[Bucket, ...] | None = Field(
        default=None,
        description="The figures by hour, day, week or month, if a granularity was asked for.",
    )
    previous_series: tuple[Bucket, ...] | None = Field(
        default=None,
        description="The same of the period before, its buckets in the same order.",
    )
    users: tuple[UserReport, ...] | None = Field(
        default=None,
        description="By user, if asked for; the one without a user is nobody.",
    )
    teams: tuple[TeamReport, ...] | None = Field(
        default=None,
        description="By team, if asked for.",
    )
    labels: tuple[LabelReport, ...] | None = Field(
        default=None,
        description="By label, if asked for.",
    )
    hours: Hours | None = Field(
        default=None,
        description="By weekday and hour, if asked for.",
    )
