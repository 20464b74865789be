"""Keys with `contacts:masked`: no answer of `/v1` tells who a customer is."""

import json

import httpx
import pytest
from small_inbox import CHANNELS, START, catalogue

from frontdesk.ingest.events import Author, ContactUpsert, MessageUpsert, NoteUpsert, Person
from frontdesk.service.api_keys import MASKED_SCOPE, SCOPES, EphemeralKey, new_ephemeral_key
from frontdesk.service.media.endpoint import MEDIA_ENDPOINT
from frontdesk.service.routes import ENDPOINTS

NOOR = Person(phone="+31611223344", wa_id="31611223344", wa_user_id="NL.998877665544332211")
FELIX = Person(phone="+4366012345678", wa_id="4366012345678")
FILE = {"id": "777000111222", "mime_type": "application/pdf", "filename": "Noor van Dijk.pdf"}
CARD = {"name": "Oma Riek", "phones": [{"phone": "+31 10 7778889"}], "org": "Bakkerij Riek"}
FORM = {"kind": "flow_reply", "title": "Form", "response": {"bsn": 123456782, "mail": "n@dijk.nl"}}
PLACE = {"latitude": 51.9244, "longitude": 4.4777, "name": "Coolsingel", "address": "Coolsingel 40"}
SECRETS = (
    *("Noor", "Dijk", "31611223344", "1122 3344", "NL.9988", "noor_vd", "dijk.nl", "Kerkstraat"),
    *(
        "Felix Brandl",
        "66012345678",
        "brandl.example",
        "Riek",
        "7778889",
        "123456782",
        "Coolsingel",
    ),
    *("51.92", "777000111222", "d2FtaWQ", "/v1/media"),
)


def message(number: int, kind: str = "text", **members: object) -> MessageUpsert:
    return MessageUpsert(
        CHANNELS[0],
        NOOR,
        f"wamid.d2FtaWQ{number}",
        START + number * 1000,
        False,
        Author("contact"),
        kind,
        "webhook",
        **members,
    )


@pytest.fixture
def inbox(add_events) -> None:
    """A customer who says who they are in every way, and names another."""
    add_events(
        [
            *catalogue(),
            ContactUpsert(
                NOOR,
                START,
                name="Noor van Dijk",
                profile_name="Noor",
                username="noor_vd",
                email="noor@dijk.nl",
                custom_fields={"plan": "gold", "street": "Kerkstraat 12"},
                channel=CHANNELS[0],
            ),
            ContactUpsert(
                FELIX, START, name="Felix Brandl", email="fb@brandl.example", channel=CHANNELS[0]
            ),
            message(1, text="Hoi, met Noor. Bel 06 1122 3344, refund please"),
            message(2, "document", text="voor Felix Brandl", media=FILE),
            message(3, "contacts", text="Oma Riek", content={"contacts": [CARD]}),
            message(4, "interactive", content=FORM),
            message(5, "location", text="Coolsingel", content=PLACE, reply_wamid="wamid.d2FtaWQ1"),
            message(6, text="a refund to noor@dijk.nl, Kerkstraat 12"),
            NoteUpsert(
                CHANNELS[0], NOOR, "n1", START + 9000, "Noor van Dijk: 0611223344", Author("user")
            ),
        ]
    )


@pytest.fixture
async def masked(clients, inbox) -> httpx.AsyncClient:
    key, guest = new_ephemeral_key(1, 1, masked=True)
    return await clients.client_with(key, guest)


def told(response: httpx.Response) -> list[str]:
    body = json.dumps(response.json(), ensure_ascii=False)
    return [secret for secret in SECRETS if secret.casefold() in body.casefold()]


async def path_values(client: httpx.AsyncClient) -> list[str]:
    rows = (await client.get("/v1/conversations")).json()["data"]
    return [row["id"] for row in rows]


@pytest.mark.both_engines
async def test_no_endpoint_tells_who_a_customer_is(masked, client):
    ids = await path_values(masked)
    shown = 0
    for endpoint in ENDPOINTS:
        values = ids if "{id}" in endpoint.path else ["31611223344"]
        for value in values:
            path = f"/v1{endpoint.path}".replace("{id}", value).replace("{phone}", value)
            plain, response = await client.get(path), await masked.get(path)
            assert told(response) == [], path
            shown += bool(told(plain))
    assert shown >= 7


async def test_changes_are_masked(masked, client, add_events):
    here = (await masked.get("/v1/changes")).json()["next"]
    add_events([message(20, "contacts", text="Oma Riek", content={"contacts": [CARD]})])
    plain = await client.get("/v1/changes", params={"after": here})
    news = await masked.get("/v1/changes", params={"after": here})
    assert len(news.json()["data"]) == 1
    assert (bool(told(plain)), told(news)) == (True, [])


