"""The filter and order that are made here, step by step over a cached list."""

from collections.abc import Iterable, Mapping
from typing import Any

from frontdesk.inbox.local_scan import Scan
from frontdesk.query import NEWEST, Matcher, QueryNames, parse, plan, sort_key
from frontdesk.query.plan import SortKey
from frontdesk.wire import Conversation
from tests.conftest import NOW
from tests.inbox.cached_list import Cached, CachedRows, conversation

_PLACE = sort_key(NEWEST, NOW)


def inbox(*statuses: str, listed: int | None = None, complete: bool = True) -> Cached:
    """Conversations 0, 1, … of these statuses, the latest first; listed: how many of them."""
    cached = Cached(conversation(at, -at, status) for at, status in enumerate(statuses))
    cached.list(map(str, range(len(statuses) if listed is None else listed)), complete=complete)
    return cached


def scan_of(cached: Cached, text: str = "is:open", **options: Any) -> Scan:
    chosen = plan(parse(text), QueryNames(), frozenset(), NOW)
    matches = Matcher(chosen.rest, QueryNames(), NOW)
    return Scan(CachedRows(cached), chosen, matches, NOW, current=cached.current, **options)


def whole(scan: Scan) -> Scan:
    assert not scan.step(1000)
    return scan


def ids(scan: Scan) -> list[str]:
    rows = scan.rows()
    return [rows[at].id for at in range(len(rows))]


def places(rows: Iterable[Conversation]) -> Mapping[str, SortKey]:
    return {row.id: _PLACE(row) for row in rows}


def test_a_scan_goes_on_where_it_stopped_until_all_rows_were_looked_at() -> None:
    scan = scan_of(inbox("open", "resolved", "open", "open", "open"))
    found = []
    for more in (True, True, False):
        assert scan.step(2) is more
        found.append((scan.looked_at, scan.matches, ids(scan)))
    assert found == [
        (2, 1, ["0"]),
        (4, 3, ["0", "2", "3"]),
        (5, 4, ["0", "2", "3", "4"]),
    ]
    assert not scan.ended
    # All at once, and nothing beyond.
    assert scan_of(inbox("open", "open")).step(1)
    assert not scan_of(inbox("open", "open")).step(2)


def test_found_rows_are_read_and_found_by_their_keys() -> None:
    cached = inbox("open", "resolved", "open")
    rows = whole(scan_of(cached)).rows()
    assert [rows.key(at) for at in range(len(rows))] == ["conversation 0", "conversation 2"]
    assert [rows.find(f"conversation {id}") for id in range(3)] == [0, None, 1]
    assert rows[1] == cached.states["2"]
    assert rows.places == places([cached.states["0"], cached.states["2"]])


def test_rows_are_in_the_order_of_the_query() -> None:
    scan = scan_of(inbox("open", "resolved", "open", "open"), "is:open sort:oldest")
    scan.step(3)
    assert ids(scan) == ["2", "0"]
    whole(scan)
    assert ids(scan) == ["3", "2", "0"]
    assert scan.matches == 3


def test_a_scan_ends_at_the_first_row_after_which_nothing_can_match() -> None:
    cached = inbox("open", "open", "open", "open", "open")
    text = f"active:{NOW:%Y-%m-%d}.."
    for at in (2, 3, 4):
        cached.states[str(at)] = conversation(at, -86_400 * at)
    cached.list(map(str, range(5)), complete=True)
    scan = scan_of(cached, text)
    assert not scan.step(1000)
    assert scan.ended
    assert ids(scan) == ["0", "1"]
    assert scan.looked_at == 3
    assert not scan.step(1000)
    assert scan.looked_at == 3


def test_a_row_that_has_moved_ends_no_scan() -> None:
    cached = inbox("open", "open", "open")
    # Its state is of another time than its place in the list.
    cached.states["0"] = conversation(0, -86_400 * 3)
    scan = whole(scan_of(cached, f"active:{NOW:%Y-%m-%d}.."))
    assert not scan.ended
    assert ids(scan) == ["1", "2"]


def test_rows_that_stay_keep_their_places_and_are_stale_where_they_do_not_match() -> None:
    cached = inbox("open", "open", "open")
    stay = places(cached.states.values())
    cached.states["1"] = conversation(1, 50, "resolved")
    scan = whole(scan_of(cached, stay=stay))
    assert ids(scan) == ["0", "1", "2"]
    assert scan.stale == {"1"}
    assert scan.matches == 2


def test_a_row_that_stays_and_left_the_list_is_stale() -> None:
    cached = inbox("open", "open", "open", "open", listed=3)
    scan = whole(scan_of(cached, stay=places([cached.states["3"]])))
    assert ids(scan) == ["0", "1", "2", "3"]
    assert scan.stale == {"3"}
    assert scan.matches == 3


def test_a_row_that_stays_and_may_come_on_a_later_page_is_not_stale_if_it_matches() -> None:
    cached = inbox("open", "open", "open", "resolved", listed=2, complete=False)
    scan = whole(scan_of(cached, stay=places([cached.states["2"], cached.states["3"]])))
    assert ids(scan) == ["0", "1", "2", "3"]
    assert scan.stale == {"3"}
    assert scan.matches == 2


def test_nothing_is_stale_before_the_scan_has_come_to_its_end() -> None:
    cached = inbox("open", "open", "open", "open", listed=3)
    scan = scan_of(cached, stay=places([cached.states["2"], cached.states["3"]]))
    assert scan.step(1)
    assert ids(scan) == ["0", "2", "3"]
    assert scan.stale == set()


def test_a_row_that_stays_and_is_no_longer_known_is_not_there() -> None:
    cached = inbox("open", "open")
    scan = whole(scan_of(cached, stay={"9": _PLACE(conversation(9, 0))}))
    assert ids(scan) == ["0", "1"]
    assert scan.stale == set()


def test_known_rows_that_match_are_found_once_wherever_they_come() -> None:
    cached = inbox("open", "open", "open", "open", "resolved", listed=2, complete=False)
    known = [cached.states[id] for id in ("1", "3", "4")]
    scan = scan_of(cached, known=known, stay=places(known[:1]))
    assert scan.matches == 2
    assert ids(scan) == ["1", "3"]
    scan.step(1)
    assert (scan.matches, ids(scan)) == (3, ["0", "1", "3"])
    whole(scan)
    assert (scan.matches, ids(scan)) == (3, ["0", "1", "3"])
    assert scan.stale == set()
