"""Pages walked while the inbox moves on: nothing comes twice, a look at the head misses nothing.

The inbox, its readers and its writers are one machine that does any of its steps in any order.
"""

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.stores import Engine

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import (
    Author,
    ChannelUpsert,
    ConversationEvent,
    DomainEvent,
    LabelUpsert,
    MessageUpsert,
    Person,
    UserUpsert,
)
from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.app import Application, create_app
from frontdesk.store.accounts import add_account
from frontdesk.store.database import Database

pytestmark = pytest.mark.both_engines

START = 1_773_000_000_000
SECOND = 1000
CHANNELS = ("106540352242922", "106540352242923")
USERS = ("ana", "bo")
LABELS = ("billing", "vip")
PEOPLE = tuple(f"+1650555123{number}" for number in range(5))
WORKERS = (0, 1)

Row = dict[str, Any]
Filters = dict[str, str]

values = {
    "status": st.sampled_from(("open", "snoozed", "resolved")),
    "assignee": st.sampled_from(("assigned", "unassigned", "me")),
    "channel": st.sampled_from(CHANNELS),
    "label": st.sampled_from(LABELS),
    "awaiting_human": st.sampled_from(("true", "false")),
    "unread": st.sampled_from(("true", "false")),
}
# Long lists first: in short ones little can happen.
filters = st.one_of(
    st.just({}),
    *(st.fixed_dictionaries({name: value}) for name, value in values.items()),
    st.fixed_dictionaries({}, optional=values),
)
events = st.sampled_from(
    (
        ("resolved", {}),
        ("opened", {}),
        ("snoozed", {"until": None}),
        ("bot_handoff", {}),
        *(("read_marker", {"until": START + late * SECOND}) for late in (0, 10, 1000)),
        *(("assigned", {"user": user}) for user in (*USERS, None)),
        *(("labelled", {"title": title, "on": on}) for title in LABELS for on in (True, False)),
    )
)
conversations = st.tuples(st.sampled_from(CHANNELS), st.sampled_from(PEOPLE))


class Walk:
    """What one reader holds of one list, page by page from the head."""

    def __init__(self, asked: Filters, limit: int, member_ids: set[str]) -> None:
        self.asked = asked
        self.limit = limit
        self.cursor: str | None = None
        self.ended = False
        self.last_key: tuple[str, int] | None = None
        self.rows: dict[str, Row] = {}
        # Rows that entered the list elsewhere than at its head, which a refresh cannot see.
        self.quiet: set[str] = set()
        self.member_ids = member_ids

    def take(self, page: Row) -> None:
        """The next page: everything in it lies below all that was walked before."""
        for row in page["data"]:
            key = place(row)
            assert self.last_key is None or key < self.last_key
            self.last_key = key
            self.rows[row["id"]] = row
        self.cursor = page["next_cursor"]
        self.ended = self.cursor is None


