"""Plain text of messages: what a message is, as lines with a role each.

The thread of the viewer styles the lines by their roles; transcripts, the shell, exports and search
print them (`plain`). Names of authors and of types of messages are here too.

Texts are assumed to be free of control characters, as the client returns them.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from pydantic import ValidationError

from frontdesk.text.calls import CALL, call_details, call_kind
from frontdesk.text.calls import STATUSES as CALL_STATUSES
from frontdesk.text.clean import (
    counted,
    file_size,
    humanize,
    is_blank,
    one_line,
    price,
    quoted,
    shortened,
    shown_line,
)
from frontdesk.text.search import FLOW_TOKEN, message_pieces, strings
from frontdesk.text.templates import parameter_text
from frontdesk.wire import Media, Message, MessageMatch, MessagePreview, Note, ReplyTo
from frontdesk.wire.values import MEDIA_TYPES, MESSAGE_KINDS, REFERRED_PRODUCT, MessageKind

Entry: TypeAlias = Message | Note

# Characters of a family with skin tones, twice.
_LONGEST_EMOJI = 20

# Roles of lines. Written by the sender: text, headers, footers, titles of buttons.
TEXT, HEADER, FOOTER, BUTTON = "text", "header", "footer", "button"
# A type of contents with its facts, and the rows below it: products, options, answers.
CARD, ITEM, DETAIL = "card", "item", "detail"
# Said about a message: a remark, in place of contents, of a deleted message, of a failed one.
REMARK, PLACEHOLDER, DELETED, FAILURE = "remark", "placeholder", "deleted", "failure"
# Where the conversation came from, which the customer did not write.
AD = "ad"
# Words of a file as a program read them, which nobody wrote; they may be wrong.
MACHINE = "machine"
MACHINE_MARK = "≈"
MACHINE_LEAD = f"{MACHINE_MARK} "

# Further rows of long lists and orders are summarised as "and N more".
MOST_ROWS = 10

# Larger amounts of orders are shown as they were sent.
_LARGEST_PRICE = 10**12

_IN_BRACKETS = (CARD, AD, REMARK, PLACEHOLDER, DELETED, FAILURE)
_INDENTED = (ITEM, DETAIL)


class MessageLine(NamedTuple):
    """Line of a message; a `TEXT` and a `MACHINE` may have several. type: of a card, in `KINDS`."""

    role: str
    text: str
    type: str = ""


class AuthorWords(NamedTuple):
    """Words for a kind of author. short: for narrow lists. beside: after the name of one."""

    word: str
    short: str
    beside: str = ""


AUTHORS: Mapping[str, AuthorWords] = MappingProxyType(
    {
        "contact": AuthorWords("Customer", "Customer"),
        "user": AuthorWords("Agent", "Agent"),
        "ai_agent": AuthorWords("AI agent", "AI", "AI agent"),
        "phone": AuthorWords("Business phone", "Phone", "phone app"),
        "campaign": AuthorWords("Campaign", "Campaign"),
        "api": AuthorWords("API", "API"),
        "automation": AuthorWords("Automation", "Auto"),
        "system": AuthorWords("System", "System"),
    }
)


# Types of messages, and what has a word and symbol of its own besides.
KINDS: Mapping[str, MessageKind] = MappingProxyType(
    {**MESSAGE_KINDS, "voice": MessageKind("voice", "🎤"), "product": MessageKind("product", "🛒")}
)
# Types whose text is shown without the word for the type.
_TYPES_SHOWN_AS_TEXT = ("text", CALL, "template", "interactive")


def content_lines(message: Message) -> list[MessageLine]:
    """Contents of a message, and why it was not delivered; never empty."""
    if message.expired_at:
        return [MessageLine(DELETED, "no longer kept")]
    if message.deleted_at:
        who = "the customer" if message.direction == "inbound" else "the sender"
        return [MessageLine(DELETED, f"deleted by {who}")]
    lines = _contents(message)
    if not lines:
        lines = [MessageLine(PLACEHOLDER, type_word(message.type))]
    lines = [*_referral(message), *_product(message), *lines]
    if message.delivery_status == "failed":
        lines.append(MessageLine(FAILURE, _failure(message)))
    return lines


def plain(line: MessageLine, escape: Callable[[str], str] = str) -> str:
    """A line without styles: what the sender did not write is in brackets, or indented.

    escape: applied to all but the brackets and the indentation.
    """
    words = (type_word(line.type), line.text) if line.role == CARD else (line.text,)
    text = escape(" · ".join(filter(None, words)))
    if line.role == BUTTON:
        return f"[ {text} ]"
    if line.role in _IN_BRACKETS:
        return f"[{text}]"
    if line.role == MACHINE:
        return machine_marked(text)
    return f"  {text}" if line.role in _INDENTED else text


def machine_marked(text: str) -> str:
    """Words that a program read, with the mark before each line."""
    return "\n".join(f"{MACHINE_LEAD}{line}" for line in text.split("\n"))


def machine_read(message: Message) -> str:
    """Words of the file of a message as a program read them; "" if there are none."""
    words = message.media.text.text if message.media and message.media.text else None
    return "" if words is None or message.deleted_at or is_blank(words) else words


def machine_facts(message: Message) -> str:
    """Which program read the words of a file, and in which language; "" if nothing was read.

    Example: read by voice (es), may be wrong
    """
    if not machine_read(message) or message.media is None or message.media.text is None:
        return ""
    text = message.media.text
    language = f" ({one_line(text.language)})" if text.language else ""
    return f"read by {one_line(text.program) or 'a program'}{language}, may be wrong"


def read_in_file(kind: str, words: str = "") -> str:
    """Found words that a program read in a file, marked. kind: voice, or the type of the message.

    >>> read_in_file("voice", "la factura")
    '≈ in the voice message: la factura'
    """
    word = "voice message" if kind == "voice" else one_line(type_word(kind))
    return f"{MACHINE_LEAD}in the {word}: {words}"


def plain_text(entry: Entry, escape: Callable[[str], str] = str, *, machine: bool = True) -> str:
    """Contents of an entry without styles, possibly of several lines; `escape` as for `plain`.

    machine: with what a program read in its file.
    """
    if isinstance(entry, Note):
        return escape(entry.text)
    lines = [line for line in content_lines(entry) if machine or line.role != MACHINE]
    return "\n".join(plain(line, escape) for line in lines)


def found_pieces(message: Message) -> Iterator[str]:
    """Texts of a message that a search shows: its lines, and then all that is searched."""
    if message.deleted_at:
        return
    yield from (plain(line) for line in content_lines(message) if line.role != FAILURE)
    if message.media or message.content or message.referral:
        members: dict[str, Any] = {
            "text": True,
            "media": {"filename"},
            "content": True,
            "referral": True,
        }
        yield from message_pieces(message.model_dump(include=members))


def found_pieces_of(members: Mapping[str, Any]) -> tuple[str, ...]:
    """`found_pieces` of the JSON of a message or of a preview; what is searched, if it is neither.

    Members that are missing do not matter.
    """
    is_text = members.get("type", "text") == "text" and not members.get("deleted_at")
    if is_text and not any(map(members.get, ("media", "content", "referral"))):
        # Most messages: a tenth of the time of the model.
        return tuple(strings(members, "text"))
    unknown = {"id": "", "direction": "inbound", "author": "contact", "created_at": ""}
    try:
        message = Message.model_validate({**unknown, **members})
    except ValidationError:
        return tuple(message_pieces(members))
    return tuple(found_pieces(message))


def type_word(type: str) -> str:
    """Word for a type of message, or "voice" for a voice message."""
    return (KINDS[type].word if type in KINDS else "") or humanize(type)


def found_line(match: MessageMatch) -> str:
    """The words around what was found in a message, on one line; of its file, marked."""
    words = one_line(match.excerpt)
    return machine_marked(words) if match.in_file else words


class PreviewText(NamedTuple):
    """Last message of a conversation on one line. type: of which a word or symbol is shown."""

    type: str
    text: str
    deleted: bool = False


def preview_text(preview: MessagePreview, *, machine: bool = True) -> PreviewText:
    """What its sender wrote; with `machine` else what a program read in its file, marked."""
    if preview.deleted:
        return PreviewText("", "", deleted=True)
    text = shown_line(preview.text)
    if machine and not text and (words := shown_line(preview.media_text)):
        text = machine_marked(words)
    shown_as_text = preview.type in _TYPES_SHOWN_AS_TEXT and text
    return PreviewText("" if shown_as_text else preview.type, text)


def plain_preview(preview: MessagePreview, *, machine: bool = True) -> str:
    """The last message of a conversation on one line, without styles.

    machine: show what a program read in its file, if its sender wrote nothing.
    """
    shown = preview_text(preview, machine=machine)
    word = "deleted" if shown.deleted else type_word(shown.type) if shown.type else ""
    return " ".join(filter(None, (f"[{word}]" if word else "", shown.text)))


# Who


def author_word(name: str) -> str:
    """Display name of a kind of author."""
    if name in AUTHORS:
        return AUTHORS[name].word
    kind = humanize(one_line(name))
    return "Unknown author" if kind == "unknown" else f"Unknown author ({kind})"


def author_parts(entry: Entry, contact: str = "") -> tuple[str, str]:
    """Name of the author, and what they are or the name of the campaign; either may be a kind.

    contact: name of the customer.
    """
    word = author_word(entry.author)
    name = shown_line(entry.author_ref.name) if entry.author_ref else ""
    if entry.author == "contact":
        return name or shown_line(contact) or word, ""
    if entry.author == "user" or not name:
        return name or word, ""
    beside = AUTHORS[entry.author].beside if entry.author in AUTHORS else ""
    return (name, beside) if beside else (word, name)


def author_name(entry: Entry, contact: str = "") -> str:
    """The author on one line: Ana, AI agent Ada, Campaign Spring sale."""
    name, _ = author_parts(entry, contact)
    own = shown_line(entry.author_ref.name) if entry.author_ref else ""
    if entry.author in ("contact", "user") or not own:
        return name
    return f"{author_word(entry.author)} {own}"


def person_word(author: str, contact: str = "") -> str:
    """An author of whom only the kind is known. contact: name of the customer."""
    return (shown_line(contact) if author == "contact" else "") or author_word(author)


# What became of a message


def head_marks(message: Message) -> list[str]:
    """What is said beside the author: the template, and that the message was forwarded."""
    marks = []
    if message.type == "template":
        marks.append(f"template {one_line(str(_content(message).get('name', '')))}".strip())
    if message.forwarded:
        marks.append("forwarded many times" if message.forwarded == "many" else "forwarded")
    return marks


def state_marks(message: Message, contact: str = "", *, reactions: bool = True) -> list[str]:
    """What became of a message: edited, its reactions, and how far it was delivered."""
    status = message.delivery_status if message.direction == "outbound" else None
    marks = ["edited"] if message.edited_at else []
    marks += reaction_words(message, contact) if reactions else []
    return marks if status in (None, "", "failed") else [*marks, humanize(status or "")]


def quoted_text(reply: ReplyTo) -> str:
    """The beginning of a quoted message on one line; "" if it has no text."""
    return shown_line(reply.text)


def quoted_words(reply: ReplyTo) -> str:
    """The beginning of a quoted message, else what it is."""
    kind = f"[{type_word(reply.kind)}]" if reply.kind else "a message"
    return quoted_text(reply) or kind


def reaction_words(message: Message, contact: str = "") -> list[str]:
    """The reactions to a message, each with its author."""
    return [
        f"{_emoji_words(reaction.emoji)} {person_word(reaction.author, contact)}"
        for reaction in message.reactions
    ]


def emoji_of(reaction: Message) -> str:
    """Emoji of a reaction; "" if it was taken back."""
    return one_line(str(_content(reaction).get("emoji") or ""))


def _emoji_words(emoji: str) -> str:
    """An emoji; a text in its place is in quotes, and cut."""
    emoji = one_line(emoji)
    is_text = len(emoji) > _LONGEST_EMOJI or any(one.isalpha() or one == " " for one in emoji)
    return quoted(shortened(emoji, _LONGEST_EMOJI)) if is_text else emoji


def event_words(message: Message) -> str:
    """Words of a reaction, after the name of its author, or of a system message."""
    if message.type == "reaction":
        emoji = emoji_of(message)
        return f"reacted {_emoji_words(emoji)}" if emoji else "took a reaction back"
    text = one_line(message.text or "")
    return text or humanize(str(_content(message).get("event") or "system event"))


def _failure(message: Message) -> str:
    error = message.error
    if error is None:
        return "Not delivered"
    details = f" — {one_line(error.details)}" if error.details else ""
    return f"Not delivered: {one_line(error.title)} ({error.code}){details}"


# Contents by type


def _contents(message: Message) -> list[MessageLine]:
    if message.media is not None or message.type in MEDIA_TYPES:
        return _media(message)
    return _CONTENTS.get(message.type, _other)(message)


def _other(message: Message) -> list[MessageLine]:
    card = [_card(message.type)] if message.type in KINDS else []
    return [*card, *_text(message)]


def _text(message: Message) -> list[MessageLine]:
    return [MessageLine(TEXT, message.text)] if message.text and not is_blank(message.text) else []


# What is said of a file that does not come any more.
_LOST: Mapping[str, str] = MappingProxyType(
    {
        "expired": "no longer available",
        "failed": "not available",
        "refused": "not kept by the server",
        "removed": "deleted",
    }
)


def _card(type: str, *facts: str) -> MessageLine:
    return MessageLine(CARD, " · ".join(filter(None, facts)), type)


def _media(message: Message) -> list[MessageLine]:
    """Kind, size and name of a file; below it the caption, and what a program read in the file."""
    media = message.media or Media()
    size = file_size(media.size_bytes) if media.size_bytes is not None else ""
    type = "voice" if message.type == "audio" and media.voice else message.type
    animated = "animated" if media.animated else ""
    length = play_time(media.duration_ms) if media.duration_ms else ""
    lost = _LOST.get(media.status or "", "")
    name = one_line(media.filename or "")
    card, words = _card(type, animated, length, size, name, lost), machine_read(message)
    return [card, *_text(message), *([MessageLine(MACHINE, words)] if words else [])]


def play_time(milliseconds: int) -> str:
    """Length of a sound or video, as 0:14 or 1:02:03."""
    minutes, seconds = divmod(round(milliseconds / 1000), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _location(message: Message) -> list[MessageLine]:
    content = _content(message)
    place, point = _join(content, "name", "address"), _join(content, "latitude", "longitude")
    url = _field(content, "url")
    link = [MessageLine(DETAIL, url)] if url else []
    return [_card("location", place, point), *link, *_text(message)]


def _call(message: Message) -> list[MessageLine]:
    """What a call was, and its length; its text if that is not known."""
    content = _content(message)
    if content.get("status") not in CALL_STATUSES:
        return _text(message)
    return [_card(call_kind(content), call_details(content))]


def _contacts(message: Message) -> list[MessageLine]:
    """A card for each contact: name, company, numbers, e-mail addresses; the rest below it."""
    cards = []
    for contact in _dicts(_content(message), "contacts"):
        numbers = [one_line(str(p.get("phone") or "")) for p in _dicts(contact, "phones")]
        emails = [one_line(str(e.get("email") or "")) for e in _dicts(contact, "emails")]
        names = [_field(contact, name) for name in ("name", "org", "title")]
        cards.append(_card("contacts", *names, *numbers, *emails))
        cards += _contact_details(contact)
    return cards or _text(message)


def _contact_details(contact: Mapping[str, Any]) -> list[MessageLine]:
    """Addresses, web addresses and birthday of a shared contact."""
    addresses = (_join(each, *_ADDRESS) for each in _dicts(contact, "addresses")[:MOST_ROWS])
    urls = (_field(each, "url") for each in _dicts(contact, "urls")[:MOST_ROWS])
    details = [
        *(("address", address) for address in addresses),
        *(("web", url) for url in urls),
        ("birthday", _field(contact, "birthday")),
    ]
    return [MessageLine(DETAIL, f"{name}: {value}") for name, value in details if value]


def _order(message: Message) -> list[MessageLine]:
    items = _dicts(_content(message), "items")
    lines = [_card("order", counted(len(items), "item"))]
    for item in [item for item in items if item][:MOST_ROWS]:
        product = _field(item, "product_retailer_id") or "product"
        line = f"{_field(item, 'quantity') or '1'} × {product}  {_item_price(item)}"
        lines.append(MessageLine(ITEM, line.rstrip()))
    return [*lines, *_more(items), *_text(message)]


def _item_price(item: Mapping[str, Any]) -> str:
    amount, currency = item.get("item_price"), _field(item, "currency")
    if isinstance(amount, int | float) and abs(amount) <= _LARGEST_PRICE:
        return price(amount, currency)
    return f"{_field(item, 'item_price')} {currency}".strip()


def _interactive(message: Message) -> list[MessageLine]:
    """Interactive message with its options, or the reply to one."""
    content = _content(message)
    kind = str(content.get("kind") or "")
    if kind.endswith("reply"):
        return _reply(message, content, kind)
    lines = _titled(content.get("header"))
    lines += _text(message) or [MessageLine(TEXT, _field(content, "body"))]
    for section in _dicts(content, "sections"):
        lines += _section(section, message_text=one_line(message.text or ""))
    lines += _footer(content.get("footer"))
    return [line for line in lines if line.text] + _buttons(content)


def _reply(message: Message, content: Mapping[str, Any], kind: str) -> list[MessageLine]:
    """Selected option, answer about calls, or the answers of a form, one per line."""
    if kind == "call_permission_reply":
        return _call_permission(message, content)
    lines = _text(message)
    if kind in _CHOICES and lines:
        lines = [MessageLine(TEXT, f"chose: {message.text}")]
    elif kind in _REPLIES:
        lines = [MessageLine(REMARK, _REPLIES[kind]), *lines]
    else:
        lines = [MessageLine(PLACEHOLDER, humanize(kind)), *lines]
    if _field(content, "description"):
        lines.append(MessageLine(DETAIL, _field(content, "description")))
    response = content.get("response")
    if isinstance(response, Mapping):
        answers = {name: value for name, value in response.items() if name != FLOW_TOKEN}
        for name, value in list(answers.items())[:MOST_ROWS]:
            words = _answer(value, is_generated=_GENERATED.match(name) is not None)
            lines.append(MessageLine(DETAIL, f"{_question(name)}: {words}"))
        lines += _more(list(answers))
    elif isinstance(response, str):
        lines.append(MessageLine(DETAIL, one_line(response)))
    return [line for line in lines if line.text]


def _question(name: str) -> str:
    """Name of a field of a form."""
    generated = _GENERATED.match(name)
    return humanize(one_line(generated["label"] if generated else name))


def _answer(value: object, *, is_generated: bool = False, depth: int = 0) -> str:
    """Value of a field of a form in words.

    is_generated: by the editor of forms, which puts the place of a choice before its title.
    """
    if depth > _DEEPEST:
        return "…"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        joint = "; " if any(isinstance(each, Mapping) for each in value) else ", "
        return joint.join(
            _answer(each, is_generated=is_generated, depth=depth + 1) for each in value
        )
    if isinstance(value, Mapping):
        return _file_answer(value) or ", ".join(
            f"{_question(str(name))}: {_answer(each, depth=depth + 1)}"
            for name, each in value.items()
        )
    if value is None:
        return "–"
    text = one_line(str(value))
    return _PLACE.sub("", text) if is_generated else text


def _file_answer(value: Mapping[str, Any]) -> str:
    """Kind and name of a file that a form was sent with; "" for other values."""
    mime_type, name = _field(value, "mime_type"), _field(value, "file_name")
    if not (mime_type or name):
        return ""
    kind = mime_type.partition("/")[0]
    return f"{type_word(kind if kind in MEDIA_TYPES else 'document')} {name}".strip()


def _call_permission(message: Message, content: Mapping[str, Any]) -> list[MessageLine]:
    """Answer about calls, and what else the customer wrote."""
    response = content.get("response")
    answer = _field(response, "response") if isinstance(response, Mapping) else ""
    words = {"accept": "allowed calls", "reject": "declined calls"}.get(answer)
    if words is None:
        return [MessageLine(REMARK, "answered whether to be called"), *_text(message)]
    return [MessageLine(REMARK, words), *(_text(message) if message.text != answer else [])]


def _section(section: Mapping[str, Any], *, message_text: str) -> list[MessageLine]:
    """Title, unless it repeats the text, and the options of a section."""
    rows = _dicts(section, "rows") + _dicts(section, "product_items")
    title = _field(section, "title")
    lines = [MessageLine(DETAIL, title)] if title and title != message_text else []
    for row in rows[:MOST_ROWS]:
        title = _field(row, "title") or _field(row, "product_retailer_id")
        description = _field(row, "description")
        lines.append(
            MessageLine(DETAIL, f"▪ {title}" + (f" — {description}" if description else ""))
        )
    return [*lines, *_more(rows)]


def _template(message: Message) -> list[MessageLine]:
    """Header, body, footer and buttons; without a known body, its parameters."""
    content = _content(message)
    components = _dicts(content, "components")
    lines: list[MessageLine] = []
    for component in components:
        if _kind(component) == "header":
            lines += _header_of(component)
    lines += _text(message) or [
        MessageLine(TEXT, value)
        for component in components
        if _kind(component) == "body"
        for value in _values(component)
    ]
    for component in components:
        if _kind(component) == "footer":
            lines += _footer(component.get("text"))
    for component in components:
        if _kind(component) in ("button", "buttons"):
            button = humanize(_field(component, "sub_type") or "button")
            lines += _buttons(component) or [MessageLine(BUTTON, button)]
    return lines


def _header_of(component: Mapping[str, Any]) -> list[MessageLine]:
    """Text of the header, or the type of its media."""
    text = _field(component, "text") or " ".join(_values(component))
    kinds = [str(p.get("type")) for p in _dicts(component, "parameters") if p.get("type") != "text"]
    kind = _field(component, "format").casefold()
    if not text and (kinds or kind not in ("", "text")):
        return [MessageLine(PLACEHOLDER, type_word(kinds[0] if kinds else kind))]
    return [MessageLine(HEADER, text)] if text else []


def _titled(header: Any) -> list[MessageLine]:
    """Header of an interactive message: its text, or the type of its media."""
    if isinstance(header, Mapping):
        text, kind = _field(header, "text"), _field(header, "type")
        if text:
            return [MessageLine(HEADER, text)]
        return [MessageLine(PLACEHOLDER, type_word(kind))] if kind else []
    return [MessageLine(HEADER, one_line(str(header)))] if header else []


def _footer(footer: Any) -> list[MessageLine]:
    text = _field(footer, "text") if isinstance(footer, Mapping) else one_line(str(footer or ""))
    return [MessageLine(FOOTER, text)] if text else []


def _buttons(content: Mapping[str, Any]) -> list[MessageLine]:
    titles = (_field(b, "title") or _field(b, "text") for b in _dicts(content, "buttons"))
    return [MessageLine(BUTTON, title) for title in titles if title]


def _event(message: Message) -> list[MessageLine]:
    if message.type == "system" and message.text:
        return _text(message)
    return [MessageLine(REMARK, event_words(message))]


def _unsupported(message: Message) -> list[MessageLine]:
    """Reason why the message cannot be shown, and its text if any."""
    content = _content(message)
    reason, kind = _field(content, "reason"), _field(content, "original_type")
    if reason == "media_placeholder":
        words = _LEFT_OUT.get(message.source or "", "file: it was not delivered yet")
    elif reason == "content_not_received":
        words = "sent by another system: its contents were not delivered here"
    else:
        known = kind not in _NO_KINDS
        words = f"not shown here: {humanize(kind)}" if known else "message not shown here"
    lines = [MessageLine(PLACEHOLDER, words)]
    for error in _dicts(content, "errors")[:1]:
        said = [_field(error, "title"), _field(error, "details")]
        lines += [MessageLine(DETAIL, text) for text in dict.fromkeys(said) if text]
    return [*lines, *_text(message)]


def _referral(message: Message) -> list[MessageLine]:
    """The advertisement or post that started the conversation."""
    referral = message.referral or {}
    source = _field(referral, "source_type")
    told = [_field(referral, name) for name in ("headline", "body", "source_url")]
    words = " · ".join(filter(None, told)) or source
    what = "a post" if source == "post" else "an ad"
    return [MessageLine(AD, f"came from {what}: {words}")] if words else []


def _product(message: Message) -> list[MessageLine]:
    """The product of the catalogue that the message asks about."""
    product = _content(message).get(REFERRED_PRODUCT)
    name = _field(product, "product_retailer_id") if isinstance(product, Mapping) else ""
    return [MessageLine(REMARK, f"asks about product {name}")] if name else []


# Parts of an address, as they are written in one line.
_ADDRESS = ("street", "city", "state", "zip", "country")
# Names of fields that the editor of forms makes, with the label inside: screen_0_Size_1. Choices of
# such fields are 0_Large.
_GENERATED = re.compile(r"^screen_\d+_(?P<label>.+)_\d+$")
_PLACE = re.compile(r"^\d+_(?=.)")
# Answers may be nested; this is deeper than any form is.
_DEEPEST = 8

# Kinds of replies whose text is the title of an option.
_CHOICES = ("button_reply", "list_reply", "quick_reply")
_REPLIES: Mapping[str, str] = {
    **dict.fromkeys(_CHOICES, "chose an option"),
    "flow_reply": "filled in a form",
}
# Files that are not stored, by the source of the message.
_LEFT_OUT: Mapping[str, str] = {
    "chat_export": "photo, video or other file: left out of the exported chat",
}
# Names of types that say nothing.
_NO_KINDS = ("", "unknown", "unsupported")
_CONTENTS: Mapping[str, Callable[[Message], list[MessageLine]]] = {
    "text": _text,
    CALL: _call,
    "contacts": _contacts,
    "interactive": _interactive,
    "location": _location,
    "order": _order,
    "reaction": _event,
    "system": _event,
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
    return shown_line(str(value)) if isinstance(value, str | int | float) else ""


def _join(content: Mapping[str, Any], *names: str) -> str:
    return ", ".join(text for text in (_field(content, name) for name in names) if text)


def _kind(component: Mapping[str, Any]) -> str:
    return _field(component, "type").casefold()


def _values(component: Mapping[str, Any]) -> list[str]:
    values = (one_line(parameter_text(each)) for each in _dicts(component, "parameters"))
    return [value for value in values if value]


def _more(rows: Sequence[object]) -> list[MessageLine]:
    hidden = len(rows) - MOST_ROWS
    return [MessageLine(DETAIL, f"and {hidden} more")] if hidden > 0 else []
