"""An inbox with what messages say and hold, and what each term of a query means there."""

from collections.abc import Callable, Iterable
from typing import Any

from tests.service.filter_inbox import ADS, AT, CONVERSATIONS, Facts, facts
from tests.service.small_inbox import CHANNELS, HOUR, START, USERS, person

from frontdesk.ingest.events import (
    PROFILE_NAME,
    Author,
    ContactUpsert,
    DomainEvent,
    MessageUpsert,
    NoteUpsert,
)
from frontdesk.store import media, media_texts
from frontdesk.store.database import Connection
from frontdesk.store.media import MediaRequest, StoredFile
from frontdesk.store.media_texts import FileText
from frontdesk.text.clean import folded
from frontdesk.wire.values import instant, timestamp

Row = dict[str, Any]
TEXTS = ("Where is my refund?", "The invoice, please", "you and me", "Zürich or Bern", "ok")
KINDS = ("image", "audio", "video", "document", "sticker")
PERSONS = {2: "Mia Vogel", 4: "Mia Refund", 9: "Bo Invoice"}


def said(number: int) -> list[str]:
    """Texts of the messages of a conversation with a number."""
    texts = [TEXTS[number % 5], TEXTS[number // 2 % 5]]
    return [*texts, "see https://shop.example"] if number % 8 == 1 else texts


def sent(number: int) -> set[str]:
    """Types of the files that were sent in it."""
    return {KINDS[number % 5]} if number % 3 == 0 else set()


def events() -> list[DomainEvent]:
    found: list[DomainEvent] = []
    for number in range(CONVERSATIONS):
        kinds = [*((kind, number == 6) for kind in sorted(sent(number)))]
        messages = [*(("text", text, False) for text in said(number))]
        messages += [(kind, None, deleted) for kind, deleted in kinds]
        for place, (kind, text, deleted) in enumerate(messages):
            found.append(
                MessageUpsert(
                    CHANNELS[number % 3],
                    person(number // 2),
                    None if deleted else f"wamid.said.{number}.{place}",
                    START + number // 3 * HOUR - 9 + place,
                    False,
                    Author("contact"),
                    kind,
                    "webhook",
                    text=text,
                    media=None if kind == "text" else {"id": f"{number}.{place}"},
                    deleted_at=START if deleted else None,
                )
            )
        if number % 11 == 3:
            ana = Author("user", user=USERS[0])
            channel, who = CHANNELS[number % 3], person(number // 2)
            found.append(NoteUpsert(channel, who, f"n{number}", START, "Called.", ana))
    found += [
        ContactUpsert(person(number), AT, name, PROFILE_NAME, profile_name=name)
        for number, name in PERSONS.items()
    ]
    return found


def read_sounds(connection: Connection) -> None:
    """Read words in all voice messages."""
    rows = connection.rows(
        "SELECT id, channel_id, created_at FROM message"
        " WHERE account_id = 1 AND type = 'audio' AND deleted_at IS NULL"
    )
    for row in rows:
        key, at = f"sound-{row['id']}", row["created_at"]
        request = MediaRequest(key, row["id"], row["channel_id"], "audio", "import", None, at)
        media.add_stored(
            connection, 1, request, StoredFile("d" * 64, 9, "audio/ogg"), AT, lambda: True
        )
        text = FileText("The gate code is 4711", "voice@1")
        media_texts.set_text(connection, 1, row["id"], text, AT)


class Known:
    """A conversation as it is listed, and what else is true of it."""

    def __init__(self, row: Row, number: int) -> None:
        self.row, self.number = row, number
        self.facts: Facts = facts(number)
        self.assignee = row["assignee"]["id"] if row["assignee"] else None
        self.sent = set() if number == 6 else sent(number)
        at = START + number // 3 * HOUR
        self.sent_first, self.sent_last = timestamp(at - 9), timestamp(at + 100)

    def hours(self, member: str) -> float:
        """Hours since a time, or until it; not a number without it."""
        moment = instant(self.row[member]) if self.row[member] else None
        return (AT / 1000 - moment.timestamp()) / 3600 if moment else float("nan")

    def said(self, words: Iterable[str]) -> bool:
        """One message has all of the words."""
        texts = [*map(folded, said(self.number)), f"hello, this is {self.number}"]
        texts += [folded(f"{dict(ADS)[self.facts.ad]} …")] if self.facts.ad else []
        return any(all(word.strip('"') in text for word in words) for text in texts)

    def says(self, *words: str) -> bool:
        """A message, the name, the number or a label has each word."""
        contact = self.row["contact"]
        names = folded(" ".join(filter(None, (contact["name"], contact.get("username"))))).split()
        texts = [*map(folded, (*said(self.number), "…")), contact["phone"] or ""]
        texts += [*map(folded, self.row["labels"]), f"hello, this is {self.number}"]
        return all(
            any(word in text for text in texts)
            or any(name.startswith(word) if len(word) < 3 else word in name for name in names)
            for word in words
        )


WINDOW = 24
TERMS: tuple[tuple[str, Callable[[Known], bool]], ...] = (
    ("is:open", lambda it: it.row["status"] == "open"),
    ("is:open,snoozed", lambda it: it.row["status"] != "resolved"),
    ("@unassigned", lambda it: it.assignee is None),
    ("@assigned", lambda it: it.assignee is not None),
    ("@me,unassigned", lambda it: it.assignee in (None, "1")),
    ("@bo", lambda it: it.assignee == "2"),
    ("@id:2,me", lambda it: it.assignee in ("1", "2")),
    (
        'team:"night shift"',
        lambda it: it.row["channel"]["id"] in CHANNELS[:2] and it.assignee in (None, "1", "2"),
    ),
    ("#billing", lambda it: "billing" in it.row["labels"]),
    ("#VIP,returns", lambda it: bool({"vip", "returns"} & {*it.row["labels"]})),
    ("in:support", lambda it: it.row["channel"]["id"] == CHANNELS[0]),
    ('in:id:106540352242923,"sales"', lambda it: it.row["channel"]["id"] in CHANNELS[1:]),
    ("from:mia", lambda it: it.number // 2 in (2, 4)),
    ('from:"vogel mia"', lambda it: it.number // 2 == 2),
    ("from:+16505550003", lambda it: it.number // 2 == 3),
    ("from:555000", lambda it: "555000" in (it.row["contact"]["phone"] or "")),
    ("by:me", lambda it: USERS[0] in it.facts.authors),
    ("by:phone,ai", lambda it: bool({"phone", "ai"} & it.facts.authors)),
    ("field:vip=yes", lambda it: it.facts.fields.get("vip") is True),
    ("field:Plan", lambda it: it.facts.fields.get("plan") is not None),
    ('ad:"summer sale"', lambda it: it.facts.ad == "12021"),
    ("has:image", lambda it: bool({"image", "sticker"} & it.sent)),
    ("has:voice,video", lambda it: bool({"audio", "video"} & it.sent)),
    ("has:file", lambda it: bool(it.sent)),
    ("has:link", lambda it: it.number % 8 == 1),
    ("has:note", lambda it: it.number % 11 == 3),
    ("has:text", lambda it: "audio" in it.sent),
    ('said:"gate code"', lambda it: "audio" in it.sent),
    ("said:refund", lambda it: False),
    ("needs:human", lambda it: bool(it.row["awaiting_human"])),
    ("unread", lambda it: it.row["unread_count"] != 0),
    ("waiting:>24h", lambda it: it.row["status"] != "resolved" and it.hours("waiting_since") > 24),
    ("waiting:<20h", lambda it: it.row["status"] != "resolved" and it.hours("waiting_since") < 20),
    ("active:<26h", lambda it: it.hours("last_activity_at") < 26),
    ("active:>26h", lambda it: it.hours("last_activity_at") > 26),
    ("window:<2h", lambda it: WINDOW - 2 < it.hours("last_inbound_at") < WINDOW),
    ("window:>2h", lambda it: it.hours("last_inbound_at") < WINDOW - 2),
    ("created:2026-03-08", lambda it: it.row["created_at"] < "2026-03-09"),
    (
        "active:2026-03-08T21:00Z..2026-03-09T01:00Z",
        lambda it: "2026-03-08T21" <= it.row["last_activity_at"] < "2026-03-09T01",
    ),
    ("sent:..2026-03-08", lambda it: it.sent_first < "2026-03-09"),
    ("after:2026-03-09", lambda it: it.sent_last >= "2026-03-09"),
    ("refund", lambda it: it.says("refund")),
    ("zurich", lambda it: it.says("zurich")),
    ("ok", lambda it: it.says("ok")),
    ('"me refund"', lambda it: False),
    ('"the invoice"', lambda it: it.says("the invoice")),
    ("billing", lambda it: it.says("billing")),
)
