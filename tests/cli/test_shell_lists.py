"""`conversations list`, `contacts list` and `counts`: requests and output."""

import csv
import io
import json
from collections import Counter
from pathlib import Path

import pytest
from tests.client.prepared_server import CONVERSATION
from tests.commands import output_of, run_command, run_on
from tests.fake_service import Query, fake_service

from frontdesk.cli.exit_codes import NOT_FOUND, USAGE
from frontdesk.exports.conversations import queue_text
from frontdesk.text.phones import format_phone
from frontdesk.wire import Conversation, Counts
from frontdesk.wire.values import STATUSES

RESOURCES = {
    "conversations": "last_activity_at",
    "contacts": "custom_fields",
    "labels": "title",
    "custom-fields": "key",
    "users": "email",
    "teams": "members",
    "channels": "phone",
    "canned-responses": "short_code",
    "templates": "components",
}


@pytest.mark.parametrize(("resource", "member"), RESOURCES.items())
def test_every_list_can_be_had_as_what_the_server_sends(inbox: Path, resource: str, member: str):
    rows = json.loads(output_of(inbox, "list", resource, "--all", "--format", "json"))
    lines = output_of(inbox, "list", resource, "--all", "--format", "jsonl").splitlines()
    assert rows
    # Between two commands a snooze may be over.
    assert [json.loads(line)["id"] for line in lines] == [row["id"] for row in rows]
    assert all(member in row for row in rows)


@pytest.mark.parametrize("resource", RESOURCES)
def test_every_list_is_a_table_a_csv_and_markdown(inbox: Path, resource: str):
    lines, table, text, markdown = (
        run_on(inbox, "list", resource, "--limit=9", f"--format={style}").stdout
        for style in ("jsonl", "table", "csv", "markdown")
    )
    count = len(lines.splitlines())
    assert len(table.splitlines()) == count + 1
    assert table.split()[0] == "ID"
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == count
    assert all(None not in row for row in rows)
    assert len(markdown.splitlines()) == count + 2
    assert all(line.startswith("| ") for line in markdown.splitlines())


def test_one_page_says_that_there_is_more_and_how_to_go_on(inbox: Path):
    first = run_on(inbox, "list", "conversations", "--limit", "3", "--format", "jsonl")
    assert first.exit_code == 0
    assert len(first.stdout.splitlines()) == 3
    words = first.stderr.split()
    assert "--all," in words
    table = run_on(inbox, "list", "conversations", "--limit", "3")
    assert table.stderr == "frontdesk: more conversations: --all, or --limit 6\n"
    cursor = words[words.index("--cursor") + 1]
    assert run_on(inbox, "contacts", "list", "--cursor", cursor).exit_code == 2
    second = run_on(inbox, "list", "conversations", "--limit", "3", "--cursor", cursor)
    every = output_of(inbox, "list", "conversations", "--all", "--format", "csv").splitlines()
    ids = [line.split(",")[0] for line in every[1:]]
    assert [line.split()[0] for line in second.stdout.splitlines()[1:]] == ids[3:6]


def test_all_is_every_row_once(inbox: Path):
    every = output_of(inbox, "list", "contacts", "--all", "--format", "csv")
    ids = [line["id"] for line in csv.DictReader(io.StringIO(every))]
    assert len(ids) == len(set(ids)) > 100


def test_filters_are_those_of_the_interface(inbox: Path):
    channel = json.loads(output_of(inbox, "list", "channels", "--format", "json"))[0]["id"]
    filters = ("--status", "open", "--assignee", "unassigned", "--channel", channel)
    lines = output_of(inbox, "list", "conversations", "--all", "--format", "jsonl", *filters)
    rows = [Conversation.model_validate_json(line) for line in lines.splitlines()]
    assert rows
    assert {(row.status, row.assignee, row.channel.id) for row in rows} == {("open", None, channel)}
    label = ("--label", "vip")
    lines = output_of(inbox, "list", "conversations", "--all", "--format", "jsonl", *label)
    assert all("vip" in json.loads(line)["labels"] for line in lines.splitlines())


