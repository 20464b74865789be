"""Strings that have broken other programs, and an inbox with each in every text."""

import json
from collections.abc import Iterator
from pathlib import Path

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
    TeamUpsert,
    TemplateUpsert,
    UserUpsert,
)
from frontdesk.store.sqlite import SQLiteDatabase

STRINGS: tuple[str, ...] = tuple(
    json.loads(Path(__file__).with_name("strings.json").read_text(encoding="utf-8"))
)
ME = "me@example.com"
_CHANNEL, _SECOND = "106540352242922", 1000


def make_naughty_inbox(path: Path, *, now: int) -> None:
    """A database in which each of them is a name, a label, a message, a template and the rest.

    The newest conversation has all of them as messages and notes; now in milliseconds.
    """
    database = SQLiteDatabase(path, create=True, durable=False)
    try:
        events = [*_catalogue(now), *_conversations(now), *_gallery(now)]
        database.write(lambda connection: apply_events(connection, 1, events, now=now))
    finally:
        database.close()


def _catalogue(now: int) -> Iterator[DomainEvent]:
    yield UserUpsert(ME, "Me", now, email=ME)
    yield ChannelUpsert(_CHANNEL, now, phone="+34600000001", alias="Main")
    for number, text in enumerate(STRINGS):
        name = f"{number} {text}"
        yield LabelUpsert(name, now, description=text)
        yield UserUpsert(f"{number}@example.com", name, now, availability=text)
        yield TeamUpsert(name, now, description=text, channels=(_CHANNEL,))
        yield CannedResponseUpsert(name, text or "-", now)
        yield CustomFieldUpsert(name, name, now, description=text)
        body = {"type": "BODY", "text": f"{text} {{{{1}}}}", "example": {"body_text": [[text]]}}
        button = {"type": "URL", "text": text, "url": text}
        parts = (
            {"type": "HEADER", "format": "TEXT", "text": text},
            body,
            {"type": "BUTTONS", "buttons": [button]},
        )
        yield TemplateUpsert(f"t{number}", name, "en", now, parts, category=text, status=text)
    for number, text in enumerate(STRINGS[::20]):
        yield ChannelUpsert(f"10654035224{number:04}", now, alias=text or "-")


def _conversations(now: int) -> Iterator[DomainEvent]:
    for number, text in enumerate(STRINGS):
        person = Person(phone=f"+1650551{number:04}", wa_id=f"1650551{number:04}")
        at = now - (100 + number) * _SECOND
        yield ContactUpsert(person, at, name=text, name_rank=ADDRESS_BOOK_NAME, profile_name=text)
        yield _message(person, f"c{number}", at, text or "-")
        label = {"title": f"{number} {text}", "on": True}
        yield ConversationEvent(_CHANNEL, person, f"l{number}", at, "labelled", label)
        user = {"user": f"{number}@example.com"}
        yield ConversationEvent(_CHANNEL, person, f"a{number}", at, "assigned", user)


def _gallery(now: int) -> Iterator[DomainEvent]:
    person = Person(phone="+16505599999", wa_id="16505599999")
    fields = {f"{number} {text}": text for number, text in enumerate(STRINGS)}
    yield ContactUpsert(
        person, now, name="Gallery", name_rank=ADDRESS_BOOK_NAME, custom_fields=fields
    )
    start = now - 90 * _SECOND
    for number, text in enumerate(STRINGS):
        at = start + number * 100
        yield _message(person, f"g{number}", at, text or "-")
        author = Author("ai_agent", None, text)
        yield NoteUpsert(_CHANNEL, person, f"n{number}", at, text or "-", author)
    yield _message(person, "end", now, "end of the gallery")


def _message(person: Person, wamid: str, at: int, text: str) -> MessageUpsert:
    return MessageUpsert(
        _CHANNEL, person, wamid, at, False, Author("contact"), "text", "webhook", text, live=False
    )
