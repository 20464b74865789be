"""The inbox report as frozen data. Durations are seconds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from frontdesk.wire.base import Time, Wire, optional
from frontdesk.wire.members import (
    Author,
    Count,
    MillisecondSeconds,
    NotNull,
    PriceCategory,
    PriceType,
    Seconds,
    Timestamp,
)
from frontdesk.wire.resources import PhoneRef, Ref


@dataclass(frozen=True, slots=True)
class Sum:
    """Marks a figure that the service reads from its sums: the number of what has a name there.

    mean: the mean duration of it instead. The names are those of messages, conversations and metric
    events, see `frontdesk.store.rollups`.
    """

    name: str
    mean: bool = False


def sums_of(figures: type[Wire]) -> Mapping[str, Sum]:
    """The marked figures of a model, by member."""
    return {
        name: mark
        for name, member in figures.model_fields.items()
        for mark in member.metadata
        if isinstance(mark, Sum)
    }


class Percentiles(Wire):
    """Percentiles of the values behind a mean, in seconds; None where there are none."""

    p50: Seconds | None = optional("Half of the values are not larger.")
    p90: Seconds | None = optional("Nine of ten values are not larger.")
    approximate: bool = optional(
        "From a histogram, with an error of at most 5 %; else exact.", False
    )


class TargetShare(Wire):
    """Durations of a period that are within a target, and all of them."""

    target_seconds: Count = Field(description="The target that was asked for.")
    within: Count = optional("Durations that are not longer.", 0)
    samples: Count = optional("All durations.", 0)
    approximate: bool = optional(
        "From a histogram, with an error of at most 5 %; else exact.", False
    )


def _spread(*, extension: bool = False) -> Any:
    words = "Percentiles of the values behind each mean, by its name; if requested."
    return optional(words, {}, may_be_absent=True, extension=extension)


def _targets(*, extension: bool = False) -> Any:
    words = "Number of `first_response` and `reply` within the requested target."
    return optional(words, {}, may_be_absent=True, extension=extension)


def _samples() -> Any:
    words = "Number of values behind each mean, by its name."
    return optional(words, {}, may_be_absent=True, extension=True)


class Metrics(Wire):
    """Figures of a period. A mean is None where there is nothing to take it of.

    In a report of a user or team, what is not done by persons is None.
    """

    conversations_count: Annotated[Count | None, Sum("started")] = optional(
        "Conversations that began.", 0
    )
    reopened_count: Annotated[Count | None, Sum("episode_opened")] = optional(
        "Conversations that were opened again after a resolution.", 0
    )
    incoming_messages_count: Annotated[Count | None, Sum("incoming")] = optional(
        "Messages from customers.", 0
    )
    outgoing_messages_count: Annotated[Count, Sum("outgoing")] = optional(
        "Messages to customers, of all authors.", 0
    )
    resolutions_count: Annotated[Count, Sum("resolved")] = optional(
        "Resolutions; a conversation may have several.", 0
    )
    avg_first_response_time: Annotated[Seconds | None, Sum("first_response", mean=True)] = optional(
        "Mean seconds from the beginning or hand-over of an episode to the first answer of a "
        "person."
    )
    avg_resolution_time: Annotated[Seconds | None, Sum("resolved", mean=True)] = optional(
        "Mean seconds from the beginning of an episode to its resolution."
    )
    avg_reply_time: Annotated[Seconds | None, Sum("reply", mean=True)] = optional(
        "Mean seconds that customers waited for later answers of a person."
    )
    bot_handoffs_count: Annotated[Count | None, Sum("bot_handoff")] = optional(
        "Conversations that a bot handed to a person.", 0
    )
    bot_resolutions_count: Annotated[Count | None, Sum("bot_resolved")] = optional(
        "Resolutions of episodes that no person answered in.", 0
    )
    answered_conversations_count: NotNull[Count] = optional(
        "Conversations that they answered; in a report of a user or team.",
        may_be_absent=True,
        extension=True,
    )
    open_at_end_count: NotNull[Count] = optional(
        "Conversations that were not resolved at the end; if requested, until now.",
        may_be_absent=True,
        extension=True,
    )
    samples: dict[str, Count] = _samples()
    spread: dict[str, Percentiles] = _spread(extension=True)
    targets: dict[str, TargetShare] = _targets(extension=True)


class Period(Wire):
    """from_ <= moment < to; on the wire the first is called `from`."""

    from_: Timestamp = Field(description="The first instant of the period.")
    to: Timestamp = Field(description="The first instant after it.")

    from_time = Time("from_")
    to_time = Time("to")


class ZonedPeriod(Period):
    """A period and the zone in which its days are counted, by its IANA name."""

    timezone: str = optional("The IANA name of the zone of its days.", "UTC")


class ChannelMetrics(Wire):
    """Figures of one channel."""

    channel: Ref = Field(description="The channel.")
    metrics: Metrics = Field(description="Its figures of the period.")
    previous: NotNull[Metrics] = optional("Its figures of the period before.")


class WaitAges(Wire):
    """Open conversations whose customer waits now, by how long."""

    under_1h: Count = optional("Less than an hour.", 0)
    under_4h: Count = optional("An hour or longer, and less than four hours.", 0)
    under_1d: Count = optional("Four hours or longer, and less than a day.", 0)
    over_1d: Count = optional("A day or longer.", 0)


class LiveCounts(Wire):
    """Conversations that are open now. unattended: not answered yet, or waiting again."""

    open: NotNull[Count] = optional("Open now.")
    unassigned: NotNull[Count] = optional("Open without an assignee.")
    unattended: NotNull[Count] = optional("Open and not answered yet, or waiting again.")
    awaiting_human: NotNull[Count] = optional("Open and handed over by a bot.")
    as_of: NotNull[Timestamp] = optional("Time of the counts.")
    over_first_response: NotNull[Count] = optional(
        "Open, and waiting for the first response longer than the target asked for.",
        may_be_absent=True,
        extension=True,
    )
    over_reply: NotNull[Count] = optional(
        "Open, and waiting for a later reply longer than the target asked for.",
        may_be_absent=True,
        extension=True,
    )

    waits: NotNull[WaitAges] = optional(
        "Customers who wait, by how long; if requested.", may_be_absent=True, extension=True
    )

    as_of_time = Time("as_of")


class Bucket(Wire):
    """A part of the period. samples: how many values each mean was taken of, by its name."""

    start: Timestamp = Field(description="The first instant of the bucket.")
    end: Timestamp = Field(description="The first instant after it.")
    metrics: Metrics = Field(description="Its figures.")
    samples: dict[str, int] = optional("The number of values behind each mean, by its name.", {})

    start_time = Time("start")
    end_time = Time("end")


class PricingCount(Wire):
    """Messages of a channel and an author that the provider charged alike.

    category, type: as in the pricing of messages, None if it was not reported. billable_count:
    how many of `count` the provider said to be billable. previous_: in the period before.
    """

    channel: Ref = Field(description="The channel.")
    author: Author = Field(description="Kind of author of the messages.")
    category: PriceCategory | None = optional(
        "The category that they were charged as; null if it was not reported."
    )
    type: PriceType | None = optional(
        "Regular, or why they were free; null if it was not reported."
    )
    count: Count = optional("Messages of the period.", 0)
    billable_count: Count = optional("Those of them that the provider charges for.", 0)
    previous_count: Count = optional("Messages of the period before.", 0)
    previous_billable_count: Count = optional("Those of them that the provider charged for.", 0)


class PersonFigures(Wire):
    """Figures of persons in a period. A mean is None where there is nothing to take it of."""

    outgoing_messages_count: Annotated[Count, Sum("outgoing")] = optional(
        "Messages that they sent.", 0
    )
    answered_conversations_count: Annotated[Count, Sum("answered")] = optional(
        "Conversations that they answered.", 0
    )
    avg_first_response_time: Annotated[Seconds | None, Sum("first_response", mean=True)] = optional(
        "Mean seconds to the first answers that they gave."
    )
    avg_reply_time: Annotated[Seconds | None, Sum("reply", mean=True)] = optional(
        "Mean seconds that customers waited for their later answers."
    )
    resolutions_count: Annotated[Count, Sum("resolved")] = optional("Resolutions by them.", 0)
    avg_resolution_time: Annotated[Seconds | None, Sum("resolved", mean=True)] = optional(
        "Mean seconds from the beginning of an episode to its resolution by them."
    )
    reopened_in_7_days_count: NotNull[Count] = optional(
        "Resolutions by them after which the conversation was opened again within seven days.",
        may_be_absent=True,
    )
    samples: dict[str, Count] = _samples()
    spread: dict[str, Percentiles] = _spread()
    targets: dict[str, TargetShare] = _targets()


class PersonBucket(Wire):
    """Figures of persons in a part of the period."""

    start: Timestamp = Field(description="The first instant of the part.")
    end: Timestamp = Field(description="The first instant after it.")
    metrics: PersonFigures = Field(description="Their figures in it.")

    start_time = Time("start")
    end_time = Time("end")


class PersonNow(Wire):
    """Open conversations that are assigned to persons at this moment."""

    availability: str | None = optional("As of the user; null if it is not known, and for several.")
    open: Count = optional("Open conversations.", 0)
    waiting: Count = optional("Those in which the customer waits.", 0)
    longest_waiting_since: Timestamp | None = optional(
        "Since when the customer waits who waits longest."
    )
    unread: Count = optional("Open conversations with unread messages.", 0)
    waits: WaitAges = optional("Customers who wait, by how long.", WaitAges())
    over_first_response: NotNull[Count] = optional(
        "Those waiting for the first response longer than the target asked for.",
        may_be_absent=True,
    )
    over_reply: NotNull[Count] = optional(
        "Those waiting for a later reply longer than the target asked for.", may_be_absent=True
    )

    longest_waiting_since_time = Time("longest_waiting_since")


class UserReport(Wire):
    """Figures of one user; user None: messages and conversations of nobody in particular."""

    user: Ref | None = optional(
        "The user; null for what no known user did, and conversations of nobody."
    )
    current: PersonFigures = Field(description="Figures of the period.")
    previous: PersonFigures | None = optional("Figures of the period before.")
    now: PersonNow | None = optional("At this moment.")
    series: NotNull[tuple[PersonBucket, ...]] = optional(
        "The figures of each part of the series, if requested.", may_be_absent=True
    )


class TeamReport(Wire):
    """Figures of a team's members on its channels."""

    team: Ref = Field(description="The team.")
    current: PersonFigures = Field(description="Figures of the period.")
    previous: PersonFigures | None = optional("Figures of the period before.")
    now: PersonNow | None = optional("At this moment.")
    series: NotNull[tuple[PersonBucket, ...]] = optional(
        "The figures of each part of the series, if requested.", may_be_absent=True
    )


