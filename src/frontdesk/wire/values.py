"""Values of enumerated members, the pattern of phone numbers, and timestamps of the interface."""

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

# Member of the contents of a message of any type: the product of a catalogue that it asks about.
REFERRED_PRODUCT = "referred_product"

# Texts of a contact by which it is found, besides its number and custom fields.
FOUND_BY = ("name", "profile_name", "username", "email")

# In the order in which a store numbers them.
STATUSES = ("open", "snoozed", "resolved")
DIRECTIONS = ("inbound", "outbound")
AUTHORS = ("contact", "user", "ai_agent", "phone", "campaign", "api", "automation", "system")
FIELD_TYPES = ("text", "number", "currency", "percent", "link", "date", "list", "checkbox")
MEDIA_TYPES = ("image", "video", "audio", "document", "sticker")


class MessageKind(NamedTuple):
    """Type of message. word: for people, "" for its name; icon: "" for none.

    content: members of `content`, with the values that mean "unknown"; sent: those of an outbound
    one, if they are others.
    """

    word: str = ""
    icon: str = ""
    content: Mapping[str, Any] = MappingProxyType({})
    sent: Mapping[str, Any] | None = None

    def members(self, direction: str) -> Mapping[str, Any]:
        """Members of the `content` of a message of a direction."""
        return self.content if self.sent is None or direction == "inbound" else self.sent


MESSAGE_KINDS: Mapping[str, MessageKind] = MappingProxyType(
    {
        # Said of a text that draws nothing.
        "text": MessageKind("empty"),
        "image": MessageKind("photo", "📷"),
        "video": MessageKind("video", "🎬"),
        "audio": MessageKind("audio", "🎵"),
        "document": MessageKind("document", "📄"),
        "sticker": MessageKind("sticker", "🙂"),
        "location": MessageKind(
            "location", "📍", dict.fromkeys(("latitude", "longitude", "name", "address", "url"))
        ),
        "contacts": MessageKind("contact", "👤", {"contacts": ()}),
        "interactive": MessageKind(
            content=dict.fromkeys(("kind", "id", "title", "description", "payload", "response")),
            sent=dict.fromkeys(("kind", "header", "body", "footer", "buttons", "sections")),
        ),
        "template": MessageKind(
            content={"name": None, "language": None, "category": None, "components": ()}
        ),
        "order": MessageKind("order", "🛒", {"catalog_id": None, "items": ()}),
        "call": MessageKind(content={"status": None, "duration_seconds": None, "video": None}),
        "reaction": MessageKind(
            content={
                "emoji": None,
                "removed": False,
                "target_message_id": None,
                "target_wamid": None,
            }
        ),
        "system": MessageKind(),
        "unsupported": MessageKind(
            "not shown here",
            content={"reason": "unknown_type", "original_type": None, "errors": ()},
        ),
    }
)
# If the service has the file of a message.
MEDIA_STATUSES = ("available", "pending", "expired", "failed", "refused", "removed", "absent")
# How far a program has read the words of a file.
MEDIA_TEXT_STATUSES = ("read", "due", "none", "failed")
# In front of the key of a file, in the address that a message has for it.
MEDIA_PATH = "/v1/media/"
# Width of a preview of a picture, the only one that is sent.
PREVIEW_WIDTH = 480

# Steps of the delivery of an outbound message after "pending"; "failed" is an end of its own.
DELIVERY_STEPS = ("sent", "delivered", "read", "played", "failed")

# A regular expression for the digits of a number in E.164, which follow a plus.
PHONE_DIGITS = "[1-9][0-9]{6,14}"
# A regular expression for the id of a channel: Meta's phone_number_id.
CHANNEL_ID = "[0-9]{1,20}"


def utc_now() -> datetime:
    return datetime.now(UTC)


def epoch_milliseconds() -> int:
    """Return the current time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


# The same moments come several times in a row and again in the next page: a tenth of its time.
@lru_cache(maxsize=4_096)
def timestamp(milliseconds: int) -> str:
    """ISO 8601 in UTC with exactly three decimals, so that text order is time order.

    >>> timestamp(1773480413000)
    '2026-03-14T09:26:53.000Z'
    """
    second, millisecond = divmod(milliseconds, 1000)
    minute, second = divmod(second, 60)
    hour, minute = divmod(minute, 60)
    return f"{_hour(hour)}{_TWO[minute]}:{_TWO[second]}.{_THREE[millisecond]}Z"


def instant(text: str | None) -> datetime | None:
    """The moment that a timestamp names, in UTC; None where there is none or it cannot be read."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is UTC:
            return moment
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


# Numbers with leading zeros: a format costs three times as much, and that of the library ten times.
_TWO = tuple(f"{number:02d}" for number in range(60))
_THREE = tuple(f"{number:03d}" for number in range(1000))


@lru_cache(maxsize=1_024)
def _hour(number: int) -> str:
    """The beginning of every timestamp within an hour since 1970."""
    return datetime.fromtimestamp(3600 * number, UTC).isoformat()[:14]
