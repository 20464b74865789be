"""The parameter `query`: each term against a scan, negated, together, and in every order."""

from collections import Counter
from random import Random
from typing import Any

import httpx
import pytest
from tests.service.filter_inbox import AT, CONVERSATIONS, fill
from tests.service.query_inbox import TERMS, Known, events, read_sounds
from tests.service.small_inbox import CHANNELS, HOUR, person

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.erase import erase
from frontdesk.ingest.events import (
    PROFILE_NAME,
    Author,
    ContactUpsert,
    ConversationEvent,
    IdentityChange,
    MessageUpsert,
    Person,
)
from frontdesk.query import Query, analyse, parse
from frontdesk.query.search import MessageSearch
from frontdesk.query.terms import TABLE
from frontdesk.service.api_keys import SCOPES, new_ephemeral_key
from frontdesk.service.app import create_app
from frontdesk.service.routes.conversations import depends_on_minute
from frontdesk.service.routes.query_terms import ANSWERED
from frontdesk.store import message_search
from frontdesk.text.clean import folded
from frontdesk.wire.values import STATUSES

pytestmark = pytest.mark.both_engines
PATH = "/v1/conversations"
Row = dict[str, Any]
Inbox = tuple[httpx.AsyncClient, dict[str, int]]


@pytest.fixture
async def inbox(clients, database) -> Inbox:
    """A client of the inbox with a key of the first user, and the numbers of conversations."""
    numbers = fill(database)
    database.write(lambda connection: apply_events(connection, 1, events(), now=AT))
    database.write(read_sounds)
    key, ephemeral = new_ephemeral_key(1, 1)
    app = create_app(database, ephemeral_keys=[ephemeral], clock=lambda: AT)
    return await clients.client_of(app, key), numbers


SINGLE = ("is:", "@", "in:", "from:", "sent:", "after:")
ORDERS = ("activity", "waiting", "window", "created", "oldest")


def test_a_server_answers_every_term_that_is_not_this_computers():
    assert {kind.key for kind in TABLE if not kind.local} == ANSWERED
    assert {kind.prefix for kind in TABLE} - {""} <= {
        next((k.prefix for k in TABLE if k.prefix and text.startswith(k.prefix)), "")
        for text, _ in TERMS
    } | {"hours:", "sort:"}


async def known_of(inbox: Inbox, rows: Any) -> list[Known]:
    client, numbers = inbox
    return [Known(row, numbers[row["id"]]) for row in await rows(client, PATH, limit=100)]


@pytest.mark.parametrize("sort", ORDERS)
async def test_each_term_means_what_it_says_in_every_order(inbox, rows, sort):
    every = await known_of(inbox, rows)
    order = [row["id"] for row in await rows(inbox[0], PATH, limit=100, sort=sort)]
    for place, (text, test) in enumerate(TERMS):
        for mark in ("", "-"):
            wanted = {it.row["id"] for it in every if test(it) != bool(mark)}
            limit = 7 + place % 30
            found = await rows(inbox[0], PATH, limit=limit, sort=sort, query=f"{mark}{text}")
            assert [row["id"] for row in found] == [id for id in order if id in wanted], (
                mark,
                text,
            )


@pytest.mark.parametrize(("seed", "lines"), [(1, 40), pytest.param(2, 460, marks=pytest.mark.slow)])
async def test_terms_combine_and_are_counted(inbox, rows, seed, lines):
    client, _ = inbox
    every, random = await known_of(inbox, rows), Random(seed)
    found_any = 0
    for _ in range(lines):
        chosen, kinds = [], set()
        for text, test in random.sample(TERMS, random.choice((2, 2, 3, 4))):
            negated = random.random() < 0.3
            kind = next((one for one in SINGLE if text.startswith(one)), "")
            kind = "sent:" if kind == "after:" else kind
            # A conversation has only one of each of these.
            if kind and not negated and kind in kinds:
                continue
            kinds.add(kind)
            chosen.append((f"{'-' if negated else ''}{text}", test, negated))
        query = " ".join(text for text, _, _ in chosen)
        wanted = {it.row["id"] for it in every if all(test(it) != no for _, test, no in chosen)}
        response = await client.get(
            PATH, params={"query": query, "limit": 100, "sort": random.choice(ORDERS)}
        )
        page = response.json()
        assert response.status_code == 200, (query, page)
        assert {row["id"] for row in page["data"]} == wanted, query
        assert (page["total"], page["total_capped"]) == (len(wanted), False), query
        found_any += bool(wanted)
    assert found_any > lines / 3