class EveryoneReport(Wire):
    """Figures of all persons together, the phone app and nobody in particular among them."""

    current: PersonFigures = Field(description="Figures of the period.")
    previous: PersonFigures | None = optional("Figures of the period before.")
    now: PersonNow | None = optional("At this moment.")
    series: NotNull[tuple[PersonBucket, ...]] = optional(
        "The figures of each part of the series, if requested.", may_be_absent=True
    )


class LabelReport(Wire):
    """Figures of the conversations that carry a label now; labels have no history."""

    label: Ref = Field(description="The label.")
    current: Metrics = Field(description="Figures of the period.")
    previous: Metrics | None = optional("Figures of the period before.")


class AdRef(Wire):
    """The ad, or post, that customers came from."""

    id: str = Field(description="WhatsApp's id of the ad.")
    name: str | None = optional("Its headline; null if it is not known.")
    url: str | None = optional("Its address; null if it is not known.")


class AdFigures(Wire):
    """Figures of the conversations that customers came to by an ad in a period."""

    ad_conversations_count: Annotated[Count, Sum("arrived")] = optional(
        "Conversations that customers came to.", 0
    )
    conversations_count: Annotated[Count, Sum("started")] = optional(
        "Those of them that began in the period.", 0
    )
    resolutions_count: Annotated[Count, Sum("resolved")] = optional(
        "Resolutions of them in the period.", 0
    )
    avg_first_response_time: Annotated[Seconds | None, Sum("first_response", mean=True)] = optional(
        "Mean seconds to their first answers."
    )
    avg_reply_time: Annotated[Seconds | None, Sum("reply", mean=True)] = optional(
        "Mean seconds that later answers took."
    )
    avg_resolution_time: Annotated[Seconds | None, Sum("resolved", mean=True)] = optional(
        "Mean seconds to their resolutions."
    )
    samples: dict[str, Count] = _samples()


