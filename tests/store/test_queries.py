"""Queries walk an index and sort no range: their cost depends on the page, not the list."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import Author, ContactUpsert, MessageUpsert, Person
from frontdesk.store import (
    accounts,
    catalogues,
    contacts,
    conversations,
    report_ads,
    report_parts,
    report_rows,
    reports,
)
from frontdesk.store import conversation_walks as walks
from frontdesk.store.changes import ChangePosition, changes
from frontdesk.store.conversation_conditions import (
    FromAd,
    HasField,
    TimeSpan,
    WithoutLabels,
    WrittenBy,
)
from frontdesk.store.conversation_walks import WalkLimits
from frontdesk.store.conversations import ConversationSelection, FilterPlace, states_of
from frontdesk.store.database import Connection, Database
from frontdesk.store.query_conditions import AnyOf, Placed, counted_cells
from frontdesk.store.report_filters import ReportFilter
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.text.custom_fields import compared, equal_to

pytestmark = pytest.mark.both_engines

# Rows of sqlite_stat1 of 100,000 conversations: table, index, rows of it and of each prefix.
SIZES_OF_A_LARGE_INBOX = (
    ("metric_event", "metric_event", "592239 592239 6 1"),
    ("message", "message_referral", "11530 11530 1"),
    ("conversation", "sqlite_autoindex_conversation_1", "100000 100000 1"),
)

# The steps of a query: (the step it is a part of, what it does).
Plan = list[tuple[int, str]]


class Explaining:
    """A connection that keeps the plan of every statement it runs."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.dialect = connection.dialect
        self.plans: list[Plan] = []

    def rows(self, sql, parameters=None):
        steps = self._connection.rows(f"EXPLAIN QUERY PLAN {sql}", parameters)
        self.plans.append([(step["parent"], step["detail"]) for step in steps])
        return self._connection.rows(sql, parameters)

    def row(self, sql, parameters=None):
        found = self.rows(sql, parameters)
        return found[0] if found else None


@pytest.fixture
def sqlite_database(tmp_path: Path) -> Iterator[SQLiteDatabase]:
    database = SQLiteDatabase(tmp_path / "inbox.db", create=True, durable=False)
    yield database
    database.close()


@pytest.fixture
def explaining(sqlite_database: SQLiteDatabase):
    """Runs reading work and gives its plans."""
    return partial(plans_of, sqlite_database)


def plans_of(database: SQLiteDatabase, work) -> list[Plan]:
    def read(connection: Connection) -> list[Plan]:
        watched = Explaining(connection)
        work(watched)
        return watched.plans

    return database.read(read)


FILTERS = list(product(((0,), (0, 1, 2)), (None, True, False), (None, 1), (0, 3), (None, (9, 9))))


@pytest.mark.parametrize(("statuses", "assigned", "channel", "label", "after"), FILTERS)
def test_a_page_of_conversations_merges_index_ranges(
    explaining, statuses, assigned, channel, label, after
):
    selection = ConversationSelection(states_of(statuses, assigned=assigned), label, channel)
    check_merge(explaining, selection, after)


@pytest.mark.parametrize("channel", [None, 1])
def test_a_page_of_one_users_conversations_merges_index_ranges(explaining, channel):
    selection = ConversationSelection(states_of((0, 1, 2), assigned=True), 0, channel, 7)
    check_merge(explaining, selection, (9, 9))


@pytest.mark.parametrize("after", [None, (0, 5, 9, 9), (1, 5, 9, 9)])
@pytest.mark.parametrize(
    ("members", "indexes"),
    [
        ({"awaiting": True}, {"entry_awaiting"}),
        ({"unread": True, "awaiting": False}, {"entry_unread"}),
        ({"awaiting": True, "channel_id": 1}, {"entry_awaiting_channel"}),
        ({"awaiting": True, "assignee_id": 7, "channel_id": 1}, {"entry_awaiting_assignee"}),
        ({"unread": True, "channel_id": 1}, {"entry_unread_channel"}),
        ({"unread": True, "assignee_id": 7}, {"entry_unread_assignee"}),
        ({"sort": "waiting"}, {"entry_waiting", "entry_state"}),
        ({"sort": "waiting", "channel_id": 1}, {"entry_waiting_channel", "entry_channel"}),
        (
            {"sort": "waiting", "assignee_id": 7, "unread": True},
            {"entry_waiting_assignee", "entry_unread_assignee"},
        ),
        ({"sort": "window", "channel_id": 1}, {"entry_window", "entry_channel"}),
    ],
)
def test_further_filters_and_orders_have_index_ranges_too(explaining, members, indexes, after):
    selection = ConversationSelection(states_of((0, 1, 2)), **members)
    after = after if "sort" in members or after is None else after[2:]
    found = set()
    for plan in explaining(lambda c: conversations.conversation_page(c, 1, selection, after, 26)):
        arms = [(parent, step) for parent, step in plan if " entry " in step]
        assert len(arms) == len(selection.states)
        sorting = {parent for parent, step in plan if "TEMP B-TREE" in step}
        for parent, step in arms:
            assert parent not in sorting
            found |= set(re.findall(r"INDEX (\w+) \(account_id=\? AND label_id=\? AND ", step))
    assert found <= indexes
    assert found