async def test_a_query_goes_with_the_parameters_and_may_have_the_order(inbox, rows):
    client, _ = inbox
    every = await known_of(inbox, rows)
    wanted = [
        it.row["id"]
        for it in every
        if it.row["status"] == "open" and {"vip", "billing"} <= {*it.row["labels"]}
    ]
    assert wanted
    found = await rows(client, PATH, limit=2, label="vip", query="is:open #billing sort:oldest")
    assert [row["id"] for row in found] == wanted[::-1]
    found = await rows(client, PATH, status="open", query="is:resolved")
    assert found == []
    found = await rows(client, PATH, query="#vip #billing is:open")
    assert [row["id"] for row in found] == wanted


@pytest.mark.parametrize(("seed", "lines"), [(1, 40), pytest.param(2, 460, marks=pytest.mark.slow)])
async def test_counts_take_lines_of_what_counters_are_kept_by(inbox, rows, seed, lines):
    client, _ = inbox
    every, random = await known_of(inbox, rows), Random(seed)
    terms = [(text, test) for text, test in TERMS if not parse(text).uncounted]
    assert len(terms) == 13
    found = set()
    for _ in range(lines):
        chosen, tests = Query(), []
        for text, test in random.sample(terms, random.choice((1, 2, 3, 4))):
            negated = random.random() < 0.4 and text[0] != "#"
            longer, problems = analyse(f"{chosen} {'-' if negated else ''}{text}")
            # A conversation has only one status, assignee and channel.
            if not problems:
                chosen = longer
                tests.append((test, negated))
        wanted = [it.row for it in every if all(test(it) != no for test, no in tests)]
        response = await client.get(f"{PATH}/counts", params={"query": str(chosen)})
        counts = response.json()
        assert response.status_code == 200, (str(chosen), counts)
        assert counts["query"] == str(chosen)
        of = [(row["channel"]["id"], row["status"]) for row in wanted]
        assert Counter(
            {
                (channel["channel"], status): channel[status]
                for channel in counts["by_channel"]
                for status in STATUSES
                if channel[status]
            }
        ) == Counter(of), str(chosen)
        opened = [row for row in wanted if row["status"] == "open"]
        assert counts["all"] == len(wanted)
        assert counts["mine"] == sum((row["assignee"] or {}).get("id") == "1" for row in opened)
        assert counts["unread"] == sum(row["unread_count"] != 0 for row in opened)
        found.add(len(wanted))
    assert len(found) > 10


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"query": "is:open waiting:>1h"}, "Leave out waiting:>1h: counts take is:open"),
        ({"query": "refund -#vip"}, "Leave out -#vip refund: "),
        ({"query": "#vip #billing"}, "Leave out #billing: "),
        ({"query": "#vip,billing"}, "of labels one that is not excluded"),
        ({"query": "#vip", "label": "billing"}, "counts are of one label"),
        ({"query": "from:id:1"}, "`total`"),
    ],
)
async def test_counts_refuse_what_no_counters_are_kept_by(inbox, is_problem, parameters, words):
    response = await inbox[0].get(f"{PATH}/counts", params=parameters)
    (error,) = is_problem(response, 400, "invalid_filter")["errors"]
    assert error["parameter"] == "query"
    assert words in error["detail"]


async def test_counts_of_a_query_are_by_assignee_and_label_too(inbox, rows):
    client, _ = inbox
    line = "is:open,snoozed @me,unassigned -in:support"
    scan = await rows(client, PATH, limit=100, query=line)
    counts = (
        await client.get(f"{PATH}/counts", params={"query": line, "by": "assignees,labels"})
    ).json()
    owners = Counter(row["assignee"]["id"] if row["assignee"] else None for row in scan)
    assert {one["assignee"]: one["all"] for one in counts["by_assignee"]} == owners
    labels = Counter(title for row in scan for title in row["labels"])
    assert {one["label"]: one["all"] for one in counts["by_label"]} == labels
    of_label = {"query": "#vip @me", "by": "labels"}
    assert (await client.get(f"{PATH}/counts", params=of_label)).status_code == 400


@pytest.mark.parametrize(
    ("query", "depends"),
    [
        (b"query=is:open%2Csnoozed+%40me", False),
        (b"query=team:id:2+-%23spam+needs:human&limit=50", False),
        (b"status=open", False),
        (b"query=waiting:%3E1h", True),
        (b"query=is:open+refund", True),
        (b"query=is:open+sort:window", True),
        (b"query=is:open&sort=waiting", True),
        (b"query=%FF%22", True),
    ],
)
def test_only_a_list_by_time_or_words_is_another_after_a_minute(query: bytes, depends: bool):
    assert depends_on_minute(query, AT) is depends


