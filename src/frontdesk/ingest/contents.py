"""What one WhatsApp message says, by its type, in the words of the wire; pure."""

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from frontdesk.ingest.shapes import Malformed, Part
from frontdesk.wire.words import MEDIA_TYPES

# The longest text that the service keeps (contract 1.4.2).
TEXT_LIMIT = 65_536

_LOCATION = ("name", "address", "url")
_ITEM = ("product_retailer_id", "currency")
_SENT_KINDS = MappingProxyType(
    {"button": "buttons", "location_request_message": "location_request"}
)


class Contents(NamedTuple):
    """What a message says. raw: the provider's element, where we do not map all that it says."""

    type: str
    text: str | None = None
    content: Mapping[str, Any] | None = None
    media: Mapping[str, Any] | None = None
    raw: Mapping[str, Any] | None = None


def contents_of(message: Part, errors: Sequence[Part] = (), *, outbound: bool = False) -> Contents:
    """The contents of a webhook's message, or of one sent through the API (`outbound`).

    A type that is not mapped, or has another shape than it must, is kept raw and shown as
    unsupported. errors: those beside the message.
    """
    type_ = message.text("type")
    if type_ == "media_placeholder":
        return _unsupported("media_placeholder", None, message, ())
    if type_ == "unsupported":
        told = message.optional_part("unsupported")
        original = told.optional_text("type") if told else None
        return _unsupported("provider", original, message, errors)
    read = _SENT.get(type_) if outbound else None
    read = read or _READERS.get(type_)
    if read is not None:
        try:
            return read(message)
        except Malformed:
            # The provider leaves contents out and says why beside the message.
            if type_ not in message and errors:
                return _unsupported("provider", type_, message, errors)
    return _unsupported("unknown_type", type_, message, errors)


def told_errors(errors: Sequence[Part]) -> list[dict[str, Any]]:
    """Provider errors in the wire's words."""
    told = []
    for error in errors:
        data = error.optional_part("error_data")
        details = data.optional_text("details") if data else None
        title = error.optional_text("title") or error.optional_text("message") or ""
        told.append({"code": error.number("code"), "title": title, "details": details})
    return told


def _unsupported(
    reason: str, original: str | None, message: Part, errors: Sequence[Part]
) -> Contents:
    told = told_errors(message.parts("errors") or errors)
    content = {"reason": reason, "original_type": original, "errors": told}
    return Contents("unsupported", content=content, raw=message.members)


def _text(message: Part) -> Contents:
    return Contents("text", _shortened(message.part("text").optional_text("body")) or "")


def _media(message: Part) -> Contents:
    type_ = message.text("type")
    media = message.part(type_)
    described = {
        "id": media.optional_text("id"),
        "mime_type": media.optional_text("mime_type"),
        "filename": media.optional_text("filename"),
        "size_bytes": None,
        "sha256": media.optional_text("sha256"),
        "voice": media.flag("voice"),
        "animated": media.flag("animated"),
        "url": None,
        "url_expires_at": None,
    }
    return Contents(type_, _shortened(media.optional_text("caption")), media=described)


def _location(message: Part) -> Contents:
    location = message.part("location")
    content: dict[str, Any] = {
        "latitude": location.measure("latitude"),
        "longitude": location.measure("longitude"),
    }
    return Contents("location", content=content | _texts(location, _LOCATION))


def _contacts(message: Part) -> Contents:
    contacts = [_card(contact) for contact in message.parts("contacts")]
    if not contacts:
        raise Malformed("contacts is empty")
    return Contents("contacts", _shortened(contacts[0]["name"]), {"contacts": contacts})


def _card(contact: Part) -> dict[str, Any]:
    """One of the people whose numbers are passed on."""
    name = contact.optional_part("name") or Part({})
    company = contact.optional_part("org") or Part({})
    return {
        "name": name.optional_text("formatted_name"),
        "first_name": name.optional_text("first_name"),
        "last_name": name.optional_text("last_name"),
        "org": company.optional_text("company"),
        "phones": [_texts(phone, ("phone", "wa_id", "type")) for phone in contact.parts("phones")],
        "emails": [dict(each.members) for each in contact.parts("emails")],
        "urls": [dict(each.members) for each in contact.parts("urls")],
        "addresses": [dict(each.members) for each in contact.parts("addresses")],
        "birthday": contact.optional_text("birthday"),
        "vcard": contact.optional_text("vcard"),
    }


