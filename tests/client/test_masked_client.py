"""A client that masks customers of any server."""

import json
from io import BytesIO

import pytest
from tests.client import inbox_rows
from tests.client.full_read import CONVERSATION, PHONE, read_all
from tests.client.other_server import BASE, OtherServer, Variant
from tests.client.prepared_server import KEY, Pauses

from frontdesk.client.masked import MaskedInboxClient
from frontdesk.errors import BadSettings, NotOffered
from frontdesk.text.masking import is_stand_in
from frontdesk.wire import ConversationFilter


def masked_client(*variants: Variant) -> MaskedInboxClient:
    return MaskedInboxClient(
        BASE, KEY, app=OtherServer(variants), sleep=Pauses(), chance=lambda: 0.5
    )


def known_of_customers() -> list[str]:
    """What the small inbox says of customers: their names and numbers."""
    refs = [inbox_rows.contact_ref(number) for number in range(1, 8)]
    return [str(ref[name]) for ref in refs for name in ("name", "phone") if ref[name]]


async def test_nothing_that_a_plain_server_sends_tells_who_a_customer_is() -> None:
    async with masked_client() as client:
        contents = await read_all(client)
    text = json.dumps(contents.read, ensure_ascii=False)
    assert [secret for secret in known_of_customers() if secret in text] == []
    rows = contents.read["conversations"]
    assert all(is_stand_in(row["contact"]["name"]) for row in rows)
    assert isinstance(contents.failed["contacts"], BadSettings)
    assert isinstance(contents.failed["contact"], BadSettings)
    assert len(contents.read["messages"]) > 3


async def test_a_thread_is_masked_though_its_list_was_not_read() -> None:
    async with masked_client() as client:
        messages = [message async for message in client.messages(CONVERSATION)]
        row = await client.conversation(CONVERSATION)
    names = {one.author_ref.name for one in messages if one.author == "contact" and one.author_ref}
    assert names == {row.contact.name}


async def test_a_stand_in_finds_who_has_a_conversation() -> None:
    async with masked_client() as client:
        row = await client.conversation(CONVERSATION)
        assert row.contact.name is not None
        (found,) = (await client.contact_page(row.contact.name)).data
        assert (found.id, found.name, found.phone) == (row.contact.id, row.contact.name, None)
        assert (await client.contact_page("customer 0000")).data == ()


async def test_what_would_tell_a_name_by_being_found_is_not_asked_for() -> None:
    server = OtherServer()
    client = MaskedInboxClient(BASE, KEY, app=server, sleep=Pauses(), chance=lambda: 0.5)
    async with client:
        for query in ("from:Zoë", "field:plan=gold", "blue", "-blue", "said:blue", f"from:{PHONE}"):
            with pytest.raises(BadSettings, match="Customers are masked"):
                await client.conversation_page(ConversationFilter(query=query))
            with pytest.raises(BadSettings, match="Customers are masked"):
                await client.search_page("blue", ConversationFilter(query=query))
        with pytest.raises(BadSettings, match="stand-in such as"):
            await client.contact_page("Zoë")
        with pytest.raises(NotOffered, match="left out"):
            await client.save_media("k", BytesIO(), most_bytes=1)
    assert server.asked == []