@pytest.mark.parametrize("name", ["awaiting", "unread"])
@pytest.mark.parametrize("place", [{}, {"channel_id": 1}, {"assignee_id": 7}])
def test_awaiting_and_unread_filters_are_read_from_covering_indexes(explaining, name, place):
    selection = ConversationSelection(states_of((0,)), **{name: True}, **place)
    (plan,) = explaining(lambda c: conversations.conversation_page(c, 1, selection, None, 26))
    arms = [step for _, step in plan if " entry " in step]
    assert len(arms) == 2
    assert all(f"COVERING INDEX entry_{name}" in step for step in arms)


def test_the_conversations_of_a_contact_are_found_by_the_contact(explaining):
    selection = ConversationSelection(states_of((0,)), contact_id=5, sort="waiting", awaiting=True)
    for plan in explaining(lambda c: conversations.conversation_page(c, 1, selection, None, 26)):
        steps = [step for _, step in plan if "conversation" in step and "USING" in step]
        assert any("conversation_contact (account_id=? AND contact_id=?)" in step for step in steps)
        (entry,) = {step for _, step in plan if " entry " in step}
        assert "PRIMARY KEY (account_id=? AND conversation_id=? AND label_id=?)" in entry


def check_merge(explaining, selection, after):
    """One index range for each state, none of them sorted, and joins by key after the cut."""
    (plan,) = explaining(lambda c: conversations.conversation_page(c, 1, selection, after, 26))
    arms = [(parent, step) for parent, step in plan if " entry " in step]
    assert len(arms) == len(selection.states)
    sorting = {parent for parent, step in plan if "TEMP B-TREE" in step}
    for parent, step in arms:
        assert "SEARCH entry USING COVERING INDEX" in step
        assert "state=?" in step
        assert ("last_activity_at" in step) == (after is not None)
        assert parent not in sorting
    scanned = {step for _, step in plan if step.startswith("SCAN")}
    assert scanned <= {"SCAN page", "SCAN arms", *(f"SCAN arm{n}" for n in range(6))}


def test_threads_and_lookups_are_searched_never_scanned(explaining):
    def read(c):
        conversations.thread_page(c, 1, "message", 5, (9, 0, 9), 51)
        conversations.thread_page(c, 1, "note", 5, None, 51)
        conversations.conversation(c, 1, 5)
        conversations.labels_of(c, 1, [1, 2, 3])
        conversations.quoted_messages(c, 1, 1, ["a", "b"])
        conversations.user_names(c, 1, [1, 2])
        conversations.channel_id(c, 1, "1")
        conversations.label_id(c, 1, "x")
        conversations.is_user(c, 1, 1)
        conversations.due_snoozes(c, 1, 9, 1)
        contacts.contact_by_phone(c, 1, "+1")
        accounts.find_key(c, "12345678")

    for plan in explaining(read):
        assert "SCAN" not in text(plan)
    (plan,) = explaining(lambda c: conversations.thread_page(c, 1, "message", 5, (9, 0, 9), 51))
    assert "TEMP B-TREE" not in text(plan)


