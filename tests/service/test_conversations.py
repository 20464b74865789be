"""The list of conversations and their counts: filters, order, pages, and that both agree."""

from itertools import pairwise, product

import httpx
import pytest
from small_inbox import CHANNELS, HOUR, LABELS, START, catalogue, conversations
from tests.stores import NeverAtOnce

from frontdesk.errors import Unreachable
from frontdesk.ingest.events import Author, ConversationEvent, LabelUpsert, MessageUpsert, Person
from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.app import create_app
from frontdesk.store.accounts import add_account
from frontdesk.wire import timestamp

ANA = 1
STATUSES = ("open", "snoozed", "resolved")


@pytest.fixture
def inbox(add_events):
    add_events(catalogue())
    add_events(conversations(45))


@pytest.fixture
async def ana(clients, inbox):
    return await clients.client(user_id=ANA)


def chosen(row, status, assignee, channel, label):
    """What the filters mean, said of one conversation."""
    user = row["assignee"] and row["assignee"]["id"]
    held = {
        None: True,
        "me": user == str(ANA),
        "unassigned": user is None,
        "assigned": user is not None,
    }.get(assignee, user == assignee)
    return (
        held
        and status in (None, row["status"])
        and channel in (None, row["channel"]["id"])
        and (label is None or label.casefold() in row["labels"])
    )


async def test_every_conversation_is_listed_once_the_latest_first(ana, rows):
    listed = await rows(ana, "/v1/conversations", limit=100)
    assert len(listed) == 45
    keys = [(row["last_activity_at"], int(row["id"])) for row in listed]
    assert keys == sorted(set(keys), reverse=True)
    assert {row["status"] for row in listed} == set(STATUSES)


@pytest.mark.parametrize("limit", [1, 7, 25])
@pytest.mark.parametrize("status", [None, *STATUSES])
async def test_a_walk_finds_what_a_scan_finds_for_every_filter(ana, rows, status, limit):
    scan = await rows(ana, "/v1/conversations", limit=100)
    assignees = (None, "me", "unassigned", "assigned", "2")
    for assignee, channel, label in product(
        assignees, (None, *CHANNELS[:2]), (None, "billing", "VIP")
    ):
        asked = {"status": status, "assignee": assignee, "channel": channel, "label": label}
        query = {name: value for name, value in asked.items() if value is not None}
        walked = await rows(ana, "/v1/conversations", limit=limit, **query)
        assert walked == [row for row in scan if chosen(row, **asked)], query


async def test_a_page_border_may_fall_between_rows_of_one_moment(ana, rows):
    scan = await rows(ana, "/v1/conversations", limit=100)
    moments = [row["last_activity_at"] for row in scan]
    assert any(one == other for one, other in pairwise(moments))
    for limit in range(1, 12):
        assert await rows(ana, "/v1/conversations", limit=limit) == scan


async def test_the_limit_may_change_on_the_way(ana, rows):
    scan = await rows(ana, "/v1/conversations", limit=100)
    first = (await ana.get("/v1/conversations?limit=4")).json()
    rest = await rows(ana, "/v1/conversations", cursor=first["next_cursor"], limit=30)
    assert first["data"] + rest == scan


async def test_without_a_limit_a_page_has_25(ana):
    assert len((await ana.get("/v1/conversations")).json()["data"]) == 25


async def test_labels_of_a_conversation_are_in_order(ana, rows):
    for row in await rows(ana, "/v1/conversations", limit=100):
        assert row["labels"] == sorted(row["labels"])


async def test_without_the_scope_for_messages_the_preview_is_absent_not_null(clients, inbox, rows):
    client = await clients.client(("conversations:read",))
    for row in await rows(client, "/v1/conversations", limit=100):
        assert "last_message" not in row
        assert "snoozed_until" in row


async def test_the_preview_is_the_newest_message(ana, rows):
    for row in await rows(ana, "/v1/conversations", limit=100):
        preview = row["last_message"]
        assert preview["text"].startswith("Hello, this is ")
        assert preview["created_at"] == row["last_activity_at"]


async def test_the_service_window_is_a_day_after_the_customers_last_word(ana):
    row = (await ana.get("/v1/conversations?limit=1")).json()["data"][0]
    assert row["last_inbound_at"] == "2026-03-09T10:00:00.000Z"
    assert row["service_window_expires_at"] == "2026-03-10T10:00:00.000Z"


