"""An inbox with control sequences in every text, and the effects they would have."""

import json
from collections.abc import Iterator
from pathlib import Path

from click.testing import CliRunner

from frontdesk.cli.commands.import_ import import_group
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import (
    ADDRESS_BOOK_NAME,
    Author,
    CannedResponseUpsert,
    ChannelUpsert,
    ContactUpsert,
    ConversationEvent,
    CustomFieldUpsert,
    DomainEvent,
    LabelUpsert,
    MessageUpsert,
    NoteUpsert,
    Person,
    ReactionSet,
    StatusUpdate,
    TeamUpsert,
    TemplateUpsert,
    UserUpsert,
)
from frontdesk.store.sqlite import SQLiteDatabase

# Sequences that a terminal obeys. None of their bodies is one that the viewer itself writes.
SEQUENCES = (
    "\x1b]52;c;U1RPTEVO\x07",
    "\x1b]52;c;?\x07",
    "\x1b]0;PWNED\x07",
    "\x1b]8;;http://evil.example/\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]9;BEEP\x07",
    "\x1bP$qPWNED\x1b\\",
    "\x1b_GPWNED\x1b\\",
    "\x1b^PWNED\x1b\\",
    "\x1bXPWNED\x1b\\",
    "\x1b[31;41;6mred",
    "\x1b[3J",
    "\x1b[66;166r",
    "\x1b[8;6;66t",
    "\x1b[66C",
    "\x1b[?1047l",
    "\x1b[?9001h",
    "\x1b#8",
    "\x1bc",
    "\x1b(0",
    "\x9b66C",
    "\x9d0;PWNED\x9c",
    "\x90qPWNED\x9c",
    "\x85\x84",
    "nul\x00 bel\x07 bs\x08\x08\x08\x08 del\x7f",
    "so\x0e si\x0f vt\x0b ff\x0c",
    "good\rEVIL",
)

# Texts that no terminal obeys, but that a careless program trips over.
TRAPS = (
    "[@click=app.quit]press[/]",
    "[/nope]",
    "[red]r[/red] [link=http://evil.example]l[/link] [b",
    "\\[escaped] \\",
    "{0} {name} %s %(name)s $HOME `id`",
    "\u202eexe.gnp\u202c \u2066in\u2069 \u200eltr",
    "a\u200bb\u2060c\ufeffd\u00ad",
    "one\ntwo\r\nthree\u2028four\tfive",
    "Z" + "\u0336\u0310\u0301\u0302" * 60 + "algo",
    "a\u200db\u200dc\u200dd" * 20,
    "👩\u200d👩\u200d👧 👍🏽 ❤\ufe0f 🏽🏽",
    "漢字" * 40,
    "W" * 10_000,
    "\u3164\u115f",
    "*_~`",
    "../../etc/passwd",
    "-rf --help",
)
HOSTILE = (*SEQUENCES, *TRAPS)

CHANNEL, ME = "106540352242922", "me@example.com"
_SECOND = 1000
_ACCOUNT = 1


def greeting(number: int) -> str:
    """The harmless text with which a conversation begins, by which it is known on the screen."""
    return f"hello {number:02}."


def gallery_entry(number: int) -> str:
    """Harmless text before each hostile one in the gallery."""
    return f"entry {number:02}."


def make_hostile_inbox(path: Path, *, now: int) -> int:
    """A new database at `path`, as of `now` (milliseconds); how many conversations it has.

    The newest conversation is the gallery: every kind of entry, each with hostile parts.
    """
    database = SQLiteDatabase(path, create=True, durable=False)
    events = [*_catalogue(now), *_conversations(now), *_gallery(now)]
    try:
        database.write(lambda connection: apply_events(connection, _ACCOUNT, events, now=now))
    finally:
        database.close()
    _import_webhook(path, now)
    return len(HOSTILE) + 2


def _catalogue(now: int) -> Iterator[DomainEvent]:
    yield UserUpsert(ME, "Me [@click=app.quit]", now, email=ME)
    yield ChannelUpsert(CHANNEL, now, phone="+34600000001", alias="Main [/nope]")
    for number, text in enumerate(HOSTILE):
        yield LabelUpsert(f"{number:02} {text[:200]}", now, description=text)
        yield UserUpsert(f"{number}@example.com", f"{text[:200]}", now, availability=text[:30])
        yield CannedResponseUpsert(f"{number} {text}", text, now)
        yield CustomFieldUpsert(f"{number} {text}", f"{number} {text}", now, description=text)
        yield _template(number, text, now)
    for number, text in enumerate(SEQUENCES[:6]):
        details = {"verified_name": text, "quality_rating": text, "status": text}
        yield ChannelUpsert(
            f"10654035224293{number}",
            now,
            display_phone_number=text,
            alias=f"{number} {text}",
            details=details,
        )
        yield TeamUpsert(f"{number} {text}", now, description=text, channels=(CHANNEL,))


