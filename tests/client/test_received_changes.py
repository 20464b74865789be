"""What changed since a position, as the client reads it."""

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import Author, MessageUpsert, Person


def hello(number: int) -> MessageUpsert:
    return MessageUpsert(
        "106540352240001", Person("+34600000777"), f"c{number}", 1_774_200_000_000, False,
        Author("contact"), "text", "webhook", text="Hello",
    )  # fmt: skip


async def test_changes_are_those_after_a_position(client, sample_database):
    before = (await client.changes()).changes
    assert (before.data, before.has_more) == ((), False)
    sample_database.write(lambda c: apply_events(c, 1, [hello(1)], now=1_774_200_000_500))
    received = await client.changes(before.next)
    assert [row.contact.phone for row in received.changes.data] == ["+34600000777"]
    assert not received.held
    assert client.server.features["changes"].state == "present"
