"""Converts the contents of WhatsApp messages by type to the wire format (pure)."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple, TypeVar

from frontdesk.ingest.json_reader import JsonObject, Malformed
from frontdesk.text.limits import TEXT
from frontdesk.wire.values import MEDIA_TYPES

T = TypeVar("T")

# Characters of an unknown kind of message that are read: more than are kept, so that it is said.
_READ = 2 * TEXT
# Members that frame a message, or are not meant for people.
_TECHNICAL = frozenset(
    (
        *("id", "type", "kind", "timestamp", "from", "to", "status", "code", "errors", "context"),
        *("history_context", "referral", "identity", "origin", "recipient_type", "sha256", "hash"),
        *("url", "link", "href", "vcard", "payload", "currency", "token", "key", "version"),
        *("latitude", "longitude", "messaging_product", "catalog_id"),
    )
)
_TECHNICAL_ENDS = (
    *("_id", "_ids", "_type", "_token", "_key", "_hash", "_url", "_uri", "_code", "_at"),
)


def readable_text(members: Mapping[str, Any], limit: int) -> str | None:
    """Return the distinct texts inside an object, a line each; None if there are none.

    limit: maximum length in characters.
    """
    texts: dict[str, None] = {}
    length = 0
    for text in _texts(members):
        if text not in texts:
            texts[text] = None
            length += len(text) + 1
        if length > limit:
            break
    return "\n".join(texts)[:limit] or None


def _texts(members: Mapping[str, Any]) -> Iterator[str]:
    """Yield texts in document order, at any depth."""
    waiting: list[Any] = [members]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str) and value.strip():
            yield value.strip()
        elif isinstance(value, Mapping):
            waiting += reversed([member for name, member in value.items() if not _technical(name)])
        elif isinstance(value, list):
            waiting += reversed(value)


def _technical(name: str) -> bool:
    return name.lower() in _TECHNICAL or name.lower().endswith(_TECHNICAL_ENDS)


# Members of a file, none of them known.
NO_MEDIA: Mapping[str, Any] = dict.fromkeys(
    (
        *("id", "mime_type", "filename", "size_bytes", "sha256", "voice", "animated"),
        *("url", "url_expires_at"),
    )
)

# Type used by the provider for messages that it cannot describe.
UNKNOWN = "unknown"

# Members of a message besides its contents.
_FRAME = frozenset(("context", "history_context", "referral", "errors", "identity", "origin"))
_NAME_PARTS = ("prefix", "first_name", "middle_name", "last_name", "suffix")
_FORMATTED_NAME = re.compile(r"^FN[^:\r\n]*:(.*)$", re.IGNORECASE | re.MULTILINE)
_ITEM = ("product_retailer_id", "currency")
_SENT_KINDS: Mapping[str, str] = {
    "button": "buttons",
    "location_request_message": "location_request",
}


class MessageContents(NamedTuple):
    """Contents of a message. raw: the provider's element, if not all of it is mapped."""

    type: str
    text: str | None = None
    content: Mapping[str, Any] | None = None
    media: Mapping[str, Any] | None = None
    raw: Mapping[str, Any] | None = None


def type_of(message: JsonObject) -> str:
    """Return a message's type; without one, the name of its only contents.

    "unknown" if there are no contents or several.
    """
    type_ = message.optional_text("type")
    if type_:
        return type_
    names = [name for name in message.members if name in message]
    known = [name for name in names if name in _CONTENTS]
    other = [name for name in names if name not in _FRAME and _is_structure(message.members[name])]
    types = known or other
    return types[0] if len(types) == 1 else UNKNOWN


def contents_of(
    message: JsonObject, errors: Sequence[JsonObject] = (), *, outbound: bool = False
) -> MessageContents:
    """Convert the contents of a webhook message, or of an API request (`outbound`).

    Unmapped or malformed types are kept raw and become "unsupported", with all their texts. errors:
    those of the enclosing change.
    """
    type_ = type_of(message)
    if type_ == "media_placeholder":
        return _unsupported("media_placeholder", None, message, ())
    if type_ == "unsupported":
        member = message.members.get("unsupported")
        original = JsonObject(member).optional_text("type") if isinstance(member, Mapping) else None
        return _unsupported("provider", original, message, errors)
    read = _SENT.get(type_) if outbound else None
    read = read or _READERS.get(type_)
    try:
        if read is not None:
            return read(message)
    except Malformed:
        pass
    # The provider omits contents and explains it in the message's or the change's errors.
    left_out = type_ not in message and (errors or message.members.get("errors"))
    original = None if type_ == UNKNOWN else type_
    if left_out:
        return _unsupported("provider", original, message, errors)
    return _unsupported("unknown_type", original or message.optional_text("type"), message, errors)


def provider_errors(errors: Sequence[JsonObject]) -> list[dict[str, Any]]:
    """Convert provider errors to wire format."""
    rows = []
    for error in errors:
        data = error.optional_part("error_data")
        details = data.optional_text("details") if data else None
        title = error.optional_text("title") or error.optional_text("message") or ""
        rows.append({"code": error.number("code"), "title": title, "details": details})
    return rows