def _button(message: Part) -> Contents:
    button = message.part("button")
    text = button.optional_text("text")
    answer = _answer("quick_reply", title=text, payload=button.optional_text("payload"))
    return Contents("interactive", _shortened(text), answer)


def _interactive(message: Part) -> Contents:
    """What a person chose or filled in."""
    told = message.part("interactive")
    for kind in ("button_reply", "list_reply"):
        chosen = told.optional_part(kind)
        if chosen is not None:
            title = chosen.optional_text("title")
            description = chosen.optional_text("description")
            answer = _answer(
                kind, id=chosen.optional_text("id"), title=title, description=description
            )
            return Contents("interactive", _shortened(title), answer)
    form = told.optional_part("nfm_reply")
    if form is not None:
        response = _parsed(form.optional_text("response_json"))
        answer = _answer("flow_reply", title=form.optional_text("name"), response=response)
        return Contents("interactive", _shortened(form.optional_text("body")), answer)
    permission = told.part("call_permission_reply")
    answer = _answer("call_permission_reply", response=dict(permission.members))
    return Contents("interactive", content=answer)


def _answer(kind: str, **members: Any) -> dict[str, Any]:
    names = ("id", "title", "description", "payload", "response")
    return {"kind": kind, **dict.fromkeys(names), **members}


def _order(message: Part) -> Contents:
    order = message.part("order")
    if "product_items" not in order:
        raise Malformed("order.product_items is missing")
    items = [
        {
            **_texts(item, _ITEM),
            "quantity": item.measure("quantity"),
            "item_price": item.measure("item_price"),
        }
        for item in order.parts("product_items")
    ]
    content = {"catalog_id": order.optional_text("catalog_id"), "items": items}
    return Contents("order", _shortened(order.optional_text("text")), content)


def _sent_interactive(message: Part) -> Contents:
    """A message with buttons, lists and the like, as the API takes it."""
    told = message.part("interactive")
    kind = told.text("type")
    action = told.optional_part("action") or Part({})
    body = told.optional_part("body")
    text = body.optional_text("text") if body else None
    footer = told.optional_part("footer")
    header = told.optional_part("header")
    content = {
        "kind": _SENT_KINDS.get(kind, kind),
        "header": None if header is None else dict(header.members),
        "body": text,
        "footer": footer.optional_text("text") if footer else None,
        "buttons": action.members.get("buttons"),
        "sections": action.members.get("sections"),
    }
    return Contents("interactive", _shortened(text), content)


def _sent_template(message: Part) -> Contents:
    template = message.part("template")
    content = {
        "name": template.text("name"),
        "language": template.part("language").text("code"),
        "category": None,
        "components": [dict(each.members) for each in template.parts("components")],
    }
    return Contents("template", content=content)


def _texts(part: Part, names: Sequence[str]) -> dict[str, str | None]:
    return {name: part.optional_text(name) for name in names}


def _shortened(text: str | None) -> str | None:
    return text[:TEXT_LIMIT] if text else None


def _parsed(text: str | None) -> Any:
    """JSON inside a string; one that cannot be read, or stored, stays a string."""
    if text is None:
        return None
    try:
        parsed = json.loads(text)
        json.dumps(parsed, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return text
    return parsed


_READERS: Mapping[str, Callable[[Part], Contents]] = MappingProxyType(
    {
        "text": _text,
        **dict.fromkeys(MEDIA_TYPES, _media),
        "location": _location,
        "contacts": _contacts,
        "button": _button,
        "interactive": _interactive,
        "order": _order,
    }
)
_SENT: Mapping[str, Callable[[Part], Contents]] = MappingProxyType(
    {"interactive": _sent_interactive, "template": _sent_template}
)
