"""Alerts: each once, none in quiet hours, and no control characters."""

import asyncio
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.alerts import (
    FILTERS,
    Alert,
    AlertWatch,
    announcements,
    due,
    for_alerts,
    run_commands,
    terminal_notification,
)
from frontdesk.errors import NotOffered, Refused
from frontdesk.own_commands.command import OwnCommand
from frontdesk.settings import MINE, WAITING, WINDOW, AlertSettings, QuietHours
from frontdesk.wire import Conversation, ConversationFilter, Page
from frontdesk.wire.values import timestamp

NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
ALL = AlertSettings(mine=True, waiting=timedelta(minutes=15), window=timedelta(hours=2))
HOSTILE = '--help\x1b]0;owned\x07"; $(touch owned) `id`\n\u202e; 4;1'


def conversation(
    id: str = "1", *, minutes: float = 0, name: str = "Ana", **members: object
) -> Conversation:
    """A conversation whose customer wrote `minutes` before NOW, and waits since then."""
    wrote = NOW - timedelta(minutes=minutes)
    said = stamp(wrote)
    values = {
        "status": "open",
        "channel": {"id": "1"},
        "contact": {"id": id, "name": name},
        "waiting_since": said,
        "last_inbound_at": said,
        "last_activity_at": said,
        "service_window_expires_at": stamp(wrote + timedelta(hours=24)),
        "last_message": {"id": id, "text": "Hello", "created_at": said},
    }
    return Conversation.model_validate({"id": id, **values, **members})


def stamp(moment: datetime) -> str:
    return timestamp(round(moment.timestamp() * 1000))


def kinds(rows: Sequence[Conversation], settings: AlertSettings = ALL) -> list[str]:
    asked = dict.fromkeys(settings.kinds, rows)
    since = NOW - timedelta(minutes=1)
    return [alert.kind for alert in due(asked, NOW, settings, since, {})]


def alert(name: str = "Ana", id: str = "1") -> Alert:
    rows = {WAITING: [conversation(id, minutes=26, name=name)]}
    return due(rows, NOW, ALL, NOW, {})[0]


def test_alerts_are_due_by_assignee_waiting_time_and_reply_window():
    assert kinds([conversation(minutes=0.5)]) == [MINE]
    assert kinds([conversation(minutes=14)]) == []
    assert kinds([conversation(minutes=15)]) == [WAITING]
    assert kinds([conversation(minutes=16, assignee={"id": "7", "name": "Grace"})]) == []
    assert kinds([conversation(minutes=23 * 60)]) == [WAITING, WINDOW]
    assert kinds([conversation(minutes=25 * 60)]) == [WAITING]
    assert kinds([conversation(minutes=23 * 60, waiting_since=None)]) == []
    assert kinds([conversation(minutes=23 * 60, status="resolved")]) == []
    assert kinds([conversation(minutes=23 * 60)], AlertSettings(mine=True)) == []


@given(
    st.lists(
        st.tuples(st.integers(1, 5), st.integers(0, 3), st.integers(0, 30)), min_size=1, max_size=30
    ),
    st.booleans(),
)
def test_each_alert_comes_once_whatever_the_polls_repeat(
    polls: list[tuple[int, int, int]], restarts: bool
) -> None:
    """Each poll shows some conversations at a message number, minutes after the poll before."""
    stored: list[str] = [""]
    watch = AlertWatch(ALL, NOW - timedelta(days=1), None, stored.append)
    now, alerted, shown = NOW, list[tuple[str, datetime]](), set[tuple[str, datetime]]()
    for count, message, later in polls:
        now += timedelta(minutes=later)
        rows = [conversation(str(id), minutes=-message) for id in range(count)]

        async def fetch(
            filter: ConversationFilter, cursor: str | None, rows: list[Conversation] = rows
        ) -> Page[Conversation]:
            return Page[Conversation](data=tuple(rows))

        if restarts:
            watch = AlertWatch(ALL, NOW - timedelta(days=1), stored[-1], stored.append)
        shown |= {
            (one.key, one.moment)
            for one in due(dict.fromkeys(FILTERS, rows), now, ALL, NOW - timedelta(days=1), {})
        }
        alerts = asyncio.run(watch.poll(fetch, now))
        assert asyncio.run(watch.poll(fetch, now)) == alerts
        watch.remember(alerts)
        alerted += [(one.key, one.moment) for one in alerts]
    assert len(alerted) == len(set(alerted))
    newest = {key: max(at for other, at in shown if other == key) for key, _ in shown}
    assert {(key, at) for key, at in newest.items()} <= set(alerted) <= shown