def test_channels_users_and_labels_are_found_by_what_people_call_them(inbox: Path):
    channel = json.loads(output_of(inbox, "channels", "list", "--json", "id,name,phone"))[0]
    user = json.loads(output_of(inbox, "users", "list", "--json", "id,name,email"))[0]
    arguments = ("conversations", "list", "--all", "--format", "jsonl")
    of_channel = output_of(inbox, *arguments, "--channel", channel["id"])
    assert of_channel
    for name in (channel["name"].upper(), channel["phone"], format_phone(channel["phone"])):
        assert output_of(inbox, *arguments, "--channel", name) == of_channel
    of_user = output_of(inbox, *arguments, "--assignee", user["id"])
    for name in (user["name"], user["email"].upper()):
        assert output_of(inbox, *arguments, "--assignee", name) == of_user
    labelled = output_of(inbox, *arguments, "--label", "vip")
    assert output_of(inbox, *arguments, "--label", "VIP") == labelled


def test_one_of_a_catalogue_is_printed_by_its_name(inbox: Path):
    label = json.loads(output_of(inbox, "labels", "view", "VIP", "--format", "json"))
    assert label["title"] == "vip"
    assert json.loads(output_of(inbox, "labels", "view", label["id"], "--format", "json")) == label
    assert "vip" in output_of(inbox, "labels", "view", "vip")
    refused = run_on(inbox, "users", "view", "nobody")
    assert refused.exit_code == NOT_FOUND
    assert "There is no user 'nobody': there is " in refused.stderr


def test_limit_is_how_many_rows_whatever_the_size_of_a_page(inbox: Path):
    every = output_of(inbox, "conversations", "list", "--all", "--json", "id")
    ids = [row["id"] for row in json.loads(every)]
    first = run_on(inbox, "conversations", "list", "--limit", "130", "--json", "id")
    assert [row["id"] for row in json.loads(first.stdout)] == ids[:130]
    cursor = first.stderr.split()[-1]
    rest = output_of(inbox, "conversations", "list", "--all", "--cursor", cursor, "--json", "id")
    assert [row["id"] for row in json.loads(rest)] == ids[130:]


def test_json_has_the_members_that_are_asked_for(inbox: Path):
    rows = json.loads(
        output_of(inbox, "conversations", "list", "--all", "--json", "id,contact.phone")
    )
    assert all(list(row) == ["id", "contact.phone"] for row in rows)
    assert any(row["contact.phone"] for row in rows)
    counts = json.loads(output_of(inbox, "counts", "--json", "open"))
    assert list(counts) == ["open"]
    refused = run_on(inbox, "labels", "list", "--json", "titel")
    assert refused.exit_code == USAGE
    assert "'titel'; there is id, title" in refused.stderr


def test_a_customer_without_a_name_is_called_by_the_number_in_a_list_of_messages(inbox: Path):
    rows = json.loads(output_of(inbox, "conversations", "list", "--all", "--json", "id,contact"))
    nameless = ((row["id"], row["contact"]) for row in rows if not row["contact"]["name"])
    id, contact = next((id, contact) for id, contact in nameless if contact["phone"])
    listed = output_of(inbox, "messages", "list", id, "--all")
    assert format_phone(contact["phone"]) in listed
    assert "Customer" not in listed


def test_messages_are_listed_newest_first(inbox: Path):
    id = json.loads(output_of(inbox, "conversations", "list", "--all", "--json", "id"))[0]["id"]
    rows = json.loads(output_of(inbox, "messages", "list", id, "--all", "--json", "id,created_at"))
    assert rows
    assert [row["created_at"] for row in rows] == sorted(
        (row["created_at"] for row in rows), reverse=True
    )


def test_tables_have_readable_numbers_and_exports_e164(inbox: Path):
    contacts = ("contacts", "list", "--limit=9")
    rows = json.loads(run_on(inbox, *contacts, "--json", "phone").stdout)
    phone = next(row["phone"] for row in rows if row["phone"])
    assert format_phone(phone) in run_on(inbox, *contacts).stdout
    assert phone in run_on(inbox, *contacts, "--format", "csv").stdout


def test_me_is_who_the_command_says(inbox: Path):
    users = json.loads(output_of(inbox, "list", "users", "--format", "json"))
    named = ("--as", users[0]["email"], "--assignee", "me", "--format", "jsonl", "--all")
    rows = map(json.loads, output_of(inbox, "list", "conversations", *named).splitlines())
    assert {row["assignee"]["id"] for row in rows} == {users[0]["id"]}


