"""The client passes on what our own service finds, and reports no deviation."""

from dataclasses import replace
from typing import Any

import httpx
import pytest
from tests.conftest import NOW_MILLISECONDS

from frontdesk.client import InboxClient
from frontdesk.client.server_info import PRESENT
from frontdesk.errors import Forbidden
from frontdesk.service.api_keys import EphemeralKey
from frontdesk.service.app import Application, create_app
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.text.clean import folded
from frontdesk.text.phones import format_phone
from frontdesk.wire import Contact, ConversationFilter, Label


async def _contacts(client: InboxClient) -> list[Contact]:
    return [contact async for page in client.contacts().pages(50) for contact in page.data]


def _typed(contact: Contact) -> list[str]:
    """Texts with which somebody looks for a contact."""
    name, phone = contact.name or "", contact.phone or ""
    shown = format_phone(phone)
    national = f"0{shown.partition(' ')[2]}"
    return [name, folded(name), *folded(name).split(), name.upper(), phone, shown, national]


async def test_each_contact_is_found_as_the_service_finds_it(
    client: InboxClient, service: Application, agent: tuple[str, object]
) -> None:
    every = await _contacts(client)
    others = [contact for contact in every if not (contact.name or "").isascii()]
    contacts = [*every[::8], *others[:4]]
    texts = {text for contact in contacts for text in _typed(contact) if len(text) > 2}
    assert any(text.isascii() != folded(text).isascii() for text in texts)
    headers = {"Authorization": f"Bearer {agent[0]}"}
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(service), base_url="http://localhost", headers=headers
    ) as plain:
        for text in texts:
            answer = await plain.get("/v1/contacts", params={"q": text, "limit": 50})
            found = await client.contact_page(text, limit=50)
            ids = [row["id"] for row in answer.json()["data"]]
            assert [contact.id for contact in found.data] == ids, text
    assert client.server.features["search_contacts"].state == PRESENT


async def test_a_scope_that_only_a_filter_needs_is_not_that_of_the_list(
    sample_database: SQLiteDatabase, agent: tuple[str, EphemeralKey]
) -> None:
    secret, key = agent
    few = replace(key, grant=replace(key.grant, scopes=frozenset({"conversations:read"})))
    service = create_app(sample_database, ephemeral_keys=[few], clock=lambda: NOW_MILLISECONDS)
    async with InboxClient("http://localhost", secret, app=service) as client:
        for _ in range(2):
            with pytest.raises(Forbidden, match="contacts:read"):
                await client.conversation_page(ConversationFilter(query="field:tier=gold"))
        assert (await client.conversation_page(ConversationFilter(status="open"))).data
        assert client.server.features["conversations"].state == PRESENT
        # A scope that the list itself needs is not asked for again.
        with pytest.raises(Forbidden, match="labels:read"):
            await client.catalogue_page(Label)
        asked = client.server.requests
        with pytest.raises(Forbidden, match="labels:read"):
            await client.catalogue_page(Label)
        assert client.server.requests == asked
    service.close()


@pytest.mark.parametrize(
    "filter",
    [
        {"assignee": "me"},
        {"assignee": "unassigned", "status": "open"},
        {"query": "@me,unassigned"},
        {"query": "@assigned,unassigned", "awaiting_human": True},
        {"assignee": "assigned", "query": "is:open,snoozed", "sort": "waiting"},
        {"awaiting_human": False},
    ],
)
async def test_counts_of_a_filter_are_those_of_its_list(
    client: InboxClient, filter: dict[str, Any]
) -> None:
    every = {name: value for name, value in filter.items() if not name.startswith("status")}
    rows = [row async for row in client.conversations(**every)]
    counts = await client.counts(ConversationFilter(**filter))
    assert counts.all == len(rows) > 0
    assert counts.open == sum(row.status == "open" for row in rows)


@pytest.mark.parametrize(("text", "name"), [("ibanez", "Ana Ibáñez"), ("IBÁÑEZ", "Ana Ibáñez")])
async def test_a_name_is_found_without_its_accents(
    client: InboxClient, text: str, name: str
) -> None:
    assert name in [contact.name for contact in (await client.contact_page(text)).data]
