"""Contact pane: identity, conversation, custom fields, notes, other conversations."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from rich.cells import cell_len

from frontdesk.inbox.rows import FixedRows
from frontdesk.text.clean import first_non_blank, one_line
from frontdesk.text.phones import channel_name, format_phone, username
from frontdesk.text.times import ago, long_duration, short_date, time_of_day
from frontdesk.tui import sentences
from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets.chips import chip
from frontdesk.tui.widgets.conversation_row import owner_name, stage, window_left
from frontdesk.tui.widgets.text_layout import Piece, cut, fit, spread, width_of, wrap
from frontdesk.tui.widgets.virtual_list import VirtualList
from frontdesk.wire import Contact, Conversation, CustomField, Note, PhoneRef, instant


class Fact(NamedTuple):
    """Row of the pane: a heading (label only), a named value, or a plain value.

    `conversation_id`: enter opens that conversation. `copied`: text for the copy action, if it is
    not the value. `chips`: labels and their colours, drawn instead of the value. `about`: what it
    means, for a reader who stands on it.
    """

    label: str
    value: str = ""
    part: str = "text"
    conversation_id: str | None = None
    copied: str = ""
    chips: Sequence[tuple[str, str | None]] = ()
    about: str = ""

    @property
    def heads(self) -> bool:
        """True for a heading, which starts a group."""
        return bool(self.label) and not self.value


class ContactPanel(VirtualList[Fact]):
    """Draws facts: headings, and values wrapped beside their names."""

    HALF_PAGE_AT_EDGE = False
    CHOSEN = ("chosen", "ground")

    def show_facts(self, facts: Sequence[Fact], *, keep_place: bool) -> None:
        """Show these facts; `keep_place` if they belong to the same contact as before."""
        self.rows = FixedRows([(f"{at}", fact) for at, fact in enumerate(facts)])
        if keep_place:
            self.rows_changed()
        else:
            self.show(self.rows)

    def step_group(self, step: int) -> bool:
        """Move to the next (1) or previous (-1) group; False if there is none.

        The first group has no heading.
        """
        facts = self.rows
        starts = [at for at in range(len(facts)) if not at or facts[at].heads]
        here = sum(start <= self.cursor for start in starts) - 1
        has_group = bool(starts) and 0 <= here + step < len(starts)
        if has_group:
            start, end = [*starts, len(facts)][here + step : here + step + 2]
            # Reveal the end first, so that as much of the group as possible is visible.
            self.go_to(end - 1)
            self.go_to(start)
        return has_group

    def copied(self) -> str:
        return (self.row.copied or self.row.value) if self.row else ""

    def words_at(self, position: int) -> str:
        return f"{self.rows[position].label} {self.rows[position].value}"

    def labels_of(self, position: int) -> Sequence[str]:
        return [label for label, _ in self.rows[position].chips]

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        plain = self.is_attached and self.plain_labels
        return fact_lines(self.rows[position], width, plain=plain)


# Width of the names, where values have room beside them.
_LABEL_WIDTH = 16


def fact_lines(fact: Fact, width: int, *, plain: bool = False) -> list[list[Piece]]:
    """Lines of a heading (below a blank line), a value, or a value beside its name.

    plain: chips have no ground, for terminals with sixteen colours.
    """
    if fact.heads:
        return [[("text", fit("", width))], [("strong", fit(fact.label, width))]]
    if not fact.label:
        return [[(fact.part, fit(line, width))] for line in wrap(fact.value, width)]
    label_width = min(max(10, width * 9 // 20), width // 2, _LABEL_WIDTH)
    needed = cell_len(fact.label) + 1
    if not fact.chips and needed + cell_len(fact.value) <= width:
        # Both fit into one line: neither is cut to keep the columns.
        label_width = max(label_width, needed)
    beside = width - label_width
    label = fit(cut(fact.label, label_width - 1), label_width)
    lines: list[list[Piece]]
    if fact.chips:
        lines = _chip_lines(fact.chips, beside, plain=plain)
    else:
        lines = [[(fact.part, fit(line, beside))] for line in wrap(fact.value, beside)]
    return [
        [("dim", label if not at else " " * label_width), *line] for at, line in enumerate(lines)
    ]


def _chip_lines(
    labels: Sequence[tuple[str, str | None]], width: int, *, plain: bool
) -> list[list[Piece]]:
    """Labels side by side, in as many lines as they need."""
    lines: list[list[Piece]] = [[]]
    for title, colour in labels:
        drawn = chip(cut(title, width - 2), colour, plain=plain)
        if lines[-1] and width_of([*lines[-1], drawn]) > width:
            lines.append([])
        lines[-1] += [drawn, ("text", " ")]
    return [spread(line[:-1], [], width) for line in lines]


class FactContext(NamedTuple):
    """State that facts depend on: clock, the own user's id or "", colours of labels by title."""

    clock: Clock
    me: str = ""
    colours: Mapping[str, str] = MappingProxyType({})