def test_a_negated_me_filter_excludes_conversations_assigned_to_me(inbox: Path):
    def ids(query: str) -> set[str]:
        arguments = ("conversations", "list", "--all", "--json", "id", "--as", "Grace Okafor")
        rows = json.loads(output_of(inbox, *arguments, query))
        return {row["id"] for row in rows}

    assert ids("is:open -@me") == ids("is:open") - ids("is:open @me")
    assert ids("is:open @me")


def test_contacts_are_searched(inbox: Path):
    every = output_of(inbox, "list", "contacts", "--all", "--format", "jsonl").splitlines()
    name = json.loads(every[0])["name"]
    found = output_of(
        inbox, "list", "contacts", "--q", name.upper(), "--format", "jsonl"
    ).splitlines()
    assert 0 < len(found) < len(every)
    assert name in {json.loads(line)["name"] for line in found}


def test_contacts_and_their_conversations_are_found_by_a_number_as_people_write_it(inbox: Path):
    contacts = output_of(inbox, "list", "contacts", "--all", "--json", "phone")
    phone = next(filter(None, (row["phone"] for row in json.loads(contacts))))
    for written in (format_phone(phone), " ".join(phone[3:])):
        found = output_of(inbox, "list", "contacts", "--q", written, "--json", "phone")
        assert json.loads(found) == [{"phone": phone}]
        arguments = ("conversations", "list", "--json", "contact")
        rows = json.loads(output_of(inbox, *arguments, f"from:{written}"))
        assert {row["contact"]["phone"] for row in rows} == {phone}