def _unsupported(
    reason: str, original: str | None, message: JsonObject, errors: Sequence[JsonObject]
) -> MessageContents:
    rows = provider_errors(message.parts("errors") or errors)
    content = {"reason": reason, "original_type": original, "errors": rows}
    text = readable_text(message.members, _READ)
    return MessageContents("unsupported", text, content, raw=message.members)


def _text(message: JsonObject) -> MessageContents:
    member = message.members.get("text")
    body = member if isinstance(member, str) else message.part("text").optional_text("body")
    return MessageContents("text", body or "")


def _media(type_: str, message: JsonObject) -> MessageContents:
    media = message.part(type_)
    described = {
        **NO_MEDIA,
        **media.optional_texts("id", "mime_type", "filename", "sha256"),
        "voice": _typed(media, "voice", bool),
        "animated": _typed(media, "animated", bool),
    }
    return MessageContents(type_, media.optional_text("caption") or None, media=described)


def _voice(message: JsonObject) -> MessageContents:
    """Convert a voice message of the On-Premises API, which has a type of its own."""
    voice = _media("voice", message)
    return voice._replace(type="audio", media={**(voice.media or {}), "voice": True})


def _location(message: JsonObject) -> MessageContents:
    location = message.part("location")
    content = {
        "latitude": location.measure("latitude"),
        "longitude": location.measure("longitude"),
        **location.optional_texts("name", "address", "url"),
    }
    return MessageContents("location", content=content)


def _contacts(message: JsonObject) -> MessageContents:
    contacts = [contact_card(contact) for contact in message.parts("contacts")]
    if not contacts:
        raise Malformed("contacts is empty")
    first = contacts[0]
    phones = [phone["phone"] or phone["wa_id"] for phone in first["phones"]]
    text = next((text for text in (first["name"], first["org"], *phones) if text), None)
    return MessageContents("contacts", text or None, {"contacts": contacts})


def contact_card(contact: JsonObject) -> dict[str, Any]:
    member = contact.members.get("name")
    name = (
        JsonObject({"formatted_name": member})
        if isinstance(member, str)
        else contact.optional_part("name")
    )
    name = name or JsonObject({})
    company = contact.part_or_empty("org")
    vcard = contact.optional_text("vcard")
    return {
        "name": _full_name(name) or _name_in(vcard),
        **name.optional_texts("first_name", "last_name"),
        "org": company.optional_text("company"),
        "title": company.optional_text("title"),
        "phones": [
            phone.optional_texts("phone", "wa_id", "type") for phone in contact.parts("phones")
        ],
        "emails": [dict(each.members) for each in contact.parts("emails")],
        "urls": [dict(each.members) for each in contact.parts("urls")],
        "addresses": [dict(each.members) for each in contact.parts("addresses")],
        "birthday": contact.optional_text("birthday"),
        "vcard": vcard,
    }


def _full_name(name: JsonObject) -> str | None:
    """Return the formatted name, or else the joined parts."""
    names = name.optional_texts(*_NAME_PARTS).values()
    return name.optional_text("formatted_name") or " ".join(filter(None, names)) or None


def _name_in(vcard: str | None) -> str | None:
    """Return the formatted name (FN) of a vCard."""
    match = _FORMATTED_NAME.search(vcard or "")
    return match.group(1).strip() or None if match else None


def _button(message: JsonObject) -> MessageContents:
    button = message.part("button")
    text = button.optional_text("text")
    answer = _answer("quick_reply", title=text, payload=button.optional_text("payload"))
    return MessageContents("interactive", text or None, answer)


def _interactive(message: JsonObject) -> MessageContents:
    """Convert an interactive reply: button, list, form or call permission."""
    interactive = message.part("interactive")
    for kind in ("button_reply", "list_reply"):
        chosen = interactive.optional_part(kind)
        if chosen is not None:
            title = chosen.optional_text("title")
            description = chosen.optional_text("description")
            answer = _answer(
                kind, id=chosen.optional_text("id"), title=title, description=description
            )
            return MessageContents("interactive", title or None, answer)
    form = interactive.optional_part("nfm_reply")
    if form is not None:
        answer = _answer("flow_reply", title=form.optional_text("name"), response=_response(form))
        return MessageContents("interactive", form.optional_text("body") or None, answer)
    permission = interactive.optional_part("call_permission_reply")
    if permission is not None:
        text = permission.optional_text("response")
        response = dict(permission.members)
        answer = _answer("call_permission_reply", title=text, response=response)
        return MessageContents("interactive", text or None, answer)
    return _other_interactive(message, interactive)


def _other_interactive(message: JsonObject, interactive: JsonObject) -> MessageContents:
    """Convert a reply of an unknown kind, with all its texts."""
    text = readable_text(interactive.members, _READ)
    inner = [name for name, member in interactive.members.items() if isinstance(member, Mapping)]
    kind = interactive.optional_text("type") or (inner[0] if len(inner) == 1 else None)
    if kind is None or text is None:
        raise Malformed(f"{interactive.where} says nothing")
    chosen = JsonObject(interactive.members[kind]) if kind in inner else interactive
    known = {name: _typed(chosen, name, str) for name in ("id", "title", "description")}
    answer = _answer(kind, response=dict(chosen.members), **known)
    return MessageContents("interactive", text, answer, raw=message.members)


