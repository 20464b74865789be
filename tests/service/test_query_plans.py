"""Plans: every term is answered by an index, or by a bounded walk of one."""

import re
from functools import partial
from urllib.parse import urlencode

import pytest
from tests.service.filter_inbox import AT, fill
from tests.service.query_inbox import TERMS, events

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.service.api_keys import SCOPES, KeyGrant
from frontdesk.service.endpoint import EndpointRequest
from frontdesk.service.params import Parameters
from frontdesk.service.routes import ENDPOINTS
from frontdesk.service.routes.query_terms import read_query
from frontdesk.store.conversation_walks import WalkLimits, filtered_page
from frontdesk.store.conversations import ConversationSelection, states_of
from frontdesk.store.database import Connection, Database
from frontdesk.store.query_conditions import by_index

pytestmark = pytest.mark.both_engines

# All sizes of these grow with the inbox.
LARGE = r"(entry|conversation|message|message_text|contact|contact_field|note|conversation_rollup)"
SCANS = {
    "sqlite": re.compile(rf"SCAN (?:{LARGE}|c|t|f)(?: USING (?:COVERING )?INDEX \w+)?$"),
    "postgresql": re.compile(rf"Seq Scan on {LARGE}\b"),
}
(ENDPOINT,) = [each for each in ENDPOINTS if each.name == "conversations"]


class Explaining:
    """A connection that keeps the steps of the plans of its statements."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.dialect = connection.dialect
        self.steps: list[str] = []

    def rows(self, sql, parameters=None):
        column, explain = "detail", "EXPLAIN QUERY PLAN"
        if self.dialect == "postgresql":
            column, explain = "QUERY PLAN", "EXPLAIN"
        if not sql.startswith("EXPLAIN"):
            plan = self._connection.rows(f"{explain} {sql}", parameters)
            self.steps += [step[column] for step in plan]
        return self._connection.rows(sql, parameters)

    def row(self, sql, parameters=None):
        found = self.rows(sql, parameters)
        return found[0] if found else None


@pytest.fixture
def filled(database: Database) -> Database:
    fill(database)
    database.write(lambda connection: apply_events(connection, 1, events(), now=AT))
    return database


def selection_of(connection: Connection, query: str, sort: str) -> ConversationSelection:
    """What a server looks for by a query."""
    parameters = Parameters(urlencode({"query": query}).encode(), ENDPOINT.parameters)
    grant = KeyGrant("", 1, frozenset(SCOPES), 1)
    request = EndpointRequest(connection, grant, ENDPOINT, "", parameters, AT)
    asked = read_query(request, {})
    parameters.raise_if_invalid()
    assert asked is not None
    selection = ConversationSelection(
        states_of(range(3)), awake_at=AT, sort=sort, began_at=AT, conditions=asked.conditions
    )
    return by_index(selection)


def explained(
    connection: Connection, query: str, sort: str, limits: WalkLimits | None
) -> list[str]:
    """Steps of the statements for a first page with its count, and for a later one."""
    selection, watched = selection_of(connection, query, sort), Explaining(connection)
    after = (AT, 10**9) if sort == "activity" else None
    if connection.dialect == "postgresql":
        # It prefers to read small tables whole.
        connection.run("SET LOCAL enable_seqscan = off")
    for place, counted in ((None, True), (after, False)):
        filtered_page(watched, 1, selection, place, 51, limits, counted=counted)
    return watched.steps


@pytest.mark.parametrize("sort", ["activity", "created"])
@pytest.mark.parametrize("limits", [None, WalkLimits(few=-1)], ids=["listed", "walked"])
def test_no_term_reads_a_table_whole(filled: Database, sort: str, limits: WalkLimits | None):
    lines = [f"{mark}{text}" for text, _ in TERMS for mark in ("", "-")]
    for line in lines:
        steps = filled.read(partial(explained, query=line, sort=sort, limits=limits))
        scan = SCANS[filled.read(lambda c: c.dialect)]
        assert steps
        assert not [step for step in steps if scan.search(step)], line


def test_who_has_no_read_file_is_found_by_the_index_of_read_files(filled: Database):
    """Also while there is none in most inboxes, and so no statistics of that index."""

    def steps(connection: Connection) -> list[str]:
        return explained(connection, "-has:text", "activity", WalkLimits(few=-1))

    found = [step for step in filled.read(steps) if "message_text" in step]
    assert found
    assert all("message_text_files" in step for step in found)


@pytest.mark.parametrize(
    ("line", "ranges"),
    [
        ("is:open,snoozed", 4),
        ("-is:resolved", 4),
        ("@me,unassigned", 6),
        ("@assigned,me", 6),
        ("@id:1,id:2 is:open,snoozed", 4),
        ("in:id:106540352242922,id:106540352242923 @me,id:2", 12),
        ("in:id:106540352242922 @unassigned is:open", 1),
        ('team:"night shift"', 18),
        ('team:"night shift" @unassigned is:open', 2),
        ('team:"night shift" @me is:open', 2),
        ('team:"night shift" #VIP,billing is:open,snoozed', 24),
        ("@me,unassigned needs:human unread -is:snoozed", 4),
    ],
)
def test_several_values_by_place_are_ranges_of_an_index(filled: Database, line: str, ranges: int):
    selection = filled.read(partial(selection_of, query=line, sort="activity"))
    assert not selection.is_walked
    places = selection.all_places
    assert sum(place.has(state) for place in places for state in selection.states) == ranges
    steps = filled.read(partial(explained, query=line, sort="activity", limits=None))
    scan = SCANS[filled.read(lambda c: c.dialect)]
    assert not [step for step in steps if scan.search(step)]


def test_more_ranges_than_a_page_merges_are_walked(filled: Database):
    users = ",".join(f"id:{number}" for number in range(1, 21))
    channels = ",".join(("id:106540352242922", "id:106540352242923"))
    for line, walked in ((f"@{users} is:open,snoozed in:{channels}", False),
                         (f"@{users} in:{channels} ", True)):  # fmt: skip
        selection = filled.read(partial(selection_of, query=line, sort="activity"))
        assert selection.is_walked is walked
        assert bool(selection.conditions) is walked


@pytest.mark.parametrize("line", ['@id:3 team:"night shift"', "#vip,billing #returns,vip", "-@me"])
def test_what_no_range_has_is_tested(filled: Database, line: str):
    selection = filled.read(partial(selection_of, query=line, sort="activity"))
    assert len(selection.conditions) == 1