@given(st.times(), st.times(), st.datetimes(timezones=st.just(UTC)).filter(lambda at: at > NOW))
def test_quiet_hours_and_their_opposite_divide_the_day(
    start: time, end: time, moment: datetime
) -> None:
    quiet, loud = (QuietHours(*hours, "UTC") for hours in ((start, end), (end, start)))
    assert start == end or quiet.cover(moment) != loud.cover(moment)


def test_quiet_hours_over_midnight_are_of_their_time_zone():
    night = QuietHours(time(22), time(7), "America/New_York")
    covered = [hour for hour in range(24) if night.cover(NOW.replace(hour=hour, minute=30))]
    assert covered == [2, 3, 4, 5, 6, 7, 8, 9, 10]
    winter = [
        hour for hour in range(24) if night.cover(datetime(2026, 1, 14, hour, 30, tzinfo=UTC))
    ]
    assert winter == [3, 4, 5, 6, 7, 8, 9, 10, 11]


def test_after_quiet_hours_who_still_waits_is_alerted_and_a_message_is_not():
    settings = ALL._replace(quiet=QuietHours(time(11), time(12), "UTC"))
    rows = {kind: [conversation(minutes=20)] for kind in FILTERS}
    since = NOW - timedelta(days=1)
    assert due(rows, NOW - timedelta(minutes=1), settings, since, {}) == []
    assert [one.kind for one in due(rows, NOW, settings, since, {})] == [WAITING]


def test_a_server_without_the_order_is_read_to_its_end():
    rows = [conversation(str(id), minutes=id) for id in range(1, 31)]
    asked: list[ConversationFilter] = []

    async def fetch(filter: ConversationFilter, cursor: str | None) -> Page[Conversation]:
        asked.append(filter)
        if filter.assignee == "me":
            raise Refused("nobody is me", code="me_unavailable")
        if filter.sort is not None:
            raise NotOffered("no order")
        at = int(cursor or 0)
        more = str(at + 10) if at < 20 else None
        return Page[Conversation](data=tuple(rows[at : at + 10]), next_cursor=more)

    alerts = asyncio.run(AlertWatch(ALL, NOW).poll(fetch, NOW))
    assert sorted(int(one.conversation.id) for one in alerts) == list(range(15, 31))


def test_in_a_sorted_list_nothing_is_asked_behind_the_last_that_is_due():
    rows = [conversation(str(id), minutes=30 - id) for id in range(30)]
    cursors: list[str | None] = []

    async def fetch(filter: ConversationFilter, cursor: str | None) -> Page[Conversation]:
        cursors.append(cursor)
        at = int(cursor or 0)
        return Page[Conversation](data=tuple(rows[at : at + 10]), next_cursor=str(at + 10))

    settings = AlertSettings(waiting=timedelta(minutes=15))
    assert len(asyncio.run(AlertWatch(settings, NOW).poll(fetch, NOW))) == 16
    assert cursors == [None, "10"]


def test_many_alerts_are_announced_as_a_number():
    three = [alert(id=str(id)) for id in range(3)]
    assert [words for words, _ in announcements(three)] == [one.sentence for one in three]
    many = announcements([alert(id=str(id)) for id in range(300)])
    assert [words for words, _ in many][1:] == ["Waiting for 26m: Ana · Hello", "And 298 more"]


@pytest.fixture
def program(tmp_path: Path) -> tuple[str, ...]:
    """Writes its arguments, environment and standard input as JSON."""
    script = (
        "import json, os, sys;"
        f"open({str(tmp_path / 'ran')!r}, 'a').write(json.dumps("
        "[sys.argv[1:], dict(os.environ), sys.stdin.read()]))"
    )
    return (sys.executable, "-c", script, "first word")


async def test_a_hostile_name_is_in_no_argument_of_the_program(
    program: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FRONTDESK_API_KEY", "secret")
    command = OwnCommand("A", program, places=("alert",), stdin="message")
    assert await run_commands([command], [alert(HOSTILE)], "work") == ""
    arguments, environment, stdin = json.loads((tmp_path / "ran").read_text())
    assert arguments == ["first word"]
    assert environment["FRONTDESK_ALERT_TEXT"].startswith("Waiting for 26m: --help")
    assert stdin == environment["FRONTDESK_ALERT_TEXT"] + "\n"
    for text in (stdin[:-1], environment["FRONTDESK_CONTACT_NAME"]):
        assert text.isprintable()
        assert "$(touch owned) `id`" in text
    assert environment["FRONTDESK_ALERT"] == "waiting"
    assert environment["FRONTDESK_CONVERSATION_ID"] == "1"
    assert environment["FRONTDESK_PROFILE"] == "work"
    assert "secret" not in environment.values()
    assert list(tmp_path.iterdir()) == [tmp_path / "ran"]


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        (("/no/such/program",), "A, for an alert: /no/such/program cannot be run: No such file"),
        ((sys.executable, "-c", "raise SystemExit(3)"), "A, for an alert: exit code 3"),
        ((sys.executable, "-c", "import time; time.sleep(60)"), "A, for an alert: ended after"),
    ],
)
async def test_a_program_that_is_missing_fails_or_hangs_is_said(
    program: tuple[str, ...], problem: str
) -> None:
    command = OwnCommand("A", program)
    assert problem in await run_commands([command], [alert()], deadline_seconds=0.5)


