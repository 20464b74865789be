"""Filter parameters of conversations, resolved to row ids of the account."""

import re

from frontdesk.service.endpoint import Call
from frontdesk.store import conversations
from frontdesk.store.contacts import label_key
from frontdesk.wire.queries import ASSIGNEE_WORDS

_OWN_ID = re.compile("[1-9][0-9]{0,17}")


def own_id(text: str) -> int | None:
    """Parse a row id; None if malformed."""
    return int(text) if _OWN_ID.fullmatch(text) else None


def label_and_channel(call: Call) -> tuple[int, int | None, dict[str, str]]:
    """Resolve `label` and `channel` to row ids.

    The mapping has their normalised values, which bind a cursor to its list.
    """
    parameters = call.parameters
    filters: dict[str, str] = {}
    label_id: int | None = conversations.NO_LABEL
    channel_id: int | None = None
    if (title := parameters.filter_value("label")) is not None:
        filters["label"] = label_key(title)
        label_id = conversations.label_id(call.connection, call.account_id, filters["label"])
        if label_id is None:
            parameters.refuse("invalid_filter", "label", "unknown_value", "no label has this title")
    if (number := parameters.filter_value("channel")) is not None:
        filters["channel"] = number
        channel_id = conversations.channel_id(call.connection, call.account_id, number)
        if channel_id is None:
            parameters.refuse(
                "invalid_filter", "channel", "unknown_value", "no channel has this id"
            )
    return label_id or conversations.NO_LABEL, channel_id, filters


def assignee(call: Call, filters: dict[str, str]) -> tuple[bool | None, int | None]:
    """Resolve `assignee` to (assigned, user id), recorded in `filters`; (None, None) without it."""
    value = call.parameters.filter_value("assignee")
    if value is None:
        return None, None
    filters["assignee"] = value
    if value in ("assigned", "unassigned"):
        return value == "assigned", None
    user_id = _asked_user(call, value)
    filters["assignee"] = str(user_id)
    return True, user_id


def _asked_user(call: Call, value: str) -> int | None:
    if value == "me":
        if call.grant.user_id is None:
            call.parameters.refuse(
                "assignee_me_unavailable", "assignee", "unavailable", "this key belongs to no user"
            )
        return call.grant.user_id
    user_id = own_id(value)
    if user_id is not None and conversations.is_user(call.connection, call.account_id, user_id):
        return user_id
    call.parameters.refuse(
        "invalid_filter",
        "assignee",
        "unknown_value",
        f"it must be one of {', '.join(ASSIGNEE_WORDS)}, or the id of a user",
        allowed=ASSIGNEE_WORDS,
    )
    return None
