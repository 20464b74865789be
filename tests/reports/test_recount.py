"""Figures of a report against a replay of what is stored, conversation by conversation."""

import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import pytest

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.sample.bulk import Size, bulk_events
from frontdesk.sample.catalogue import large_catalogue
from frontdesk.service.api_keys import SCOPES, KeyGrant
from frontdesk.service.endpoint import EndpointRequest
from frontdesk.service.params import Parameters
from frontdesk.service.routes import ENDPOINTS
from frontdesk.store.database import Connection
from tests.stores import Engine

pytestmark = [pytest.mark.slow, pytest.mark.both_engines]

ENDPOINT = next(endpoint for endpoint in ENDPOINTS if endpoint.name == "inbox_report")
WEEK = 7 * 24 * 3_600_000
# 22 November 2026, 00:00 UTC.
UNTIL = 1_795_305_600_000
SIZE = Size(conversations=900, messages=9_000, seed=77, until=UNTIL)
CHARGED_AS_BULK = ("marketing", "utility", "authentication")
MEANS = {
    "avg_first_response_time": "first",
    "avg_reply_time": "later",
    "avg_resolution_time": "resolved",
}


class Happening(NamedTuple):
    """What a report counts. seconds: of what has a duration; user 0: nobody that is known."""

    what: str
    at: int
    channel: str
    conversation: int
    user: int = 0
    milliseconds: int | None = None


class Thread:
    """A conversation, told from its first message on by the rules of docs/reports.md."""

    def __init__(self, id: int, channel: str, users: dict[str, int]) -> None:
        self.id, self.channel, self._users = id, channel, users
        self.said: list[Happening] = []
        # When it became open, and stopped to be: (moment, 1 or -1).
        self.turns: list[tuple[int, int]] = []
        self._is_open = False
        self._began: int | None = None
        self._asked: int | None = None
        self._waits: int | None = None
        self._handed: int | None = None
        self._bot: int | None = None
        self._is_answered = False
        self._owner = 0

    def _note(self, what: str, at: int, user: int = 0, since: int | None = None) -> None:
        took = None if since is None else max(0, at - since)
        self.said.append(Happening(what, at, self.channel, self.id, user, took))

    def _opens(self, at: int, *, anew: bool) -> None:
        if not self._is_open:
            self._is_open = True
            self.turns.append((at, 1))
            if anew:
                self._note("reopened", at)
                self._began, self._is_answered = at, False

    def message(self, at: int, row: dict[str, Any]) -> None:
        if not self.turns:
            self._opens(at, anew=False)
        if row["type"] in ("reaction", "system"):
            return
        if self._is_open and self._began is None:
            self._began = at
        if row["direction"] == 0:
            self._opens(at, anew=True)
            self._note("received", at)
            self._asked = at
            self._waits = at if self._waits is None else self._waits
        else:
            self._note("sent", at)
            self._answer(at, row)

    def _answer(self, at: int, row: dict[str, Any]) -> None:
        author = row["author"]
        if author in ("user", "phone"):
            user = int(row["author_id"]) if author == "user" else 0
            self._note("written", at, user)
            if self._is_answered and self._waits is not None:
                self._note("later", at, user, self._waits)
            elif not self._is_answered and (self._asked or 0) >= (self._began or at + 1):
                self._note("first", at, user, max(self._began or 0, self._handed or 0))
            self._is_answered, self._waits = True, None
        elif author not in ("campaign", "automation"):
            if author != "api" or row["category"] not in CHARGED_AS_BULK:
                self._waits = None
            if author == "ai_agent":
                self._bot = at

    def event(self, at: int, name: str, value: dict[str, Any]) -> None:
        if name == "assigned":
            self._owner = self._users.get(value.get("user") or "", 0)
        elif name in ("opened", "snoozed", "bot_handoff"):
            self._opens(at, anew=bool(self.turns))
            if name == "bot_handoff":
                self._note("handed", at)
                self._handed = at
                self._waits = at if self._waits is None else self._waits
        elif name == "resolved" and self._is_open:
            by_ai = self._began is not None and (self._bot or -1) >= self._began
            by_ai = by_ai and not self._is_answered
            self._note("resolved", at, 0 if by_ai else self._owner, self._began)
            if by_ai:
                self._note("by_ai", at)
            self._is_open, self._began, self._waits = False, None, None
            self.turns.append((at, -1))