async def test_only_the_first_page_is_counted(inbox):
    client, _ = inbox
    first = (await client.get(PATH, params={"query": "-#unused", "limit": 10})).json()
    assert first["total"] == CONVERSATIONS
    parameters = {"query": "-#unused", "limit": 10, "cursor": first["next_cursor"]}
    assert (await client.get(PATH, params=parameters)).json()["total"] is None


async def test_a_cursor_belongs_to_its_query(inbox, is_problem):
    client, _ = inbox
    first = (await client.get(PATH, params={"query": "-has:note", "limit": 10})).json()
    parameters = {"query": "has:file", "limit": 10, "cursor": first["next_cursor"]}
    is_problem(await client.get(PATH, params=parameters), 400, "cursor_mismatch")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("nonsense:x", "There is no filter nonsense:"),
        ("has:sound", "has: takes image, video, voice, document, file, link, note or text"),
        ('refund "and', "The quotes are not closed"),
        ("is:followup", "No server knows is:followup"),
        ("@nobody-here", "No user fits nobody-here. There is Ana Souza"),
        ("#unheard", "No label fits unheard. There is"),
        ("team:day", "No team fits day. There is"),
        ("in:moon", "No channel fits moon. There is"),
        ("field:shoe=7", "No contact has a field shoe"),
        ("ad:nothing", "No message came from an ad nothing"),
        ("is:open or is:resolved", "there is no “or”"),
        ("x" * 1_001, "1,000 characters and 20 terms at most"),
        (" ".join(f"w{n}" for n in range(21)), "1,000 characters and 20 terms at most"),
        ("created:soon", "created: takes a day"),
        ("", "it needs a value"),
    ],
)
async def test_a_mistake_is_said(inbox, is_problem, query, words):
    response = await inbox[0].get(PATH, params={"query": query})
    (error, *_) = is_problem(response, 400, "invalid_filter")["errors"]
    assert error["parameter"] == "query"
    assert words in error["detail"]


async def test_a_search_in_a_query_finds_what_both_find(inbox, rows):
    client, _ = inbox
    random, found_any = Random(3), 0
    said = {row["id"] for row in await rows(client, PATH, limit=100, q="the invoice")}
    assert 5 < len(said) < CONVERSATIONS
    for _ in range(40):
        chosen = random.sample([text for text, _ in TERMS if text[0] not in "@i"], 2)
        query = " ".join(f"{'-' if random.random() < 0.4 else ''}{text}" for text in chosen)
        listed = await client.get(PATH, params={"query": query, "limit": 100})
        if listed.status_code == 400:
            continue
        wanted = {row["id"] for row in listed.json()["data"]} & said
        found = await rows(client, PATH, limit=5, q="the invoice", query=query)
        assert {row["id"] for row in found} == wanted, query
        found_any += bool(wanted)
    assert found_any > 10


WORDS = ("refund", "the", "you", "me", "ok", "zurich", "mia", "vip", "zz", "i", "+16505550003")
WORDS += ("invoice", '"the invoice"', '"is my"', '"me and"', '"you and me"', "billing", "00003")


@pytest.mark.parametrize(("seed", "lines"), [(4, 40), pytest.param(5, 460, marks=pytest.mark.slow)])
async def test_a_search_has_the_conversations_of_the_list_in_which_a_message_has_the_words(
    inbox, rows, seed, lines
):
    client, _ = inbox
    every, random, beyond = await known_of(inbox, rows), Random(seed), 0
    terms = [(text, test) for text, test in TERMS if text[0] not in "@i" and ":" in text]
    for _ in range(lines):
        words = random.sample(WORDS, random.choice((1, 1, 2, 3)))
        chosen = random.sample(terms, random.choice((0, 1, 1, 2)))
        without = random.choice(WORDS) if random.random() < 0.2 else ""
        others = [text for text, _ in chosen] + [f"-{without}"] * bool(without)
        search = MessageSearch.of(" ".join((*words, *others)))
        query, line = str(search.query), str(search.line)
        response = await client.get(PATH, params={"query": line, "limit": 100})
        if response.status_code == 400:
            # Two values of what a conversation has once.
            continue
        listed = {row["id"] for row in response.json()["data"]}
        wanted = {it.row["id"] for it in every if it.row["id"] in listed and it.said(words)}
        parameters = {"q": search.words, **({"query": query} if query else {}), "limit": 100}
        page = (await client.get(PATH, params=parameters)).json()
        assert {row["id"] for row in page["data"]} == wanted, line
        assert (page["total"], page["total_capped"]) == (len(wanted), False), line
        beyond += len(listed) > len(wanted)
    assert beyond > lines / 20