def _template(number: int, text: str, now: int) -> TemplateUpsert:
    """A template with a hostile part in every text."""
    button = {"type": "QUICK_REPLY", "text": text, "url": text, "phone_number": text}
    parts = (
        {"type": "HEADER", "format": "TEXT", "text": text},
        {"type": "BODY", "text": f"{text} {{{{1}}}}", "example": {"body_text": [[text]]}},
        {"type": "FOOTER", "text": text},
        {"type": "BUTTONS", "buttons": [button]},
        {"type": text, "text": text},
    )
    return TemplateUpsert(
        f"template {number}",
        f"{number:02} {text[:200]}",
        text[:20] or "en",
        now,
        parts,
        category=text[:50],
        status=text[:50],
        quality_score=text[:50],
        rejected_reason=text[:50],
    )


def _conversations(now: int) -> Iterator[DomainEvent]:
    """One for each hostile text: it is the customer's name, a label, and what was said last."""
    for number, text in enumerate(HOSTILE):
        person = Person(phone=f"+16505550{number:03}", wa_id=f"16505550{number:03}")
        at = now - (100 + number) * _SECOND
        yield ContactUpsert(person, at, name=text, name_rank=ADDRESS_BOOK_NAME, profile_name=text)
        yield _message(person, f"greeting {number}", at - _SECOND, text=greeting(number))
        yield _message(person, f"conversation {number}", at, text=text[:2000])
        title = f"{number:02} {text[:200]}"
        yield _happens(person, f"label {number}", at, "labelled", title=title, on=True)
        yield _happens(person, f"assign {number}", at, "assigned", user=f"{number}@example.com")


def _gallery(now: int) -> Iterator[DomainEvent]:
    person = Person(phone="+16505559999", wa_id="16505559999")
    start = now - 90 * _SECOND
    yield ContactUpsert(
        person,
        now,
        name="Gallery",
        name_rank=ADDRESS_BOOK_NAME,
        profile_name=SEQUENCES[0],
        username=SEQUENCES[2],
        email=SEQUENCES[3],
        custom_fields={f"{n} {text}": text for n, text in enumerate(HOSTILE)},
    )
    for number, text in enumerate(HOSTILE):
        at, name = start + number * _SECOND, f"gallery {number}"
        short = text[:300]
        yield _message(person, f"{name} before", at, text=gallery_entry(number))
        yield from _every_kind(person, name, at, short, number)
    yield NoteUpsert(CHANNEL, person, "last", now, "last of the notes", Author("user", ME))
    yield _message(person, "gallery end", now, text="end of the gallery")


def _every_kind(
    person: Person, name: str, at: int, text: str, number: int
) -> Iterator[DomainEvent]:
    """An entry of some kind, with `text` in every text member."""
    media = {"id": "1", "mime_type": text, "filename": text, "size_bytes": 5}
    button = {"title": text, "text": text}
    card = {"name": text, "phones": [{"phone": text}]}
    kinds = (
        ("document", None, media),
        ("location", {"name": text, "address": text, "latitude": text}, None),
        ("contacts", {"contacts": [card]}, None),
        ("interactive", {"kind": f"{text}reply", "buttons": [button]}, None),
        ("template", {"name": text, "buttons": [button]}, None),
        ("unsupported", {"reason": "unknown_type", "original_type": text}, None),
        ("system", {"event": text}, None),
        (text[:40] or "x", {"name": text}, None),
    )
    type_, content, media_or_none = kinds[number % len(kinds)]
    yield MessageUpsert(
        CHANNEL,
        person,
        name,
        at,
        True,
        Author(text[:40], None, text) if number % 2 else Author("campaign", None, text),
        type_,
        "webhook",
        text=text if number % 3 else None,
        content=content,
        media=media_or_none,
        reply_wamid=f"conversation {number}",
        forwarded="many",
        live=False,
    )
    yield StatusUpdate(
        CHANNEL, person, name, at, "failed", {"code": 131026, "title": text, "details": text}
    )
    yield ReactionSet(CHANNEL, f"{name} before", "+16505559999", text[:20], at, False, "contact")
    yield NoteUpsert(CHANNEL, person, name, at, text, Author("ai_agent", None, text))


def _message(person: Person, wamid: str, at: int, *, text: str) -> MessageUpsert:
    author = Author("contact")
    return MessageUpsert(
        CHANNEL, person, wamid, at, False, author, "text", "webhook", text=text, live=False
    )


def _happens(person: Person, key: str, at: int, name: str, **value: object) -> ConversationEvent:
    return ConversationEvent(CHANNEL, person, key, at, name, value)


def _import_webhook(path: Path, now: int) -> None:
    """The same by the front door: half characters, as only JSON can write them."""
    text = "half \ud83d character \udc4d"
    message = {
        "from": "16505558888",
        "id": "wamid.half",
        "timestamp": str(now // _SECOND - 95),
        "type": "text",
        "text": {"body": text},
    }
    value = {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "+34 600 00 00 01", "phone_number_id": CHANNEL},
        "contacts": [{"profile": {"name": text}, "wa_id": "16505558888"}],
        "messages": [message],
    }
    body = {"entry": [{"id": "1", "changes": [{"field": "messages", "value": value}]}]}
    file = path.with_suffix(".ndjson")
    file.write_text(json.dumps(body) + "\n")
    result = CliRunner().invoke(import_group, ["events", str(file), "--database", str(path)])
    assert result.exit_code == 0, result.output