@pytest.mark.parametrize("channel", [None, 1])
def test_a_report_reads_ranges_of_an_index(explaining, channel):
    spans = [
        reports.ReportSpan(0, 1_234, 300_000_001),
        reports.ReportSpan(1, 300_000_001, 300_000_002),
    ]
    plans = explaining(lambda c: reports.figures(c, 1, ReportFilter(channel), spans, detailed=True))
    assert len(plans) == 6
    ranges = [step for plan in plans for _, step in plan if step.startswith("SEARCH")]
    # Of channels, which are few, all are looked through.
    ranges = [searched for searched in ranges if not searched.startswith("SEARCH channel")]
    assert len(ranges) == 6
    for searched in ranges:
        assert re.search(r"(bucket|created_at|ended_at)>\? AND (\w+)<\?", searched)
    (searched,) = [searched for searched in ranges if "SEARCH event" in searched]
    assert "COVERING INDEX metric_event_handoff" in searched
    (plan,) = explaining(lambda c: reports.unattended(c, 1, ReportFilter(channel), None))
    assert "INDEX conversation_unattended" in text(plan)
    limits = {"first_response": 5, "reply": 5}
    of_channel = ReportFilter(channel)
    for plan in explaining(lambda c: report_parts.overdue(c, 1, of_channel, None, limits)):
        assert "COVERING INDEX conversation_unattended" in text(plan)


@pytest.mark.parametrize("filter", [ReportFilter(), ReportFilter(1), ReportFilter(label_id=3)])
def test_rows_of_a_report_are_found_in_the_order_of_their_ids(explaining, filter):
    selection = report_parts.PartSelection(1, filter, 1_234, 900_000_001)
    (plan,) = explaining(lambda c: report_rows.conversation_rows(c, selection, 7, 101))
    steps = [step for _, step in plan]
    assert re.search(r"SEARCH fact .*\(account_id=\? AND id>\?\)", steps[0])
    assert not any("ORDER BY" in step for step in steps)
    (plan,) = explaining(lambda c: report_rows.ads_of_rows(c, selection, [1, 2]))
    assert any("conversation_id=? AND created_at>?" in step for _, step in plan)


def test_arrivals_by_an_ad_are_a_range_of_the_messages_with_a_referral(explaining):
    selection = report_parts.PartSelection(1, ReportFilter(), 1_234, 900_000_001)
    for work in (report_ads.figures_by_ad, report_ads.ads):
        for plan in explaining(lambda c, work=work: work(c, selection)):
            steps = [step for _, step in plan]
            assert any("INDEX message_referral (account_id=? AND created_at>?" in s for s in steps)
            assert not any(step.startswith("SCAN fact") for step in steps)


def test_figures_by_an_ad_read_no_table_whole_in_a_large_inbox(tmp_path: Path) -> None:
    path = tmp_path / "inbox.db"
    SQLiteDatabase(path, create=True, durable=False).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ANALYZE")
        connection.executemany("INSERT INTO sqlite_stat1 VALUES (?, ?, ?)", SIZES_OF_A_LARGE_INBOX)
        connection.commit()
    with closing(SQLiteDatabase(path)) as database:
        selection = report_parts.PartSelection(1, ReportFilter(), 1_234, 900_000_001)
        plans = plans_of(database, lambda c: report_ads.figures_by_ad(c, selection))
    assert plans
    assert not any("BLOOM FILTER" in text(plan) for plan in plans)


@pytest.mark.parametrize("grouping", ["users", "teams"])
def test_answered_conversations_are_counted_by_ranges_of_a_writer(explaining, grouping):
    selection = report_parts.PartSelection(1, ReportFilter(), 1_234, 900_000_001)
    (answered,) = explaining(lambda c: report_parts.answered_by(c, grouping, selection))
    ranges = [step for _, step in answered if step.startswith("SEARCH fact")]
    assert any("user_id=? AND channel_id=? AND bucket>? AND bucket<?" in step for step in ranges)
    assert not any(step.startswith("SCAN fact USING") for _, step in answered)


@pytest.mark.parametrize("after", [None, (0, "x", 9), (1, "", 9)])
def test_a_page_of_contacts_walks_the_names(explaining, after):
    plans = explaining(lambda c: contacts.contact_page(c, 1, (), after, 26))
    for plan in plans:
        assert "SCAN contact" not in text(plan)
        assert "USING INDEX contact_order" in text(plan)
    # Those without a name are passed by, and so is what comes before the page.
    steps = [step for plan in plans for _, step in plan]
    named = [step for step in steps if step.startswith("SEARCH") and "name_key=?" not in step]
    assert all("name_key>?" in step or "(name_key,id)>(?,?)" in step for step in named)


@pytest.mark.parametrize("word", ["x", "xy", "name", "12345"])
def test_a_search_asks_the_index_of_words(explaining, word):
    counted, hits = explaining(lambda c: contacts.contact_page(c, 1, (word,), None, 26))
    assert "SCAN contact_words VIRTUAL TABLE INDEX 0:M" in text(counted)
    (read,) = [step for _, step in hits if " contact " in step]
    assert read.endswith("(account_id=? AND id=?)")