class AdReport(Wire):
    """Figures by the ad that customers came from."""

    ad: AdRef = Field(description="The ad.")
    current: AdFigures = Field(description="Figures of the period.")
    previous: AdFigures | None = optional("Figures of the period before.")


class HourGrid(Wire):
    """Figures by weekday (from Monday) and hour of the report's zone."""

    received: tuple[tuple[int, ...], ...] = optional("Messages from customers.", ())
    avg_first_response_time: tuple[tuple[Seconds | None, ...], ...] = optional(
        "Mean seconds to the first answer.", ()
    )


class Hours(HourGrid):
    """Figures by weekday and hour, and those of the period before."""

    previous: HourGrid | None = optional("The same of the period before.")


class Report(Wire):
    """Figures of an inbox in a period, and in the period before.

    channel: the only one that is counted, None for all. outgoing_by_author: messages of the
    period. pricing: messages by what the provider charged them as, if it was reported. series, and
    previous_series beside it: None unless a granularity was asked for. users, teams, labels, ads,
    hours: None unless they were included.
    """

    period: ZonedPeriod = Field(description="The period of the report.")
    previous_period: NotNull[Period] = optional("The period that it is compared with.")
    channel: str | None = optional("The only channel that is counted; null for all.")
    clock: NotNull[str] = optional(
        "`business` if durations and waits are measured in business hours; absent otherwise.",
        may_be_absent=True,
        extension=True,
    )
    user: NotNull[Ref] = optional(
        "The user of whom alone it is; absent for all.", may_be_absent=True, extension=True
    )
    team: NotNull[Ref] = optional(
        "The team of whom alone it is; absent for all.", may_be_absent=True, extension=True
    )
    label: NotNull[str] = optional(
        "The label whose conversations alone are counted; absent for all.",
        may_be_absent=True,
        extension=True,
    )
    metrics: Metrics = Field(description="The figures of the period.")
    previous: NotNull[Metrics] = optional("The figures of the period before.")
    outgoing_by_author: dict[str, int] = optional(
        "Messages of the period to customers, by author.", {}
    )
    channels: tuple[ChannelMetrics, ...] = optional("The figures of each channel.", ())
    pricing: tuple[PricingCount, ...] = optional(
        "Messages by what the provider charged them as, if it was reported.",
        (),
        may_be_absent=True,
        extension=True,
    )
    live: NotNull[LiveCounts] = optional("Conversations that are open now.")
    series: tuple[Bucket, ...] | None = optional(
        "The figures by hour, day, week or month, if a granularity was asked for."
    )
    previous_series: tuple[Bucket, ...] | None = optional(
        "The same of the period before, its buckets in the same order.",
        may_be_absent=True,
        extension=True,
    )
    users: tuple[UserReport, ...] | None = optional(
        "By user, if asked for; the one without a user is nobody.",
        may_be_absent=True,
        extension=True,
    )
    everyone: NotNull[EveryoneReport] = optional(
        "All persons together, if users or teams were asked for.",
        may_be_absent=True,
        extension=True,
    )
    teams: tuple[TeamReport, ...] | None = optional(
        "By team, if asked for.", may_be_absent=True, extension=True
    )
    labels: tuple[LabelReport, ...] | None = optional(
        "By label, if asked for.", may_be_absent=True, extension=True
    )
    ads: tuple[AdReport, ...] | None = optional(
        "By the ad that customers came from, if asked for.", may_be_absent=True, extension=True
    )
    hours: Hours | None = optional(
        "By weekday and hour, if asked for.", may_be_absent=True, extension=True
    )