class Inbox(RuleBasedStateMachine):
    """An account of its own, two workers that serve it, events that change it, and one walk."""

    database: Database

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.Runner()
        self.account_id = self.database.write(self._account)
        self.key, self.guest = new_ephemeral_key(self.account_id, 1)
        self.apps = {worker: self._start() for worker in WORKERS}
        self.now = START
        self.events_added = 0
        self.walk: Walk | None = None
        self._write(*(ChannelUpsert(channel, START) for channel in CHANNELS))
        self._write(*(UserUpsert(user, user.title(), START) for user in USERS))
        self._write(*(LabelUpsert(title, START) for title in LABELS))

    def teardown(self) -> None:
        for app in self.apps.values():
            app.close()
        self.loop.close()

    @initialize(some=st.lists(conversations, min_size=6, unique=True))
    def fill(self, some: list[tuple[str, str]]) -> None:
        for conversation in some:
            self.say(conversation, outbound=False)

    @rule(conversation=conversations, outbound=st.booleans())
    def say(self, conversation: tuple[str, str], outbound: bool) -> None:
        self.now += SECOND
        self._message(conversation, self.now, outbound)

    @rule(conversation=conversations, late=st.integers(0, 5))
    def say_late(self, conversation: tuple[str, str], late: int) -> None:
        """A message that comes out of order, or in the same second as another."""
        self._message(conversation, self.now - late * SECOND, outbound=False)

    @rule(conversation=conversations, what=events)
    def happen(self, conversation: tuple[str, str], what: tuple[str, Row]) -> None:
        channel, phone = conversation
        name, value = what
        self.now += SECOND
        self.events_added += 1
        external_id = f"event-{self.events_added}"
        person = Person(phone=phone)
        self._write(ConversationEvent(channel, person, external_id, self.now, name, value))

    @precondition(lambda self: self.walk is None)
    @rule(asked=filters, limit=st.integers(1, 3))
    def begin(self, asked: Filters, limit: int) -> None:
        self.walk = Walk(asked, limit, set(self._scan(asked)))

    @precondition(lambda self: self.walk is not None and not self.walk.ended)
    @rule(worker=st.sampled_from(WORKERS), limit=st.none() | st.integers(1, 3))
    def next_page(self, worker: int, limit: int | None) -> None:
        assert self.walk is not None
        self.walk.take(self._page(worker, limit or self.walk.limit, self.walk.cursor))

    @precondition(lambda self: self.walk is not None)
    @rule(worker=st.sampled_from(WORKERS))
    def look_at_the_head(self, worker: int) -> None:
        """Read from the head until a page has nothing new."""
        assert self.walk is not None
        cursor, known = None, False
        while not known:
            page = self._page(worker, self.walk.limit, cursor)
            cursor = page["next_cursor"]
            known = cursor is None or all(
                self.walk.rows.get(row["id"]) == row for row in page["data"]
            )
            self.walk.rows |= {row["id"]: row for row in page["data"]}

    @rule(worker=st.sampled_from(WORKERS))
    def restart(self, worker: int) -> None:
        self.apps[worker].close()
        self.apps[worker] = self._start()

    @precondition(lambda self: self.walk is not None)
    @rule(worker=st.sampled_from(WORKERS))
    def come_to_rest(self, worker: int) -> None:
        """The walk to its end and one look at the head have found all that is there."""
        assert self.walk is not None
        while not self.walk.ended:
            self.next_page(worker, None)
        self.look_at_the_head(worker)
        there = set(self._scan(self.walk.asked))
        assert there - self.walk.rows.keys() <= self.walk.quiet
        self.walk = None

    @rule(asked=filters, worker=st.sampled_from(WORKERS))
    def count(self, asked: Filters, worker: int) -> None:
        """The counters say how many a plain look at every conversation finds."""
        narrowed = {
            name: value for name, value in asked.items() if name not in ("status", "assignee")
        }
        counts = self._get(worker, "/v1/conversations/counts", narrowed)
        for status, sums in counts["by_status"].items():
            found = {"status": status, **narrowed}
            assert sums["all"] == counts[status] == len(self._scan(found))
            for assignee, name in (("me", "mine"), ("assigned",) * 2, ("unassigned",) * 2):
                assert sums[name] == len(self._scan({**found, "assignee": assignee}))

    @invariant()
    def pages_are_the_list(self) -> None:
        """At rest the pages of a list are a plain look at every conversation, in order."""
        asked = self.walk.asked if self.walk else {}
        rows = self._get(0, "/v1/conversations", {**asked, "limit": "100"})["data"]
        assert [place(row) for row in rows] == sorted(map(place, rows), reverse=True)
        assert {row["id"] for row in rows} == set(self._scan(asked))

    def _account(self, connection: Any) -> int:
        made = connection.row("SELECT COUNT(*) AS n FROM account")
        return add_account(connection, f"account-{made['n']}", "Inbox", START)

    def _start(self) -> Application:
        return create_app(self.database, ephemeral_keys=[self.guest], clock=lambda: self.now)

    def _message(self, conversation: tuple[str, str], at: int, outbound: bool) -> None:
        channel, phone = conversation
        self.events_added += 1
        author = Author("user", user=USERS[0]) if outbound else Author("contact")
        wamid = f"wamid.{self.events_added}"
        person = Person(phone=phone)
        self._write(
            MessageUpsert(channel, person, wamid, at, outbound, author, "text", "webhook", text="…")
        )

    def _write(self, *events: DomainEvent) -> None:
        before = self._activity()
        self.database.write(lambda c: apply_events(c, self.account_id, events, now=self.now))
        if self.walk is not None:
            self._note(self.walk, before, self._activity())

    def _note(self, walk: Walk, before: dict[str, int], after: dict[str, int]) -> None:
        """Tell those who came into the list, or moved in it, at its head from all others."""
        there = set(self._scan(walk.asked))
        highest = max(before.values(), default=0)
        for member in there:
            moved = after[member] != before.get(member)
            if moved and after[member] > highest:
                walk.quiet.discard(member)
            elif moved or member not in walk.member_ids:
                walk.quiet.add(member)
        walk.member_ids = there

    def _activity(self) -> dict[str, int]:
        rows = self.database.read(
            lambda c: c.rows(
                "SELECT id, last_activity_at FROM conversation WHERE account_id = :account",
                {"account": self.account_id},
            )
        )
        return {str(row["id"]): row["last_activity_at"] for row in rows}

    def _scan(self, asked: Filters) -> list[str]:
        """The ids of a list, found by looking at every conversation of the account."""
        rows = self.database.read(
            lambda c: c.rows(
                """
                SELECT c.id, c.status, c.assignee_id, c.awaiting_human, c.unread_count,
                  c.last_inbound_at, channel.phone_number_id
                FROM conversation AS c
                JOIN channel ON channel.account_id = c.account_id AND channel.id = c.channel_id
                WHERE c.account_id = :account
                """,
                {"account": self.account_id},
            )
        )
        labelled = self.database.read(
            lambda c: c.rows(
                """
                SELECT entry.conversation_id, label.title FROM entry
                JOIN label ON label.account_id = entry.account_id AND label.id = entry.label_id
                WHERE entry.account_id = :account
                """,
                {"account": self.account_id},
            )
        )
        labels = {(row["conversation_id"], row["title"]) for row in labelled}
        return [str(row["id"]) for row in rows if fits(row, labels, asked)]

    def _page(self, worker: int, limit: int, cursor: str | None) -> Row:
        assert self.walk is not None
        asked = {**self.walk.asked, "limit": str(limit)}
        return self._get(
            worker, "/v1/conversations", asked | ({"cursor": cursor} if cursor else {})
        )

    def _get(self, worker: int, path: str, asked: Filters) -> Row:
        return self.loop.run(self._answer(worker, path, asked))

    async def _answer(self, worker: int, path: str, asked: Filters) -> Row:
        headers = {"Authorization": f"Bearer {self.key}"}
        transport = httpx.ASGITransport(self.apps[worker])
        async with httpx.AsyncClient(transport=transport, base_url="http://inbox") as client:
            response = await client.get(path, params=asked, headers=headers)
        assert response.status_code == 200, response.text
        answer: Row = response.json()
        return answer


