"""Renders message contents other than text: media, locations, contacts, orders, templates."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from frontdesk.text import counted, file_size, humanize, one_line, price
from frontdesk.tui.widgets.glyphs import EMOJI, MessageSymbols
from frontdesk.tui.widgets.text_layout import Piece
from frontdesk.wire import Media, Message
from frontdesk.wire.values import MEDIA_TYPES

# Further rows of long lists and orders are summarised as "and N more".
MOST_ROWS = 10

# Larger amounts of orders are shown as they were sent.
_LARGEST_PRICE = 10**12

# Part of a text whose lines are the titles of buttons.
BUTTONS = "buttons"

# Text that is wrapped, or a line of pieces that is truncated.
Block = Piece | list[Piece]


def contents(
    message: Message, symbols: MessageSymbols = EMOJI, *, open_key: str = ""
) -> Sequence[Block]:
    """Contents of a message, as blocks that each start on a new line.

    open_key: name of the key that opens media, or empty.
    """
    if message.deleted_at:
        who = "the customer" if message.direction == "inbound" else "the sender"
        return [("dim italic", f"{symbols.deleted} deleted by {who}")]
    blocks: list[Block] = [("dim", line) for line in _referral(message)]
    if message.media is not None or message.type in MEDIA_TYPES:
        blocks += _media_card(message, symbols, open_key)
    elif message.type in _CARDS:
        blocks += _CARDS[message.type](message, symbols)
    else:
        blocks += _CONTENTS.get(message.type, _text_alone)(message)
    return blocks or [
        ("dim", f"[{humanize(message.type)}]" if message.type != "text" else "(empty)")
    ]


def _text_alone(message: Message) -> list[Piece]:
    return [("text", message.text)] if message.text else []


def _card(symbols: MessageSymbols, type: str, *facts: str) -> list[Piece]:
    """📷 photo · 240 KB, on a ground of its own."""
    details = "".join(f"· {fact} " for fact in facts if fact)
    return [("strong@card", f" {symbols.of(type).words} "), ("text@card", details)]


def _media_card(message: Message, symbols: MessageSymbols, open_key: str) -> list[Block]:
    """Kind, size and name of a file, with the caption below."""
    media = message.media or Media()
    size = file_size(media.size_bytes) if media.size_bytes is not None else ""
    type = "voice" if message.type == "audio" and media.voice else message.type
    name = one_line(media.filename or "")
    card = _card(symbols, type, "animated" if media.animated else "", size, name)
    if media.url and open_key:
        card.append(("dim", f"  {open_key} opens it"))
    return [card, *_text_alone(message)]


def _location(message: Message, symbols: MessageSymbols) -> list[Block]:
    content = _content(message)
    place = _join(content, "name", "address") or _join(content, "latitude", "longitude")
    return [_card(symbols, "location", place), *_text_alone(message)]


def _contacts(message: Message, symbols: MessageSymbols) -> list[Block]:
    """A card for each contact: name, company, numbers, e-mail addresses."""
    cards: list[Block] = []
    for contact in _dicts(_content(message), "contacts"):
        numbers = [one_line(str(p.get("phone") or "")) for p in _dicts(contact, "phones")]
        emails = [one_line(str(e.get("email") or "")) for e in _dicts(contact, "emails")]
        facts = [_field(contact, "name"), _field(contact, "org"), *numbers, *emails]
        cards.append(_card(symbols, "contacts", *facts))
    return cards or [*_text_alone(message)]


def _order(message: Message, symbols: MessageSymbols) -> list[Block]:
    items = _dicts(_content(message), "items")
    blocks: list[Block] = [_card(symbols, "order", counted(len(items), "item"))]
    for item in [item for item in items if item][:MOST_ROWS]:
        product = _field(item, "product_retailer_id") or "product"
        line = f"  {_field(item, 'quantity') or '1'} × {product}  {_item_price(item)}"
        blocks.append(("text", line.rstrip()))
    return [*blocks, *_more(items), *_text_alone(message)]


def _item_price(item: Mapping[str, Any]) -> str:
    amount, currency = item.get("item_price"), _field(item, "currency")
    if isinstance(amount, int | float) and abs(amount) <= _LARGEST_PRICE:
        return price(amount, currency)
    return f"{_field(item, 'item_price')} {currency}".strip()


def _interactive(message: Message) -> list[Piece]:
    """Interactive message with its options, or the reply to one."""
    content = _content(message)
    kind = str(content.get("kind") or "")
    if kind.endswith("reply"):
        return _reply(message, content, kind)
    pieces = _titled(content.get("header"))
    pieces += _text_alone(message) or [("text", _field(content, "body"))]
    for section in _dicts(content, "sections"):
        pieces += _section(section, message_text=one_line(message.text or ""))
    pieces += _footer(content.get("footer"))
    return [piece for piece in pieces if piece[1]] + _buttons(content)


def _reply(message: Message, content: Mapping[str, Any], kind: str) -> list[Piece]:
    """Selected option, answer about calls, or the answers of a form, one per line."""
    if kind == "call_permission_reply":
        return _call_permission(message, content)
    pieces = _text_alone(message)
    if kind in _CHOICES and pieces:
        pieces = [("text", f"chose: {message.text}")]
    else:
        pieces = [("dim", _REPLIES.get(kind, f"[{humanize(kind)}]")), *pieces]
    if _field(content, "description"):
        pieces.append(("dim", f"  {_field(content, 'description')}"))
    response = content.get("response")
    if isinstance(response, Mapping):
        for name, value in list(response.items())[:MOST_ROWS]:
            pieces.append(("dim", f"  {humanize(str(name))}: {one_line(str(value))}"))
    return pieces


def _call_permission(message: Message, content: Mapping[str, Any]) -> list[Piece]:
    """Answer about calls, and what else the customer wrote."""
    response = content.get("response")
    answer = _field(response, "response") if isinstance(response, Mapping) else ""
    words = {"accept": "allowed calls", "reject": "declined calls"}.get(answer)
    if words is None:
        return [("dim", "answered whether to be called"), *_text_alone(message)]
    return [("text", words), *(_text_alone(message) if message.text != answer else [])]


def _section(section: Mapping[str, Any], *, message_text: str) -> list[Piece]:
    """Title, unless it repeats the text, and the options of a section."""
    rows = _dicts(section, "rows") + _dicts(section, "product_items")
    title = _field(section, "title")
    pieces: list[Piece] = [("dim", f"  {title}")] if title and title != message_text else []
    for row in rows[:MOST_ROWS]:
        title = _field(row, "title") or _field(row, "product_retailer_id")
        description = _field(row, "description")
        pieces.append(("dim", f"  ▪ {title}" + (f" — {description}" if description else "")))
    return [*pieces, *_more(rows)]


def _template(message: Message) -> list[Piece]:
    """Header, body, footer and buttons; without a known body, its parameters."""
    content = _content(message)
    components = _dicts(content, "components")
    pieces: list[Piece] = []
    for component in components:
        if _kind(component) == "header":
            pieces += _header_of(component)
    pieces += _text_alone(message) or [
        ("text", value)
        for component in components
        if _kind(component) == "body"
        for value in _values(component)
    ]
    for component in components:
        if _kind(component) == "footer":
            pieces += _footer(component.get("text"))
    for component in components:
        if _kind(component) in ("button", "buttons"):
            pieces += _buttons(component) or [
                ("dim", f"[ {humanize(_field(component, 'sub_type') or 'button')} ]")
            ]
    return pieces


def _header_of(component: Mapping[str, Any]) -> list[Piece]:
    """Text of the header, or the type of its media."""
    text = _field(component, "text") or " ".join(_values(component))
    kinds = [str(p.get("type")) for p in _dicts(component, "parameters") if p.get("type") != "text"]
    kind = _field(component, "format").casefold()
    if not text and (kinds or kind not in ("", "text")):
        return [("dim", f"[{humanize(kinds[0] if kinds else kind)}]")]
    return [("strong", text)] if text else []


def _titled(header: Any) -> list[Piece]:
    """Header of an interactive message: its text, or the type of its media."""
    if isinstance(header, Mapping):
        text = _field(header, "text")
        kind = _field(header, "type")
        return [("strong", text)] if text else [("dim", f"[{humanize(kind)}]")] if kind else []
    return [("strong", one_line(str(header)))] if header else []


def _footer(footer: Any) -> list[Piece]:
    text = _field(footer, "text") if isinstance(footer, Mapping) else one_line(str(footer or ""))
    return [("dim italic", text)] if text else []


def _buttons(content: Mapping[str, Any]) -> list[Piece]:
    """All buttons as one text, a line each."""
    titles = (_field(b, "title") or _field(b, "text") for b in _dicts(content, "buttons"))
    buttons = "\n".join(title for title in titles if title)
    return [(BUTTONS, buttons)] if buttons else []


def _unsupported(message: Message) -> list[Piece]:
    """Reason why the message cannot be shown, and its text if any."""
    content = _content(message)
    kind = humanize(_field(content, "original_type") or "message")
    reason = {
        "media_placeholder": f"[{kind}: its contents were not delivered yet]",
        "content_not_received": "[sent by another system: its contents were not delivered here]",
    }.get(_field(content, "reason"), f"[not shown here: {kind}]")
    pieces: list[Piece] = [("dim", reason)]
    for error in _dicts(content, "errors")[:1]:
        pieces.append(("dim", f"  {_field(error, 'title')}"))
    return [*pieces, *_text_alone(message)]


def _referral(message: Message) -> list[str]:
    """The advertisement that started the conversation."""
    referral = message.referral or {}
    headline = _field(referral, "headline") or _field(referral, "body")
    source = _field(referral, "source_url") or _field(referral, "source_type")
    words = "  ".join(text for text in (headline, source) if text)
    return [f"came from an ad: {words}"] if words else []


# Kinds of replies whose text is the title of an option.
_CHOICES = ("button_reply", "list_reply", "quick_reply")
_REPLIES: Mapping[str, str] = {
    **dict.fromkeys(_CHOICES, "chose an option"),
    "flow_reply": "filled in a form",
}
_CARDS: Mapping[str, Callable[[Message, MessageSymbols], list[Block]]] = {
    "contacts": _contacts,
    "location": _location,
    "order": _order,
}
_CONTENTS: Mapping[str, Callable[[Message], list[Piece]]] = {
    "interactive": _interactive,
    "template": _template,
    "unsupported": _unsupported,
}


def _content(message: Message) -> Mapping[str, Any]:
    return message.content or {}


def _dicts(content: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = content.get(name)
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _field(content: Mapping[str, Any], name: str) -> str:
    value = content.get(name)
    return one_line(str(value)) if isinstance(value, str | int | float) else ""


def _join(content: Mapping[str, Any], *names: str) -> str:
    return ", ".join(text for text in (_field(content, name) for name in names) if text)


def _kind(component: Mapping[str, Any]) -> str:
    return _field(component, "type").casefold()


def _values(component: Mapping[str, Any]) -> list[str]:
    values = (_field(parameter, "text") for parameter in _dicts(component, "parameters"))
    return [value for value in values if value]


def _more(rows: Sequence[object]) -> list[Piece]:
    hidden = len(rows) - MOST_ROWS
    return [("dim", f"  and {hidden} more")] if hidden > 0 else []