class Replay:
    """Everything that happened in an account."""

    def __init__(self, connection: Connection) -> None:
        rows = connection.rows("SELECT id, key, email FROM app_user", {})
        users = {row["key"]: row["id"] for row in rows}
        users |= {row["email"]: row["id"] for row in rows if row["email"]}
        users |= {
            row["key"]: row["id"] for row in connection.rows("SELECT id, key FROM app_user", {})
        }
        facts = defaultdict[int, list[tuple[int, int, int, str, Any]]](list)
        places: dict[int, str] = {}
        for row in connection.rows(
            """
            SELECT m.conversation_id, m.created_at, m.direction, m.author, m.author_id, m.type,
              m.category, m.wamid, channel.phone_number_id
            FROM message AS m JOIN channel ON channel.account_id = m.account_id
              AND channel.id = m.channel_id
            """,
            {},
        ):
            places[row["conversation_id"]] = row["phone_number_id"]
            order = (row["created_at"], 0, row["direction"], row["wamid"] or "")
            facts[row["conversation_id"]].append((*order, row))
        for row in connection.rows(
            "SELECT id, conversation_id, created_at, name, value_json, external_id"
            " FROM conversation_event",
            {},
        ):
            order = (row["created_at"], 1, 0, f"{row['external_id'] or ''}")
            facts[row["conversation_id"]].append((*order, row))
        self.said: list[Happening] = []
        self.turns: list[tuple[int, int, str]] = []
        for id, listed in facts.items():
            thread = Thread(id, places[id], users)
            ordered = sorted(listed, key=lambda fact: fact[:4])
            self.said.append(Happening("new", ordered[0][0], places[id], id))
            for at, _, _, _, row in ordered:
                if "direction" in row:
                    thread.message(at, row)
                else:
                    thread.event(at, row["name"], json.loads(row["value_json"]))
            self.said += thread.said
            self.turns += [(at, by, places[id]) for at, by in thread.turns]

    def figures(
        self, start: int, end: int, *, channel: str | None = None, user: int | None = None
    ) -> dict[str, Any]:
        """Figures of a period; of a user, what they did."""
        ours = [
            each for each in self.said if start <= each.at < end and channel in (None, each.channel)
        ]
        if user is not None:
            ours = [each for each in ours if each.user == user]
        named = defaultdict[str, list[Happening]](list)
        for each in ours:
            named[each.what].append(each)
        found: dict[str, Any] = {"resolutions_count": len(named["resolved"])}
        for field, what in MEANS.items():
            times = [each.milliseconds for each in named[what] if each.milliseconds is not None]
            found[field] = round(sum(times) / len(times) / 1000, 1) if times else None
        if user is not None:
            written = named["written"]
            found["outgoing_messages_count"] = len(written)
            found["answered_conversations_count"] = len({each.conversation for each in written})
            return found
        return found | {
            "conversations_count": len(named["new"]),
            "reopened_count": len(named["reopened"]),
            "incoming_messages_count": len(named["received"]),
            "outgoing_messages_count": len(named["sent"]),
            "bot_handoffs_count": len({each.conversation for each in named["handed"]}),
            "bot_resolutions_count": len(named["by_ai"]),
        }

    def back_within_a_week(self, start: int, end: int, user: int) -> int:
        """Resolutions of a user after which the conversation was opened within seven days."""
        opened = defaultdict[int, list[int]](list)
        for each in self.said:
            if each.what == "reopened":
                opened[each.conversation].append(each.at)
        return sum(
            any(each.at <= at <= each.at + WEEK for at in opened[each.conversation])
            for each in self.said
            if each.what == "resolved" and each.user == user and start <= each.at < end
        )

    def open_at(self, moment: int, channel: str | None) -> int:
        """Conversations that are open or snoozed before a moment."""
        return sum(by for at, by, place in self.turns if at < moment and channel in (None, place))


class Comparison:
    """Counts figures that were compared, and lists those that differ."""

    def __init__(self) -> None:
        self.compared = 0
        self.different: list[tuple[str, str, Any, Any]] = []

    def add(self, name: str, shown: dict[str, Any], counted: dict[str, Any]) -> None:
        """Compare each counted figure. Those that are 0 or without samples on both sides are not
        among the compared."""
        for field, value in counted.items():
            if shown.get(field) != value:
                self.different.append((name, field, shown.get(field), value))
            self.compared += bool(value)


