"""State rules: folds messages and events into the state of a conversation (pure)."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from frontdesk.store.rows import MESSAGE_ORDER, OPEN, RESOLVED, SNOOZED
from frontdesk.text.calls import ANSWERED, CALL

InitialStatus = Literal["auto", "open", "resolved"]

INBOUND, OUTBOUND = 0, 1

PHONE = "phone"
HUMANS = frozenset(("user", PHONE))
BOT = "ai_agent"
UNATTENDED = frozenset(("campaign", "automation"))
CHARGED_AS_BULK = frozenset(("marketing", "utility", "authentication"))
# Types without an author's intent: they do not wait, answer or appear in previews.
QUIET_TYPES = frozenset(("reaction", "system"))

# Back-fill without activity for longer than this starts as resolved.
SILENT_AFTER = 7 * 24 * 60 * 60 * 1000

# Archives may name authors in other ways.
_USER_ID = re.compile("[0-9]{1,18}")

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StateEvent:
    """Conversation event with resolved names: user_id 0 is no user.

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
    bot_resolved. started_at: None without a duration. user_id: who replied, or was assigned when a
    person's episode was resolved; 0 if nobody is known.
    """

    name: str
    ended_at: int
    started_at: int | None = None
    user_id: int = 0


@dataclass(slots=True)
class ConversationState:
    """State of a conversation after the facts so far. Times are epoch milliseconds.

    status None: only back-fill is known. last_message: the newest message folded since the state
    was loaded, None without one. folded_at: time of the newest fact, -1 before the first.
    episode_at: start of the current episode (its first message, or the opening after a resolution),
    None between episodes. handed_over_at, bot_spoke_at: last times, in any episode. metrics:
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
    phone_spoke_at: int | None = None
    labels: frozenset[int] = frozenset()
    last_message: Message | None = None
    inbound_at: list[int] = field(default_factory=list)
    metrics: list[MetricEvent] = field(default_factory=list)


def ends_with_questions(state: ConversationState) -> bool:
    """Check if the newest fact may be the customer's, which nothing has answered."""
    return state.waiting_since is not None and state.last_inbound_at == state.folded_at


def continues(
    state: ConversationState,
    messages: Iterable[Message],
    events: Iterable[StateEvent],
    *,
    in_last_moment: bool = False,
) -> bool:
    """Check if new facts can be folded onto `state`; otherwise all facts must be folded again.

    They cannot if one is not newer than all before, or if a read marker refers to earlier messages.
    in_last_moment: the facts of the newest time are unanswered messages of the customer alone, so
    that messages of that time can follow: how those are ordered makes no difference.
    """
    latest = state.folded_at
    if any(message["created_at"] <= latest - in_last_moment for message in messages):
        return False
    return not any(event.at <= latest or _marks_the_past(state, event) for event in events)


def fold(
    state: ConversationState, messages: Iterable[Message], events: Iterable[StateEvent]
) -> ConversationState:
    """Fold more facts; at the same time, messages precede events.

    Of messages of the same time, those that wait for an answer precede the others; then the wamid
    decides, so that the order of arrival does not matter. `last_message` is that of the thread.
    """
    after = replace(state, inbound_at=[], metrics=[])
    pending = sorted(events, key=lambda event: (event.at, event.key, event.id))
    position = 0
    for message in sorted(messages, key=_fold_order):
        while position < len(pending) and pending[position].at < message["created_at"]:
            _fold_event(after, pending[position])
            position += 1
        _fold_message(after, message)
    for event in pending[position:]:
        _fold_event(after, event)
    return after


def initial_status(
    state: ConversationState, choice: InitialStatus, now: int, newest_at: int
) -> int:
    """Return the status; one of back-fill alone depends on `choice` and on its age at `now`."""
    if state.status is not None:
        return state.status
    if choice == "auto":
        return RESOLVED if now - newest_at > SILENT_AFTER else OPEN
    return RESOLVED if choice == "resolved" else OPEN


def _fold_order(message: Message) -> tuple[int, bool, str, int]:
    answers = message["direction"] == OUTBOUND or is_answered_call(message)
    return message["created_at"], answers, message["wamid"] or "", message["id"]


_thread_order = itemgetter(*MESSAGE_ORDER)


def _marks_the_past(state: ConversationState, event: StateEvent) -> bool:
    if event.name != "read_marker" or event.until is None:
        return False
    return (state.read_marker or 0) < event.until < (state.last_inbound_at or 0)


def _fold_message(state: ConversationState, message: Message) -> None:
    at = message["created_at"]
    state.folded_at = max(state.folded_at, at)
    if message["live"] and state.status is None:
        state.status = OPEN
    if message["type"] in QUIET_TYPES:
        return
    state.newest_at = at
    state.last_message = max(state.last_message or message, message, key=_thread_order)
    if state.episode_at is None and state.status != RESOLVED:
        state.episode_at = at
    answered = is_answered_call(message)
    if message["direction"] == INBOUND and answered:
        _fold_answered_call(state, at, live=bool(message["live"]))
    elif message["direction"] == INBOUND:
        _fold_inbound(state, at, live=bool(message["live"]))
    elif message["type"] == CALL and not answered:
        return
    elif message["author"] in HUMANS:
        _fold_reply(state, at, writer_of(message))
        if message["author"] == PHONE and message["type"] != CALL:
            state.phone_spoke_at = at
    elif not _bulk(message):
        state.waiting_since = None
        if message["author"] == BOT:
            state.bot_spoke_at = at


