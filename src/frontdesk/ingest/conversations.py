"""Builds conversation rows from folded state."""

from typing import Any

from frontdesk.ingest import rules
from frontdesk.ingest.rules import InitialStatus, Standing
from frontdesk.ingest.threads import Thread
from frontdesk.store.database import Row
from frontdesk.store.preview import preview_json, previewed_id


def conversation_row(
    account_id: int, thread: Thread, standing: Standing, choice: InitialStatus, now: int
) -> dict[str, Any]:
    """Build a row of `conversation`.

    now: time of the change. choice: status of conversations known only from back-fill.
    """
    stored = _still_told(thread)
    last_activity_at = _last_activity(thread, standing)
    status = rules.initial_status(standing, choice, now, last_activity_at)
    hidden = standing.status is None and status == rules.RESOLVED
    return {
        "account_id": account_id,
        "id": thread.id,
        "contact_id": thread.contact_id,
        "channel_id": thread.channel_id,
        "status": status,
        "assignee_id": standing.assignee_id,
        "awaiting_human": int(standing.awaiting_human),
        "snoozed_until": standing.snoozed_until,
        "unread_count": standing.unread_count,
        "read_marker": standing.read_marker,
        "waiting_since": None if hidden else standing.waiting_since,
        "first_reply_at": standing.first_reply_at,
        "last_inbound_at": standing.last_inbound_at,
        "last_activity_at": last_activity_at,
        "last_message_json": _preview(thread, standing),
        "folded_at": standing.folded_at,
        "told": int(standing.status is not None),
        "unanswered_since": standing.waiting_since,
        "episode_at": standing.episode_at,
        "handed_over_at": standing.handed_over_at,
        "bot_spoke_at": standing.bot_spoke_at,
        "created_at": thread.first_at
        if stored is None
        else min(stored["created_at"], thread.first_at),
        "updated_at": now,
    }


def _still_told(thread: Thread) -> Row | None:
    """Return the stored row unless some of its facts moved to another conversation."""
    return None if thread.divided else thread.stored


def _last_activity(thread: Thread, standing: Standing) -> int:
    """Return the newest message's time; never decreases."""
    newest_at = standing.newest_at
    stored = _still_told(thread)
    if stored is None:
        return thread.first_at if newest_at is None else newest_at
    before = int(stored["last_activity_at"])
    return before if newest_at is None else max(before, newest_at)


def _preview(thread: Thread, standing: Standing) -> str | None:
    """Return the newest message's preview; the stored one if no newer message was folded."""
    if standing.last_message is not None:
        return preview_json(standing.last_message)
    stored = _still_told(thread)
    if stored is None:
        return None
    preview: str | None = stored["last_message_json"]
    rewritten = thread.rewritten.get(previewed_id(preview) or 0)
    return preview if rewritten is None else preview_json(rewritten)
