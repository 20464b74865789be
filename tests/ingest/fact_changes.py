"""Strategies of facts about who somebody is, and of what comes before its message."""

from hypothesis import strategies as st
from tests.ingest.test_any_order import CHANNELS, NOW, PEOPLE, START, WAMIDS, facts

from frontdesk.ingest.events import (
    ADDRESS_BOOK_NAME,
    IMPORTED_NAME,
    PROFILE_NAME,
    Author,
    ChannelUpsert,
    ContactRemove,
    ContactUpsert,
    ConversationEvent,
    DomainEvent,
    IdentityChange,
    MessageEdit,
    MessageRead,
    MessageRevoke,
    MessageUpsert,
    NoteUpsert,
    NumberUpdate,
    Person,
    StatusUpdate,
)

ANYBODY = (
    *PEOPLE,
    Person(phone="+34600000001", wa_id="34600000001"),
    Person(phone="+34600000002", wa_id="34600000002", wa_user_id="ES.2"),
    Person(phone="+34600000003", wa_id="34600000003", wa_user_id="ES.2"),
    Person(wa_user_id="ES.4"),
    Person(wa_user_id="ES.2"),
)


@st.composite
def changes(draw: st.DrawFn, at: int) -> DomainEvent:
    channel, person = draw(st.sampled_from(CHANNELS)), draw(st.sampled_from(ANYBODY))
    wamid = draw(st.sampled_from((*WAMIDS, f"m{START + 15_000}", f"m{START + 20_000}")))
    name = f"Noor {at % 7}"
    rank = draw(st.sampled_from((PROFILE_NAME, IMPORTED_NAME, ADDRESS_BOOK_NAME)))
    other = draw(st.sampled_from([each for each in ANYBODY if each != person]))
    delivered = draw(st.sampled_from(("sent", "read", "failed")))
    return draw(
        st.sampled_from(
            (
                IdentityChange(person, other, at),
                IdentityChange(ANYBODY[2], ANYBODY[0], at),
                MessageUpsert(
                    channel, person, f"x{at}", at, False, Author("contact"), "text", "webhook"
                ),
                MessageUpsert(
                    channel, person, None, at, True, Author("phone"), "text", "chat_export", "Hi"
                ),
                ContactUpsert(person, at, name=name, name_rank=rank, custom_fields={"size": at}),
                ContactUpsert(person, at, marketing_opt_out=draw(st.booleans()), blocked=True),
                ContactUpsert(person, at, username=name, email="n@example.com", blocked=False),
                ContactRemove(person, at),
                NoteUpsert(channel, person, "memo", at, f"As of {at}", Author("user", user="ana")),
                ConversationEvent(channel, person, f"y{at}", at, "resolved"),
                MessageEdit(channel, wamid, at, "text", f"Rather {at}", {"preview": True}),
                MessageRevoke(channel, wamid, at),
                MessageRead(channel, wamid, at),
                StatusUpdate(channel, None, "parked", at, delivered, category="utility"),
                NumberUpdate("+15550783881", at, {"quality_rating": "GREEN", "synced_at": at}),
                ChannelUpsert(channel, at, alias=name),
            )
        )
    )


@st.composite
def inboxes(draw: st.DrawFn) -> list[DomainEvent]:
    """Facts of `facts()`, and others between and after them, no two at one moment."""
    times = draw(st.lists(st.integers(10, 60), unique=True, max_size=14))
    others = [draw(changes(START + 1000 * time + 500)) for time in times]
    old = draw(st.booleans())
    if old:
        # Before the silence after which an import takes back-fill for resolved.
        early = NOW - 1_000 * 24 * 60 * 60 * 1000
        others.append(
            MessageUpsert(
                CHANNELS[1], ANYBODY[5], "early", early, False, Author("contact"), "text",
                "history", "Long ago", live=False,
            )
        )  # fmt: skip
    return [*draw(facts()), *others]