@pytest.mark.both_engines
async def test_messages_keep_their_form(masked):
    (id, *_) = [
        row["id"]
        for row in (await masked.get("/v1/conversations")).json()["data"]
        if row["last_message"]
    ]
    rows = (await masked.get(f"/v1/conversations/{id}/messages")).json()["data"]
    first, document, cards, form, place, last = reversed(rows)
    stand_in = first["author_ref"]["name"]
    number = first["text"].removeprefix(f"Hoi, met {stand_in}. Bel ")
    assert number == f"{stand_in}, refund please"
    assert document["media"]["mime_type"] == "application/pdf"
    assert (document["media"]["url"], document["media"]["id"]) == (None, None)
    assert [card["name"].split()[0] for card in cards["content"]["contacts"]] == ["person"]
    assert form["content"]["response"]["bsn"].startswith("number ")
    assert set(place["content"].values()) == {None}
    assert place["reply_to"]["text"] == first["text"]
    assert last["text"].startswith("a refund to address ")


async def test_a_stand_in_finds_its_contact_and_nothing_else_does(masked, is_problem):
    contacts = (await masked.get("/v1/contacts")).json()["data"]
    assert [contact["phone"] for contact in contacts] == [None, None]
    name = contacts[0]["name"]
    assert (await masked.get("/v1/contacts", params={"q": name})).json()["data"] == contacts[:1]
    assert (await masked.get("/v1/contacts", params={"q": "customer 0000"})).json()["data"] == []
    for words in ("Noor", "nobody at all", "+31611223344", "+31600000000", "noor@dijk.nl"):
        answer = await masked.get("/v1/contacts", params={"q": words})
        assert is_problem(answer, 400, "invalid_parameter")["detail"] == (
            "q: Customers are masked, and found by a stand-in such as customer 4f2a."
        )
    for number in ("+31611223344", "+31600000000"):
        answer = await masked.get(f"/v1/contacts/by-phone/{number}")
        is_problem(answer, 403, "contacts_masked")
    found = await masked.get("/v1/conversations", params={"query": f'from:"{name}"'})
    assert [row["contact"]["name"] for row in found.json()["data"]] == [name]


@pytest.mark.parametrize(
    "query",
    [
        "from:Noor",
        "from:+31611223344",
        "-from:noor_vd",
        "field:plan=gold",
        "noor",
        "-felix",
        "said:noor",
    ],
)
async def test_a_query_that_would_tell_a_name_is_refused(masked, is_problem, query):
    problem = is_problem(
        await masked.get("/v1/conversations", params={"query": query}), 400, "invalid_filter"
    )
    assert "Customers are masked" in problem["detail"]


async def test_a_walk_through_masked_contacts_tells_no_order_of_names(masked):
    first = (await masked.get("/v1/contacts?limit=1")).json()
    second = await masked.get("/v1/contacts", params={"limit": 1, "cursor": first["next_cursor"]})
    rows = [*first["data"], *second.json()["data"]]
    assert [int(row["id"]) for row in rows] == sorted(int(row["id"]) for row in rows)
    assert second.json()["next_cursor"] is None


@pytest.mark.both_engines
async def test_words_are_found_where_they_are_shown(masked, client):
    hits = (await masked.get("/v1/conversations?q=refund")).json()
    assert [match["excerpt"] for match in hits["matches"]] != []
    assert "refund" in hits["matches"][0]["excerpt"]
    assert hits["total"] is None
    nothing = (await masked.get("/v1/conversations?q=zzqxj")).json()
    for words in ("noor", "ijk.n", "1122 3344", "0611223344", "kerkstraat", "Felix Brandl", "Riek"):
        assert (await client.get("/v1/conversations", params={"q": words})).json()["data"], words
        found = await masked.get("/v1/conversations", params={"q": words, "limit": 1})
        assert found.json() == nothing, words


async def test_a_masked_key_has_contacts_and_no_files(masked, is_problem):
    path = MEDIA_ENDPOINT.log_route.replace("{}", "abc")
    assert is_problem(await masked.get(path), 403, "insufficient_scope")
    assert (await masked.get("/v1/contacts")).status_code == 200


async def test_stand_ins_are_those_of_one_inbox_for_all_of_its_keys(clients, masked, database):
    def names(response: httpx.Response) -> list[str]:
        return [row["contact"]["name"] for row in response.json()["data"]]

    other = await clients.client_with(*new_ephemeral_key(1, masked=True))
    path = "/v1/conversations"
    assert names(await other.get(path)) == names(await masked.get(path)) != []


def test_all_scopes_do_not_mask():
    assert MASKED_SCOPE not in SCOPES
    _, guest = new_ephemeral_key(1)
    assert isinstance(guest, EphemeralKey)
    assert not guest.grant.masked
