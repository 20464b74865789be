"""The filters of conversations, read against what the account has (contract 1.5, E1)."""

import re

from frontdesk.service.calls import Call
from frontdesk.store import queries
from frontdesk.store.folding import label_key
from frontdesk.wire.queries import ASSIGNEE_WORDS

_OWN_ID = re.compile("[1-9][0-9]{0,17}")


def own_id(text: str) -> int | None:
    """The number behind an id of ours, None if it cannot be one."""
    return int(text) if _OWN_ID.fullmatch(text) else None


def label_and_channel(call: Call) -> tuple[int, int | None, dict[str, str]]:
    """The ids that `label` and `channel` name, and both as they tell one list from another."""
    parameters = call.parameters
    filters: dict[str, str] = {}
    label_id: int | None = queries.NO_LABEL
    channel_id: int | None = None
    if (title := parameters.filter_value("label")) is not None:
        filters["label"] = label_key(title)
        label_id = queries.label_id(call.connection, call.account_id, filters["label"])
        if label_id is None:
            parameters.refuse("invalid_filter", "label", "unknown_value", "no label has this title")
    if (number := parameters.filter_value("channel")) is not None:
        filters["channel"] = number
        channel_id = queries.channel_id(call.connection, call.account_id, number)
        if channel_id is None:
            parameters.refuse(
                "invalid_filter", "channel", "unknown_value", "no channel has this id"
            )
    return label_id or queries.NO_LABEL, channel_id, filters


def assignee(call: Call, filters: dict[str, str]) -> tuple[bool | None, int | None]:
    """Whether someone must be assigned, and who; both None without the filter."""
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
    if user_id is not None and queries.is_user(call.connection, call.account_id, user_id):
        return user_id
    call.parameters.refuse(
        "invalid_filter",
        "assignee",
        "unknown_value",
        f"it must be one of {', '.join(ASSIGNEE_WORDS)}, or the id of a user",
        allowed=ASSIGNEE_WORDS,
    )
    return None
