"""Every statement names the account whose rows it reads: all are on one machine of several."""

import re

import pytest
from tests.service.small_inbox import catalogue, conversations, thread
from tests.service.test_operations import Counted
from tests.store.test_account_keys import REFERENCE_TABLES, tables

from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.app import create_app

pytestmark = pytest.mark.both_engines

PATHS = [
    "/v1/conversations?status=open",
    "/v1/conversations?q=said",
    "/v1/conversations?label=vip&assignee=unassigned&sort=waiting",
    "/v1/conversations/counts",
    "/v1/contacts",
    "/v1/contacts?q=she",
    "/v1/contacts/by-phone/+5511987654321",
    "/v1/labels",
    "/v1/users",
    "/v1/teams",
    "/v1/channels",
    "/v1/templates",
    "/v1/canned-responses",
    "/v1/custom-fields",
    "/v1/reports/inbox?include=users,teams,labels,hours,spread",
]
_ACCOUNT = re.compile(r"account_id\s*=\s*(CAST\()?:")


@pytest.fixture
async def statements(clients, database, add_events):
    add_events(catalogue())
    add_events(conversations(45))
    add_events(thread())
    counted = Counted(database)
    key, guest = new_ephemeral_key(1)
    client = await clients.client_of(create_app(counted, ephemeral_keys=[guest]), key)
    newest = (await client.get("/v1/conversations?limit=1")).json()["data"][0]["id"]
    counted.statements.clear()
    for path in [*PATHS, *(f"/v1/conversations/{newest}/{part}" for part in ("messages", "notes"))]:
        response = await client.get(path)
        assert response.status_code == 200, response.text
    return counted.statements


async def test_every_statement_names_one_account(statements, database):
    of_accounts = database.read(tables) - REFERENCE_TABLES
    names = re.compile(rf"\b(FROM|JOIN|UPDATE|INTO)\s+({'|'.join(of_accounts)})\b")
    reading = [sql for sql in statements if names.search(sql)]
    assert len(reading) > 20
    assert [sql for sql in reading if not _ACCOUNT.search(sql)] == []