def asked(connection: Connection, **query: str) -> dict[str, Any]:
    parameters = Parameters(urlencode(query).encode(), ENDPOINT.parameters)
    grant = KeyGrant("", 1, frozenset(SCOPES))
    answer: Any = ENDPOINT.handler(
        EndpointRequest(connection, grant, ENDPOINT, "", parameters, UNTIL)
    )
    body: dict[str, Any] = json.loads(answer.model_dump_json(exclude_unset=True, by_alias=True))
    return body


def moment(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def midnight(day: date, zone: str) -> int:
    return round(datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone)).timestamp() * 1000)


def edges(period: dict[str, str]) -> tuple[int, int]:
    return moment(period["from"]), moment(period["to"])


def days_of(start: date, count: int, zone: str) -> Iterator[tuple[int, int]]:
    for number in range(count):
        day = start + timedelta(days=number)
        yield midnight(day, zone), midnight(day + timedelta(days=1), zone)


def compare_all(connection: Connection, replay: Replay, comparison: Comparison) -> None:
    """Figures of all and of one channel, of the period and the one before, with what was open."""
    busiest = max(
        {each.channel for each in replay.said},
        key=lambda channel: sum(each.channel == channel for each in replay.said),
    )
    for query in (
        {"from": "2026-08-01", "to": "2026-10-01", "timezone": "Asia/Kathmandu"},
        {"from": "2026-10-05T03:04:05.678Z", "to": "2026-11-20T21:22:23Z", "channel": busiest},
        {"from": "2025-12-01", "to": "2026-11-22", "timezone": "America/St_Johns"},
    ):
        body = asked(connection, **query, include="backlog")
        channel = query.get("channel")
        for metrics, period in (("metrics", "period"), ("previous", "previous_period")):
            start, end = edges(body[period])
            counted = replay.figures(start, end, channel=channel)
            counted["open_at_end_count"] = replay.open_at(min(end, UNTIL), channel)
            comparison.add(f"{query} {metrics}", body[metrics], counted)


def compare_days(connection: Connection, replay: Replay, comparison: Comparison) -> None:
    """What was open at the end of each day of weeks in which clocks are changed."""
    zone, first, count = "Europe/Madrid", date(2026, 10, 12), 30
    body = asked(
        connection,
        **{"from": str(first), "to": str(first + timedelta(days=count)), "timezone": zone},
        granularity="day",
        include="backlog",
    )
    days = [*days_of(first, count, zone)]
    assert [moment(part["start"]) for part in body["series"]] == [start for start, _ in days]
    for part, (start, end) in zip(body["series"], days, strict=True):
        counted = replay.figures(start, end) | {"open_at_end_count": replay.open_at(end, None)}
        comparison.add(part["start"], part["metrics"], counted)


def compare_people(connection: Connection, replay: Replay, comparison: Comparison) -> None:
    """Each person, of a quarter and of each week of it."""
    zone = "America/Sao_Paulo"
    body = asked(
        connection,
        **{"from": "2026-08-17", "to": "2026-11-16", "timezone": zone},
        granularity="week",
        include="users,person_series",
    )
    start, end = edges(body["period"])
    assert len(body["users"]) > 50
    for row in body["users"]:
        user = int(row["user"]["id"]) if row["user"] else 0
        counted = replay.figures(start, end, user=user)
        counted["reopened_in_7_days_count"] = replay.back_within_a_week(start, end, user)
        comparison.add(f"user {user}", row["current"], counted)
        for part in row["series"]:
            begins, ends = moment(part["start"]), moment(part["end"])
            counted = replay.figures(begins, ends, user=user)
            comparison.add(f"user {user} {part['start']}", part["metrics"], counted)


def test_what_reports_say_is_what_a_replay_counts(engine: Engine) -> None:
    comparison = Comparison()
    with engine.fresh() as database:
        for events in ([*large_catalogue(UNTIL)], *bulk_events(SIZE)):
            database.write(
                lambda connection, events=events: apply_events(connection, 1, events, now=UNTIL)
            )

        def compare(connection: Connection) -> tuple[int, ...]:
            replay = Replay(connection)
            counts = []
            for part in (compare_all, compare_days, compare_people):
                before = comparison.compared
                part(connection, replay, comparison)
                counts.append(comparison.compared - before)
            return tuple(counts)

        of_all, of_days, of_people = database.read(compare)
    assert comparison.different == []
    # More than 300 figures, none of them 0.
    assert of_all > 50
    assert of_days > 150
    assert of_people > 300
