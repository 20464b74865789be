"""State rules: folds messages and events into the state of a conversation (pure)."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

InitialStatus = Literal["auto", "open", "resolved"]

OPEN, SNOOZED, RESOLVED = 0, 1, 2
INBOUND, OUTBOUND = 0, 1

HUMANS = frozenset(("user", "phone"))
BOT = "ai_agent"
UNATTENDED = frozenset(("campaign", "automation"))
CHARGED_AS_BULK = frozenset(("marketing", "utility", "authentication"))
# Types without an author's intent: they do not wait, answer or appear in previews.
QUIET_TYPES = frozenset(("reaction", "system"))

# Back-fill without activity for longer than this starts as resolved.
SILENT_AFTER = 7 * 24 * 60 * 60 * 1000

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StateEvent:
    """Conversation event with resolved names: user_id 0 is nobody.

    key: id at its source; orders events of the same time.
    """

    at: int
    id: int
    name: str
    until: int | None = None
    user_id: int = 0
    label_id: int = 0
    on: bool = False
    key: str = ""


class MetricEvent(NamedTuple):
    """Metric event with the time of its end.

    name: episode_opened (after a resolution), first_response, reply, resolved, bot_handoff,
    bot_resolved. started_at: None without a duration.
    """

    name: str
    ended_at: int
    started_at: int | None = None


@dataclass(slots=True)
class ConversationState:
    """State of a conversation after the facts so far. Times are epoch milliseconds.

    status None: only back-fill is known. last_message: the newest message folded since the state
    was loaded, None without one. folded_at: time of the newest fact, -1 before the first.
    episode_at: start of the current episode (its first message, or the opening after a resolution),
    None between episodes. handed_over_at, bot_spoke_at: last times, in any episode. measures:
    metric events of the facts folded since the state was loaded.
    """

    status: int | None = None
    assignee_id: int = 0
    awaiting_human: bool = False
    snoozed_until: int | None = None
    read_marker: int | None = None
    unread_count: int | None = None
    waiting_since: int | None = None
    first_reply_at: int | None = None
    last_inbound_at: int | None = None
    newest_at: int | None = None
    folded_at: int = -1
    episode_at: int | None = None
    handed_over_at: int | None = None
    bot_spoke_at: int | None = None
    labels: frozenset[int] = frozenset()
    last_message: Message | None = None
    inbound_at: list[int] = field(default_factory=list)
    measures: list[MetricEvent] = field(default_factory=list)


def continues(
    standing: ConversationState, messages: Iterable[Message], happenings: Iterable[StateEvent]
) -> bool:
    """Check if new facts can be folded onto `standing`; otherwise all facts must be folded again.

    They cannot if one is not newer than all before, or if a read marker refers to earlier messages.
    """
    latest = standing.folded_at
    if any(message["created_at"] <= latest for message in messages):
        return False
    return not any(
        happening.at <= latest or _marks_the_past(standing, happening) for happening in happenings
    )


def fold(
    standing: ConversationState, messages: Iterable[Message], happenings: Iterable[StateEvent]
) -> ConversationState:
    """Fold more facts; at the same time, messages precede events.

    Messages of the same time are ordered by wamid, so that the order of arrival does not matter.
    """
    after = replace(standing, inbound_at=[], measures=[])
    pending = sorted(happenings, key=lambda happening: (happening.at, happening.key, happening.id))
    position = 0
    for message in sorted(messages, key=_thread_order):
        while position < len(pending) and pending[position].at < message["created_at"]:
            _happen(after, pending[position])
            position += 1
        _say(after, message)
    for happening in pending[position:]:
        _happen(after, happening)
    return after


def initial_status(
    standing: ConversationState, choice: InitialStatus, now: int, newest_at: int
) -> int:
    """Return the status; one of back-fill alone depends on `choice` and on its age at `now`."""
    if standing.status is not None:
        return standing.status
    if choice == "auto":
        return RESOLVED if now - newest_at > SILENT_AFTER else OPEN
    return RESOLVED if choice == "resolved" else OPEN


def _thread_order(message: Message) -> tuple[int, str, int]:
    return message["created_at"], message["wamid"] or "", message["id"]


def _marks_the_past(standing: ConversationState, happening: StateEvent) -> bool:
    if happening.name != "read_marker" or happening.until is None:
        return False
    return (standing.read_marker or 0) < happening.until < (standing.last_inbound_at or 0)


def _say(standing: ConversationState, message: Message) -> None:
    """Fold one message."""
    at = message["created_at"]
    standing.folded_at = max(standing.folded_at, at)
    if message["live"] and standing.status is None:
        standing.status = OPEN
    if message["type"] in QUIET_TYPES:
        return
    standing.newest_at = at
    standing.last_message = message
    if standing.episode_at is None and standing.status != RESOLVED:
        standing.episode_at = at
    if message["direction"] == INBOUND:
        _arrive(standing, at, live=bool(message["live"]))
    elif message["author"] in HUMANS:
        _reply(standing, at)
    elif not _bulk(message):
        standing.waiting_since = None
        if message["author"] == BOT:
            standing.bot_spoke_at = at


def _arrive(standing: ConversationState, at: int, *, live: bool) -> None:
    """An inbound message reopens a conversation and starts the wait; back-fill does not reopen."""
    if live and standing.status != OPEN:
        _open(standing, at)
    if standing.status != RESOLVED and standing.waiting_since is None:
        standing.waiting_since = at
    standing.last_inbound_at = at
    standing.inbound_at.append(at)
    if standing.read_marker is not None and at > standing.read_marker:
        standing.unread_count = (standing.unread_count or 0) + 1


def _reply(standing: ConversationState, at: int) -> None:
    """A reply by a person ends the wait."""
    _measure_reply(standing, at)
    standing.waiting_since = None
    standing.awaiting_human = False
    if standing.first_reply_at is None:
        standing.first_reply_at = at
    _mark_read(standing, at)


def _measure_reply(standing: ConversationState, at: int) -> None:
    """Time the first reply of an episode from its start, later ones from the customer's message."""
    if standing.first_reply_at is not None:
        if standing.waiting_since is not None:
            standing.measures.append(MetricEvent("reply", at, standing.waiting_since))
    elif standing.episode_at is not None and _since(standing.last_inbound_at, standing.episode_at):
        base = max(standing.episode_at, standing.handed_over_at or 0)
        standing.measures.append(MetricEvent("first_response", at, base))


