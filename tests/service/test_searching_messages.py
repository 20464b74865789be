"""Conversations found by the words of their messages: `q`."""

import pytest
from small_inbox import CHANNELS, START, catalogue

from frontdesk.ingest.events import Author, ConversationEvent, MessageUpsert, Person
from frontdesk.service.api_keys import SCOPES
from frontdesk.service.serializers import excerpt
from frontdesk.store import media, media_texts, message_search
from frontdesk.store.accounts import add_account
from frontdesk.store.media import MediaRequest, StoredFile
from frontdesk.store.media_directory import MediaDirectory
from frontdesk.store.media_texts import FileText
from frontdesk.text.search import Terms

PEOPLE = [Person(phone=f"+4915100000{n:02}") for n in range(6)]


def said(number: int, at: int, text: str, *, type: str = "text", **contents) -> MessageUpsert:
    return MessageUpsert(
        next(iter(CHANNELS)), PEOPLE[number % 6], f"wamid.{at}", START + at * 1000, False,
        Author("contact"), type, "webhook", text, **contents,
    )  # fmt: skip


@pytest.fixture
def inbox(add_events, database):
    add_events(catalogue())
    add_events([said(n, n, f"Message {n} about Köln") for n in range(6)])
    add_events([said(0, 20, "I paid\n the REFUND, thank you"), said(3, 21, "Thanks")])
    add_events([said(1, 30, "Where is my refünd?")])


async def test_a_hit_has_the_newest_message_with_every_word(client, inbox):
    page = (await client.get("/v1/conversations?q=Refund")).json()
    assert [match["excerpt"] for match in page["matches"]] == [
        "Where is my refünd?",
        "I paid the REFUND, thank you",
    ]
    assert [row["id"] for row in page["data"]] == [
        match["conversation_id"] for match in page["matches"]
    ]
    assert (page["total"], page["total_capped"], page["has_more"]) == (2, False, False)
    both = (await client.get("/v1/conversations", params={"q": "fund thank"})).json()
    assert [match["excerpt"] for match in both["matches"]] == ["I paid the REFUND, thank you"]
    none = (await client.get("/v1/conversations?q=zzqxj")).json()
    assert none == {
        "data": [], "next_cursor": None, "has_more": False,
        "matches": [], "total": 0, "total_capped": False,
    }  # fmt: skip


