"""The inbox report as frozen data (contract E14, reports 6). Times of answers are seconds."""

from frontdesk.wire.base import Wire
from frontdesk.wire.resources import Ref


class Metrics(Wire):
    """What happened in a period. A mean is None where there is nothing to take it of."""

    conversations_count: int = 0
    reopened_count: int = 0
    incoming_messages_count: int = 0
    outgoing_messages_count: int = 0
    resolutions_count: int = 0
    avg_first_response_time: float | None = None
    avg_resolution_time: float | None = None
    avg_reply_time: float | None = None
    bot_handoffs_count: int = 0
    bot_resolutions_count: int = 0


class Period(Wire):
    """from_ <= moment < to; on the wire the first is called `from`."""

    from_: str
    to: str


class ZonedPeriod(Period):
    """A period and the zone in which its days are counted, by its IANA name."""

    timezone: str = "UTC"


class ChannelMetrics(Wire):
    """What happened on one channel."""

    channel: Ref
    metrics: Metrics
    previous: Metrics | None = None


class LiveCounts(Wire):
    """Conversations that are open now. unattended: not answered yet, or waiting again."""

    open: int | None = None
    unassigned: int | None = None
    unattended: int | None = None
    awaiting_human: int | None = None
    as_of: str | None = None


class Bucket(Wire):
    """A part of the period. samples: how many values each mean was taken of, by its name."""

    start: str
    end: str
    metrics: Metrics
    samples: dict[str, int] = {}


class PricingCount(Wire):
    """Messages of a channel and an author that the provider charged alike.

    category, type: as in the pricing of messages, None where that was not told. billable_count:
    how many of `count` the provider said to be billable. previous_: in the period before.
    """

    channel: Ref
    author: str
    category: str | None = None
    type: str | None = None
    count: int = 0
    billable_count: int = 0
    previous_count: int = 0
    previous_billable_count: int = 0


class Report(Wire):
    """What happened in an inbox, and in the period before.

    channel: the only one that is counted, None for all. outgoing_by_author: messages of the
    period. pricing: messages by what the provider charged them as, as far as it told. series: None
    unless a granularity was asked for.
    """

    period: ZonedPeriod
    previous_period: Period | None = None
    channel: str | None = None
    metrics: Metrics
    previous: Metrics | None = None
    outgoing_by_author: dict[str, int] = {}
    channels: tuple[ChannelMetrics, ...] = ()
    pricing: tuple[PricingCount, ...] = ()
    live: LiveCounts | None = None
    series: tuple[Bucket, ...] | None = None
