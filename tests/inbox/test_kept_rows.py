"""Which rows stay in a view that they have left, how many of them, and where they stand."""

from collections.abc import Iterable

from frontdesk.inbox.kept_rows import KeptRows, MergedView
from frontdesk.query import NEWEST, sort_key
from frontdesk.wire import Conversation
from tests.conftest import NOW
from tests.inbox.cached_list import Cached, CachedRows, conversation


def rows(*numbers: int) -> list[Conversation]:
    """Conversations whose activity is the later the smaller their number is."""
    return [conversation(number, -number) for number in numbers]


def kept(kept: KeptRows, in_view: Iterable[int] = ()) -> list[int]:
    return [int(id) for id in kept.rows(rows(*in_view), None)]


def opened(*numbers: int) -> KeptRows:
    kept = KeptRows()
    for row in rows(*numbers):
        kept.add_opened(row)
    return kept


def merged(kept: KeptRows, stay: Iterable[int], cached: Cached) -> MergedView:
    staying = {row.id: row for row in rows(*stay)}
    return kept.merge(staying, CachedRows(cached), cached.current, key=sort_key(NEWEST, NOW))


def names(view: MergedView) -> list[int]:
    return [int(view.rows[at].id) for at in range(len(view.rows))]


def test_the_last_50_opened_rows_are_kept() -> None:
    assert kept(opened(*range(50))) == [*range(50)]
    assert kept(opened(*range(51))) == [*range(1, 51)]


def test_the_300_rows_that_were_in_view_last_are_kept() -> None:
    seen = KeptRows()
    seen.answered = True
    assert kept(seen, range(300)) == [*range(300)]
    # The first of them is in view again before another one is.
    assert kept(seen, [0, 300]) == [*range(2, 300), 0, 300]


def test_before_an_answer_rows_in_view_are_kept_once_two_were_opened() -> None:
    assert kept(KeptRows(), [5]) == []
    assert kept(opened(1), [5]) == [1]
    assert kept(opened(1, 2), [5]) == [1, 2, 5]
    answered = KeptRows()
    answered.answered = True
    assert kept(answered, [5]) == [5]


def test_the_selected_row_is_kept_as_it_was_first_kept() -> None:
    (selected,) = rows(3)
    assert [*opened(1).rows([], selected)] == ["1", "3"]
    stay = opened(3).rows([], conversation(3, 50))
    assert stay == {"3": selected}


def test_rows_are_left_out_once_it_was_asked_for() -> None:
    kept_rows = opened(1, 2)
    kept_rows.marked_here = {"2"}
    assert kept(kept_rows, [5]) == [1, 2, 5]
    assert not kept_rows.leave_out()
    assert kept(kept_rows) == [1, 2, 5]
    kept_rows.leaving_out = True
    assert kept_rows.leave_out()
    kept_rows.answered = True
    assert kept(kept_rows) == []
    assert not kept_rows.marked_here
    assert not kept_rows.leave_out()


def test_rows_that_were_in_view_are_forgotten_without_those_that_were_opened() -> None:
    kept_rows = opened(1, 2)
    assert kept(kept_rows, [5]) == [1, 2, 5]
    kept_rows.forget_seen()
    assert kept(kept_rows) == [1, 2]


def test_rows_that_have_left_stand_where_they_would_be_and_are_dimmed() -> None:
    cached = Cached(rows(*range(9)))
    cached.list(["1", "4", "6"], complete=False)
    view = merged(KeptRows(), [5, 2, 3, 1, 8], cached)
    assert names(view) == [1, 2, 3, 4, 5, 6, 8]
    assert view.dimmed == {"2", "3", "5"}
    # It may be in the list, on a page that is not here.
    assert view.after_gap == {"8"}


def test_a_row_at_the_end_of_a_complete_list_has_left_it() -> None:
    cached = Cached(rows(*range(9)))
    cached.list(["1", "4", "6"], complete=True)
    view = merged(KeptRows(), [8], cached)
    assert names(view) == [1, 4, 6, 8]
    assert (view.dimmed, view.after_gap) == ({"8"}, set())


def test_rows_that_have_left_keep_their_places_though_they_are_active_since() -> None:
    cached, kept_rows = Cached(rows(*range(9))), KeptRows()
    cached.list(["1", "4", "6"], complete=True)
    merged(kept_rows, [5], cached)
    cached.states["5"] = conversation(5, 100, status="resolved")
    view = kept_rows.merge(
        kept_rows.rows([], None), CachedRows(cached), cached.current, key=sort_key(NEWEST, NOW)
    )
    assert names(view) == [1, 4, 5, 6]
    assert view.rows[2].status == "resolved"


def test_a_row_that_is_no_longer_known_does_not_stay() -> None:
    cached = Cached(rows(1, 4, 6))
    cached.list(["1", "4", "6"], complete=True)
    view = merged(KeptRows(), [3, 4], cached)
    assert names(view) == [1, 4, 6]
    assert (view.dimmed, view.after_gap) == (set(), set())