def _bulk(message: Message) -> bool:
    """Bulk messages (by author or pricing category) do not count as an answer."""
    if message["author"] == "api":
        return message["category"] in CHARGED_AS_BULK
    return message["author"] in UNATTENDED


def _happen(standing: ConversationState, happening: StateEvent) -> None:
    """Fold one event; unknown names have no effect."""
    standing.folded_at = max(standing.folded_at, happening.at)
    match happening.name:
        case "opened":
            _open(standing, happening.at)
        case "resolved":
            _resolve(standing, happening.at)
        case "snoozed":
            _begin_anew(standing, happening.at)
            standing.status = SNOOZED
            standing.snoozed_until = happening.until
        case "assigned":
            standing.assignee_id = happening.user_id
        case "labelled":
            _label(standing, happening)
        case "bot_handoff" | "awaiting_human":
            _await_human(standing, happening)
        case "read_marker" if happening.until is not None:
            _mark_read(standing, happening.until)


def _open(standing: ConversationState, at: int) -> None:
    _begin_anew(standing, at)
    standing.status = OPEN
    standing.snoozed_until = None


def _begin_anew(standing: ConversationState, at: int) -> None:
    """Start a new episode, without a first reply, if the conversation was resolved."""
    if standing.status == RESOLVED:
        standing.first_reply_at = None
        standing.episode_at = at
        standing.measures.append(MetricEvent("episode_opened", at))


def _resolve(standing: ConversationState, at: int) -> None:
    """Resolve a conversation, unless it is resolved already."""
    if standing.status != RESOLVED:
        started_at = standing.episode_at
        standing.measures.append(MetricEvent("resolved", at, started_at))
        by_bot = started_at is not None and _since(standing.bot_spoke_at, started_at)
        if by_bot and standing.first_reply_at is None:
            standing.measures.append(MetricEvent("bot_resolved", at, started_at))
    standing.status = RESOLVED
    standing.awaiting_human = False
    standing.episode_at = standing.waiting_since = standing.snoozed_until = None


def _await_human(standing: ConversationState, happening: StateEvent) -> None:
    """Set awaiting_human; a resolved conversation awaits nobody."""
    if happening.name == "bot_handoff":
        _hand_over(standing, happening.at)
    else:
        standing.awaiting_human = happening.on and standing.status != RESOLVED


def _hand_over(standing: ConversationState, at: int) -> None:
    """A bot hands over: the conversation opens and awaits a human."""
    _open(standing, at)
    standing.measures.append(MetricEvent("bot_handoff", at))
    standing.handed_over_at = at
    standing.awaiting_human = True
    if standing.waiting_since is None:
        standing.waiting_since = at


def _label(standing: ConversationState, happening: StateEvent) -> None:
    one = frozenset((happening.label_id,)) if happening.label_id else frozenset[int]()
    standing.labels = standing.labels | one if happening.on else standing.labels - one


def _mark_read(standing: ConversationState, until: int) -> None:
    """Move the read marker forward; messages after it remain unread."""
    if standing.read_marker is not None and until <= standing.read_marker:
        return
    standing.read_marker = until
    standing.unread_count = _later_than(standing.inbound_at, until)


def _since(moment: int | None, start: int) -> bool:
    return moment is not None and moment >= start


def _later_than(times: Sequence[int], moment: int) -> int:
    return len(times) - bisect_right(times, moment)