def _answer(kind: str, **members: Any) -> dict[str, Any]:
    names = ("id", "title", "description", "payload", "response")
    return {"kind": kind, **dict.fromkeys(names), **members}


def _order(message: JsonObject) -> MessageContents:
    order = message.part("order")
    if "product_items" not in order and "text" not in order:
        raise Malformed("order.product_items is missing")
    items = [
        {
            **item.optional_texts(*_ITEM),
            "quantity": _measure(item, "quantity"),
            "item_price": _measure(item, "item_price"),
        }
        for item in order.parts("product_items")
    ]
    content = {"catalog_id": order.optional_text("catalog_id"), "items": items}
    return MessageContents("order", order.optional_text("text") or None, content)


def _sent_interactive(message: JsonObject) -> MessageContents:
    """Convert an interactive message as sent to the API."""
    interactive = message.part("interactive")
    kind = interactive.text("type")
    action = interactive.part_or_empty("action")
    body = interactive.optional_part("body")
    text = body.optional_text("text") if body else None
    footer = interactive.optional_part("footer")
    header = interactive.optional_part("header")
    content = {
        "kind": _SENT_KINDS.get(kind, kind),
        "header": None if header is None else dict(header.members),
        "body": text,
        "footer": footer.optional_text("text") if footer else None,
        "buttons": action.members.get("buttons"),
        "sections": action.members.get("sections"),
    }
    return MessageContents("interactive", text or None, content)


def _sent_template(message: JsonObject) -> MessageContents:
    template = message.part("template")
    content = {
        "name": template.text("name"),
        "language": template.part("language").text("code"),
        "category": None,
        "components": [dict(each.members) for each in template.parts("components")],
    }
    return MessageContents("template", content=content)


def _typed(part: JsonObject, name: str, type_: type[T]) -> T | None:
    """Return an optional member of a type; any other value counts as absent."""
    value = part.members.get(name)
    return value if isinstance(value, type_) else None


def _measure(part: JsonObject, name: str) -> int | float | None:
    """Return an optional number; any other value counts as absent."""
    try:
        return part.measure(name) if name in part else None
    except Malformed:
        return None


def _is_structure(value: object) -> bool:
    return isinstance(value, Mapping | list)


def _response(form: JsonObject) -> Any:
    """Decode a form's response, a JSON string or an object.

    A string that cannot be decoded or stored stays a string.
    """
    response = form.members.get("response_json")
    if not isinstance(response, str):
        return response
    try:
        parsed = json.loads(response)
        json.dumps(parsed, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return response
    return parsed


_READERS: Mapping[str, Callable[[JsonObject], MessageContents]] = {
    "text": _text,
    **{name: partial(_media, name) for name in MEDIA_TYPES},
    "voice": _voice,
    "location": _location,
    "contacts": _contacts,
    "button": _button,
    "interactive": _interactive,
    "order": _order,
}
_SENT: Mapping[str, Callable[[JsonObject], MessageContents]] = {
    "interactive": _sent_interactive,
    "template": _sent_template,
}
# Contents by which a message without a type is recognised.
_CONTENTS = frozenset(
    (*_READERS, *_SENT, "reaction", "system", "edit", "revoke", "request_welcome", "unsupported")
)


# `type` of a status about a payment instead of a delivery.
PAYMENT = "payment"


def payment_contents(status: JsonObject, step: str) -> MessageContents:
    """Build a system message with a text such as "Payment captured: 21.50 INR, A-7".

    step: the provider's status: captured, pending or failed.
    """
    payment = _payment(status)
    reference = payment.optional_text("reference_id") or None
    currency = payment.optional_text("currency") or None
    amount = _amount(payment)
    content = {
        "event": PAYMENT,
        "status": step,
        "target_wamid": status.id("id"),
        "reference_id": reference,
        "amount": amount,
        "currency": currency,
    }
    price = " ".join(text for text in (amount, currency) if text)
    details = ", ".join(text for text in (price, reference) if text)
    text = f"Payment {step}: {details}" if details else f"Payment {step}"
    return MessageContents("system", text, content, raw=status.members)


def _payment(status: JsonObject) -> JsonObject:
    """Return the status's payment object, empty if malformed."""
    try:
        payment = status.part_or_empty(PAYMENT)
        payment.optional_text("reference_id")
        payment.optional_text("currency")
    except Malformed:
        return JsonObject({})
    return payment


def _amount(payment: JsonObject) -> str | None:
    """Return the amount in currency units: `value` divided by `offset`, a power of ten."""
    try:
        amount = payment.optional_part("amount")
        if amount is None or "value" not in amount:
            return None
        value, offset = amount.number("value"), amount.number("offset") or 1
    except Malformed:
        return None
    digits = len(str(offset)) - 1
    return f"{Decimal(value).scaleb(-digits):f}" if offset == 10**digits else None