IMPOSSIBLE = [
    ("status=pending", "status", "not_allowed"),
    ("status=Open", "status", "not_allowed"),
    ("status=", "status", "empty"),
    ("assignee=", "assignee", "empty"),
    ("assignee=nobody", "assignee", "unknown_value"),
    ("assignee=99", "assignee", "unknown_value"),
    ("assignee=01", "assignee", "unknown_value"),
    ("assignee=99999999999999999999999", "assignee", "unknown_value"),
    ("channel=", "channel", "empty"),
    ("channel=1", "channel", "unknown_value"),
    ("label=", "label", "empty"),
    ("label=nope", "label", "unknown_value"),
    ("label=%25", "label", "unknown_value"),
]


async def test_a_filter_value_that_cannot_be_is_an_error_not_an_empty_page(ana, is_problem):
    for query, parameter, reason in IMPOSSIBLE:
        document = is_problem(await ana.get(f"/v1/conversations?{query}"), 400, "invalid_filter")
        assert [(error["parameter"], error["reason"]) for error in document["errors"]] == [
            (parameter, reason)
        ], query
        if parameter == "status":
            assert document["errors"][0]["allowed"] == list(STATUSES)


async def test_a_label_that_is_on_nothing_gives_an_empty_page(ana):
    page = (await ana.get("/v1/conversations?label=unused")).json()
    assert page == {"data": [], "next_cursor": None, "has_more": False}


async def test_a_key_of_nobody_has_no_me(clients, inbox, is_problem):
    client = await clients.client()
    response = await client.get("/v1/conversations?assignee=me")
    is_problem(response, 400, "assignee_me_unavailable")


@pytest.mark.parametrize(
    "other",
    [
        "/v1/conversations?status=resolved",
        "/v1/conversations?status=open&assignee=me",
        "/v1/conversations?status=open&label=billing",
        "/v1/conversations",
        "/v1/labels?",
        "/v1/conversations/1/messages?",
    ],
)
async def test_a_cursor_goes_on_in_its_own_list_only(ana, is_problem, other):
    cursor = (await ana.get("/v1/conversations?status=open&limit=1")).json()["next_cursor"]
    response = await ana.get(other, params={**dict_of(other), "cursor": cursor})
    is_problem(response, 400, "cursor_mismatch")


async def test_a_cursor_knows_a_label_in_any_case(ana):
    cursor = (await ana.get("/v1/conversations?label=billing&limit=1")).json()["next_cursor"]
    response = await ana.get("/v1/conversations", params={"label": "BILLING", "cursor": cursor})
    assert response.status_code == 200


async def test_a_cursor_outlives_the_process_that_made_it(clients, inbox):
    one, other = await clients.client(), await clients.client()
    first = (await one.get("/v1/conversations?limit=3")).json()
    again = (await other.get("/v1/conversations?limit=3")).json()
    assert first == again
    following = {"limit": "3", "cursor": first["next_cursor"]}
    assert (await one.get("/v1/conversations", params=following)).json() == (
        await other.get("/v1/conversations", params=following)
    ).json()


async def test_a_walk_goes_on_where_it_was_when_something_new_arrives(ana, rows, add_events):
    scan = await rows(ana, "/v1/conversations", limit=100)
    first = (await ana.get("/v1/conversations?limit=10")).json()
    newcomer = Person(phone="+4915112345678")
    at = START + 5000 * HOUR
    add_events(
        [
            MessageUpsert(
                CHANNELS[0], newcomer, "wamid.new", at, False, Author("contact"), "text", "webhook"
            )
        ]
    )
    rest = await rows(ana, "/v1/conversations", limit=10, cursor=first["next_cursor"])
    assert first["data"] + rest == scan


async def test_a_change_of_the_account_makes_every_tag_old(ana, add_events):
    tag = {"If-None-Match": (await ana.get("/v1/conversations")).headers["ETag"]}
    assert (await ana.get("/v1/conversations", headers=tag)).status_code == 304
    add_events([LabelUpsert("brand new", START)])
    assert (await ana.get("/v1/conversations", headers=tag)).status_code == 200


async def test_counts_are_what_the_list_would_enumerate(ana, rows):
    scan = await rows(ana, "/v1/conversations", limit=100)
    for channel, label in product((None, *CHANNELS), (None, *LABELS, "unused")):
        asked = {"channel": channel, "label": label}
        query = {name: value for name, value in asked.items() if value is not None}
        chosen_rows = [row for row in scan if chosen(row, None, None, channel, label)]
        for status in (None, *STATUSES):
            named = query if status is None else {**query, "status": status}
            counts = (await ana.get("/v1/conversations/counts", params=named)).json()
            assert counts == counts_of(chosen_rows, status or "open"), named