def brief_facts(conversation: Conversation, context: FactContext) -> list[Fact]:
    """Facts from the conversation alone, without access to the cache."""
    return [*_identity(conversation.contact, None), *_conversation(conversation, context)]


def contact_facts(
    conversation: Conversation,
    contact: Contact | None,
    fields: Sequence[CustomField],
    notes: Sequence[Note] | None,
    of_customer: Sequence[Conversation],
    context: FactContext,
    *,
    head: str = "",
    no_contact: str = "",
    no_notes: str = "",
) -> list[Fact]:
    """All facts of the pane; `notes` newest first, None if they were never loaded.

    of_customer: cached conversations of the contact, below `head` if others are among them.
    no_contact, no_notes: why the server does not provide them, or empty.
    """
    facts = _identity(conversation.contact, contact)
    if no_contact and contact is None:
        facts.append(Fact("", f"{no_contact}.", "dim"))
    facts += _conversation(conversation, context)
    facts += _custom_fields(contact, fields, no_contact)
    facts += _notes(notes, context.clock, no_notes)
    if any(one.id != conversation.id for one in of_customer):
        facts += _conversations(of_customer, context.clock, head, shown=conversation.id)
    return facts


def _notes(notes: Sequence[Note] | None, clock: Clock, no_notes: str) -> list[Fact]:
    """Heading and notes; the heading has their number unless that is unknown."""
    known = notes is not None and (bool(notes) or not no_notes)
    facts = [Fact(f"Notes ({len(notes or ())})" if known else "Notes")]
    if no_notes or notes is None:
        facts.append(Fact("", f"{no_notes}." if no_notes else "not loaded yet", "dim"))
    for note in notes or ():
        written = clock.local(note.created_at)
        who = one_line(note.author_ref.name or "") if note.author_ref else ""
        age = ago(written, clock.shown_now()) if written else ""
        facts.append(Fact("", f"{who} · {age}".strip(" ·"), "note"))
        facts.append(Fact("", one_line(note.text)))
    return facts


def person_facts(
    short: PhoneRef | Contact,
    contact: Contact | None,
    fields: Sequence[CustomField],
    conversations: Sequence[Conversation],
    clock: Clock,
) -> list[Fact]:
    """Facts of a contact outside of a conversation; `conversations`: its cached conversations."""
    return [
        *_identity(short, contact),
        *_custom_fields(contact, fields),
        *_conversations(conversations, clock, "Conversations (on this computer)"),
    ]


