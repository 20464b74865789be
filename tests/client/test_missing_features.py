"""Missing features: detected once, reported, and not requested again."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.client.full_read import CONVERSATION, PHONE, client_of, read_all
from tests.client.inbox_rows import Row
from tests.client.other_server import (
    BASE,
    OtherServer,
    Question,
    Reply,
    Variant,
    encoded,
    problem,
    reply,
)
from tests.client.prepared_server import ALL, KEY, Pauses

from frontdesk.client import InboxClient
from frontdesk.errors import (
    BadResponse,
    Forbidden,
    InboxError,
    NotFound,
    NotOffered,
    Refused,
    Unauthorised,
)
from frontdesk.wire import CannedResponse, ConversationFilter, CustomField, Label, User
from frontdesk.wire.queries import COUNTS_BY, EXTENSIONS


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def answering(name: str, answer: Reply) -> Variant:
    """One answer to whatever is asked under a name."""
    return Variant(before=lambda server, question: answer if question.name == name else None)


def timed(server: OtherServer, clock: Clock) -> InboxClient:
    return InboxClient(BASE, KEY, app=server, sleep=Pauses(), clock=clock)


def refuses_extensions(server: OtherServer, question: Question) -> Reply | None:
    """A server that takes only the parameters of `/v1`."""
    unknown = EXTENSIONS & question.query.keys()
    return problem(400, "invalid_parameter") if unknown else None


MISSING: list[Reply] = [
    problem(404, "route_not_found"),
    (404, {"content-type": "text/html"}, b"<html>Not found</html>"),
    problem(405, "method_not_allowed"),
    (501, {}, b""),
]


@pytest.mark.parametrize("answer", MISSING)
async def test_a_server_without_notes_is_asked_for_them_once(answer: Reply) -> None:
    server = OtherServer((answering("notes", answer),))
    async with client_of(server) as client:
        await client.message_page(CONVERSATION)
        for _ in range(3):
            with pytest.raises(NotFound):
                await client.note_page(CONVERSATION)
        assert server.times_asked("notes") == 1
        assert client.server.missing == ("notes", "unchanged")


async def test_notes_of_a_conversation_that_is_gone_do_not_mean_that_there_are_none() -> None:
    gone = problem(404, "conversation_not_found")
    server = OtherServer((answering("notes", gone), answering("messages", gone)))
    async with client_of(server) as client:
        for id in ("1", "2"):
            with pytest.raises(NotFound) as caught:
                await client.message_page(id)
            assert not isinstance(caught.value, NotOffered)
            with pytest.raises(NotFound):
                await client.note_page(id)
        assert client.server.has("notes")
        assert client.server.has("messages")


async def test_notes_that_the_key_may_not_read_name_the_scope() -> None:
    denied = problem(403, "insufficient_scope", required_scope="notes:read", key_scopes=["a:read"])
    server = OtherServer((answering("notes", denied),))
    async with client_of(server) as client:
        for _ in range(2):
            with pytest.raises(Forbidden) as caught:
                await client.note_page(CONVERSATION)
        assert caught.value.scope == "notes:read"
        assert "notes:read" in client.server.features["notes"].detail
        assert client.server.key_scopes == ("a:read",)
        assert len((await client.conversation_page(ALL)).data) == 3
    assert server.times_asked("notes") == 1


@pytest.mark.parametrize(
    ("name", "feature", "ask"),
    [
        ("labels", "labels", lambda client: client.catalogue_page(Label)),
        ("users", "users", lambda client: client.catalogue_page(User)),
        ("custom-fields", "custom_fields", lambda client: client.catalogue_page(CustomField)),
        (
            "canned-responses",
            "canned_responses",
            lambda client: client.catalogue_page(CannedResponse),
        ),
        ("conversations/counts", "counts", lambda client: client.counts()),
        ("reports/inbox", "report", lambda client: client.report()),
        ("contacts", "contacts", lambda client: client.contact_page()),
    ],
)
@pytest.mark.parametrize("answer", MISSING)
async def test_a_missing_feature_is_asked_for_again_after_ten_minutes(
    name: str, feature: str, ask: Callable[[InboxClient], object], answer: Reply
) -> None:
    server, clock = OtherServer((answering(name, answer),)), Clock()
    async with timed(server, clock) as client:
        for _ in range(3):
            with pytest.raises(NotOffered):
                await ask(client)  # type: ignore[misc]
        assert server.times_asked(name) == 1
        assert not client.server.has(feature)
        clock.seconds += 601
        server.variants = ()
        await ask(client)  # type: ignore[misc]
        assert client.server.has(feature)


async def test_whoever_asks_anew_need_not_wait() -> None:
    server = OtherServer((answering("labels", problem(404, "route_not_found")),))
    async with client_of(server) as client:
        with pytest.raises(NotOffered):
            await client.catalogue_page(Label)
        server.variants = ()
        client.forget_missing_features()
        assert len((await client.catalogue_page(Label)).data) == 3


async def test_a_server_that_comes_back_is_asked_for_all_again() -> None:
    server, clock = OtherServer((answering("labels", problem(404, "route_not_found")),)), Clock()
    async with timed(server, clock) as client:
        with pytest.raises(NotOffered):
            await client.catalogue_page(Label)
        server.variants = (answering("users", (502, {}, b"")),)
        with pytest.raises(InboxError):
            await client.catalogue_page(User)
        server.variants = ()
        await client.catalogue_page(User)
        assert len((await client.catalogue_page(Label)).data) == 3


async def test_a_server_that_lists_no_messages_does_not_say_that_conversations_are_gone() -> None:
    server = OtherServer((answering("messages", problem(405, "method_not_allowed")),))
    async with client_of(server) as client:
        with pytest.raises(BadResponse):
            await client.message_page(CONVERSATION)


async def test_a_refused_key_is_not_shown_again_and_again() -> None:
    refused = Variant(before=lambda server, question: problem(401, "key_revoked"))
    server, clock = OtherServer(), Clock()
    async with timed(server, clock) as client:
        await client.conversation_page(ALL)
        server.variants = (refused,)
        for _ in range(3):
            with pytest.raises(Unauthorised):
                await client.conversation_page(ALL)
            with pytest.raises(Unauthorised):
                await client.catalogue_page(Label)
        assert len(server.asked) == 2
        server.variants = ()
        clock.seconds += 31
        await client.catalogue_page(Label)


async def test_a_key_that_may_not_read_one_list_reads_the_others() -> None:
    server = OtherServer((answering("teams", problem(403, "insufficient_scope")),))
    async with client_of(server) as client:
        contents = await read_all(client)
    assert set(contents.failed) == {"teams"}


# Filters


class Unfiltered(OtherServer):
    """A server that takes filters and does not apply them."""

    def _page(self, question: Question) -> Reply:
        query = {
            name: question.query[name] for name in ("limit", "cursor") if name in question.query
        }
        return super()._page(Question(question.name, question.id, query, question.headers))


@pytest.mark.parametrize(
    ("filter", "feature", "matches"),
    [
        ({"status": "open"}, "filter_status", lambda row: row.status == "open"),
        ({"assignee": "unassigned"}, "filter_assignee", lambda row: row.assignee is None),
        ({"assignee": "assigned"}, "filter_assignee", lambda row: row.assignee is not None),
        (
            {"assignee": "8"},
            "filter_assignee",
            lambda row: row.assignee is not None and row.assignee.id == "8",
        ),
        ({"label": "VIP"}, "filter_label", lambda row: "vip" in row.labels),
        ({"channel": "12"}, "filter_channel", lambda row: False),
    ],
)
async def test_a_filter_that_the_server_ignores_is_applied_here(
    filter: dict[str, str], feature: str, matches: Callable[[object], bool]
) -> None:
    async with client_of(Unfiltered()) as client:
        rows = [row async for row in client.conversations(**filter)]
        every = [row async for row in client.conversations()]
        assert [row.id for row in rows] == [row.id for row in every if matches(row)]
        assert client.server.features[feature].state == "ignored"
        assert client.server.has(feature)


@pytest.mark.parametrize(
    ("filter", "matches"),
    [
        ({"contact": "82"}, lambda row: row.contact.id == "82"),
        ({"awaiting_human": True}, lambda row: row.awaiting_human is not False),
        ({"unread": True}, lambda row: row.unread_count != 0),
    ],
)
@pytest.mark.parametrize("variants", [(), (Variant(before=refuses_extensions),)])
async def test_an_extension_that_the_server_ignores_or_refuses_is_applied_here(
    filter: dict[str, Any],
    matches: Callable[[Any], bool],
    variants: tuple[Variant, ...],
) -> None:
    async with client_of(OtherServer(variants)) as client:
        every = [row async for row in client.conversations()]
        assert client.server.no_extensions == frozenset()
        rows = [row async for row in client.conversations(**filter)]
        assert [row.id for row in rows] == [row.id for row in every if matches(row)]
        # A server that ignores a filter which all rows match looks as if it had it.
        found_out = variants or len(rows) < len(every)
        assert client.server.no_extensions == (filter.keys() if found_out else frozenset())


async def test_counts_by_assignee_that_a_server_refuses_are_asked_for_once() -> None:
    def before(server: OtherServer, question: Question) -> Reply | None:
        return problem(400, "invalid_parameter") if "by" in question.query else None

    server = OtherServer((Variant(before=before),))
    async with client_of(server) as client:
        for _ in range(3):
            counts = await client.counts(by=COUNTS_BY)
            assert (counts.by_assignee, counts.by_label) == (None, None)
            assert counts.open == 3
    assert server.times_asked("conversations/counts") == 4


async def test_counts_that_are_refused_for_another_reason_say_nothing_of_their_parts() -> None:
    def before(server: OtherServer, question: Question) -> Reply | None:
        return problem(400, "invalid_filter") if "label" in question.query else None

    server = OtherServer((Variant(before=before),))
    async with client_of(server) as client:
        with pytest.raises(Refused):
            await client.counts(ConversationFilter(label="gone"), by=COUNTS_BY)
        await client.counts(by=COUNTS_BY)
    assert server.asked[-1].query["by"] == "assignees,labels"


def refuses_query(server: OtherServer, question: Question) -> Reply | None:
    return problem(400, "invalid_parameter") if "query" in question.query else None


@pytest.mark.parametrize("variants", [(), (Variant(before=refuses_query),)])
@pytest.mark.parametrize(
    "filter",
    [
        {"assignee": "7"},
        {"assignee": "assigned", "status": "open"},
        {"query": "in:id:5,id:6"},
        {"label": "vip", "awaiting_human": False},
    ],
)
async def test_counts_of_everything_are_not_taken_for_those_of_a_filter_that_is_ignored(
    filter: dict[str, Any], variants: tuple[Variant, ...]
) -> None:
    server = OtherServer(variants)
    async with client_of(server) as client:
        for _ in range(3):
            with pytest.raises(NotOffered, match="does not count by a query"):
                await client.counts(ConversationFilter(**filter), by=COUNTS_BY)
        assert (await client.counts()).open == 3
    assert server.times_asked("conversations/counts") == 2


@pytest.mark.parametrize(
    ("filter", "query"),
    [
        ({"assignee": "7"}, "@id:7"),
        ({"assignee": "me", "awaiting_human": True}, "needs:human @me"),
        ({"awaiting_human": False, "query": "in:id:5,id:6"}, "in:id:5,id:6 -needs:human"),
    ],
)
async def test_counts_are_asked_for_by_a_query_and_passed_on_if_they_are_of_it(
    filter: dict[str, Any], query: str
) -> None:
    def of_query(name: str, body: Row) -> Row:
        return {**body, "query": query}

    async with client_of(server := OtherServer((Variant(body=of_query),))) as client:
        assert (await client.counts(ConversationFilter(**filter, sort="waiting"))).all == 7
    assert server.asked[-1].query == {"query": query}


@pytest.mark.parametrize("ignoring", [True, False])
async def test_an_order_that_the_server_ignores_or_refuses_is_found_out_once(
    ignoring: bool,
) -> None:
    def before(server: OtherServer, question: Question) -> Reply | None:
        if not ignoring:
            return refuses_extensions(server, question)
        question.query.pop("sort", None)
        return None

    server = OtherServer((Variant(before=before),))
    async with client_of(server) as client:
        for _ in range(3):
            await client.conversation_page(ConversationFilter(sort="waiting"))
        assert client.server.no_extensions == {"sort"}
    # Three pages, and once the page with the order that was refused.
    assert server.times_asked("conversations") == (3 if ignoring else 4)


async def test_a_search_that_the_server_ignores_is_made_here() -> None:
    async with client_of(Unfiltered()) as client:
        assert [row.id async for row in client.contacts("zoë 1003")] == ["83"]
        assert client.server.features["search_contacts"].state == "ignored"


async def test_filters_that_the_server_applies_are_not_doubted() -> None:
    async with client_of(OtherServer()) as client:
        for filter in (
            {"status": "open"},
            {"assignee": "me"},
            {"assignee": "unassigned"},
            {"label": "vip"},
        ):
            assert [row async for row in client.conversations(**filter)]
        assert [row.id async for row in client.contacts("zoe2@")] == ["82"]
        states = {client.server.features[name].state for name in client.server.features}
        assert "ignored" not in states


async def test_a_server_that_does_not_know_me_is_asked_once_and_gives_its_reason() -> None:
    mine = ConversationFilter(assignee="me")

    def before(server: OtherServer, question: Question) -> Reply | None:
        if question.query.get("assignee") != "me":
            return None
        return problem(400, "invalid_filter", detail="The key belongs to nobody")

    server = OtherServer((Variant(before=before),))
    async with client_of(server) as client:
        for _ in range(3):
            with pytest.raises(Refused, match="belongs to nobody"):
                await client.conversation_page(mine)
        assert not client.server.has("me")
        assert len((await client.conversation_page(ALL)).data) == 3
    assert server.times_asked("conversations") == 2


async def test_everybody_s_conversations_are_not_mine() -> None:
    async with client_of(Unfiltered()) as client:
        with pytest.raises(Refused, match="everybody"):
            await client.conversation_page(ConversationFilter(assignee="me"))


# One contact


def _by_phone(make: Callable[[Row], object]) -> Variant:
    return Variant(body=lambda name, body: make(body) if name == "contacts/by-phone" else body)


@pytest.mark.parametrize(
    "make",
    [
        lambda row: {"data": row},
        lambda row: {"payload": row},
        lambda row: {"contact": row},
        lambda row: {"result": {**row, "phone_number": row["phone"]}},
    ],
)
async def test_a_contact_by_phone_may_come_wrapped(
    make: Callable[[Row], object],
) -> None:
    async with client_of(OtherServer((_by_phone(make),))) as client:
        contact = await client.contact_by_phone(PHONE)
    assert (contact.id, contact.phone) == ("81", PHONE)


@pytest.mark.parametrize("answer", MISSING[:1] + MISSING[2:])
async def test_without_contacts_by_phone_they_are_searched_for(answer: Reply) -> None:
    server = OtherServer((answering("contacts/by-phone", answer),))
    async with client_of(server) as client:
        assert (await client.contact_by_phone(PHONE)).id == "81"
        with pytest.raises(NotFound):
            await client.contact_by_phone("+16505559999")
    assert server.times_asked("contacts/by-phone") == 1


async def test_nobody_has_the_number() -> None:
    server = OtherServer()
    async with client_of(server) as client:
        with pytest.raises(NotFound):
            await client.contact_by_phone("+16505559999")
    assert server.times_asked("contacts") == 0


# One conversation


def by_id(make: Callable[[Row], object]) -> Variant:
    """A server that returns a conversation by its id."""

    def answer(server: OtherServer, question: Question) -> Reply | None:
        if question.name != "conversation":
            return None
        found = [row for row in server.list_of("conversations") if row["id"] == question.id]
        return reply(make(found[0])) if found else problem(404, "conversation_not_found")

    return Variant(before=answer)


@pytest.mark.parametrize("make", [lambda row: row, lambda row: {"data": row}])
async def test_a_conversation_is_asked_for_by_its_id_alone(make: Callable[[Row], object]) -> None:
    server = OtherServer((by_id(make),))
    async with client_of(server) as client:
        assert (await client.conversation(CONVERSATION)).contact.id == "86"
        with pytest.raises(NotFound):
            await client.conversation("1")
    assert [question.name for question in server.asked] == ["conversation", "conversation"]


@pytest.mark.parametrize("answer", [*MISSING, reply([]), reply("<html>"), (500, {}, b"")])
async def test_without_conversations_by_id_they_are_looked_for_in_the_list(answer: Reply) -> None:
    server = OtherServer((answering("conversation", answer),))
    async with client_of(server) as client:
        assert (await client.conversation("1002")).contact.id == "82"
        assert not client.server.has("conversation")
        asked = server.times_asked("conversation")
        await client.conversation("1003")
        assert server.times_asked("conversation") == asked
        with pytest.raises(NotFound, match="not among the latest"):
            await client.conversation("1")


async def test_a_row_that_is_not_found_leaves_open_if_conversations_are_returnedby_id() -> None:
    unnamed = (404, {"content-type": "text/html"}, b"<html>Not found</html>")
    server = OtherServer((answering("conversation", unnamed),))
    async with client_of(server) as client:
        with pytest.raises(NotFound):
            await client.conversation("1")
        assert client.server.has("conversation")


async def test_a_server_that_answers_with_another_conversation_has_noneby_id() -> None:
    other = reply({"id": "1001", "status": "open", "contact": {"id": "81"}})
    async with client_of(OtherServer((answering("conversation", other),))) as client:
        assert (await client.conversation("1002")).id == "1002"


async def test_the_list_is_left_where_older_activity_begins() -> None:
    def without(name: str, rows: list[Row]) -> list[Row]:
        return [row for row in rows if name != "conversations" or row["id"] != CONVERSATION]

    server = OtherServer((Variant(rows=without),))
    async with client_of(server) as client:
        with pytest.raises(NotFound, match="not among the latest"):
            await client.conversation(CONVERSATION)
    assert server.times_asked("conversations") == 1


# Errors


@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        (reply({"error": "No such luck"}, 400), "http_400", "No such luck"),
        (reply({"error": {"code": "bad_luck", "message": "Sorry"}}, 400), "bad_luck", "Sorry"),
        (
            reply({"errors": [{"code": "bad_luck", "title": "Sorry", "detail": "No"}]}, 400),
            "bad_luck",
            "No",
        ),
        (reply({"errors": ["Sorry"]}, 400), "http_400", "Sorry"),
        (reply({"message": "Sorry"}, 409), "http_409", "Sorry"),
        (reply({"code": 17, "message": "Sorry"}, 400), "http_400", "Sorry"),
        (
            reply({"type": "https://x.example/problems/bad_luck", "title": "Sorry"}, 400),
            "bad_luck",
            "Sorry",
        ),
        (reply({"type": "about:blank", "title": "Bad Request"}, 400), "http_400", "Bad Request"),
        (reply(encoded(b"<html>oops"), 400), "http_400", "The server answered 400 Bad Request"),
    ],
)
async def test_errors_of_any_shape_have_a_code_and_a_sentence(
    answer: Reply, code: str, said: str
) -> None:
    server = OtherServer((Variant(before=lambda server, question: answer),))
    async with client_of(server) as client:
        with pytest.raises(Refused) as caught:
            await client.counts()
    assert (caught.value.code, str(caught.value)) == (code, said)