@pytest.mark.parametrize(
    "query",
    [
        {"query": "@me"},
        {"query": "@id:1", "label": LABELS[0]},
        {"query": "@unassigned", "awaiting_human": "true"},
        {"query": "@assigned is:open,resolved", "channel": CHANNELS[0]},
        {"query": "@me,id:2,id:1", "label": LABELS[1]},
        {"query": "@assigned,id:1"},
        {"query": f"in:id:{CHANNELS[0]},id:{CHANNELS[2]} @unassigned,id:1"},
        {"query": f"-in:id:{CHANNELS[1]} #{LABELS[0]}", "unread": "true"},
    ],
)
async def test_counts_of_assignees_and_channels_are_what_the_list_would_enumerate(ana, rows, query):
    scan = await rows(ana, "/v1/conversations", limit=100, **query)
    assert scan
    counts = (await ana.get("/v1/conversations/counts", params=query)).json()
    assert counts == {**counts_of(scan, "open"), "query": counts["query"]}


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("channel=5", "channel"),
        ("query=refund", "query"),
        ("query=@nobody-here", "query"),
        ("assignee=1", "assignee"),
        ("statuses=open,snoozed", "statuses"),
    ],
)
async def test_counts_refuse_what_their_cells_do_not_tell(ana, is_problem, query, parameter):
    response = await ana.get(f"/v1/conversations/counts?{query}")
    (error,) = response.json()["errors"]
    assert (response.status_code, error["parameter"]) == (400, parameter)


@pytest.mark.parametrize(
    "narrowed",
    [
        {},
        {"awaiting_human": "true"},
        {"unread": "false"},
        {"query": "@id:1"},
        {"query": "@unassigned,id:2"},
    ],
)
async def test_counts_by_assignee_and_label_are_what_the_list_would_enumerate(ana, rows, narrowed):
    for channel, label in product((None, *CHANNELS), (None, *LABELS)):
        asked = {"channel": channel, "label": label}
        query = narrowed | {name: value for name, value in asked.items() if value is not None}
        scan = await rows(ana, "/v1/conversations", limit=100, **query)
        by = "assignees" if label else "labels,assignees"
        counts = (await ana.get("/v1/conversations/counts", params={**query, "by": by})).json()
        owners = [(row["assignee"] and row["assignee"]["id"], row) for row in scan]
        assert counts["by_assignee"] == numbers("assignee", owners), query
        labels = [(title, row) for row in scan for title in row["labels"]]
        assert counts.get("by_label") == (None if label else numbers("label", labels)), query


async def test_counts_of_a_contact_are_by_label_too(ana, rows):
    row = next(row for row in await rows(ana, "/v1/conversations", limit=100) if row["labels"])
    query = {"contact": row["contact"]["id"], "by": "labels"}
    counts = (await ana.get("/v1/conversations/counts", params=query)).json()
    scan = await rows(ana, "/v1/conversations", contact=row["contact"]["id"])
    labels = [(title, each) for each in scan for title in each["labels"]]
    assert counts["by_label"] == numbers("label", labels)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("by=", "empty"),
        ("by=labels,channels", "not_allowed"),
        ("by=labels&label=billing", "unavailable"),
    ],
)
async def test_counts_say_what_they_can_be_given_by(ana, is_problem, query, reason):
    response = await ana.get(f"/v1/conversations/counts?{query}")
    is_problem(response, 400, "invalid_parameter")
    (error,) = response.json()["errors"]
    assert (error["parameter"], error["reason"]) == ("by", reason)


async def test_counts_by_label_have_a_tag_of_their_own(ana):
    path = "/v1/conversations/counts?by=labels"
    first = await ana.get(path)
    again = await ana.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    assert first.headers["ETag"] != (await ana.get(path.split("?")[0])).headers["ETag"]


def numbers(name, pairs):
    """Rows of counts by a value: all and by status, in the order of the values, none first."""
    found = {}
    for value, row in pairs:
        own = found.setdefault(value, dict.fromkeys((name, "all", *STATUSES), 0))
        own[name] = value
        own["all"] += 1
        own[row["status"]] += 1
    key = int if name == "assignee" else str.casefold
    return [found[value] for value in sorted(found, key=lambda value: key(value or "0"))]


