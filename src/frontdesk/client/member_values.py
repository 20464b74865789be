"""Reads values and times of other servers in the forms of `/v1`.

Each function takes what the JSON document has and returns what the wire model takes, or raises
ValueError for a value that it cannot use. Pydantic converts numbers and truth values.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic import TypeAdapter

from frontdesk.wire import Conversation, Message, MessagePreview, Template, Wire
from frontdesk.wire.members import MOST_COUNTED, MOST_SECONDS, is_timestamp
from frontdesk.wire.values import AUTHORS, PHONE_DIGITS, STATUSES

Remark = Callable[[str], None]

# End of the deviation for an object that is given by its id only.
BARE_ID = "an id alone"
# Where the rows of a list are: under one of these names or that of the resource, or in an object
# under one of them.
LISTS = (
    "data",
    "items",
    "results",
    "payload",
    "records",
    "entries",
    "list",
    "result",
    "response",
    "rows",
    "edges",
    "_embedded",
)
TEXTS = ("text", "body", "content", "plain", "value", "caption")
DIRECTIONS: Mapping[object, str] = {
    **dict.fromkeys(("inbound", "incoming", "in", "received", 0), "inbound"),
    **dict.fromkeys(("outbound", "outgoing", "out", "sent", 1, 3), "outbound"),
}
# Members that hold the key in a list of custom fields.
FIELD_NAMES = ("key", "name", "field_id", "id")
_KINDS_OF_AUTHOR: Mapping[str, str] = {
    **{word: word for word in AUTHORS},
    "agent": "user",
    "agent_bot": "ai_agent",
    "agentbot": "ai_agent",
    "bot": "ai_agent",
    "captain_assistant": "ai_agent",
    "captain::assistant": "ai_agent",
    "customer": "contact",
}

_DATETIME = TypeAdapter(datetime)
_EPOCH = re.compile(r"\d{9,17}(\.\d+)?", re.ASCII)
_HOUR_OFFSET = re.compile(r"(:\S*[+-]\d\d)$", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
# Numbers from here on are microseconds.
_MICROSECONDS = 10**14

_PHONE_MARKS = re.compile(r"[\s().\-]")
_DIGITS = re.compile(rf"\+?{PHONE_DIGITS}")
_COLOR = re.compile(r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})", re.ASCII)


def moment(value: object) -> str | None:
    """A timestamp as "2026-03-14T09:26:53.000Z", from ISO 8601 or a number since 1970.

    None for values other than text and numbers. A time without a zone is UTC. Text that is no time
    is returned in parentheses, which sort before every timestamp.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if value == "":
        return value
    try:
        time = _since_1970(value) if not isinstance(value, str) else _written(value.strip())
        time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return f"({value})"
    return f"{time.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def _since_1970(number: int | float) -> datetime:
    # Pydantic distinguishes seconds and milliseconds.
    return _DATETIME.validate_python(number // 1000 if abs(number) >= _MICROSECONDS else number)


def _written(text: str) -> datetime:
    if _EPOCH.fullmatch(text):
        return _since_1970(float(text) if "." in text else int(text))
    if not _DATE.match(text):
        raise ValueError("no date")
    text = text.replace(",", ".").removesuffix("UTC").rstrip()
    return _DATETIME.validate_python(_HOUR_OFFSET.sub(r"\1:00", text))


def identifier(value: Any) -> Any:
    """An id, which is neither empty nor a fraction."""
    if value == "" or isinstance(value, float):
        raise ValueError("no id")
    return value


def count(value: Any) -> Any:
    """A number as it is.

    Raises: ValueError: no number can be so large.
    """
    if isinstance(value, int | float) and not abs(value) <= MOST_COUNTED:
        raise ValueError
    return value


def duration(value: Any) -> Any:
    """Seconds as they are.

    Raises: ValueError: nothing takes so long.
    """
    if isinstance(value, int | float) and not 0 <= value <= MOST_SECONDS:
        raise ValueError
    return value


def words(value: Any) -> Any:
    """A text, or that in an object such as {"body": "…"}."""
    if isinstance(value, dict):
        return next((value[name] for name in TEXTS if isinstance(value.get(name), str)), None)
    return value


def listed(value: Any) -> Any:
    """The list in an object such as {"data": […]}; other values unchanged."""
    if not isinstance(value, dict):
        return value
    return next((value[name] for name in LISTS if isinstance(value.get(name), list)), value)


def strings(value: Any) -> Any:
    """A list of texts, or of the titles or ids of its objects."""
    value = listed(value)
    if not isinstance(value, list):
        raise ValueError("no list")
    return [title for title in map(_title, value) if title is not None]


def _title(value: Any) -> Any:
    while isinstance(value, dict):
        names = (name for name in ("title", "name", "label", "id") if name in value)
        value = value.get(next(names, ""))
    return value


def labels(value: Any) -> Any:
    """Titles of labels; a text is split at commas."""
    if isinstance(value, str):
        return [word.strip() for word in value.split(",") if word.strip()]
    return strings(value)


def phone(value: Any) -> Any:
    """An E.164 number if the text is one, otherwise the text."""
    digits = _PHONE_MARKS.sub("", str(value).removeprefix("whatsapp:"))
    return f"+{digits.removeprefix('+')}" if _DIGITS.fullmatch(digits) else value


def color(value: Any) -> str:
    """A colour as #rrggbb, from three or six hex digits."""
    match = _COLOR.fullmatch(str(value))
    if match is None:
        raise ValueError("no colour")
    digits = match[1] if len(match[1]) == 6 else "".join(2 * digit for digit in match[1])
    return f"#{digits.lower()}"


def direction(value: Any) -> str:
    """Inbound or outbound."""
    word = value.lower() if isinstance(value, str) else value
    if isinstance(word, bool) or not isinstance(word, str | int) or word not in DIRECTIONS:
        raise ValueError("no direction")
    return DIRECTIONS[word]


def author(value: Any) -> Any:
    """Kind of author: a word, or the type of an object that describes the person."""
    if isinstance(value, dict):
        value = next((value[name] for name in ("type", "kind", "role") if name in value), None)
    return _KINDS_OF_AUTHOR.get(value.lower(), value) if isinstance(value, str) else None


def status(value: Any) -> Any:
    """Status of a conversation; known ones in lower case."""
    return value.lower() if isinstance(value, str) and value.lower() in STATUSES else value


def delivery(value: Any) -> str:
    """Delivery status in lower case."""
    if not isinstance(value, str):
        raise ValueError("no word")
    return value.lower()


def kind(value: Any) -> str:
    """Type of a message; not a direction, which some servers call so."""
    if not isinstance(value, str) or value in DIRECTIONS:
        raise ValueError("no type of a message")
    return value


def custom_fields(value: Any) -> Any:
    """Custom fields by key, also from a list of objects with key and value."""
    if not isinstance(value, list):
        return value
    fields: dict[str, Any] = {}
    for field in value:
        names = [name for name in FIELD_NAMES if isinstance(field, dict) and name in field]
        if names:
            fields[str(field[names[0]])] = field.get("value")
    return fields


def language(value: Any) -> Any:
    """The language of a template, or the code in an object."""
    return value.get("code") if isinstance(value, dict) else value


def components(value: Any) -> Any:
    """Components of a template; a plain text becomes its body."""
    return [{"type": "BODY", "text": value}] if isinstance(value, str) else value


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "author": author,
    "color": color,
    "components": components,
    "custom_fields": custom_fields,
    "delivery_status": delivery,
    "direction": direction,
    "phone": phone,
    "text": words,
}
_READERS_OF: Mapping[tuple[type[Wire], str], Callable[[Any], Any]] = {
    (Conversation, "labels"): labels,
    (Conversation, "status"): status,
    (Message, "type"): kind,
    (MessagePreview, "type"): kind,
    (Template, "language"): language,
}


def value_reader(model: type[Wire], name: str) -> Callable[[Any], Any] | None:
    """The reader of a member, if it has one of its own."""
    read = _READERS_OF.get((model, name)) or _READERS.get(name)
    return moment if read is None and is_timestamp(model.model_fields[name]) else read
