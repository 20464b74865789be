"""Calls in words, from the contents of messages of the type "call".

Contents: `status`, `duration_seconds` (null if unknown or not answered), `video`.
"""

from collections.abc import Mapping
from typing import Any

CALL = "call"
# Status of a call that has begun and of which the end is not known; the others are final.
RINGING, ANSWERED = "ringing", "answered"
# The customer's call was not answered; the call of the business was not; the called one declined.
MISSED, UNANSWERED, DECLINED = "missed", "unanswered", "declined"
STATUSES = (RINGING, ANSWERED, MISSED, UNANSWERED, DECLINED)


def call_content(
    status: str, seconds: int | None = None, *, video: bool | None = None
) -> dict[str, Any]:
    """Return the contents of a call. video: None if unknown."""
    return {
        "status": status,
        "duration_seconds": seconds if status == ANSWERED else None,
        "video": video,
    }


def call_kind(content: Mapping[str, Any]) -> str:
    """Return what a call was, in lower case: missed voice call, video call."""
    status = content.get("status")
    what = "video call" if content.get("video") else "voice call"
    return f"{status} {what}" if status in (MISSED, UNANSWERED, DECLINED) else what


# All kinds of calls.
CALL_KINDS = tuple(
    call_kind({"status": status, "video": video})
    for status in STATUSES[1:]
    for video in (False, True)
)


def call_details(content: Mapping[str, Any]) -> str:
    """Return how long a call was, or that it has only begun; "" if neither is known."""
    if content.get("status") == RINGING:
        return "ringing"
    seconds = content.get("duration_seconds")
    return call_length(seconds) if isinstance(seconds, int) and seconds >= 0 else ""


def call_text(content: Mapping[str, Any]) -> str:
    """Return a call as a text, for lists and the search: Missed voice call; Voice call, 2 min."""
    words = filter(None, (call_kind(content).capitalize(), call_details(content)))
    return ", ".join(words)


def call_length(seconds: int) -> str:
    """Return a length in its two largest units.

    >>> call_length(45), call_length(125), call_length(7260)
    ('45 s', '2 min 5 s', '2 h 1 min')
    """
    hours, minutes, rest = seconds // 3600, seconds % 3600 // 60, seconds % 60
    units = [(hours, "h"), (minutes, "min"), (rest, "s")]
    shown = [f"{number} {unit}" for number, unit in units if number][:2]
    return " ".join(shown) or "0 s"