def _fold_inbound(state: ConversationState, at: int, *, live: bool) -> None:
    """An inbound message reopens a conversation and starts the wait; back-fill does not reopen."""
    if live and state.status != OPEN:
        _open(state, at)
    if state.status != RESOLVED and state.waiting_since is None:
        state.waiting_since = at
    state.last_inbound_at = at
    state.inbound_at.append(at)
    if state.read_marker is not None and at > state.read_marker:
        state.unread_count = (state.unread_count or 0) + 1


def _fold_answered_call(state: ConversationState, at: int, *, live: bool) -> None:
    """A call of the customer that was answered is a reply by a person whom nobody names."""
    if live and state.status != OPEN:
        _open(state, at)
    _fold_reply(state, at, 0)
    state.last_inbound_at = at


def _fold_reply(state: ConversationState, at: int, user_id: int) -> None:
    """A reply by a person ends the wait."""
    _measure_reply(state, at, user_id)
    state.waiting_since = None
    state.awaiting_human = False
    if state.first_reply_at is None:
        state.first_reply_at = at
    _mark_read(state, at)


def _measure_reply(state: ConversationState, at: int, user_id: int) -> None:
    """Time the first reply of an episode from its start, later ones from the customer's message."""
    if state.first_reply_at is not None:
        if state.waiting_since is not None:
            state.metrics.append(MetricEvent("reply", at, state.waiting_since, user_id))
    elif state.episode_at is not None and _since(state.last_inbound_at, state.episode_at):
        base = max(state.episode_at, state.handed_over_at or 0)
        state.metrics.append(MetricEvent("first_response", at, base, user_id))


def is_answered_call(message: Message) -> bool:
    """Check for a call in which both sides spoke."""
    if message["type"] != CALL:
        return False
    return bool(json.loads(message["content_json"] or "{}").get("status") == ANSWERED)


def writer_of(message: Message) -> int:
    """Return the id of the user who wrote a message; 0 if none is known, or it is not an id."""
    text = message["author_id"] or ""
    return int(text) if message["author"] == "user" and _USER_ID.fullmatch(text) else 0


def _bulk(message: Message) -> bool:
    """Bulk messages (by author or pricing category) do not count as an answer."""
    if message["author"] == "api":
        return message["category"] in CHARGED_AS_BULK
    return message["author"] in UNATTENDED


def _fold_event(state: ConversationState, event: StateEvent) -> None:
    """Fold one event; unknown names have no effect."""
    state.folded_at = max(state.folded_at, event.at)
    match event.name:
        case "opened":
            _open(state, event.at)
        case "resolved":
            _resolve(state, event.at)
        case "snoozed":
            _begin_anew(state, event.at)
            state.status = SNOOZED
            state.snoozed_until = event.until
        case "assigned":
            state.assignee_id = event.user_id
        case "labelled":
            _label(state, event)
        case "bot_handoff" | "awaiting_human":
            _await_human(state, event)
        case "read_marker" if event.until is not None:
            _mark_read(state, event.until)


def _open(state: ConversationState, at: int) -> None:
    _begin_anew(state, at)
    state.status = OPEN
    state.snoozed_until = None


def _begin_anew(state: ConversationState, at: int) -> None:
    """Start a new episode, without a first reply, if the conversation was resolved."""
    if state.status == RESOLVED:
        state.first_reply_at = None
        state.episode_at = at
        state.metrics.append(MetricEvent("episode_opened", at))


def _resolve(state: ConversationState, at: int) -> None:
    """Resolve a conversation, unless it is resolved already."""
    if state.status != RESOLVED:
        started_at = state.episode_at
        bot_spoke = started_at is not None and _since(state.bot_spoke_at, started_at)
        by_bot = bot_spoke and state.first_reply_at is None
        user_id = 0 if by_bot else state.assignee_id
        state.metrics.append(MetricEvent("resolved", at, started_at, user_id))
        if by_bot:
            state.metrics.append(MetricEvent("bot_resolved", at, started_at))
    state.status = RESOLVED
    state.awaiting_human = False
    state.episode_at = state.waiting_since = state.snoozed_until = None


def _await_human(state: ConversationState, event: StateEvent) -> None:
    """Set awaiting_human; a resolved conversation awaits no one."""
    if event.name == "bot_handoff":
        _hand_over(state, event.at)
    else:
        state.awaiting_human = event.on and state.status != RESOLVED


def _hand_over(state: ConversationState, at: int) -> None:
    """A bot hands over: the conversation opens and awaits a human."""
    _open(state, at)
    state.metrics.append(MetricEvent("bot_handoff", at))
    state.handed_over_at = at
    state.awaiting_human = True
    if state.waiting_since is None:
        state.waiting_since = at


def _label(state: ConversationState, event: StateEvent) -> None:
    label = frozenset((event.label_id,)) if event.label_id else frozenset[int]()
    state.labels = state.labels | label if event.on else state.labels - label


def _mark_read(state: ConversationState, until: int) -> None:
    """Move the read marker forward; messages after it remain unread."""
    if state.read_marker is not None and until <= state.read_marker:
        return
    state.read_marker = until
    state.unread_count = len(state.inbound_at) - bisect_right(state.inbound_at, until)


def _since(moment: int | None, start: int) -> bool:
    return moment is not None and moment >= start