def test_an_unknown_name_is_an_error_with_the_names_that_there_are(inbox: Path):
    result = run_on(inbox, "list", "conversations", "--channel", "nope")
    assert (result.exit_code, result.stdout) == (USAGE, "")
    assert "There is no channel 'nope': there is " in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "conversations", "--status", "pending"),
        ("list", "labels", "--limit", "0"),
        ("list", "labels", "--all", "--limit", "7"),
        ("list", "labels", "--format", "xml"),
        ("list", "nothing"),
    ],
)
def test_bad_usage_is_reported_before_anything_is_asked(inbox: Path, arguments: tuple[str, ...]):
    result = run_on(inbox, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")


def test_two_places_are_one_too_many(inbox: Path):
    result = run_on(inbox, "list", "labels", "--url", "https://inbox.example")
    assert (result.exit_code, result.stdout) == (USAGE, "")


def test_counts_are_reported_by_status_and_channel(inbox: Path):
    counts = Counts.model_validate_json(output_of(inbox, "counts", "--format", "json"))
    rows = list(csv.DictReader(io.StringIO(output_of(inbox, "counts", "--format", "csv"))))
    by_name = {(row["kind"], row["id"] or row["name"]): row for row in rows}
    assert by_name["all", "all"]["all"] == str(counts.all)
    assert by_name["status", "snoozed"]["all"] == str(counts.snoozed)
    assert by_name["status", "open"]["unread"] == str(counts.unread)
    for channel in counts.by_channel:
        assert by_name["channel", channel.channel]["open"] == str(channel.open)
    names = [
        row["name"] for row in json.loads(output_of(inbox, "list", "channels", "--format", "json"))
    ]
    table = output_of(inbox, "counts")
    assert all(name in table for name in names)


@pytest.mark.parametrize(
    ("narrowed", "same"),
    [
        (("#vip",), ("active:<9999w", "#vip")),
        (("--status", "open"), ("is:open", "active:<9999w")),
        (("--status", "resolved"), ("is:resolved", "active:<9999w")),
        (("is:resolved", "in:london"), ("--status", "resolved", "in:london", "active:<9999w")),
        (("in:london",), ("--channel", "London", "active:<9999w")),
        (("--label", "complaint"), ("#complaint", "active:<9999w")),
        (("is:open,snoozed",), ("is:open,snoozed", "active:<9999w")),
        (
            ("is:resolved,snoozed", "in:london,madrid"),
            ("is:resolved,snoozed", "in:london,madrid", "active:<9999w"),
        ),
    ],
)
def test_counts_computed_from_the_list_match_the_counts_of_the_server(
    inbox: Path, narrowed: tuple[str, ...], same: tuple[str, ...]
):
    me = json.loads(output_of(inbox, "users", "view", "Grace Okafor", "--json", "email"))["email"]
    place = ("--format", "csv", "--as", me)
    counted = output_of(inbox, "counts", *narrowed, *place)
    assert output_of(inbox, "counts", *same, *place) == counted
    rows = json.loads(
        output_of(inbox, "conversations", "list", "--all", "--as", me, "--json=", *narrowed)
    )
    of_grace = json.loads(output_of(inbox, "counts", *narrowed, "@me", "--as", me, "--json"))
    assert of_grace["all"] == sum(
        (row["assignee"] or {}).get("name") == "Grace Okafor" for row in rows
    )
    assert len(rows) > of_grace["all"] > 0


@pytest.mark.parametrize(
    "narrowed",
    [
        (),
        ("is:open",),
        ("is:resolved", "in:london"),
        ("#vip",),
        ("@grace",),
        ("is:open,resolved", "@unassigned,grace", "in:london,madrid"),
        ("is:open,snoozed", "needs:human"),
        ("team:atlantic",),
    ],
)
def test_counts_by_assignee_and_label_are_those_of_the_list(inbox: Path, narrowed: tuple[str, ...]):
    parts = ("--by", "assignee", "--by", "label")
    here = json.loads(output_of(inbox, "counts", *narrowed, "active:<9999w", *parts, "--json="))
    there = json.loads(output_of(inbox, "counts", *narrowed, *parts, "--json="))
    # The server says of what query they are.
    there.pop("query", None)
    assert here | {"as_of": None} == there | {"as_of": None}
    assert next(iter(there["by_assignee"][0])) == "assignee"
    by = (*parts, "--format", "csv")
    counted = output_of(inbox, "counts", *narrowed, *by)
    assert output_of(inbox, "counts", *narrowed, "active:<9999w", *by) == counted
    listed = json.loads(output_of(inbox, "conversations", "list", "--all", "--json=", *narrowed))
    rows = list(csv.DictReader(io.StringIO(counted)))
    owners = Counter((row["assignee"] or {"name": "unassigned"})["name"] for row in listed)
    labels = Counter(f"#{label}" for row in listed for label in row["labels"])
    assert owners
    for kind, expected in (("assignee", owners), ("label", labels)):
        found = {row["name"].lstrip("'"): int(row["all"]) for row in rows if row["kind"] == kind}
        assert found == expected


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("rest", ["", "waiting:>1h", "in:london"])
def test_counts_of_a_status_have_no_conversation_of_another(inbox: Path, status: str, rest: str):
    query = f"is:{status} {rest}"
    listed = output_of(inbox, "conversations", "list", query, "--all", "--format", "json")
    rows = [Conversation.model_validate(row) for row in json.loads(listed)]
    counts = Counts.model_validate_json(output_of(inbox, "counts", query, "--format", "json"))
    expected = {**dict.fromkeys(STATUSES, 0), status: len(rows)}
    assert {name: getattr(counts, name) for name in STATUSES} == expected
    assert counts.all == len(rows)
    assert counts.by_status is not None
    by_status = {name: getattr(counts.by_status, name) for name in STATUSES}
    assert {name: counted.all for name, counted in by_status.items()} == expected
    others = [counted for name, counted in by_status.items() if name != status]
    assert {number for counted in others for number in dict(counted).values()} <= {0, None}
    of_channels = Counter(row.channel.id for row in rows)
    assert {one.channel: one.all for one in counts.by_channel} == of_channels
    assert sum(one.open or 0 for one in counts.by_channel) == expected["open"]


def test_counts_of_a_status_are_the_same_in_every_format(inbox: Path):
    snoozed = ("counts", "--status", "snoozed", "--format")
    counts = Counts.model_validate_json(output_of(inbox, *snoozed, "json"))
    rows = {
        row["name"]: row for row in csv.DictReader(io.StringIO(output_of(inbox, *snoozed, "csv")))
    }
    assert counts.all
    assert {name: rows[name]["all"] for name in (*STATUSES, "all")} == {
        **{"open": "0", "snoozed": str(counts.snoozed), "resolved": "0", "all": str(counts.all)}
    }
    assert rows["snoozed"]["unread"] == str(counts.unread)
    of_channels = [row["all"] for row in rows.values() if row["kind"] == "channel"]
    assert of_channels == [str(one.all) for one in counts.by_channel]


@pytest.mark.parametrize("command", [("conversations", "list"), ("counts",)])
@pytest.mark.parametrize(
    ("query", "option", "words"),
    [
        ("is:open", ("--status", "snoozed"), "--status does not go with is:open"),
        ("in:London", ("--channel", "New York"), "--channel does not go with in:London"),
        ("@me sort:waiting", ("--assignee", "assigned"), "--assignee does not go with @me"),
        ("#vip", ("--label", "complaint"), "--label does not go with #vip"),
    ],
)
def test_an_option_does_not_override_a_term_of_the_query(
    inbox: Path, command: tuple[str, ...], query: str, option: tuple[str, str], words: str
):
    result = run_on(inbox, *command, query, *option)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{words} in the query" in result.stderr


def test_an_option_goes_with_negated_terms_and_those_of_other_kinds(inbox: Path):
    arguments = ("conversations", "list", "--all", "--json=")
    options = ("--status", "open", "--label", "vip")
    narrowed = output_of(inbox, *arguments, *options, "in:london -#complaint")
    assert narrowed == output_of(inbox, *arguments, "is:open #vip in:london -#complaint")
    assert json.loads(narrowed)


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        (("conversations", "view", "--json", "27"), ("conversations", "view", "27", "--json")),
        (("labels", "view", "--json", "vip"), ("labels", "view", "vip", "--json")),
        (
            ("labels", "view", "--json", "title,color", "vip"),
            ("labels", "view", "vip", "--json=title,color"),
        ),
        (
            ("conversations", "list", "--json", "is:open @me"),
            ("conversations", "list", "is:open @me", "--json"),
        ),
        (
            ("conversations", "list", "--limit", "2", "--json", "is:open @me"),
            ("conversations", "list", "--limit", "2", "is:open @me", "--json"),
        ),
        (
            ("conversations", "list", "--json", "is:open @me", "--limit", "2"),
            ("conversations", "list", "is:open @me", "--json", "--limit", "2"),
        ),
        (("messages", "list", "--json", "--", "27"), ("messages", "list", "27", "--json")),
    ],
)
def test_json_does_not_swallow_the_argument_behind_it(
    inbox: Path, before: tuple[str, ...], behind: tuple[str, ...]
):
    me = json.loads(output_of(inbox, "users", "view", "Grace Okafor", "--json", "email"))["email"]
    results = [
        run_command("--database", inbox, "--as", me, *arguments) for arguments in (before, behind)
    ]
    assert [result.exit_code for result in results] == [0, 0]
    assert results[0].stdout == results[1].stdout
    json.loads(results[0].stdout)