def test_only_commands_for_alerts_are_run_for_them() -> None:
    commands = [OwnCommand("A", "a"), OwnCommand("B", "b", places=("conversation", "alert"))]
    assert for_alerts(commands) == commands[1:]


@pytest.mark.parametrize(
    ("environment", "begin"),
    [
        ({"TERM": "xterm-kitty"}, "\x1b]99;;Waiting"),
        ({"TERM": "foot"}, "\x1b]777;notify;frontdesk;Waiting"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "\x1b]9;frontdesk: Waiting"),
        ({"TERM": "xterm-256color"}, ""),
        ({"TERM": "tmux-256color", "TERM_PROGRAM": "WezTerm"}, ""),
    ],
)
def test_a_known_terminal_is_sent_one_sequence_whatever_the_name(
    environment: dict[str, str], begin: str
) -> None:
    written = terminal_notification([alert(HOSTILE)], environment)
    assert written.startswith(begin)
    if begin:
        inside = written.removeprefix("\x1b]").removesuffix("\x1b\\")
        assert inside.isprintable()
        assert inside.count(";") <= 3
    else:
        assert not written


LAST = {"id": "1", "text": "Hello", "created_at": stamp(NOW)}


def at_end(minutes: float) -> Conversation:
    """A conversation that waits and whose reply window closes in so many minutes."""
    ends = stamp(NOW + timedelta(minutes=minutes))
    return conversation(minutes=10, service_window_expires_at=ends)


@pytest.mark.parametrize(
    ("minutes", "expected"),
    [(120, [WINDOW]), (120.01, []), (0.01, [WINDOW]), (0, []), (-1, [])],
)
def test_a_reply_window_is_alerted_until_it_is_closed(minutes: float, expected: list[str]) -> None:
    assert kinds([at_end(minutes)], AlertSettings(window=timedelta(hours=2))) == expected


def test_a_message_is_alerted_if_it_came_after_the_start_and_not_in_quiet_hours() -> None:
    mine, rows = AlertSettings(mine=True), {MINE: [conversation(minutes=5)]}
    wrote = NOW - timedelta(minutes=5)
    assert due(rows, NOW, mine, wrote, {}) == []
    assert len(due(rows, NOW, mine, wrote - timedelta(seconds=1), {})) == 1
    quiet = mine._replace(quiet=QuietHours(time(11, 50), time(11, 56), "UTC"))
    assert due(rows, NOW, quiet, wrote - timedelta(hours=1), {}) == []
    nothing = {MINE: [conversation(last_inbound_at=None)]}
    assert due(nothing, NOW, mine, wrote, {}) == []


def test_an_alert_is_not_due_again_until_its_moment_is_later() -> None:
    (one,) = due({WAITING: [conversation(minutes=20)]}, NOW, ALL, NOW, {})
    assert (one.key, one.mark) == ("waiting 1", round(one.moment.timestamp() * 1000))
    for mark, count in ((one.mark, 0), (one.mark + 1, 0), (one.mark - 1, 1)):
        found = due({WAITING: [conversation(minutes=20)]}, NOW, ALL, NOW, {one.key: mark})
        assert len(found) == count


def test_alerts_come_in_the_order_of_their_moments() -> None:
    rows = {WAITING: [conversation(str(minutes), minutes=minutes) for minutes in (20, 40, 30)]}
    assert [one.conversation.id for one in due(rows, NOW, ALL, NOW, {})] == ["40", "30", "20"]


@pytest.mark.parametrize(
    ("kind", "row", "sentence"),
    [
        (MINE, conversation(minutes=0.5), "New message: Ana · Hello"),
        (WAITING, conversation(minutes=95), "Waiting for 1h: Ana · Hello"),
        (WINDOW, at_end(95), "Reply window: 1h 35m left: Ana · Hello"),
        (WAITING, conversation(minutes=95, last_message=None), "Waiting for 1h: Ana"),
        (
            WAITING,
            conversation(minutes=95, last_message={**LAST, "direction": "outbound"}),
            "Waiting for 1h: Ana",
        ),
        (
            WAITING,
            conversation(minutes=95, name="x" * 300),
            f"Waiting for 1h: {'x' * 184}",
        ),
    ],
)
def test_a_sentence_says_what_is_the_matter_with_whom(
    kind: str, row: Conversation, sentence: str
) -> None:
    (found,) = due({kind: [row]}, NOW, ALL, NOW - timedelta(hours=1), {})
    assert found.sentence == sentence


