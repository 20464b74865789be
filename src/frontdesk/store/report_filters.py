"""Filters of a report: a channel, and a user, a team or a label."""

from typing import NamedTuple


class ReportFilter(NamedTuple):
    """Filter of a report. None, and label 0: not narrowed by it; at most one of the last three.

    team_id: what the team's members did on its channels. label_id: conversations that carry the
    label now.
    """

    channel_id: int | None = None
    user_id: int | None = None
    team_id: int | None = None
    label_id: int = 0

    @property
    def by_person(self) -> bool:
        """True if only what certain persons did is counted."""
        return self.user_id is not None or self.team_id is not None

    @property
    def channel(self) -> str:
        """Condition on the channel of `fact`."""
        return "" if self.channel_id is None else "AND fact.channel_id = :channel"

    def condition(
        self, user: str = "fact.user_id", conversation: str = "fact.conversation_id"
    ) -> str:
        """Return a condition on `fact`: its channel, and these columns of it."""
        return f"{self.channel} {self.persons(user)} {self.labelled(conversation)}"

    def persons(self, user: str = "fact.user_id") -> str:
        """Return a condition on who did it, and for a team on the channel of `fact`."""
        if self.user_id is not None:
            return f"AND {user} = :user"
        if self.team_id is None:
            return ""
        return f"""
            AND {user} IN (SELECT member.user_id FROM team_member AS member
              WHERE member.account_id = :account AND member.team_id = :team)
            AND fact.channel_id IN (SELECT place.channel_id FROM team_channel AS place
              WHERE place.account_id = :account AND place.team_id = :team)"""

    def labelled(self, conversation: str = "fact.conversation_id") -> str:
        """Return a condition on the conversation."""
        if not self.label_id:
            return ""
        return f"""
            AND EXISTS (SELECT 1 FROM entry AS labelled WHERE labelled.account_id = :account
              AND labelled.conversation_id = {conversation} AND labelled.label_id = :label)"""

    @property
    def parameters(self) -> dict[str, object]:
        return {
            "channel": self.channel_id,
            "user": self.user_id,
            "team": self.team_id,
            "label": self.label_id,
        }


EVERYTHING = ReportFilter()
