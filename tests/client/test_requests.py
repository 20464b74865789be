"""Requests of the client against the service: parameters and responses."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.client.prepared_server import ALL, EMPTY, KEY, Pauses, Server, answer, client_of
from tests.client.sockets import http, serving

from frontdesk.client import InboxClient, Network
from frontdesk.errors import (
    BadSettings,
    CursorRefused,
    NotFound,
    Refused,
    Unauthorised,
    Unreachable,
)
from frontdesk.wire import (
    CATALOGUES,
    Channel,
    ConversationFilter,
    CustomField,
    Label,
    Page,
    PartialPage,
    User,
)


async def test_every_list_of_the_service_can_be_read(client: InboxClient) -> None:
    conversations = await client.conversation_page(ConversationFilter(status="open"))
    assert type(conversations) is not PartialPage
    first = conversations.data[0]
    pages: Sequence[Page[Any]] = [
        conversations,
        await client.message_page(first.id),
        await client.note_page(first.id),
        await client.catalogue_page(Label),
        await client.catalogue_page(CustomField),
        await client.catalogue_page(User),
        await client.catalogue_page(Channel),
    ]
    assert not any(isinstance(page, PartialPage) for page in pages)
    assert [bool(page.data) for page in pages] == [True, True, bool(pages[2].data)] + [True] * 4
    counts = await client.counts(ConversationFilter(status="open"))
    assert counts.open >= len(conversations.data)


async def test_pages_of_the_service_follow_each_other(client: InboxClient) -> None:
    first = await client.conversation_page(ALL, limit=10)
    second = await client.conversation_page(ALL, limit=10, cursor=first.next_cursor)
    assert not {row.id for row in first.data} & {row.id for row in second.data}
    assert first.data[-1].last_activity_at >= second.data[0].last_activity_at


async def test_a_contact_of_the_service_is_found_by_phone(client: InboxClient) -> None:
    conversations = (await client.conversation_page(ALL)).data
    contact = next(row.contact for row in conversations if row.contact.phone)
    assert contact.phone is not None
    assert (await client.contact_by_phone(contact.phone)).id == contact.id


async def test_the_service_refuses_what_the_client_makes_typed_errors_of(
    client: InboxClient, service: Any
) -> None:
    with pytest.raises(NotFound):
        await client.message_page("99999999")
    with pytest.raises(NotFound):
        await client.message_page("../conversations")
    with pytest.raises(CursorRefused):
        await client.conversation_page(ALL, cursor="v1.forged.0")
    with pytest.raises(Refused):
        await client.conversation_page(ConversationFilter(status="pending"))
    async with InboxClient("http://localhost", KEY, app=service) as stranger:
        with pytest.raises(Unauthorised):
            await stranger.counts()


# What is sent


async def test_each_method_asks_its_own_path() -> None:
    server = Server(answer())
    async with client_of(server) as client:
        await client.conversation_page(
            ConversationFilter(status="open", label="a b"), limit=10, cursor="c="
        )
        await client.message_page("a/b")
        await client.note_page("..")
        await client.contact_page("Zoë & co")
        for row in CATALOGUES.values():
            await client.catalogue_page(row)
    assert server.asked == [
        "/v1/conversations?status=open&label=a+b&limit=10&cursor=c%3D",
        "/v1/conversations/a%2Fb/messages?limit=50",
        "/v1/conversations/%2E%2E/notes?limit=50",
        "/v1/contacts?q=Zo%C3%AB+%26+co&limit=50",
        "/v1/labels?limit=100",
        "/v1/custom-fields?limit=100",
        "/v1/users?limit=100",
        "/v1/teams?limit=100",
        "/v1/channels?limit=100",
        "/v1/canned-responses?limit=100",
        "/v1/templates?limit=100",
    ]


async def test_counts_ask_without_an_order_and_a_phone_keeps_its_plus() -> None:
    counts = answer(body={"all": 1})
    server = Server(counts, counts, answer(body={"id": "1"}))
    async with client_of(server) as client:
        await client.counts(ConversationFilter(sort="waiting", channel="1"))
        await client.counts(ConversationFilter(label="vip"), by=("assignees", "labels"))
        await client.contact_by_phone("+16505551234")
    assert server.asked == [
        "/v1/conversations/counts?channel=1",
        "/v1/conversations/counts?label=vip&by=assignees",
        "/v1/contacts/by-phone/%2B16505551234",
    ]


async def test_the_key_is_sent_as_a_bearer_and_answers_may_only_be_gzip() -> None:
    server = Server(answer())
    async with client_of(server) as client:
        await client.catalogue_page(Label)
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert server.headers[0]["accept-encoding"] == "gzip"


# Address and key


@pytest.mark.parametrize(
    "text",
    [
        "https://inbox.example",
        "https://inbox.example/",
        "https://inbox.example/v1",
        " https://inbox.example/v1/ ",
    ],
)
async def test_an_address_is_the_same_with_and_without_slash_and_version(text: str) -> None:
    async with InboxClient(text, KEY) as client:
        assert client.identity.startswith("https://inbox.example ")
        assert repr(client) == "InboxClient('https://inbox.example')"


@pytest.mark.parametrize(
    "text",
    [
        "http://inbox.example",
        "http://192.168.1.20:8080",
        "http://localhost.example",
        "ftp://inbox.example",
        "inbox.example",
        "https://",
        "https://ana:secret@inbox.example",
        "https://inbox.example/?a=b",
        "https://inbox.example:port",
        "https://[::1",
    ],
)
def test_an_address_that_would_show_the_key_or_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(BadSettings) as caught:
        InboxClient(text, KEY)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1", "127.8.9.1:80", "[::1]:8080"])
async def test_plain_http_is_for_this_machine(host: str) -> None:
    async with InboxClient(f"http://{host}", KEY) as client:
        assert client.identity.startswith(f"http://{host} ")


@pytest.mark.parametrize("key", ["", "with space", "line\nbreak", "ключ", "k" * 513])
def test_a_key_that_no_header_can_carry_is_refused_unseen(key: str) -> None:
    with pytest.raises(BadSettings) as caught:
        InboxClient("https://inbox.example", key)
    assert not key or key not in str(caught.value)


async def test_the_identity_differs_by_key_and_does_not_contain_it() -> None:
    async with (
        InboxClient("https://inbox.example", KEY) as one,
        InboxClient("https://inbox.example", KEY + "x") as other,
    ):
        assert one.identity != other.identity
        assert KEY not in one.identity + repr(one)


async def test_only_an_https_address_costs_a_tls_context(tmp_path: Path) -> None:
    network = Network(ca_file=str(tmp_path / "missing"))
    async with InboxClient("http://localhost", KEY, network=network):
        pass
    with pytest.raises(BadSettings, match="missing"):
        InboxClient("https://inbox.example", KEY, network=network)


async def test_nothing_of_the_environment_changes_the_way_to_this_machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    async with serving(http(EMPTY)) as url, InboxClient(url, KEY) as client:
        await client.catalogue_page(Label)
    async with InboxClient("https://127.0.0.1:1", KEY, sleep=Pauses()) as client:
        with pytest.raises(Unreachable):
            await client.catalogue_page(Label)
    assert not (tmp_path / "keys").exists()
