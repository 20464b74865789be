"""Builds the contents of messages that are not plain text, by the type in the script."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from frontdesk.ingest.json_reader import JsonObject
from frontdesk.ingest.webhooks.contents import contents_of
from frontdesk.sample.catalogue import TABLES, Shop
from frontdesk.sample.pictures import motif_number
from frontdesk.sample.script import AS_WHATSAPP


class FilledLine(NamedTuple):
    """A line of a script with its slots filled. All invented values derive from `number`."""

    kind: str
    argument: str
    text: str
    slots: Mapping[str, str]
    shop: Shop
    number: int


class SampleContents(NamedTuple):
    """The members of a `MessageUpsert` that depend on its type."""

    type: str
    text: str | None
    content: Mapping[str, Any] | None = None
    media: Mapping[str, Any] | None = None


MEDIA_TYPES = {
    "image": "image/jpeg",
    "video": "video/mp4",
    "document": "application/pdf",
    "voice": "audio/ogg; codecs=opus",
    "sticker": "image/webp",
    "animated": "image/webp",
}
# Ids of files: what the file shows, and the number of the message.
_FIRST_ID, _DETAIL = 880_000_000_000_000, 1_000_000_000
_TEMPLATES = {row["name"]: (row["language"], row["category"]) for row in TABLES["templates"]}
_ERRORS = {row["code"]: row for row in TABLES["errors"]}


def contents(part: FilledLine) -> SampleContents:
    """The type and members of a line that is more than text."""
    return BUILDERS[part.kind](part)


def error(code: int) -> dict[str, Any]:
    """The provider's words for an error code."""
    return dict(_ERRORS[code])


def _media(part: FilledLine) -> SampleContents:
    kind, number = part.kind, part.number
    file_name = part.argument if kind == "document" else None
    media = {
        "id": str(_FIRST_ID + _detail(kind, part.argument) * _DETAIL + number),
        "mime_type": "image/png" if part.argument.endswith(".png") else MEDIA_TYPES[kind],
        "filename": file_name,
        "size_bytes": 18_000 + number * 7919 % 900_000,
        "sha256": f"{number * 2654435761 % 2**64:016x}" * 4,
        "voice": True if kind == "voice" else None,
        "animated": kind == "animated" if kind in {"sticker", "animated"} else None,
        "url": None,
        "url_expires_at": None,
    }
    type_ = {"voice": "audio", "animated": "sticker"}.get(kind, kind)
    return SampleContents(type_, part.text or None, media=media)


def _detail(kind: str, argument: str) -> int:
    """What the file of a message shows: the motif of a picture, the seconds of a voice message."""
    if kind == "voice":
        return int(argument)
    return motif_number(argument) if kind in ("image", "sticker", "animated") else 0


def detail_of(id: object) -> int | None:
    """What a file shows, from its id; None for an id that is not of the sample."""
    number = int(id) - _FIRST_ID if isinstance(id, str) and id.isdecimal() else -1
    return number // _DETAIL if 0 <= number < 100 * _DETAIL else None


def _audio(part: FilledLine) -> SampleContents:
    media = {"id": str(870_000_000_000_000 + part.number), "mime_type": "audio/mpeg"}
    return SampleContents("audio", None, media={**media, "filename": part.argument, "voice": False})


def _location(part: FilledLine) -> SampleContents:
    shop = part.shop
    if part.argument == "shop":
        place = {"name": f"Veldrano {shop.alias}", "address": shop.address}
        where = {"latitude": shop.latitude, "longitude": shop.longitude, **place, "url": None}
    else:
        north, east = part.number % 17 / 900, part.number % 13 / 700
        where = {"latitude": round(shop.latitude + north, 6)}
        where["longitude"] = round(shop.longitude - east, 6)
        where |= {"name": None, "address": None, "url": None}
    return SampleContents("location", part.text or None, where)


def _as_whatsapp(part: FilledLine) -> SampleContents:
    read = contents_of(JsonObject(json.loads(part.argument)))
    return SampleContents(read.type, read.text, read.content, read.media)


