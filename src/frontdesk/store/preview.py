"""Preview of a conversation's newest message, stored as wire JSON."""

import json
import unicodedata

from frontdesk.store.database import Row
from frontdesk.wire import timestamp

TEXT_LIMIT = 200

_JOINER = "\u200d"


def preview_json(message: Row) -> str:
    """Encode a row of `message` as a MessagePreview."""
    text = message["text"]
    return json.dumps(
        {
            "id": str(message["id"]),
            "direction": "outbound" if message["direction"] else "inbound",
            "author": message["author"],
            "type": message["type"],
            "text": None if text is None else shortened(text, TEXT_LIMIT),
            "delivery_status": message["delivery_status"],
            "created_at": timestamp(message["created_at"]),
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


def previewed_id(preview: str | None) -> int | None:
    """Return the message id of a preview."""
    return None if preview is None else int(json.loads(preview)["id"])


def shortened(text: str, limit: int) -> str:
    """Truncate a text to `limit` characters at a grapheme boundary."""
    if len(text) <= limit:
        return text
    cut = limit
    while cut and _joined(text, cut):
        cut -= 1
    return text[: cut or limit]


def _joined(text: str, cut: int) -> bool:
    """Check if the characters on both sides of `cut` belong to one grapheme."""
    before, after = text[cut - 1], text[cut]
    if after.isascii():
        return before == "\r" and after == "\n"
    if _is_flag_half(after):
        return _flag_halves_before(text, cut) % 2 == 1
    return _JOINER in (before, after) or _extends(after)


def _extends(character: str) -> bool:
    """Check for marks, variation selectors, skin tones and tags, which extend a grapheme."""
    return (
        unicodedata.category(character).startswith("M")
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_halves_before(text: str, cut: int) -> int:
    start = cut
    while start and _is_flag_half(text[start - 1]):
        start -= 1
    return cut - start
