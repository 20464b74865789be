"""Converts contents of Chatwoot messages: text, attachments, cards and forms (pure)."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from frontdesk.ingest.chatwoot.catalogue import Line
from frontdesk.ingest.json_reader import JsonObject
from frontdesk.store.media_texts import CHATWOOT
from frontdesk.text.clean import file_size

_FILES: Mapping[str, str] = {
    "image": "image",
    "audio": "audio",
    "video": "video",
    "file": "document",
    "sticker": "sticker",
}
_MEDIA_MEMBERS = ("id", "mime_type", "sha256", "voice", "animated", "url_expires_at")
# Chatwoot forms with another name on the wire.
_KINDS: Mapping[str, str] = {"input_csat": "csat", "input_select": "list"}
_HIGHEST_RATING = 5


def contents_of(row: JsonObject, *, keep_urls: bool = False) -> list[Line]:
    """Convert a message; the text goes with the first attachment, each other one is separate.

    A message without known contents becomes type "unsupported".

    Raises: Malformed.
    """
    text = text_of(row)
    first, *others = attached(row, keep_urls=keep_urls) or [_without_files(row, text)]
    if first["text"] and text and first["text"] != text:
        text = f"{text}\n{first['text']}"
    return [first | {"text": text or first["text"]}, *others]


def note_text(row: JsonObject, *, keep_urls: bool = False) -> str | None:
    """Return a private note's text, with a line per attachment; None if empty."""
    parts = attached(row, keep_urls=keep_urls)
    lines = [text_of(row), *(f"Attached: {_described(part)}" for part in parts)]
    return "\n".join(line for line in lines if line) or None


def attached(row: JsonObject, *, keep_urls: bool = False) -> list[Line]:
    """Convert attachments; those for phones of one contact card are merged."""
    parts: list[Line] = []
    cards: list[dict[str, Any]] = []
    for file in row.parts("attachments"):
        kind = file.optional_text("file_type") or "file"
        if kind == "contact":
            if not cards:
                parts.append({"type": "contacts", "content": {"contacts": cards}})
            _add_card(cards, file)
        elif kind == "location":
            parts.append(_location(file))
        else:
            parts.append(_media(row, file, kind, keep_urls=keep_urls))
    _name_cards(cards, text_of(row))
    return [{"text": _text_with(part), **part} for part in parts]


def attributes_of(row: JsonObject) -> Mapping[str, Any]:
    """Return `content_attributes`, {} if malformed."""
    attributes = row.members.get("content_attributes")
    return attributes if isinstance(attributes, dict) else {}


def text_of(row: JsonObject) -> str | None:
    return row.optional_text("content") or None


def _without_files(row: JsonObject, text: str | None) -> Line:
    attributes = attributes_of(row)
    kind = row.optional_text("content_type") or "text"
    if attributes.get("deleted") is True:
        return {"type": "text", "text": text}
    if attributes.get("is_unsupported") is True:
        return _unsupported("provider", None)
    if kind == "voice_call":
        return _call(row)
    rows, answers = list(_choices(attributes)), list(_answers(attributes))
    if rows or answers or kind == "input_csat":
        return _form(kind, text, attributes, rows, answers)
    return {"type": "text", "text": text} if text else _unsupported("unknown_type", kind)


def _unsupported(reason: str, kind: str | None) -> Line:
    content: Line = {"reason": reason, "original_type": kind, "errors": []}
    return {"type": "unsupported", "text": None, "content": content}


def _call(row: JsonObject) -> Line:
    """Convert a call, with its scalar attributes."""
    call = row.part_or_empty("call")
    details = {
        name: value for name, value in call.members.items() if isinstance(value, str | int | float)
    }
    return {"type": "system", "text": "Voice call", "content": {**details, "event": "call"}}


def _form(
    kind: str, text: str | None, attributes: Mapping[str, Any], rows: list[Line], answers: list[str]
) -> Line:
    """Convert a survey or form with its answers."""
    content: Line = {
        "kind": _KINDS.get(kind, kind),
        "header": None,
        "body": text,
        "footer": None,
        "buttons": None,
        "sections": [{"title": None, "rows": rows}] if rows else None,
        "response": attributes.get("submitted_values"),
    }
    rating = _rating(attributes)
    if rating is not None:
        content["response"] = dict(rating.members)
    return {"type": "interactive", "text": "\n".join(answers) or None, "content": content}


def _choices(attributes: Mapping[str, Any]) -> Iterator[Line]:
    """Yield the options, cards, articles or fields of a form."""
    for item in _objects(attributes.get("items")):
        title = _first(item, "title", "label", "name", "value")
        if title:
            yield {"title": title, "description": _first(item, "description", "link") or None}