@pytest.mark.parametrize(
    ("unreadable", "words"),
    [
        ((), ""),
        ((3,), "frontdesk: 1 row could not be read and was left out\n"),
        ((3, 110), "frontdesk: 2 rows could not be read and were left out\n"),
    ],
)
@pytest.mark.parametrize("query", [(), ("-is:resolved",)])
def test_rows_that_cannot_be_read_are_counted_over_all_pages(
    unreadable: tuple[int, ...], words: str, query: tuple[str, ...]
):
    def pages(path: str, query: Query) -> object:
        if not path.endswith("/conversations"):
            return None
        first = int(query.get("cursor", 0))
        last = min(first + int(query.get("limit", 50)), 150)
        rows = [
            {"id": None} if number in unreadable else {**CONVERSATION, "id": str(number)}
            for number in range(first, last)
        ]
        return {
            "data": rows,
            "next_cursor": str(last) if last < 150 else None,
            "has_more": last < 150,
        }

    with fake_service(pages) as double:
        command = ("conversations", "list", "--url", double.url, "--limit", "140", "--json=id")
        result = run_command(*command, "--", *query, FRONTDESK_API_KEY="k")
    assert result.exit_code == 0
    assert len(json.loads(result.stdout)) == 140
    assert words in result.stderr
    assert ("could not be read" in result.stderr) == bool(words)


def test_what_is_missing_from_a_thread_is_said_beside_it():
    message = {
        "id": "9",
        "direction": "inbound",
        "author": "contact",
        "type": "text",
        "text": "Hello",
        "created_at": "2026-03-14T09:26:53.000Z",
    }

    def answer(path: str, query: Query) -> object:
        if path.endswith("/messages"):
            rows = [message, {"id": None}, {"id": None}]
            return {"data": rows, "next_cursor": None, "has_more": False}
        return CONVERSATION if path.endswith("/conversations/1") else None

    with fake_service(answer) as double:
        command = ("conversations", "view", "1", "--url", double.url)
        result = run_command(*command, FRONTDESK_API_KEY="k")
    assert result.exit_code == 0
    assert "Hello" in result.stdout
    assert result.stderr == (
        "frontdesk: without notes: This server lists no notes\n"
        "frontdesk: 2 rows could not be read and were left out\n"
    )