def counts_of(scan, status):
    """What the counts of a list are, with a set of one status beside those of each."""
    sets = {each: count_set([row for row in scan if row["status"] == each]) for each in STATUSES}
    return {
        **{name: value for name, value in sets[status].items() if name != "all"},
        **{each: sets[each]["all"] for each in STATUSES},
        "all": len(scan),
        "by_status": sets,
        "unread": unread(scan, status),
        "by_channel": by_channel(scan),
        "as_of": "2026-03-14T09:30:00.000Z",
    }


async def test_nobody_has_no_count_of_mine(clients, inbox):
    counts = (await (await clients.client()).get("/v1/conversations/counts")).json()
    assert counts["mine"] is None
    assert counts["by_status"]["open"]["mine"] is None


@pytest.mark.parametrize(("outbound", "unread"), [(False, 1), (True, 0)])
async def test_a_customer_whom_nobody_has_read_is_unread_without_a_read_marker(
    client, add_events, outbound, unread
):
    message = MessageUpsert(
        CHANNELS[0],
        Person(phone="+4915112345678"),
        "w",
        START,
        outbound,
        Author("bot" if outbound else "contact"),
        "text",
        "webhook",
    )
    add_events([message])
    (row,) = (await client.get("/v1/conversations")).json()["data"]
    assert row["unread_count"] is None
    assert (await client.get("/v1/conversations/counts")).json()["unread"] == unread
    listed = (await client.get("/v1/conversations?unread=true")).json()["data"]
    assert len(listed) == unread


@pytest.mark.parametrize("name", ["limit", "cursor", "sort"])
async def test_counts_take_no_parameters_of_pages(ana, is_problem, name):
    response = await ana.get("/v1/conversations/counts", params={name: "1"})
    is_problem(response, 400, "invalid_parameter")


def snoozed(until, number=0):
    person = Person(phone=f"+49151123456{number:02}")
    at = START + number
    return [
        MessageUpsert(
            CHANNELS[0], person, f"w{number}", at, False, Author("contact"), "text", "webhook"
        ),
        ConversationEvent(CHANNELS[0], person, f"s{number}", at + 1, "snoozed", {"until": until}),
    ]


async def test_a_conversation_opens_when_its_snooze_is_over(client, add_events, now):
    add_events([*snoozed(now, 0), *snoozed(now + 1, 1), *snoozed(None, 2), *snoozed(now - 9999, 3)])
    counts = (await client.get("/v1/conversations/counts")).json()
    assert (counts["open"], counts["snoozed"]) == (2, 2)
    page = (await client.get("/v1/conversations?status=open")).json()["data"]
    assert [row["snoozed_until"] for row in page] == [None, None]


async def test_a_tag_from_before_the_end_of_a_snooze_is_old(clients, database, add_events, now):
    add_events(snoozed(now))
    key, guest = new_ephemeral_key(1)
    tags = []
    for moment in (now - 1, now):
        app = create_app(database, ephemeral_keys=[guest], clock=lambda moment=moment: moment)
        client = await clients.client_of(app, key)
        tags.append((await client.get("/v1/conversations")).headers["ETag"])
    assert tags[0] != tags[1]


async def test_a_snooze_that_is_over_is_written_down_beside_the_answer(database, add_events, now):
    add_events(snoozed(now))
    key, guest = new_ephemeral_key(1)
    app = create_app(database, ephemeral_keys=[guest], clock=lambda: now)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://inbox"
    ) as client:
        await client.get("/v1/conversations", headers={"Authorization": f"Bearer {key}"})
    app.close()
    stored = database.read(lambda c: c.row("SELECT status, snoozed_until FROM conversation"))
    assert (stored["status"], stored["snoozed_until"]) == (0, None)


async def test_a_database_that_takes_no_writes_answers_all_the_same(
    clients, database, add_events, now
):
    class Standby(NeverAtOnce):
        def read(self, work):
            return database.read(work)

        def write(self, work):
            raise Unreachable("The database takes no writes now")

    add_events([*snoozed(now, 0), *snoozed(now + 1, 1)])
    key, guest = new_ephemeral_key(1)
    client = await clients.client_of(
        create_app(Standby(), ephemeral_keys=[guest], clock=lambda: now), key
    )
    counts = (await client.get("/v1/conversations/counts")).json()
    assert (counts["open"], counts["snoozed"]) == (1, 1)
    (row,) = (await client.get("/v1/conversations?status=open")).json()["data"]
    assert (row["status"], row["snoozed_until"]) == ("open", None)