class AgentCount(Wire):
    """Messages that a user wrote in a conversation."""

    user: Ref = Field(description="The user.")
    count: Count = Field(description="Messages of the period.")


class ConversationReport(Wire):
    """What a report counts of one conversation in its period.

    Durations are sums, in seconds to the millisecond: divided by their counts they are the means of
    the inbox report.
    """

    id: str = Field(description="The id of the conversation.")
    contact: NotNull[PhoneRef] = optional(
        "The customer; absent if the key lacks the scope `contacts:read`.", may_be_absent=True
    )
    channel: Ref = Field(description="The channel.")
    labels: tuple[str, ...] = optional("Titles of the labels that it carries now.", ())
    opened_at: Timestamp = Field(description="When the conversation began, perhaps long before.")
    began: bool = optional("It began in the period.", False)
    reopened_count: Annotated[Count, Sum("episode_opened")] = optional(
        "How often it was opened after a resolution.", 0
    )
    incoming_messages_count: Count = optional("Messages from the customer.", 0)
    outgoing_messages_count: Count = optional("Messages to the customer, of all authors.", 0)
    outgoing_by_author: dict[str, int] = optional("Messages to the customer, by author.", {})
    agents: tuple[AgentCount, ...] = optional("The users who wrote, who wrote most first.", ())
    first_responses_count: Annotated[Count, Sum("first_response")] = optional(
        "First answers of persons, one in each episode.", 0
    )
    first_response_seconds: MillisecondSeconds | None = optional(
        "Seconds to them together; null without one."
    )
    replies_count: Annotated[Count, Sum("reply")] = optional(
        "Later answers of persons to a customer who waited.", 0
    )
    reply_seconds: MillisecondSeconds | None = optional(
        "Seconds that the customer waited for them together; null without one."
    )
    resolutions_count: Annotated[Count, Sum("resolved")] = optional("Resolutions.", 0)
    timed_resolutions_count: Count = optional("Those of them that have a duration.", 0)
    resolution_seconds: MillisecondSeconds | None = optional(
        "Seconds from the beginning of their episodes together; null without one."
    )
    first_responses_in_time: NotNull[Count] = optional(
        "First answers within the target asked for.", may_be_absent=True
    )
    replies_in_time: NotNull[Count] = optional(
        "Later answers within the target asked for.", may_be_absent=True
    )
    first_response_business_seconds: NotNull[MillisecondSeconds] = optional(
        "`first_response_seconds` in business hours, if asked for.", may_be_absent=True
    )
    reply_business_seconds: NotNull[MillisecondSeconds] = optional(
        "`reply_seconds` in business hours, if asked for.", may_be_absent=True
    )
    resolution_business_seconds: NotNull[MillisecondSeconds] = optional(
        "`resolution_seconds` in business hours, if asked for.", may_be_absent=True
    )
    handed_to_human: bool = optional("A bot handed it to a person.", False)
    bot_resolutions_count: Annotated[Count, Sum("bot_resolved")] = optional(
        "Resolutions without an answer of a person.", 0
    )
    ad: AdRef | None = optional("The last ad that the customer came from in the period.")
    custom_fields: dict[str, Any] = optional(
        "Custom fields of the customer; absent if the key lacks the scope `contacts:read`.",
        {},
        may_be_absent=True,
    )

    opened_time = Time("opened_at")