def test_a_search_with_many_hits_walks_the_names(explaining):
    def search(connection):
        contacts.contact_page(connection, 1, ("x",), (0, "x", 9), 26, few=-1)

    plan = explaining(search)[-1]
    assert "USING INDEX contact_order" in text(plan)
    assert "SCAN contact" not in text(plan)


@pytest.mark.parametrize(
    "catalogue",
    [
        catalogues.LABELS,
        catalogues.USERS,
        catalogues.TEAMS,
        catalogues.CHANNELS,
        catalogues.CANNED_RESPONSES,
        catalogues.TEMPLATES,
    ],
)
def test_a_page_of_a_catalogue_walks_its_order(explaining, catalogue):
    after = tuple("x" for _ in catalogue.order)
    (plan,) = explaining(lambda c: catalogues.catalogue_page(c, 1, catalogue, after, 26))
    assert "SCAN" not in text(plan)
    assert "TEMP B-TREE FOR ORDER BY" not in text(plan)


NARROWED = (Placed("channel_id", (1, 3)), Placed("assignee_id", (0, 4)))
CELLS = (
    conversations.CountedCells(),
    counted_cells(
        ConversationSelection(
            states_of(range(3)),
            2,
            awaiting=True,
            conditions=(*NARROWED, AnyOf(NARROWED, negated=True)),
        )
    ),
    counted_cells(ConversationSelection((1, 3, 5), channel_id=3, awake_at=None)),
)


@pytest.mark.parametrize("of", CELLS)
def test_counts_read_counter_cells_only(explaining, of):
    (plan,) = explaining(lambda c: conversations.counts(c, 1, of, user_id=1))
    assert "SEARCH cell USING" in text(plan)
    assert not [table for table in ("conversation", "entry", "message") if table in text(plan)]


@pytest.mark.parametrize("of", CELLS)
@pytest.mark.parametrize(
    "count_by", [conversations.counts_by_assignee, conversations.counts_by_label]
)
def test_counts_by_a_value_read_counter_cells_only(explaining, count_by, of):
    (plan,) = explaining(lambda c: count_by(c, 1, of))
    assert "SEARCH cell USING" in text(plan)
    assert not [table for table in ("conversation", "entry", "message") if table in text(plan)]


def test_an_account_reads_its_own_rows_only(database: Database):
    person = Person(phone="+16505551234")
    message = MessageUpsert("1", person, "w", 0, False, Author("contact"), "text", "webhook")
    database.write(lambda c: apply_events(c, 1, [message], now=0))
    everything = ConversationSelection(states_of((0, 1, 2)))

    def found(account_id):
        return database.read(
            lambda c: (
                len(conversations.conversation_page(c, account_id, everything, None, 9)),
                len(conversations.thread_page(c, account_id, "message", 1, None, 9)),
                len(contacts.contact_page(c, account_id, (), None, 9)),
                contacts.contact_by_phone(c, account_id, "+16505551234") is not None,
                conversations.conversation(c, account_id, 1) is not None,
                len(conversations.counts(c, account_id, conversations.CountedCells())),
            )
        )

    assert found(1) == (1, 1, 1, True, True, 1)
    assert found(2) == (0, 0, 0, False, False, 0)


def test_an_old_number_leads_to_the_contact_that_had_it(database: Database):
    incoming = ContactUpsert(Person(phone="+16505551234"), 0, "Sheena")
    database.write(lambda c: apply_events(c, 1, [incoming], now=0))
    database.write(
        lambda c: c.run(
            "INSERT INTO contact_alias(account_id, phone, contact_id) VALUES (1, '+16505550000', 1)"
        )
    )
    found = database.read(lambda c: contacts.contact_by_phone(c, 1, "+16505550000"))
    assert found is not None
    assert found["phone"] == "+16505551234"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("+5511987654321", "+551187654321"),
        ("+5491123456789", "+541123456789"),
        ("+5215512345678", "+525512345678"),
    ],
)
def test_both_spellings_of_a_mobile_number_lead_to_its_contact(
    database: SQLiteDatabase, one: str, other: str
):
    for account_id, stored in ((1, one), (2, other)):
        incoming = ContactUpsert(Person(phone=stored), 0)
        database.write(
            lambda c, a=account_id, incoming=incoming: apply_events(c, a, [incoming], now=0)
        )
        for asked in (one, other):
            found = database.read(
                lambda c, a=account_id, asked=asked: contacts.contact_by_phone(c, a, asked)
            )
            assert found is not None
            assert found["phone"] == stored


