"""Rows, ids, filter table and counters are written consistently."""

from typing import Any, cast

import pytest

from frontdesk.store import dump, lookups, rows, writes
from frontdesk.store.counters import (
    Cell,
    LabelledConversation,
    counters,
    misplaced_entries,
    move,
    recount,
)
from frontdesk.store.database import Connection, Database
from frontdesk.store.rows import MessageRow, blank
from frontdesk.store.writes import Ids

pytestmark = pytest.mark.both_engines

ACCOUNT = 1


def conversation(id_: int, **members: Any) -> dict[str, Any]:
    row = blank("conversation")
    row.update(
        account_id=ACCOUNT,
        id=id_,
        contact_id=id_,
        channel_id=1,
        status=0,
        assignee_id=0,
        awaiting_human=0,
        last_activity_at=100,
        folded_at=0,
        status_known=1,
        created_at=100,
        updated_at=100,
    )
    return {**row, **members}


def put(database: Database, was: LabelledConversation | None, now: LabelledConversation) -> None:
    def work(connection: Connection) -> None:
        writes.save(connection, "conversation", [now.conversation])
        move(connection, ACCOUNT, [(was, now)])

    database.write(work)


def test_a_conversation_is_counted_once_for_all_and_once_for_each_label(
    database: Database,
) -> None:
    put(database, None, LabelledConversation(conversation(1, unread_count=3), frozenset({7, 8})))
    cells = database.read(lambda connection: counters(connection, ACCOUNT))
    assert cells == {Cell(label_id, 1, 0, 0, 0, 1): 1 for label_id in (0, 7, 8)}


def test_a_cell_that_counts_nothing_is_gone(database: Database) -> None:
    was = LabelledConversation(conversation(1), frozenset({7}))
    now = LabelledConversation(
        conversation(1, status=2, assignee_id=5, last_activity_at=200), frozenset()
    )
    put(database, None, was)
    put(database, was, now)
    cells, counted, wrong = database.read(
        lambda connection: (
            counters(connection, ACCOUNT),
            recount(connection, ACCOUNT),
            misplaced_entries(connection, ACCOUNT),
        )
    )
    assert cells == counted == {Cell(0, 1, 5, 5, 0, 0): 1}
    assert not wrong


def test_a_recount_finds_what_was_changed_behind_its_back(database: Database) -> None:
    put(database, None, LabelledConversation(conversation(1), frozenset()))
    database.write(lambda connection: connection.run("UPDATE conversation SET status = 2"))
    cells, counted, wrong = database.read(
        lambda connection: (
            counters(connection, ACCOUNT),
            recount(connection, ACCOUNT),
            misplaced_entries(connection, ACCOUNT),
        )
    )
    assert cells != counted
    assert wrong == [1]


def test_ids_count_on_from_what_was_saved(database: Database) -> None:
    def take(connection: Connection) -> tuple[bool, list[int]]:
        ids = Ids(connection, ACCOUNT)
        seen = ids.any("message")
        taken = [ids.next("message"), ids.next("message")]
        ids.save()
        return seen, taken

    assert database.write(take) == (False, [1, 2])
    assert database.write(take) == (True, [3, 4])


def test_a_stored_message_may_move_in_time(database: Database) -> None:
    row = blank("message")
    row.update(
        account_id=ACCOUNT,
        conversation_id=1,
        id=1,
        created_at=100,
        direction=0,
        author="contact",
        type="text",
        channel_id=1,
        wamid="w",
        source="webhook",
        richness=2,
        live=1,
    )
    database.write(lambda connection: writes.add(connection, "message", [row]))
    moved = cast(MessageRow, {**row, "created_at": 50, "text": "Hello"})
    before = cast(MessageRow, row)
    database.write(lambda c: writes.update_messages(c, ACCOUNT, [(moved, before)]))
    (found,) = database.read(lambda connection: lookups.messages(connection, ACCOUNT, 1, ["w"]))
    assert (found["created_at"], found["text"]) == (50, "Hello")


