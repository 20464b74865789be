"""The catalogues: each in its order, page by page."""

import pytest
from small_inbox import CHANNELS, START, catalogue

from frontdesk.business_hours import WEEKDAYS, parse_hours
from frontdesk.ingest.events import LabelUpsert, TemplateUpsert
from frontdesk.store.business_hours import set_hours

ORDERED = {
    "labels": ("title", ["billing", "returns", "Unused", "vip"]),
    "custom-fields": ("key", ["seats", "plan"]),
    "users": ("name", ["Ana Souza", "Ångström", "Bo Ek"]),
    "teams": ("name", ["Empty", "night shift"]),
    "channels": ("name", ["Ärger", "sales", "Support EU"]),
    "canned-responses": ("short_code", ["bye", "hours"]),
    "templates": ("language", ["en_US", "pt_BR"]),
}


@pytest.mark.parametrize("limit", [1, 2, 100])
async def test_a_catalogue_is_listed_in_its_order(client, add_events, rows, limit):
    add_events(catalogue())
    for name, (member, expected) in ORDERED.items():
        assert [row[member] for row in await rows(client, f"/v1/{name}", limit=limit)] == expected


async def test_an_empty_catalogue_is_an_empty_page(client):
    for name in ORDERED:
        response = await client.get(f"/v1/{name}")
        assert response.json() == {"data": [], "next_cursor": None, "has_more": False}


async def test_a_catalogue_comes_in_one_page_of_100_unless_asked_otherwise(client, add_events):
    add_events([LabelUpsert(f"label {number:03}", START) for number in range(101)])
    page = (await client.get("/v1/labels")).json()
    assert len(page["data"]) == 100
    assert page["has_more"]


async def test_a_team_has_its_numbers_and_members(client, add_events):
    add_events(catalogue())
    empty, night = (await client.get("/v1/teams")).json()["data"]
    assert (empty["channels"], empty["members"]) == ([], [])
    assert night["channels"] == [CHANNELS[1], CHANNELS[0]]
    assert night["members"] == [{"id": "1", "name": "Ana Souza"}, {"id": "2", "name": "Bo Ek"}]
    assert night["distribution"] == "round_robin"


async def test_a_template_belongs_to_every_number_of_its_business_account(client, add_events):
    add_events(catalogue())
    template = (await client.get("/v1/templates")).json()["data"][0]
    assert template["channels"] == [CHANNELS[1], CHANNELS[2], CHANNELS[0]]
    assert template["components"] == [{"type": "BODY", "text": "Thank you, {{1}}!"}]


async def test_a_name_too_long_for_a_cursor_does_not_end_the_walk(client, add_events, rows):
    add_events([TemplateUpsert(str(number), "x" * 512, "en", START) for number in range(5)])
    walked = await rows(client, "/v1/templates", limit=2)
    assert [row["id"] for row in walked] == ["0", "1", "2", "3", "4"]


async def test_cursors_of_two_catalogues_are_not_the_same(client, add_events, is_problem):
    add_events(catalogue())
    cursor = (await client.get("/v1/labels?limit=1")).json()["next_cursor"]
    is_problem(await client.get("/v1/users", params={"cursor": cursor}), 400, "cursor_mismatch")


async def test_the_id_of_a_channel_is_its_providers(client, add_events):
    add_events(catalogue())
    channels = (await client.get("/v1/channels")).json()["data"]
    assert {channel["id"] for channel in channels} == set(CHANNELS)


async def test_a_channel_has_its_own_business_hours_else_those_of_the_account(
    client, database, add_events
):
    add_events(catalogue())
    before = await client.get("/v1/channels")
    assert [channel["business_hours"] for channel in before.json()["data"]] == [None] * 3
    own = {"timezone": "Asia/Kathmandu", "saturday": ["10:00-24:00"]}
    account = {"timezone": "Europe/Madrid", "monday": ["09:00-14:00"], "holidays": ["2026-12-25"]}
    hours = parse_hours({**account, "channels": {CHANNELS[0]: own}})
    database.write(lambda connection: set_hours(connection, 1, hours))
    headers = {"If-None-Match": before.headers["etag"]}
    after = await client.get("/v1/channels", headers=headers)
    found = {channel["id"]: channel["business_hours"] for channel in after.json()["data"]}
    none = {key: [] for key in WEEKDAYS}
    assert found == {
        CHANNELS[0]: {**none, **own, "holidays": []},
        **{key: {**none, **account} for key in CHANNELS[1:]},
    }


async def test_a_channel_has_the_time_zone_of_the_account(client, database, add_events):
    add_events(catalogue())
    database.write(
        lambda connection: connection.run("UPDATE account SET timezone = 'Asia/Kathmandu'")
    )
    channels = (await client.get("/v1/channels")).json()["data"]
    assert [channel["timezone"] for channel in channels] == ["Asia/Kathmandu"] * 3