def _answer(part: FilledLine) -> SampleContents:
    """Something that the customer tapped."""
    title, flow = part.argument, part.kind == "flow_reply"
    payload = title.lower().replace(" ", "-")
    content = {
        "kind": part.kind,
        "id": None if flow else payload,
        "title": None if flow else title,
        "description": None,
        "payload": payload if part.kind == "quick_reply" else None,
        "response": {"order": title, "reason": "size", "boxed": True} if flow else None,
    }
    return SampleContents("interactive", part.text or title, content)


def _call_permission(part: FilledLine) -> SampleContents:
    answer = _answer(part)
    return answer._replace(content={**(answer.content or {}), "response": {"response": "accept"}})


def _offer(part: FilledLine) -> SampleContents:
    """Something that the customer can tap."""
    content: dict[str, Any] = {"kind": part.kind, "header": None, "body": part.text}
    content |= {"footer": "Veldrano", "buttons": [], "sections": []}
    titles = part.argument.split("|")
    if part.kind == "buttons":
        content["buttons"] = [{"id": f"b{i}", "title": title} for i, title in enumerate(titles)]
    elif part.kind == "list":
        rows = [{"id": f"r{i}", "title": title} for i, title in enumerate(titles[1:])]
        content["sections"] = [{"title": titles[0], "rows": rows}]
    elif part.kind in {"cta_url", "flow"}:
        content["buttons"] = [{"title": part.argument, "url": "https://shop.example/pay"}]
    elif part.kind != "location_request":
        products = [{"product_retailer_id": f"VD-{1000 + part.number % 90 + i}"} for i in range(3)]
        items = products[:1] if part.kind == "product" else products
        content["sections"] = [{"title": part.text, "product_items": items}]
    return SampleContents("interactive", part.text, content)


def _template(part: FilledLine) -> SampleContents:
    language, category = _TEMPLATES[part.argument]
    values = [part.slots["first"] or "customer", part.slots["order"], part.slots["weekday"]]
    parameters = [{"type": "text", "text": value} for value in values]
    content = {
        "name": part.argument,
        "language": language,
        "category": category,
        "components": [{"type": "body", "parameters": parameters}],
    }
    return SampleContents("template", part.text, content)


def _order(part: FilledLine) -> SampleContents:
    """Two products, one of them twice, that cost as much as the shop asks for in the scene."""
    twice = 1 - part.number % 2
    total = int(part.slots["cents"])
    lower = total // 40 * 10
    prices = (lower, total - 2 * lower) if twice == 0 else (total - 2 * lower, lower)
    items = [
        {
            "product_retailer_id": f"VD-{1000 + part.number % 90 + i}",
            "quantity": 2 if i == twice else 1,
            "item_price": price / 100,
            "currency": part.shop.currency,
        }
        for i, price in enumerate(prices)
    ]
    return SampleContents(
        "order", part.text or None, {"catalog_id": "771200000000001", "items": items}
    )


def _system(part: FilledLine) -> SampleContents:
    content: dict[str, Any] = {"event": part.kind}
    if part.kind == "user_changed_number":
        content |= {"old_phone": "+447700900999", "new_phone": "+447700900998"}
        return SampleContents("system", "The customer changed their number", content)
    if part.kind == "call":
        return SampleContents("system", "Voice call, 6 minutes", content)
    return SampleContents("system", f"Assigned to {part.slots['agent']}", content)


BUILDERS: Mapping[str, Callable[[FilledLine], SampleContents]] = {
    **dict.fromkeys(MEDIA_TYPES, _media),
    **dict.fromkeys(("button_reply", "list_reply", "quick_reply", "flow_reply"), _answer),
    **dict.fromkeys(("buttons", "list", "cta_url", "flow", "location_request"), _offer),
    **dict.fromkeys(("product", "product_list", "carousel"), _offer),
    **dict.fromkeys(("assigned", "call", "user_changed_number"), _system),
    "call_permission_reply": _call_permission,
    "audio": _audio,
    "location": _location,
    "template": _template,
    "order": _order,
    AS_WHATSAPP: _as_whatsapp,
}