def _identity(short: PhoneRef | Contact, contact: Contact | None) -> list[Fact]:
    name = first_non_blank(contact.name if contact else None, short.name)
    phone = (contact.phone if contact else None) or short.phone
    number = Fact("", format_phone(phone) or "number not shared", copied=phone or "")
    is_number = bool(phone) and name in ("", phone, number.value)
    heading = Fact("", name or username(contact or short) or f"contact {short.id}", "strong")
    facts = [number._replace(part="strong") if is_number else heading]
    profile_name = first_non_blank(contact.profile_name) if contact else ""
    if profile_name not in ("", name):
        facts.append(Fact("", f"~{profile_name}", "dim"))
    if not is_number:
        facts.append(number)
    if contact and contact.email:
        facts.append(Fact("", one_line(contact.email)))
    handle = username(contact or short)
    if handle and handle != heading.value:
        facts.append(Fact("", handle))
    if contact and contact.blocked:
        facts.append(Fact("", "blocked", "error"))
    if contact and contact.marketing_opt_out_at:
        facts.append(Fact("", "no marketing messages", "warning"))
    return facts


def _conversation(conversation: Conversation, context: FactContext) -> list[Fact]:
    clock = context.clock
    now = clock.shown_now()
    facts = [Fact("Conversation"), Fact("status", conversation.status)]
    snoozed = clock.local(conversation.snoozed_until)
    if snoozed:
        facts.append(Fact("until", f"{short_date(snoozed)} {time_of_day(snoozed)}"))
    if conversation.awaiting_human:
        facts.append(Fact("needs", "a human", "warning"))
    facts.append(Fact("assigned", owner_name(conversation, context.me) or "unassigned"))
    facts.append(Fact("channel", channel_name(conversation.channel)))
    labels = ", ".join(one_line(label) for label in conversation.labels)
    chips = [(one_line(label), context.colours.get(label)) for label in conversation.labels]
    facts.append(Fact("labels", labels or "–", chips=tuple(chips)))
    waiting = clock.local(conversation.waiting_since)
    if waiting:
        facts.append(Fact("waiting", long_duration(now - waiting), stage(now - waiting)[1]))
    if window := window_left(conversation, clock):
        colour, left = window
        facts.append(Fact("reply window", left, colour, about=sentences.REPLY_WINDOW))
    began = clock.local(conversation.created_at)
    if began:
        facts.append(Fact("began", f"{short_date(began)} {began.year}"))
    return facts


def _custom_fields(
    contact: Contact | None, fields: Sequence[CustomField], no_contact: str = ""
) -> list[Fact]:
    """Fields with a value, and the number of those without; none if there is no contact."""
    if contact is None:
        awaited = [Fact("Custom fields"), Fact("", "not loaded yet", "dim")]
        return awaited if fields and not no_contact else []
    values = dict(contact.custom_fields)
    facts = [Fact("Custom fields")] if fields or values else []
    known = [(field.name, _value(values.pop(field.key, None), field.type)) for field in fields]
    known += [(key, _value(value)) for key, value in values.items()]
    facts += [Fact(one_line(name), value) for name, value in known if value != _EMPTY]
    empty = sum(value == _EMPTY for _, value in known)
    if empty:
        facts.append(Fact("", f"{empty} empty field{'' if empty == 1 else 's'}", "dim italic"))
    return facts


def _conversations(
    conversations: Sequence[Conversation], clock: Clock, head: str, shown: str = ""
) -> list[Fact]:
    """Conversations of the contact, each with its status and last activity; shown: id of one."""
    facts = [Fact(head)] if conversations else []
    for one in conversations:
        active = clock.local(one.last_activity_at)
        age = ago(active, clock.shown_now()) if active else ""
        words, part = f"{one.status} · {age}".strip(" ·"), "strong" if one.id == shown else "text"
        facts.append(Fact(channel_name(one.channel), words, part, conversation_id=one.id))
    return facts


_EMPTY = "–"


def _value(value: Any, type: str = "text") -> str:
    """Value of a custom field, formatted by its type; unknown types are shown unchanged."""
    if value is None or value == "":
        return _EMPTY
    if isinstance(value, bool):
        return "yes" if value else "no"
    words = one_line(str(value)) or _EMPTY
    if type == "percent" and not words.endswith("%"):
        return f"{words} %"
    day = instant(words) if type == "date" else None
    return f"{short_date(day)} {day.year}" if day else words