@pytest.mark.both_engines
async def test_a_walk_by_cursors_has_every_conversation_once(client, inbox):
    found, cursor = [], None
    while True:
        query = {"q": "kol", "limit": 2, **({"cursor": cursor} if cursor else {})}
        page = (await client.get("/v1/conversations", params=query)).json()
        assert page["total"] == (None if cursor else 6)
        found += [match["excerpt"] for match in page["matches"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert found == [f"Message {n} about Köln" for n in reversed(range(6))]


async def test_the_thread_opens_at_the_message(client, inbox):
    page = (await client.get("/v1/conversations?q=message+about&limit=1&status=open")).json()
    match = page["matches"][0]
    path = f"/v1/conversations/{match['conversation_id']}/messages"
    messages = (await client.get(path, params={"cursor": match["cursor"], "limit": 1})).json()
    assert [message["id"] for message in messages["data"]] == [match["message_id"]]


async def test_other_filters_narrow_a_search(client, inbox, add_events):
    channel = next(iter(CHANNELS))
    add_events([ConversationEvent(channel, PEOPLE[2], "e1", START + 40_000, "resolved")])
    first = (await client.get("/v1/conversations?q=refund")).json()["data"][0]
    for query, number in (
        ("status=open", 5),
        ("status=resolved", 1),
        ("assignee=assigned", 0),
        (f"channel={channel}", 6),
        (f"contact={first['contact']['id']}", 1),
        ("awaiting_human=true", 0),
        ("unread=false&status=snoozed", 0),
    ):
        page = (await client.get(f"/v1/conversations?q=koln&{query}")).json()
        assert (len(page["data"]), page["total"]) == (number, number), query


async def test_a_snooze_that_is_over_is_open_for_a_search_too(client, inbox, add_events, now):
    channel = next(iter(CHANNELS))
    for number, until in ((1, now - 1), (2, now + 60_000)):
        at = START + 60_000 + number
        members = {"until": until}
        add_events(
            [ConversationEvent(channel, PEOPLE[number], f"s{number}", at, "snoozed", members)]
        )
    for status, excerpts in (
        ("open", {f"Message {n} about Köln" for n in (0, 1, 3, 4, 5)}),
        ("snoozed", {"Message 2 about Köln"}),
    ):
        page = (await client.get(f"/v1/conversations?q=koln&status={status}")).json()
        assert {match["excerpt"] for match in page["matches"]} == excerpts


async def test_files_forms_and_numbers_are_found_by_what_they_show(client, inbox, add_events):
    form = {"kind": "location", "name": "Puerta del Sol", "address": "Madrid", "id": "x1"}
    file = {"id": "9", "filename": "Angebot 2026.pdf"}
    told = "as agreed, (030) 901-820"
    place, offer = {"type": "location", "content": form}, {"type": "document", "media": file}
    add_events([said(1, 60, "", **place), said(2, 61, told, **offer)])
    for words, line in (
        ("puerta madrid", "[location · Puerta del Sol, Madrid]"),
        ("angebot agreed", "[document · Angebot 2026.pdf]"),
        ("angebot", "[document · Angebot 2026.pdf]"),
        ("agreed", told),
        ("030901820", told),
        ("030/901.820", told),
    ):
        page = (await client.get("/v1/conversations", params={"q": words})).json()
        assert [match["excerpt"] for match in page["matches"]] == [line], words


async def test_a_long_text_is_cut_around_the_word(client, inbox, add_events):
    add_events([said(4, 50, f"{'Ünd so weiter, ' * 30}a quokka{', and so on' * 30}")])
    (match,) = (await client.get("/v1/conversations?q=quokka")).json()["matches"]
    line = match["excerpt"]
    assert len(line) <= 160
    assert line.startswith("…")
    assert line.endswith("…")
    assert "a quokka, and so on" in line


@pytest.mark.parametrize(
    ("pieces", "words", "line"),
    [
        (["a\nrefund"], "refund", "a refund"),
        (["one", "of two words", "two"], "two words", "of two words"),
        (["a" * 160], "aaa", "a" * 160),
        (["a" * 161], "aaa", f"{'a' * 159}…"),
        ([f"refund{' word' * 60}"], "refund", f"refund{' word' * 30} wo…"),
        ([f"{'word ' * 60}refund"], "refund", "…word word word refund"),
        (
            [f"{'word ' * 26}refund and {'word ' * 60}"],
            "refund",
            f"…word refund and {'word ' * 28}wo…",
        ),
        # The last of the line, which fits.
        ([f"{'x ' * 40}refund {'y' * 113}"], "refund", f"…{'x ' * 8}refund {'y' * 113}"),
        # Without blanks, it begins inside.
        ([f"{'x' * 200}refund{'y' * 200}"], "refund", f"…{'x' * 8}refund{'y' * 144}…"),
        # One letter is two when its case does not count.
        ([f"{'ﬁ ' * 100}refund{' word' * 50}"], "refund", f"…{'ﬁ ' * 4}refund{' word' * 28} wor…"),
        (["word " * 60], "refund", f"{'word ' * 31}word…"),
    ],
)
def test_an_excerpt_is_a_line_around_the_first_word(
    pieces: list[str], words: str, line: str
) -> None:
    assert excerpt(pieces, Terms.of(words)) == line


@pytest.mark.parametrize(
    ("query", "code", "reason"),
    [
        ("q=", "invalid_filter", "empty"),
        ("q=%CC%81", "invalid_parameter", "too_short"),
        (f"q={'a' * 101}", "invalid_parameter", "too_long"),
        ("q=refund&sort=waiting", "invalid_parameter", "unavailable"),
        ("q=refund&status=pending", "invalid_filter", "not_allowed"),
        ("q=refund&q=paid", "invalid_parameter", "repeated"),
        ("q=refund&cursor=abc", "invalid_cursor", "malformed"),
    ],
)
async def test_a_search_that_cannot_be_made_is_refused(
    client, inbox, is_problem, query, code, reason
):
    problem = is_problem(await client.get(f"/v1/conversations?{query}"), 400, code)
    assert problem["errors"][0]["reason"] == reason


async def test_a_cursor_belongs_to_its_words(client, inbox, is_problem):
    page = (await client.get("/v1/conversations?q=koln&limit=1")).json()
    query = {"q": "message", "cursor": page["next_cursor"]}
    is_problem(await client.get("/v1/conversations", params=query), 400, "cursor_mismatch")
    del query["q"]
    is_problem(await client.get("/v1/conversations", params=query), 400, "cursor_mismatch")


async def test_without_an_index_a_search_is_refused_with_what_to_do(
    client, inbox, database, is_problem
):
    database.write(message_search.drop)
    problem = is_problem(
        await client.get("/v1/conversations?q=refund"), 400, "message_search_unavailable"
    )
    assert "before `frontdesk db upgrade` has built their index" in problem["detail"]
    message_search.build(database, lambda more: None)
    assert (await client.get("/v1/conversations?q=refund")).status_code == 200


async def test_a_search_needs_the_scope_of_messages(clients, inbox, is_problem):
    client = await clients.client(tuple(scope for scope in SCOPES if scope != "messages:read"))
    response = await client.get("/v1/conversations?q=refund")
    problem = is_problem(response, 403, "insufficient_scope")
    assert problem["required_scope"] == "messages:read"
    nobody = await clients.client_with(None)
    is_problem(await nobody.get("/v1/conversations?q=refund"), 401, "missing_credentials")


@pytest.mark.both_engines
async def test_words_of_files_are_seen_and_found_by_keys_that_may_read_files(
    clients, inbox, add_events, database, tmp_path
):
    add_events([said(4, 40, "See this", type="audio", media={"id": "m1"})])

    def read(connection):
        (row,) = connection.rows(
            "SELECT id, channel_id, created_at FROM message WHERE type='audio'"
        )
        request = MediaRequest(
            "k", row["id"], row["channel_id"], "audio", "import", None, row["created_at"]
        )
        file = StoredFile("d" * 64, 9, "audio/ogg")
        media.add_stored(connection, 1, request, file, START, lambda: True)
        text = FileText("The lighthouse\nis see-through", "voice@1")
        assert media_texts.set_text(connection, 1, row["id"], text, START)

    database.write(read)
    files, less = MediaDirectory(tmp_path), tuple(s for s in SCOPES if s != "media:read")
    may, may_not = [await clients.client(some, media_files=files) for some in (SCOPES, less)]
    page = (await may.get("/v1/conversations?q=lighthouse")).json()
    (match,) = page["matches"]
    assert (match["excerpt"], match["in_file"]) == ("The lighthouse is see-through", "audio")
    (match,) = (await may.get("/v1/conversations?q=see")).json()["matches"]
    # Of one message that has the word in both, its own is shown.
    assert (match["excerpt"], "in_file" in match) == ("See this", False)
    preview = page["data"][0]["last_message"]
    assert (preview["text"], preview["media_text"]) == (
        "See this", "The lighthouse\nis see-through",
    )  # fmt: skip
    path = f"/v1/conversations/{match['conversation_id']}"
    assert (await may.get(path)).json()["last_message"]["media_text"] == preview["media_text"]
    shown = (await may.get(f"{path}/messages")).json()["data"][0]["media"]["text"]
    assert (shown["status"], shown["by"]) == ("read", "voice@1")
    for query in ("q=lighthouse", "query=lighthouse"):
        pages = [await one.get(f"/v1/conversations?{query}") for one in (may, may_not)]
        assert [len(page.json()["data"]) for page in pages] == [1, 0]
    (match,) = (await may.get("/v1/conversations?query=said:lighthouse")).json()["matches"]
    assert (match["excerpt"], match["in_file"]) == ("The lighthouse is see-through", "audio")
    for query in ("query=said:lighthouse", "query=has:text"):
        assert len((await may.get(f"/v1/conversations?{query}")).json()["data"]) == 1
        assert (await may_not.get(f"/v1/conversations?{query}")).status_code == 403
    (row,) = (await may_not.get("/v1/conversations?q=see")).json()["data"]
    assert "media_text" not in row["last_message"]
    assert "text" not in (await may_not.get(f"{path}/messages")).json()["data"][0]["media"]


async def test_another_account_finds_only_its_own(clients, inbox, add_events, database):
    theirs = database.write(lambda c: add_account(c, "theirs", "Theirs", START))
    add_events([said(0, 1, "Their refund")], theirs)
    other = await clients.client(account_id=theirs)
    page = (await other.get("/v1/conversations?q=refund")).json()
    assert [match["excerpt"] for match in page["matches"]] == ["Their refund"]