def _answers(attributes: Mapping[str, Any]) -> Iterator[str]:
    """Yield the answers of a form, a line each."""
    rating = _rating(attributes)
    if rating is not None:
        yield f"Rating: {_first(rating.members, 'rating') or '?'} of {_HIGHEST_RATING}"
        yield _first(rating.members, "feedback_message")
    for value in _objects(attributes.get("submitted_values")):
        name, answer = _first(value, "label", "name"), _first(value, "value")
        yield f"{name}: {answer}" if name else _first(value, "title") or answer
    email = attributes.get("submitted_email")
    if isinstance(email, str):
        yield email


def _rating(attributes: Mapping[str, Any]) -> JsonObject | None:
    """Return the answer to a satisfaction survey (CSAT)."""
    submitted = attributes.get("submitted_values")
    answer = submitted.get("csat_survey_response") if isinstance(submitted, dict) else None
    return JsonObject(answer) if isinstance(answer, dict) and answer else None


def _location(file: JsonObject) -> Line:
    content = {
        "latitude": file.members.get("coordinates_lat"),
        "longitude": file.members.get("coordinates_long"),
        "name": file.optional_text("fallback_title") or None,
        "url": file.optional_text("data_url") or None,
    }
    return {"type": "location", "content": content}


def _add_card(cards: list[dict[str, Any]], file: JsonObject) -> None:
    """Add a phone to its contact card: Chatwoot has an attachment for each phone of a card."""
    meta = file.part_or_empty("meta")
    first, last = (meta.optional_text(name) or None for name in ("firstName", "lastName"))
    title = file.optional_text("fallback_title") or ""
    # Chatwoot has a sentence in place of a missing number.
    phones = [{"phone": title}] if any(letter.isdigit() for letter in title) else []
    if cards and (first or last) and _names(cards[-1]) == (first, last):
        cards[-1]["phones"] += phones
        return
    name = " ".join(part for part in (first, last) if part) or None
    cards.append({"name": name, "first_name": first, "last_name": last, "phones": phones})


def _names(card: Mapping[str, Any]) -> tuple[Any, Any]:
    return card["first_name"], card["last_name"]


def _name_cards(cards: list[dict[str, Any]], text: str | None) -> None:
    """Name the cards: the text of a message with a single card is the name on it."""
    if len(cards) == 1 and text:
        cards[0]["name"] = text
    for card in cards:
        card["name"] = card["name"] or next((phone["phone"] for phone in card["phones"]), None)


def _media(row: JsonObject, file: JsonObject, kind: str, *, keep_urls: bool) -> Line:
    url = file.optional_text("data_url") or ""
    name = unquote(urlsplit(url).path.rpartition("/")[2]) or file.optional_text("fallback_title")
    media = {
        **dict.fromkeys(_MEDIA_MEMBERS),
        "filename": name or None,
        "size_bytes": file.number("file_size") or None,
        "url": url if keep_urls and url else None,
    }
    sticker = kind == "image" and _is_sticker(row, file, name or "")
    read = file.optional_text("transcribed_text")
    return {
        "type": "sticker" if sticker else _FILES.get(kind, "document"),
        "media": media,
        **({"media_text": {"text": read, "by": CHATWOOT}} if read else {}),
    }


def _is_sticker(row: JsonObject, file: JsonObject, name: str) -> bool:
    """Detect stickers, which Chatwoot files as images.

    WhatsApp images are JPEG or PNG, so a WebP from a phone is a sticker.
    """
    if row.optional_text("content_type") == "sticker":
        return True
    from_phone = row.number("message_type") == 0 or bool(attributes_of(row).get("external_echo"))
    extension = file.optional_text("extension") or name.rpartition(".")[2]
    return from_phone and extension.lower().removeprefix(".") == "webp"


def _text_with(part: Line) -> str | None:
    """Return the first name on contact cards as their text, None for other attachments."""
    cards = part.get("content", {}).get("contacts")
    return cards[0]["name"] if cards else None


def _described(part: Line) -> str:
    """Describe an attachment for a note."""
    if part["type"] == "contacts":
        cards = part["content"]["contacts"]
        numbers = [[card["name"], *(phone["phone"] for phone in card["phones"])] for card in cards]
        facts = [str(fact) for each in numbers for fact in dict.fromkeys(each) if fact]
        return f"contact {', '.join(facts)}".strip()
    if part["type"] == "location":
        place = part["content"]
        facts = [str(place[name]) for name in ("name", "latitude", "longitude") if place[name]]
        return f"location {', '.join(facts)}".strip()
    media = part["media"]
    size = file_size(media["size_bytes"]) if media["size_bytes"] else ""
    facts = [media["filename"], size, media["url"], part.get("media_text", {}).get("text")]
    return f"{part['type']} {', '.join(fact for fact in facts if fact)}".strip()


def _objects(values: object) -> list[Mapping[str, Any]]:
    return (
        [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []
    )


def _first(members: Mapping[str, Any], *names: str) -> str:
    """Return the first non-empty member as text."""
    values = (members.get(name) for name in names)
    return next((str(value) for value in values if isinstance(value, str | int) and value), "")
