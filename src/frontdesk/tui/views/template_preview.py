"""Preview of a message template in WhatsApp's layout, with placeholders highlighted.

Components are Meta's JSON, unvalidated: any member may be missing or of another type.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from frontdesk.text.clean import humanize, one_line, shown_line
from frontdesk.tui.widgets.message_list import marked_pieces
from frontdesk.tui.widgets.text_layout import Piece, cut, fit, spread, width_of, wrap_pieces
from frontdesk.wire import PhoneRef, Template

BUBBLE_WIDTH = 60
_LEAST_WIDTH = 12
_PLACE = re.compile(r"\{\{\s*([^{}\s]{1,64})\s*\}\}")
_SECURITY = "For your security, do not share this code."

Line = list[Piece]
Component = Mapping[str, Any]

# Effect of a button, by its type.
_DOES = {
    "QUICK_REPLY": "",
    "URL": "opens",
    "PHONE_NUMBER": "calls",
    "VOICE_CALL": "calls on WhatsApp",
    "COPY_CODE": "copies",
    "OTP": "copies the code",
    "FLOW": "opens a form",
    "CATALOG": "opens the catalogue",
    "MPM": "opens some products",
    "SPM": "opens a product",
    "REQUEST_CONTACT_INFO": "asks for contact details",
}
_NAMES = {
    "COPY_CODE": "Copy offer code",
    "CATALOG": "View catalogue",
    "MPM": "View items",
    "SPM": "View",
    "VOICE_CALL": "Call",
}


def bubble(template: Template, width: int) -> list[Line]:
    """The message in a frame of at most `width` cells; each line is padded to `width`."""
    room = min(width, BUBBLE_WIDTH)
    if room < _LEAST_WIDTH:
        return [[("dim", fit("…", width))]]
    lines = _framed(_parts(template.components, room - 4), room)
    for part in template.components:
        if _type(part) == "CAROUSEL":
            lines += _carousel(part, room)
    return [[*line, ("text", " " * max(0, width - width_of(line)))] for line in lines]


def parameters(template: Template) -> list[tuple[str, str]]:
    """Pairs of placeholder and example value, which may be empty."""
    values: dict[str, str] = {}
    for component in _all_components(template.components):
        examples = _examples(component)
        for name in _PLACE.findall(_text(component, "text")):
            values.setdefault(f"{{{{{name}}}}}", examples.get(name, ""))
    return list(values.items())


def fill_in(text: str, contact: PhoneRef | None, examples: Mapping[str, str]) -> str:
    """The text with the customer's name and number in place of their placeholders.

    A numbered placeholder is the name if its example is one. Others stay.
    """
    facts = _facts_of(contact) if contact is not None else {}

    def value(place: re.Match[str]) -> str:
        name = place[1].lower().replace("-", "_").rpartition(".")[2]
        if name.isdigit() and _NAME.fullmatch(examples.get(place[0], "")):
            name = "first_name"
        for prefix in ("customer_", "contact_"):
            name = name.removeprefix(prefix)
        return facts.get(name) or place[0]

    return _PLACE.sub(value, text)


def _facts_of(contact: PhoneRef) -> dict[str, str]:
    name = shown_line(contact.name)
    first, _, last = name.partition(" ")
    names = dict.fromkeys(("name", "full_name", "customer", "contact"), name)
    return {**names, "first_name": first, "last_name": last, "phone": contact.phone or ""}


_NAME = re.compile(r"[A-Z]\w+( [A-Z]\w+)?")


def plain_text(template: Template) -> str:
    """Header, body and footer with their placeholders, as plain text."""
    texts = [_text(part, "text") for part in template.components if _type(part) != "BUTTONS"]
    return "\n\n".join(text for text in texts if text)


def _parts(components: Sequence[Component], room: int) -> list[list[Line]]:
    """Groups of lines, separated by rules: the message, then each button."""
    by_type = {_type(component): component for component in components}
    message: list[Line] = []
    if "HEADER" in by_type:
        message += _header(by_type["HEADER"], room)
    if "LIMITED_TIME_OFFER" in by_type:
        message += _offer(by_type["LIMITED_TIME_OFFER"], room)
    if "BODY" in by_type:
        message += _body(by_type["BODY"], room)
    if "FOOTER" in by_type:
        message += [[("text", "")], *wrap_pieces([("dim", _footer(by_type["FOOTER"]))], room)]
    others = {"HEADER", "LIMITED_TIME_OFFER", "BODY", "FOOTER", "BUTTONS", "CAROUSEL"}
    message += [[("dim", f"[{humanize(name).lower()}]")] for name in by_type if name not in others]
    buttons = [_button(button, room) for button in _dicts(by_type.get("BUTTONS", {}), "buttons")]
    return [group for group in (message, *buttons) if group]


def _header(component: Component, room: int) -> list[Line]:
    form = str(component.get("format") or "TEXT").upper()
    if form == "TEXT":
        return [*wrap_pieces(_filled(component, "strong"), room), [("text", "")]]
    example = one_line(next(iter(_strings(component, "header_handle", "header_url")), ""))
    media = cut(f"[{humanize(form).lower()}]", room)
    lines: list[Line] = [[("chip", fit(f" {media}", room))]]
    if example:
        lines.append([("dim", cut(example, room))])
    return [*lines, [("text", "")]]


def _offer(component: Component, room: int) -> list[Line]:
    offer = component.get("limited_time_offer")
    values = offer if isinstance(offer, Mapping) else component
    text = one_line(_text(values, "text")) or "Limited-time offer"
    ends = " · shows when it ends" if values.get("has_expiration") else ""
    return [*wrap_pieces([("accent", text), ("dim", ends)], room), [("text", "")]]


def _body(component: Component, room: int) -> list[Line]:
    pieces = _filled(component, "text")
    if component.get("add_security_recommendation") and _SECURITY not in _text(component, "text"):
        pieces.append(("text", f" {_SECURITY}"))
    return wrap_pieces(pieces, room)


def _footer(component: Component) -> str:
    minutes = component.get("code_expiration_minutes")
    if isinstance(minutes, int) and not _text(component, "text"):
        return f"This code expires in {minutes} minutes."
    return one_line(_text(component, "text"))


def _button(button: Component, room: int) -> list[Line]:
    kind = _type(button)
    name = one_line(_text(button, "text")) or _NAMES.get(kind) or humanize(kind).capitalize()
    target = one_line(_text(button, "url") or _text(button, "phone_number"))
    if kind == "COPY_CODE":
        target = one_line(next(iter(_strings(button, "example")), "") or _text(button, "example"))
    does = f"{_DOES.get(kind, humanize(kind).lower())} {target}".strip()
    name = cut(name, room)
    left = (room - width_of([("accent", name)])) // 2
    lines: list[Line] = [[("text", " " * left), ("accent", name)]]
    return [*lines, [("dim", cut(does, room).center(room))]] if does else lines


def _carousel(component: Component, room: int) -> list[Line]:
    cards = _dicts(component, "cards")
    lines: list[Line] = []
    for number, card in enumerate(cards, start=1):
        lines.append([("dim", f"  card {number} of {len(cards)}")])
        inner = _framed(_parts(_dicts(card, "components"), room - 6), room - 2)
        lines += [[("text", "  "), *line] for line in inner]
    return lines


def _framed(groups: Sequence[Sequence[Line]], room: int) -> list[Line]:
    """Groups of lines in a frame of `room` cells, with rules in between."""
    rule = "─" * (room - 2)
    lines: list[Line] = [[("dim", f"╭{rule}╮")]]
    for at, group in enumerate(groups):
        if at:
            lines.append([("dim", f"├{rule}┤")])
        lines += [[("dim", "│ "), *spread(line, (), room - 4), ("dim", " │")] for line in group]
    return [*lines, [("dim", f"╰{rule}╯")]]


def _filled(component: Component, part: str) -> Line:
    """Text with WhatsApp markup rendered and placeholders replaced by examples."""
    examples = _examples(component)
    pieces: Line = []
    for of_part, text in marked_pieces(_text(component, "text"), part):
        end = 0
        for place in _PLACE.finditer(text):
            pieces.append((of_part, text[end : place.start()]))
            pieces.append(("note", examples.get(place[1]) or place[0]))
            end = place.end()
        pieces.append((of_part, text[end:]))
    return [piece for piece in pieces if piece[1]]


def _examples(component: Component) -> dict[str, str]:
    """Example values by placeholder name, which is a number in older templates."""
    values = list(_strings(component, "body_text", "header_text"))
    numbered = {str(number): one_line(value) for number, value in enumerate(values, start=1)}
    example = component.get("example")
    named = []
    for name in ("body_text_named_params", "header_text_named_params"):
        named += _dicts(example if isinstance(example, Mapping) else {}, name)
    return numbered | {
        _text(value, "param_name"): one_line(_text(value, "example")) for value in named
    }


def _strings(component: Component, *names: str) -> Iterator[str]:
    """Texts of the examples, at any depth of nesting."""
    example = component.get("example")
    if isinstance(example, Mapping):
        for name in names:
            yield from _flat(example.get(name))
    elif "example" in names:
        yield from _flat(example)


def _flat(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _flat(item)


def _all_components(components: Iterable[Component]) -> Iterator[Component]:
    for component in components:
        yield component
        for card in _dicts(component, "cards"):
            yield from _dicts(card, "components")


def _type(component: Component) -> str:
    return str(component.get("type") or "unknown").upper()


def _text(component: Component, name: str) -> str:
    value = component.get(name)
    return value if isinstance(value, str) else ""


def _dicts(component: Component, name: str) -> list[Component]:
    values = component.get(name)
    if not isinstance(values, list):
        return []
    return [value for value in values if isinstance(value, Mapping)]
