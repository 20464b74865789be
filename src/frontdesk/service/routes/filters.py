"""Filter parameters of conversations, resolved to row ids of the account."""

from collections.abc import Callable

from frontdesk.service.endpoint import EndpointRequest
from frontdesk.service.params import row_id
from frontdesk.store import conversations
from frontdesk.store.contacts import contact_position, label_key
from frontdesk.text.search import search_words
from frontdesk.wire.queries import ASSIGNEE_WORDS

FLAGS = ("true", "false")
MAX_QUERY_LENGTH = 100


def label_and_channel(request: EndpointRequest) -> tuple[int, int | None, dict[str, str]]:
    """Resolve `label` and `channel` to row ids.

    The mapping has their normalised values, which bind a cursor to its list.
    """
    parameters = request.parameters
    filters: dict[str, str] = {}
    label_id: int | None = conversations.NO_LABEL
    channel_id: int | None = None
    if (title := parameters.filter_value("label")) is not None:
        filters["label"] = label_key(title)
        label_id = conversations.label_id(*request.account, filters["label"])
        if label_id is None:
            parameters.add_fault(
                "invalid_filter", "label", "unknown_value", "no label has this title"
            )
    if (number := parameters.filter_value("channel")) is not None:
        filters["channel"] = number
        channel_id = conversations.channel_id(*request.account, number)
        if channel_id is None:
            parameters.add_fault(
                "invalid_filter", "channel", "unknown_value", "no channel has this id"
            )
    return label_id or conversations.NO_LABEL, channel_id, filters


def flag(request: EndpointRequest, name: str, values: dict[str, str]) -> bool | None:
    """Parse a parameter of "true" or "false", recorded in `values`; None without it."""
    text = request.parameters.filter_value(name, FLAGS)
    if text is None:
        return None
    values[name] = text
    return text == "true"


def words(request: EndpointRequest, split: Callable[[str], list[str]] = search_words) -> list[str]:
    """Parse the words of `q`, folded; none without it."""
    text = request.parameters.get("q") or ""
    if len(text) > MAX_QUERY_LENGTH:
        request.parameters.add_fault(
            "invalid_parameter",
            "q",
            "too_long",
            f"it may have {MAX_QUERY_LENGTH} characters",
            bounds=(0, MAX_QUERY_LENGTH),
        )
    return split(text)


def contact(request: EndpointRequest, values: dict[str, str]) -> int | None:
    """Resolve `contact` to a row id, recorded in `values`; None without it."""
    text = request.parameters.filter_value("contact")
    if text is None:
        return None
    values["contact"] = text
    contact_id = row_id(text)
    if contact_id and contact_position(*request.account, contact_id):
        return contact_id
    request.parameters.add_fault(
        "invalid_filter", "contact", "unknown_value", "no contact has this id"
    )
    return None


def user(request: EndpointRequest) -> int | None:
    """Resolve `user`, an id or "me", to a row id; None without it."""
    value = request.parameters.filter_value("user")
    return None if value is None else _user_id(request, value, "user", ("me",))


def assignee(request: EndpointRequest, filters: dict[str, str]) -> tuple[bool | None, int | None]:
    """Resolve `assignee` to (assigned, user id), recorded in `filters`; (None, None) without it."""
    value = request.parameters.filter_value("assignee")
    if value is None:
        return None, None
    filters["assignee"] = value
    if value in ("assigned", "unassigned"):
        return value == "assigned", None
    user_id = _user_id(request, value, "assignee", ASSIGNEE_WORDS)
    filters["assignee"] = str(user_id)
    return True, user_id


def add_no_me(request: EndpointRequest, name: str) -> None:
    """Record that "me" in a parameter means nobody."""
    request.parameters.add_fault(
        "assignee_me_unavailable", name, "unavailable", "this key belongs to no user"
    )


def _user_id(request: EndpointRequest, value: str, name: str, words: tuple[str, ...]) -> int | None:
    if value == "me":
        if request.grant.user_id is None:
            add_no_me(request, name)
        return request.grant.user_id
    user_id = row_id(value)
    if user_id is not None and conversations.is_user(*request.account, user_id):
        return user_id
    request.parameters.add_fault(
        "invalid_filter",
        name,
        "unknown_value",
        f"it must be one of {', '.join(words)}, or the id of a user",
        allowed=words,
    )
    return None