def test_counts_that_a_server_leaves_out_are_empty_and_not_zero():
    def partly(path: str, query: Query) -> object:
        return {"all": 7, "open": 3, "unassigned": 2} if path.endswith("counts") else None

    with fake_service(partly) as double:
        command = ("counts", "--url", double.url, "--format")
        table = run_command(*command, "csv", FRONTDESK_API_KEY="k")
        counts = json.loads(run_command(*command, "json", FRONTDESK_API_KEY="k").stdout)
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(table.stdout))}
    assert (rows["open"]["all"], rows["open"]["unassigned"], rows["all"]["all"]) == ("3", "2", "7")
    assert {rows[status]["all"] for status in ("snoozed", "resolved")} == {""}
    assert {name for row in rows.values() for name in row if row[name] == "0"} == set()
    assert counts["unassigned"] == 2
    assert not {"awaiting_human", "resolved", "assigned"} & counts.keys()


def test_counts_of_a_status_that_a_server_leaves_out_are_unknown():
    def partly(path: str, query: Query) -> object:
        return {"all": 7, "open": 3, "mine": 1} if path.endswith("counts") else None

    with fake_service(partly) as double:
        command = ("counts", "--status", "snoozed", "--url", double.url, "--json")
        result = run_command(*command, FRONTDESK_API_KEY="k")
    counts = json.loads(result.stdout)
    assert (counts["open"], counts["resolved"]) == (0, 0)
    assert (counts["snoozed"], counts["all"]) == (None, None)


def test_counts_of_a_query_are_those_of_the_list_where_a_server_ignores_queries():
    rows = [CONVERSATION | {"id": status, "status": status} for status in STATUSES]

    def answer(path: str, query: Query) -> object:
        if path.endswith("/counts"):
            return {"all": 7, "open": 3, "snoozed": 2, "resolved": 2}
        return {"data": rows} if path.endswith("/conversations") else None

    with fake_service(answer) as double:
        command = ("counts", "is:open,snoozed", "--url", double.url, "--json", "all,resolved")
        result = run_command(*command, FRONTDESK_API_KEY="k")
    assert json.loads(result.stdout) == {"all": 2, "resolved": 0}


def test_the_viewer_and_the_shell_write_the_same_csv_of_the_same_conversations(inbox: Path):
    arguments = ("list", "conversations", "--all", "--format")
    # The first to ask ends the snoozes that are over, which changes rows.
    output_of(inbox, "counts")
    rows = json.loads(output_of(inbox, *arguments, "json"))
    saved = queue_text([Conversation.model_validate(row) for row in rows], "csv")
    written = output_of(inbox, *arguments, "csv", "--bom")
    assert saved.splitlines() == written.splitlines()
    assert len(saved.splitlines()) > len(rows) > 100
    assert any(len(row["labels"]) > 1 for row in rows)


def test_a_query_of_the_viewer_selects_and_orders_conversations(inbox: Path):
    arguments = ("conversations", "list", "--all", "--format", "json")
    rows = [Conversation.model_validate(row) for row in json.loads(output_of(inbox, *arguments))]
    asked = json.loads(output_of(inbox, *arguments, "is:open", "#vip"))
    assert [row["id"] for row in asked] == [
        row.id for row in rows if row.status == "open" and "vip" in row.labels
    ]
    waiting = json.loads(output_of(inbox, *arguments, "waiting:>1m -#vip sort:waiting"))
    since = [row["waiting_since"] for row in waiting]
    assert since == sorted(since)
    assert len(since) > 3
    assert not any("vip" in row["labels"] for row in waiting)
    longest = sorted((row.waiting_since, row.id) for row in rows if row.waiting_since)[:3]
    three = run_on(inbox, "conversations", "list", "sort:waiting", "--limit", "3", "--json", "id")
    assert [row["id"] for row in json.loads(three.stdout)] == [id for _, id in longest]
    three = run_on(inbox, "conversations", "list", "sort:oldest", "--limit", "3", "--json", "id")
    assert [row["id"] for row in json.loads(three.stdout)] == [row.id for row in rows[::-1][:3]]
    cursor = three.stderr.split()[-1]
    arguments = ("conversations", "list", "sort:oldest", "--json", "id", "--limit", "2")
    two = run_on(inbox, *arguments, "--cursor", cursor)
    assert [row["id"] for row in json.loads(two.stdout)] == [row.id for row in rows[::-1][3:5]]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("is:opne", "is: takes open, snoozed, resolved or followup."),
        ("in:nowhere", "No channel fits"),
        ("is:followup", "is:followup works in the viewer alone"),
    ],
)
def test_a_mistake_in_a_query_is_named(inbox: Path, query: str, words: str):
    refused = run_on(inbox, "conversations", "list", query)
    assert refused.exit_code == USAGE
    assert words in refused.stderr


