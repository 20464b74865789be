"""A small inbox with everything in it, as domain events; the same on each call."""

from random import Random

from frontdesk.ingest.events import (
    PROFILE_NAME,
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

HOUR = 3_600_000
START = 1_773_000_000_000
CHANNELS = ("106540352242922", "106540352242923", "106540352242924")
USERS = ("ana@example.com", "bo@example.com", "cy@example.com")
LABELS = ("billing", "vip", "returns")
WABA = "102290129340398"


def person(number: int) -> Person:
    """A customer; every seventh hides the number."""
    if number % 7 == 6:
        return Person(wa_user_id=f"US.{number}")
    return Person(phone=f"+1650555{number:04}", wa_id=f"1650555{number:04}")


def catalogue() -> list[DomainEvent]:
    """Everything that is listed by name."""
    return [
        *(
            ChannelUpsert(channel, START, phone=f"+155507838{number:02}", waba_id=WABA, alias=alias)
            for number, (channel, alias) in enumerate(
                zip(CHANNELS, ("Support EU", "Ärger", "sales"), strict=True)
            )
        ),
        *(
            UserUpsert(key, name, START, email=key)
            for key, name in zip(USERS, ("Ana Souza", "Bo Ek", "Ångström"), strict=True)
        ),
        *(LabelUpsert(title, START) for title in LABELS),
        LabelUpsert("Unused", START, color="#000000", description="on nothing"),
        TeamUpsert("night shift", START, channels=CHANNELS[:2], members=USERS[:2]),
        TeamUpsert("Empty", START),
        CustomFieldUpsert("plan", "Plan", START, type="list", options=("free", "gold"), position=2),
        CustomFieldUpsert("seats", "Seats", START, type="number", position=1),
        CannedResponseUpsert("hours", "We are open 9–18 CET.", START),
        CannedResponseUpsert("bye", "Have a nice day!", START),
        *(
            TemplateUpsert(
                f"16895569081298{number}",
                "order_confirmation",
                language,
                START,
                components=({"type": "BODY", "text": "Thank you, {{1}}!"},),
                category="UTILITY",
                status="APPROVED",
                quality_score="GREEN",
                waba_id=WABA,
            )
            for number, language in enumerate(("pt_BR", "en_US"))
        ),
    ]


def conversations(count: int) -> list[DomainEvent]:
    """Conversations of all kinds; three at a time share the moment of their last activity."""
    chance = Random(7)
    events: list[DomainEvent] = []
    for number in range(count):
        events += _conversation(number, chance)
    return events


def _conversation(number: int, chance: Random) -> list[DomainEvent]:
    channel, who, at = _place(number)
    events: list[DomainEvent] = [
        MessageUpsert(
            channel,
            who,
            f"wamid.{number}",
            at,
            False,
            Author("contact"),
            "text",
            "webhook",
            text=f"Hello, this is {number}",
        )
    ]
    if number // 2 % 5:
        name = f"Person {number // 2:03}"
        events.append(ContactUpsert(who, at, name, PROFILE_NAME, profile_name=name))
    return events + _conversation_events(number, chance)


def _conversation_events(number: int, chance: Random) -> list[DomainEvent]:
    """What happened to a conversation besides its message, some of each kind."""
    channel, who, at = _place(number)

    def happens(name: str, delay: int, **value: object) -> ConversationEvent:
        return ConversationEvent(channel, who, f"{name}-{number}-{delay}", at + delay, name, value)

    labelled = [title for title in LABELS if chance.random() < 0.4]
    possible = [
        (0.6, happens("assigned", 1, user=chance.choice(USERS))),
        (0.5, happens("read_marker", 5, until=at - chance.choice((0, 1)))),
        (0.3, happens("bot_handoff", 6)),
        (0.4, happens("resolved", 7)),
        (0.3, happens("snoozed", 8)),
    ]
    return [
        *(happens("labelled", 2 + LABELS.index(title), title=title, on=True) for title in labelled),
        *(happening for likelihood, happening in possible if chance.random() < likelihood),
    ]


def _place(number: int) -> tuple[str, Person, int]:
    return CHANNELS[number % 3], person(number // 2), START + number // 3 * HOUR


def thread() -> list[DomainEvent]:
    """A long thread of the last channel with a reply, a reaction, a failure, notes and media."""
    channel, who = CHANNELS[2], Person(phone="+5511987654321", wa_id="5511987654321")
    at = START + 1000 * HOUR

    def says(number: int, **more: object) -> MessageUpsert:
        members: dict[str, object] = {
            "outbound": False,
            "author": Author("contact"),
            "type": "text",
            "text": f"line {number}",
            "source": "webhook",
        } | more
        # Four messages share each second.
        moment = at + number // 4 * 1000
        return MessageUpsert(channel, who, f"wamid.long.{number}", moment, **members)  # type: ignore[arg-type]

    ana = Author("user", user=USERS[0])
    return [
        ContactUpsert(
            who,
            at,
            "Zoë Araújo",
            PROFILE_NAME,
            profile_name="Zoë",
            custom_fields={"plan": "gold", "seats": 12, "vip": True},
        ),
        *(says(number) for number in range(60)),
        says(60, outbound=True, author=ana, reply_wamid="wamid.long.3", status="sent"),
        says(61, outbound=True, author=Author("phone"), reply_wamid="wamid.unknown"),
        says(62, outbound=True, author=Author("oracle", name="Delphi"), text="x" * 300),
        says(63, reply_wamid="wamid.long.62", forwarded="many"),
        says(64, type="image", media={"id": "24230790383178626", "mime_type": "image/jpeg"}),
        says(65, type="location", text=None, content={"latitude": 52.5, "longitude": 13.4}),
        says(66, text="the last word"),
        StatusUpdate(channel, who, "wamid.long.60", at + 90_000, "read"),
        StatusUpdate(
            channel,
            who,
            "wamid.long.61",
            at + 91_000,
            "failed",
            error={"code": 131_026, "title": "Message undeliverable", "details": None},
        ),
        ReactionSet(channel, "wamid.long.60", "contact", "👍", at + 95_000, False, "contact"),
        ReactionSet(channel, "wamid.long.3", "+1555", "❤", at + 96_000, True, "phone"),
        ReactionSet(channel, "wamid.long.3", "+1555", None, at + 97_000, True, "phone"),
        NoteUpsert(channel, who, "note-1", at + 98_000, "Promised a call back.", ana),
        *(
            NoteUpsert(channel, who, f"note-{number}", at + 99_000, f"note {number}", ana)
            for number in range(2, 9)
        ),
    ]