async def test_an_order_does_not_go_with_a_search(inbox, is_problem):
    response = await inbox[0].get(PATH, params={"query": "sort:oldest", "q": "refund"})
    is_problem(response, 400, "invalid_parameter")


@pytest.mark.parametrize(
    ("query", "scope"),
    [
        ("has:image", "messages:read"),
        ("has:note", "notes:read"),
        ("from:mia", "contacts:read"),
        ("field:plan", "contacts:read"),
        ("@ana", "users:read"),
        ("by:ana", "users:read"),
        ("in:support", "channels:read"),
        ("team:night", "teams:read"),
    ],
)
async def test_a_key_that_may_not_read_what_a_term_looks_at_is_refused(
    inbox, clients, is_problem, query, scope
):
    client = await clients.client(tuple(one for one in SCOPES if one != scope), user_id=1)
    response = await client.get(PATH, params={"query": query})
    assert is_problem(response, 403, "insufficient_scope")["required_scope"] == scope


async def test_without_the_scope_words_are_those_of_names_and_labels_and_that_is_said(
    inbox, clients, rows
):
    client = await clients.client(("conversations:read",))
    page = (await client.get(PATH, params={"query": "refund", "limit": 100})).json()
    assert page["remark"].startswith("Words are looked for in names, numbers and labels only")
    assert {row["contact"]["name"] for row in page["data"]} == {"Mia Refund"}
    ids = (await client.get(PATH, params={"query": "@id:1 by:id:1 in:id:106540352242922"})).json()
    assert "remark" not in ids


async def test_me_needs_a_user(inbox, clients, is_problem):
    client = await clients.client()
    response = await client.get(PATH, params={"query": "@me"})
    is_problem(response, 400, "assignee_me_unavailable")


async def test_without_an_index_words_are_those_of_names_and_labels_and_that_is_said(
    inbox, database, is_problem
):
    client, _ = inbox
    database.write(message_search.drop)
    try:
        page = (await client.get(PATH, params={"query": "refund", "limit": 100})).json()
        assert "messages are not searched" in page["remark"]
        assert {row["contact"]["name"] for row in page["data"]} == {"Mia Refund"}
        response = await client.get(PATH, params={"query": "has:link"})
        is_problem(response, 400, "invalid_filter")
    finally:
        # The stores of other tests have the same tables.
        message_search.build(database, lambda more: None)


async def test_a_snooze_that_is_over_is_open_also_where_its_opposite_is_asked_for(
    inbox, database, rows
):
    client, _ = inbox
    channel, who = CHANNELS[0], person(0)
    for until, status in ((AT - 1, "open"), (AT + 60_000, "snoozed")):
        event = ConversationEvent(channel, who, f"s{until}", AT - 9, "snoozed", {"until": until})
        database.write(lambda connection, event=event: apply_events(connection, 1, [event], now=AT))
        every = await rows(client, PATH, limit=100)
        for name in ("open", "snoozed"):
            wanted = {row["id"] for row in every if row["status"] != name}
            found = await rows(client, PATH, limit=100, query=f"-is:{name}")
            assert {row["id"] for row in found} == wanted
        (own,) = [row for row in every if row["last_message"] and row["status"] == status][:1]
        assert own["id"] in {row["id"] for row in await rows(client, PATH, query=f"is:{status}")}


async def test_a_page_by_an_age_is_another_in_a_later_minute(database, clients):
    fill(database)
    clock = [AT]
    key, ephemeral = new_ephemeral_key(1, 1)
    app = create_app(database, ephemeral_keys=[ephemeral], clock=lambda: clock[0])
    client = await clients.client_of(app, key)
    first = await client.get(PATH, params={"query": "waiting:>24h", "limit": 100})
    tag = {"If-None-Match": first.headers["ETag"]}
    assert (await client.get(first.url, headers=tag)).status_code == 304
    clock[0] += 10 * HOUR
    later = await client.get(first.url, headers=tag)
    assert later.status_code == 200
    # A walk gains rows, and loses none.
    assert {row["id"] for row in first.json()["data"]} < {row["id"] for row in later.json()["data"]}