@pytest.mark.parametrize("count", [0, 1, 2, 9, 65, 501, 1200])
def test_any_number_of_keys_is_looked_up(database: Database, count: int) -> None:
    stored = [conversation(id_) for id_ in range(1, 1300)]
    database.write(lambda connection: writes.save(connection, "conversation", stored))
    found = database.read(
        lambda connection: lookups.conversations_of(connection, ACCOUNT, range(1, count + 1))
    )
    assert sorted(row["id"] for row in found) == list(range(1, count + 1))


def test_a_teams_links_are_replaced(database: Database) -> None:
    for channels, members in (({1, 2}, {5}), ({2}, set[int]())):
        database.write(
            lambda connection, channels=channels, members=members: writes.link_team(
                connection, ACCOUNT, 3, channels, members
            )
        )
    assert database.read(lambda connection: lookups.team_links(connection, ACCOUNT, 3)) == (
        {2},
        set(),
    )


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("contact", rows.ContactRow),
        ("conversation", rows.ConversationRow),
        ("message", rows.MessageRow),
        ("reaction", rows.ReactionRow),
        ("orphan", rows.PendingRow),
        ("alias", rows.AliasRow),
        ("identity_change", rows.IdentityChangeRow),
        ("part", rows.PartRow),
        ("note", rows.NoteRow),
        ("conversation_event", rows.ConversationEventRow),
        ("metric_event", rows.MetricEventRow),
        ("entry", rows.EntryRow),
    ],
)
def test_a_row_names_columns_of_its_table(kind: str, row: type) -> None:
    assert set(row.__annotations__) <= set(rows.table_of(kind).columns)


def test_a_new_row_has_the_defaults_of_the_schema() -> None:
    team, label, contact = (blank(kind) for kind in ("team", "label", "contact"))
    assert (team["distribution"], team["description"]) == ("round_robin", None)
    assert label["color"] == "#1f93ff"
    assert (contact["custom_json"], contact["name_rank"], contact["search"]) == ("{}", 0, "")


@pytest.mark.parametrize("count", [0, 1, 499, 500, 501, 1_000, 1_001])
def test_all_rows_of_an_account_are_read_once_and_in_order(database: Database, count: int) -> None:
    def fill(connection: Connection) -> None:
        rows = [
            {
                **blank("user"),
                **{"account_id": account_id, "id": id, "name": "x", "name_key": "x"},
                **{"key": f"u{id}", "role": "agent", "active": 1},
                **{"created_at": 1, "updated_at": 1},
            }
            for account_id in (ACCOUNT, ACCOUNT + 1)
            for id in range(1, count + 1)
        ]
        writes.add(connection, "user", rows)

    database.write(fill)
    ids = database.read(lambda c: [row["id"] for row in dump.rows_of(c, ACCOUNT, "user")])
    assert ids == list(range(1, count + 1))
    assert database.read(lambda c: dump.count(c, ACCOUNT, "user")) == count


def test_a_sum_that_becomes_nothing_is_gone_and_another_stays(database: Database) -> None:
    key = {"account_id": ACCOUNT, "user_id": 1, "channel_id": 1, "bucket": 0}

    def add(connection: Connection, *changes: int) -> None:
        rows = [{**key, "conversation_id": id, "n": n} for id, n in enumerate(changes)]
        writes.add_sums(connection, "conversation_rollup", rows)

    def stored(connection: Connection) -> dict[int, int]:
        rows = connection.rows("SELECT conversation_id, n FROM conversation_rollup")
        return {row["conversation_id"]: row["n"] for row in rows}

    database.write(lambda c: add(c, 2, 3))
    database.write(lambda c: add(c, -1, -3))
    assert database.read(stored) == {0: 1}
    database.write(lambda c: add(c, 4))
    assert database.read(stored) == {0: 5}
