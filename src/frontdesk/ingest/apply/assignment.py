"""Assigns newly opened conversations to the members of a team, in turn."""

from dataclasses import dataclass

from frontdesk.ingest.apply.context import BatchContext
from frontdesk.ingest.apply.conversation_rules import (
    INBOUND,
    OPEN,
    QUIET_TYPES,
    ConversationState,
)
from frontdesk.ingest.apply.conversations import BatchConversation
from frontdesk.store import lookups, writes
from frontdesk.store.database import Row
from frontdesk.store.rows import MessageRow


@dataclass(frozen=True, slots=True)
class Assignment:
    """Assignment to a user. at: epoch milliseconds; user_key: key of a `UserUpsert`.

    part: contact part of the message that opened the conversation.
    """

    user_key: str
    at: int
    external_id: str
    part: int | None


class RoundRobin:
    """Round-robin state of an account's teams while one batch is applied.

    Members are eligible if active and neither offline nor busy. The first team of the channel with
    eligible members assigns the one after its last assignee.
    """

    def __init__(self, context: BatchContext) -> None:
        self._context = context
        self._members: dict[int, list[Row]] = {}
        self._last: dict[int, int] = {}

    def next_assignment(
        self, conversation: BatchConversation, state: ConversationState
    ) -> Assignment | None:
        """Return the assignment if a live inbound message has just opened the conversation."""
        if state.assignee_id or state.status != OPEN:
            return None
        if conversation.stored is not None and conversation.stored["status"] == OPEN:
            return None
        opening = max(filter(_opens, conversation.messages), key=_arrival, default=None)
        if opening is None:
            return None
        external_id = f"round-robin:{opening['wamid'] or opening['id']}"
        if lookups.event_ids(*self._context.account, (external_id,)):
            return None
        member = self._next(conversation.channel_id)
        if member is None:
            return None
        # Ordered after other events of the same moment, which preceded the decision.
        clash = any(event.at == state.folded_at for event in conversation.events)
        return Assignment(
            member["user_key"], state.folded_at + int(clash), external_id, opening["part"]
        )

    def save(self) -> None:
        """Store each team's last assignee."""
        writes.save_last_assigned(*self._context.account, self._last)

    def _next(self, channel_id: int) -> Row | None:
        members = self._eligible(channel_id)
        if not members:
            return None
        team_id = members[0]["team_id"]
        last = self._last.get(team_id, members[0]["last_assigned"])
        after = [member for member in members if member["user_id"] > last]
        chosen = (after or members)[0]
        self._last[team_id] = chosen["user_id"]
        return chosen

    def _eligible(self, channel_id: int) -> list[Row]:
        """Return the eligible members, by id, of the channel's team with the lowest id."""
        if channel_id not in self._members:
            rows = lookups.rotation(*self._context.account, channel_id)
            self._members[channel_id] = [
                row for row in rows if row["team_id"] == rows[0]["team_id"]
            ]
        return self._members[channel_id]


def _opens(message: MessageRow) -> bool:
    """Check for a live inbound message."""
    return bool(
        message["live"] and message["direction"] == INBOUND and message["type"] not in QUIET_TYPES
    )


def _arrival(message: MessageRow) -> tuple[int, str]:
    return message["created_at"], message["wamid"] or ""