async def test_a_number_that_the_customer_had_before_finds_them(inbox, database, rows):
    client, _ = inbox
    old, new = person(8), Person(phone="+351910000088", wa_id="351910000088")
    before = await rows(client, PATH, limit=100, query=f"from:{old.phone}")
    database.write(
        lambda connection: apply_events(connection, 1, [IdentityChange(old, new, AT)], now=AT)
    )
    moved = MessageUpsert(
        CHANNELS[0], new, "wamid.moved", AT, False, Author("contact"), "text", "webhook", text="hi"
    )
    database.write(lambda connection: apply_events(connection, 1, [moved], now=AT))
    for phone in (old.phone, new.phone):
        found = await rows(client, PATH, limit=100, query=f"from:{phone}")
        assert {row["id"] for row in found} >= {row["id"] for row in before}
        assert {row["contact"]["phone"] for row in found} == {new.phone}
    assert before


async def test_customers_who_are_one_are_found_by_what_either_was(inbox, database, rows):
    client, _ = inbox
    phone, both = person(10), Person(phone=person(10).phone, wa_user_id="PT.88")
    unknown = Person(wa_user_id="PT.88")
    said = MessageUpsert(
        CHANNELS[0],
        unknown,
        "wamid.one",
        AT,
        False,
        Author("contact"),
        "text",
        "webhook",
        text="xyzzy",
    )
    named = ContactUpsert(unknown, AT, "Plover Nym", PROFILE_NAME, profile_name="Plover Nym")
    database.write(lambda connection: apply_events(connection, 1, [said, named], now=AT))
    apart = await rows(client, PATH, limit=100, query="from:plover")
    assert len(apart) == 1
    merged = ContactUpsert(both, AT + 1)
    database.write(lambda connection: apply_events(connection, 1, [merged], now=AT + 1))
    for query in ("from:plover", f"from:{phone.phone}", "from:PT.88"):
        found = await rows(client, PATH, limit=100, query=query)
        assert {row["contact"]["phone"] for row in found} == {phone.phone}, query
    found = await rows(client, PATH, limit=100, query=f"from:{phone.phone} xyzzy")
    assert len(found) == 1


async def test_who_was_erased_is_found_by_nothing(inbox, database, rows):
    client, _ = inbox
    phone = person(2).phone
    queries = ("from:vogel", f"from:{phone}", "from:mia", "mia")
    before = {query: await rows(client, PATH, limit=100, query=query) for query in queries}
    erase(database, 1, phone, lambda done: None)
    for query in queries:
        left = await rows(client, PATH, limit=100, query=query)
        gone = [row for row in before[query] if row["contact"]["phone"] == phone]
        assert gone
        kept = {row["id"] for row in before[query]} - {row["id"] for row in gone}
        assert {row["id"] for row in left} == kept, query


async def test_a_term_without_its_scope_is_refused_where_words_are_a_union(
    inbox, clients, is_problem
):
    client = await clients.client(("conversations:read", "contacts:read"), user_id=1)
    union = (await client.get(PATH, params={"query": "refund -is:resolved", "limit": 100})).json()
    assert "messages:read" in union["remark"]
    assert all(row["status"] != "resolved" for row in union["data"])
    response = await client.get(PATH, params={"query": "refund has:image"})
    assert is_problem(response, 403, "insufficient_scope")["required_scope"] == "messages:read"


async def test_a_list_has_the_newest_message_with_one_of_its_words(inbox, rows):
    client, _ = inbox
    page = (await client.get(PATH, params={"query": '"the invoice" ok', "limit": 100})).json()
    listed = [row["id"] for row in page["data"]]
    found = {match["conversation_id"]: match for match in page["matches"]}
    assert found.keys() <= {*listed}
    for id in listed:
        thread = await rows(client, f"{PATH}/{id}/messages", limit=100)
        said = [
            message
            for message in thread
            if any(word in folded(message["text"] or "") for word in ("the invoice", "ok"))
        ]
        assert [found[id]["message_id"]] == [message["id"] for message in said[:1]]
        assert folded(said[0]["text"]) == folded(found[id]["excerpt"])
    by_name = (await client.get(PATH, params={"query": "vogel", "limit": 100})).json()
    assert by_name["data"]
    assert by_name["matches"] == []
    without = (await client.get(PATH, params={"query": "-refund is:open"})).json()
    assert "matches" not in without