def count_set(rows):
    unassigned = sum(row["assignee"] is None for row in rows)
    return {
        "all": len(rows),
        "mine": sum((row["assignee"] or {}).get("id") == str(ANA) for row in rows),
        "assigned": len(rows) - unassigned,
        "unassigned": unassigned,
        "awaiting_human": sum(row["awaiting_human"] for row in rows),
    }


def unread(rows, status):
    return sum(is_unread(row) for row in rows if row["status"] == status)


def is_unread(row):
    """Without a read marker, whoever wrote."""
    return bool(row["last_inbound_at"] if row["unread_count"] is None else row["unread_count"])


def by_channel(rows):
    """Channels in the order of their folded names: Ärger, sales, Support EU."""
    counted = []
    for channel in (CHANNELS[1], CHANNELS[2], CHANNELS[0]):
        own = [row for row in rows if row["channel"]["id"] == channel]
        if own:
            waiting = sum(row["awaiting_human"] for row in own if row["status"] == "open")
            found = {status: sum(row["status"] == status for row in own) for status in STATUSES}
            counted.append(
                {"channel": channel, "all": len(own), **found, "awaiting_human": waiting}
            )
    return counted


def dict_of(address):
    query = address.partition("?")[2]
    return dict(pair.split("=") for pair in query.split("&") if pair)


async def test_a_conversation_by_its_id_is_the_row_of_the_list(ana, rows):
    for row in await rows(ana, "/v1/conversations", limit=100):
        assert (await ana.get(f"/v1/conversations/{row['id']}")).json() == row


@pytest.mark.parametrize("id", ["999", "0", "-1", "abc", "1e3", "٣", "9" * 30])
async def test_an_id_of_no_conversation_is_not_found(ana, is_problem, id):
    document = is_problem(await ana.get(f"/v1/conversations/{id}"), 404, "conversation_not_found")
    assert "There is no conversation" in document["detail"]


async def test_a_conversation_of_another_account_is_not_found(clients, database, inbox, is_problem):
    database.write(lambda connection: add_account(connection, "other", "Other", START))
    stranger = await clients.client(account_id=2)
    is_problem(await stranger.get("/v1/conversations/1"), 404, "conversation_not_found")


async def test_one_conversation_takes_no_parameters(ana, is_problem):
    is_problem(await ana.get("/v1/conversations/1?limit=1"), 400, "invalid_parameter")


async def test_one_conversation_has_no_preview_without_the_scope_for_messages(clients, inbox):
    reader = await clients.client(("conversations:read",))
    assert "last_message" not in (await reader.get("/v1/conversations/1")).json()


async def test_one_conversation_opens_when_its_snooze_is_over(client, add_events, now):
    add_events(snoozed(now))
    listed = (await client.get("/v1/conversations")).json()["data"][0]
    assert listed["status"] == "open"
    assert (await client.get(f"/v1/conversations/{listed['id']}")).json() == listed


async def test_one_conversation_is_answered_not_modified_until_a_write(ana, add_events):
    tag = (await ana.get("/v1/conversations/1")).headers["ETag"]
    unchanged = await ana.get("/v1/conversations/1", headers={"If-None-Match": tag})
    assert (unchanged.status_code, unchanged.content) == (304, b"")


@pytest.mark.both_engines
async def test_a_hand_over_is_told_until_a_person_answers(ana, inbox, rows, add_events):
    at = START + 100 * HOUR
    who = Person(phone="+16505550123", wa_id="16505550123")
    customer, agent = Author("contact"), Author("user", "bo@example.com", "Bo Ek")

    def said(wamid: str, at: int, author: Author) -> MessageUpsert:
        outbound = author is agent
        return MessageUpsert(
            CHANNELS[0], who, wamid, at, outbound, author, "text", "webhook", text="Hm"
        )

    async def handed_over() -> list[str]:
        listed = await rows(ana, "/v1/conversations", contact=theirs["contact"]["id"])
        return [row.get("handed_over_at", "no") for row in listed]

    add_events([said("w1", at, customer)])
    theirs = (await rows(ana, "/v1/conversations", limit=100))[0]
    assert theirs["contact"]["phone"] == "+16505550123"
    assert await handed_over() == ["no"]
    add_events([ConversationEvent(CHANNELS[0], who, "h1", at + 1000, "bot_handoff")])
    assert await handed_over() == [timestamp(at + 1000)]
    add_events([said("w2", at + 2000, agent)])
    assert await handed_over() == ["no"]