def test_a_view_of_the_configuration_is_a_query_by_name(inbox: Path, configuration_home: Path):
    configuration_home.mkdir(parents=True)
    (configuration_home / "config.toml").write_text(
        '[[views]]\nname = "Closed"\nquery = "is:resolved"\n'
    )
    arguments = ("conversations", "list", "--all", "--format", "json")
    assert output_of(inbox, *arguments, "--view", "Closed") == output_of(
        inbox, *arguments, "is:resolved"
    )
    narrowed = output_of(inbox, *arguments, "--view", "Closed", "is:open")
    assert narrowed == output_of(inbox, *arguments, "is:open")
    refused = run_on(inbox, *arguments, "--view", "Open")
    assert refused.exit_code == USAGE
    assert "The configuration has no view 'Open': there is Closed. The viewer's" in refused.stderr


def test_a_view_of_the_viewer_is_said_to_be_unknown(inbox: Path):
    refused = run_on(inbox, "conversations", "list", "--view", "Mine")
    assert refused.exit_code == USAGE
    assert (
        "has no view 'Mine'; config edit adds some. The viewer's own tabs, and views saved there,"
        " are not known to the shell" in refused.stderr
    )


VIEWS = """\
[[views]]
name = "Mail"
query = "is:open #vip -#refund in:o"

[[views]]
name = "Closed"
query = "is:resolved"

[[views]]
name = "CLOSED"
query = "is:resolved #vip"

[[views]]
name = "Mail"
query = "is:snoozed"
"""


@pytest.fixture
def views(configuration_home: Path) -> None:
    """A configuration with views, two of which have one name."""
    configuration_home.mkdir(parents=True)
    (configuration_home / "config.toml").write_text(VIEWS)


@pytest.mark.usefixtures("views")
@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("Mail", "is:open #vip -#refund in:o"),
        ("mAIL", "is:open #vip -#refund in:o"),
        ("Closed", "is:resolved"),
        ("CLOSED", "is:resolved #vip"),
    ],
)
def test_a_view_is_found_in_any_case_the_same_case_first(inbox: Path, name: str, query: str):
    arguments = ("conversations", "list", "--all", "--format", "json")
    assert output_of(inbox, *arguments, "--view", name) == output_of(inbox, *arguments, query)


@pytest.mark.usefixtures("views")
def test_a_view_whose_name_two_have_in_another_case_is_refused(inbox: Path):
    refused = run_on(inbox, "conversations", "list", "--view", "closed")
    assert refused.exit_code == USAGE
    assert "The configuration has several views 'closed': Closed, CLOSED" in refused.stderr


@pytest.mark.usefixtures("views")
def test_an_option_replaces_every_such_term_of_a_view(inbox: Path):
    arguments = ("conversations", "list", "--all", "--format", "json")
    options = ("--status", "resolved", "--label", "complaint", "--channel", "London")
    replaced = output_of(inbox, *arguments, "--view", "Mail", *options)
    assert replaced == output_of(inbox, *arguments, "is:resolved #complaint -#refund in:London")
    assert json.loads(replaced)


def test_the_members_of_json_lines_can_be_chosen(inbox: Path):
    lines = output_of(inbox, "channels", "list", "--json", "id,name", "--format", "jsonl")
    assert {tuple(json.loads(line)) for line in lines.splitlines()} == {("id", "name")}


@pytest.mark.parametrize("query", ["refund", "refund sort:oldest"])
def test_the_table_shows_the_message_in_which_words_were_found(inbox: Path, query: str):
    listed = ("conversations", "list", query, "--limit", "20")
    rows = run_on(inbox, *listed).stdout.splitlines()[1:]
    shown = [row.partition("» ")[2] for row in rows if "» " in row]
    assert shown
    assert [text for text in shown if "refund" not in text.casefold()] == []
    # Programs read what the service sends.
    assert "»" not in run_on(inbox, *listed, "--format", "json").stdout