@pytest.mark.parametrize("saved", [None, "", "{", "[]", "3", '{"a": "b"}', '{"a": null}'])
def test_marks_that_cannot_be_read_are_none(saved: str | None) -> None:
    stored: list[str] = []
    AlertWatch(ALL, NOW, saved, stored.append).remember([alert()])
    assert json.loads(stored[0]) == {alert().key: alert().mark}


def test_the_newest_thousand_marks_are_remembered_with_those_of_before() -> None:
    stored: list[str] = []
    before = {f"waiting {number}": number for number in range(1_000)}
    AlertWatch(ALL, NOW, json.dumps(before), stored.append).remember([alert(id="new")])
    marks = json.loads(stored[0])
    assert len(marks) == 1_000
    assert "waiting 0" not in marks
    assert {"waiting 1", "waiting new"} <= marks.keys()


@pytest.mark.parametrize(("count", "sentences"), [(0, 0), (1, 1), (3, 3), (4, 3), (1_002, 3)])
def test_up_to_three_alerts_are_told_and_of_more_two_and_a_number(
    count: int, sentences: int
) -> None:
    told = announcements([alert(id=str(id)) for id in range(count)])
    assert len(told) == sentences
    if count > 3:
        assert told[2] == (f"And {count - 2:,} more", {"ALERT": "more"})


def polled(settings: AlertSettings, pages: list[list[Conversation]]) -> tuple[int, int]:
    """How many pages were asked for, of endlessly many, and how many alerts came of them."""
    asked: list[ConversationFilter] = []

    async def fetch(filter: ConversationFilter, cursor: str | None) -> Page[Conversation]:
        asked.append(filter)
        rows = pages[min(len(asked), len(pages)) - 1]
        return Page[Conversation](data=tuple(rows), next_cursor=str(len(asked)))

    alerts = asyncio.run(AlertWatch(settings, NOW - timedelta(hours=1)).poll(fetch, NOW))
    return len(asked), len(alerts)


def test_a_list_is_read_as_long_as_its_rows_may_be_due() -> None:
    mine = AlertSettings(mine=True)
    recent, old = conversation("1", minutes=60), conversation("2", minutes=60.01)
    assert polled(mine, [[recent], [old], [recent]]) == (2, 0)
    assert polled(mine, [[conversation(last_activity_at="?")], [recent]]) == (1, 1)
    window = AlertSettings(window=timedelta(hours=2))
    assert polled(window, [[at_end(-5)], [at_end(120)], [at_end(121)]]) == (3, 1)
    assert polled(window, [[conversation(service_window_expires_at=None)]]) == (1, 0)
    # Not endlessly, and past a page without rows.
    assert polled(window, [[], [at_end(5)]]) == (10, 1)
    quiet = window._replace(quiet=QuietHours(time(11), time(13), "UTC"))
    assert polled(quiet, [[at_end(5)]]) == (0, 0)


@pytest.mark.parametrize(
    ("environment", "sequence"),
    [
        ({"TERM": "rxvt-unicode-256color"}, "\x1b]777;notify;frontdesk;{}\x1b\\"),
        ({"TERM": "xterm", "TERM_PROGRAM": "WezTerm"}, "\x1b]9;frontdesk: {}\x1b\\"),
        ({"TERM": "xterm", "TERM_PROGRAM": "ghostty"}, "\x1b]9;frontdesk: {}\x1b\\"),
        ({"TERM": "xterm-ghostty"}, "\x1b]9;frontdesk: {}\x1b\\"),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/tmux"}, ""),
        ({"TERM": "screen", "TERM_PROGRAM": "iTerm.app"}, ""),
        ({"TERM": "dumb", "TERM_PROGRAM": "Apple_Terminal"}, ""),
        ({}, ""),
    ],
)
def test_each_alert_is_a_notification_of_the_terminal(
    environment: dict[str, str], sequence: str
) -> None:
    alerts = [alert("Ana; Bo"), alert("Cy", "2")]
    sentences = ("Waiting for 26m: Ana, Bo · Hello", "Waiting for 26m: Cy · Hello")
    assert terminal_notification(alerts, environment) == "".join(map(sequence.format, sentences))