def place(row: Row) -> tuple[str, int]:
    """Where a row is in the list: the order of its time's text is that of time."""
    return row["last_activity_at"], int(row["id"])


def fits(row: Any, labels: set[tuple[int, str]], asked: Filters) -> bool:
    """Whether a stored conversation is in the list with these filters. The reader is user 1."""
    count = row["unread_count"]
    unread = row["last_inbound_at"] if count is None else count
    assignee = {
        None: True,
        "me": row["assignee_id"] == 1,
        "assigned": row["assignee_id"] != 0,
        "unassigned": row["assignee_id"] == 0,
    }
    return (
        assignee[asked.get("assignee")]
        and asked.get("status") in (None, ("open", "snoozed", "resolved")[row["status"]])
        and asked.get("channel") in (None, row["phone_number_id"])
        and ("label" not in asked or (row["id"], asked["label"]) in labels)
        and asked.get("awaiting_human") in (None, flag(row["awaiting_human"]))
        and asked.get("unread") in (None, flag(unread))
    )


def flag(value: int | None) -> str:
    return "true" if value else "false"


@pytest.fixture
def inbox(engine: Engine) -> Iterator[type[Inbox]]:
    with engine.fresh() as fresh:
        yield type("InboxOnEngine", (Inbox,), {"database": fresh})


def test_a_walk_under_activity_misses_nothing_and_repeats_nothing(inbox: type[Inbox]) -> None:
    run_state_machine_as_test(
        inbox,
        settings=settings(
            max_examples=5,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
