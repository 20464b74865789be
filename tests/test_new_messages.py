"""The first new message of a thread: after the one that was read last, never in an old thread."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from frontdesk.text.entries import REACHED_BY_NEW, NewSinceVisit
from frontdesk.wire import Message, MessagePreview

START = datetime(2026, 5, 2, 8, tzinfo=UTC)


def written(number: int, direction: str = "inbound") -> Message:
    at = (START + timedelta(minutes=number)).isoformat()
    author = "contact" if direction == "inbound" else "user"
    return Message(id=f"m{number}", direction=direction, author=author, text="x", created_at=at)


def preview(message: Message) -> MessagePreview:
    return MessagePreview.model_validate(message.model_dump(include={*MessagePreview.model_fields}))


directions = st.lists(st.sampled_from(["inbound", "outbound"]), min_size=1, max_size=12)


@given(directions, st.data())
def test_it_is_the_first_of_the_customer_after_the_one_that_was_read(
    sides: list[str], data: st.DataObject
) -> None:
    thread = [written(number, side) for number, side in enumerate(sides)]
    read = data.draw(st.integers(0, len(thread) - 1))
    # The server counts what nobody has answered, which is another number.
    new = NewSinceVisit(data.draw(st.integers(0, 12)), preview(thread[-1]), thread[read].id)
    after = [at for at in range(read + 1, len(thread)) if thread[at].direction == "inbound"]
    assert new.are_in(thread)
    assert new.first_in(thread) == ((after[0], len(after)) if after else None)


@given(directions, st.integers(0, 11), st.none() | st.integers(0, 12))
def test_nothing_is_said_of_a_thread_that_is_older_than_its_row(
    sides: list[str], held: int, count: int | None
) -> None:
    thread = [written(number, side) for number, side in enumerate(sides)]
    new = NewSinceVisit(count, preview(thread[-1]), thread[0].id)
    assert new.are_in(thread[:held]) == (count is None or held >= len(thread))


def test_without_a_visit_it_is_the_first_of_as_many_as_the_server_counts() -> None:
    thread = [written(0), written(1), written(2, "outbound"), written(3)]
    assert NewSinceVisit(2).first_in(thread) == (1, 2)
    assert NewSinceVisit(2, read="gone").first_in(thread) == (1, 2)
    assert NewSinceVisit(4).first_in(thread) is None
    assert NewSinceVisit(0).first_in(thread) is None
    assert NewSinceVisit(None, read="m0").first_in(thread) is None


def test_what_was_read_is_looked_for_among_the_newest_entries() -> None:
    thread = [written(number) for number in range(REACHED_BY_NEW + 1)]
    assert NewSinceVisit(3, read="m1").first_in(thread) == (2, REACHED_BY_NEW - 1)
    assert NewSinceVisit(3, read="m0").first_in(thread) == (len(thread) - 3, 3)


def test_a_message_that_replaced_the_newest_one_is_as_new() -> None:
    newest = preview(written(7))
    assert NewSinceVisit(1, newest).are_in([written(8)])
    assert not NewSinceVisit(1, newest).are_in([written(6)])