def test_a_number_itself_goes_before_that_of_another_which_is_spelled_like_it(database: Database):
    pair = ("+5511977654321", "+551177654321")
    incoming = [ContactUpsert(Person(phone=phone), 0) for phone in pair]
    database.write(lambda c: apply_events(c, 1, incoming, now=0))
    for asked in pair:
        found = database.read(lambda c, asked=asked: contacts.contact_by_phone(c, 1, asked))
        assert found is not None
        assert found["phone"] == asked


def text(plan: Plan) -> str:
    return "\n".join(step for _, step in plan)


# Not even none are few.
FIRST_WALK = WalkLimits(few=-1)
SPAN = (1_000, 2_000)


@pytest.mark.parametrize(
    ("condition", "lists", "probes"),
    [
        (TimeSpan("created_at", *SPAN), "conversation_created", "conversation_1"),
        (TimeSpan("waiting_since", *SPAN), "entry_waiting", "conversation_1"),
        (WrittenBy((7, 8)), "PRIMARY KEY", "conversation_rollup_conversation"),
        (WrittenBy((), ("phone",)), "conversation_phone", "conversation_1"),
        (WrittenBy((), ("ai",)), "conversation_bot", "conversation_1"),
        (HasField("plan", equal_to("gold")), "contact_field_value", "contact_field"),
        (HasField("seats", compared(">", "3")), "contact_field_value", "contact_field"),
        (HasField("plan"), "contact_field_value", "contact_field"),
        (FromAd(("1", "2")), "message_ad", "message_ad"),
        (WithoutLabels((1, 2)), "", "entry"),
    ],
)
@pytest.mark.parametrize("sort", ["activity", "created", "waiting"])
def test_conditions_are_listed_and_probed_by_an_index(explaining, condition, lists, probes, sort):
    if isinstance(condition, TimeSpan) and condition.column in ("created_at", "waiting_since"):
        sort = "activity"
    selection = ConversationSelection(states_of((0, 1, 2)), conditions=(condition,), sort=sort)

    def read(c, limits=None):
        walks.filtered_page(c, 1, selection, None, 26, limits)

    sorting, walking = explaining(read), explaining(partial(read, limits=FIRST_WALK))
    for plan in (*sorting, *walking):
        scans = {step for _, step in plan if step.startswith("SCAN")}
        assert not {step for step in scans if re.search(r"(entry|conversation|contact|mess)", step)}
    listed = [step for plan in sorting for _, step in plan if lists and lists in step]
    assert bool(listed) == bool(lists)
    assert any(probes in step for plan in walking for _, step in plan if "SEARCH" in step)


def test_any_of_several_are_ranges_of_an_index(explaining):
    places = (FilterPlace(1), FilterPlace(2, 1), FilterPlace(0, None, 7), FilterPlace(0, 3))
    selection = ConversationSelection(states_of((0, 1, 2)), places=places)
    (plan,) = explaining(lambda c: conversations.conversation_page(c, 1, selection, (9, 9), 26))
    arms = [step for _, step in plan if " entry " in step]
    assert len(arms) == len(places) * 6
    assert all("last_activity_at" in step and "COVERING INDEX" in step for step in arms)
    indexes = {match[1] for step in arms if (match := re.search(r"INDEX (\w+)", step))}
    assert indexes == {"entry_state", "entry_channel", "entry_assignee"}


def test_the_order_of_beginnings_walks_its_index_and_probes_the_filter_table(explaining):
    place = (FilterPlace(1), FilterPlace(2, 3, None, False))
    selection = ConversationSelection(states_of((0,)), places=place, sort="created", unread=True)
    plans = explaining(lambda c: walks.filtered_page(c, 1, selection, (9, 9), 26, FIRST_WALK))
    walk = next(plan for plan in plans if "conversation_created" in text(plan))
    assert "TEMP B-TREE" not in text(walk)
    (entry,) = {step for _, step in walk if re.search(r"SEARCH entry", step)}
    assert "PRIMARY KEY (account_id=? AND conversation_id=?" in entry


def test_changes_are_read_by_their_index(explaining):
    (((_, step),),) = explaining(lambda c: changes(c, 1, ChangePosition(7, 3), 101))
    assert "COVERING INDEX change_revision (account_id=? AND (revision,conversation_id)>" in step
