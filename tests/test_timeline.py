"""Merging fetched ranges with cached keys: additions, removals, gaps."""

from hypothesis import given
from hypothesis import strategies as st

from frontdesk.cache.timeline import HIGHEST, LOWEST, Key, merge, stretch


def key(minute: int, id: str = "") -> Key:
    return Key.at(f"{minute:03d}", "row", id or str(minute))


def test_decimal_ids_of_one_moment_are_in_numeric_order() -> None:
    assert key(5, "9") < key(5, "10") < key(5, "11")


def test_every_key_is_between_the_lowest_and_the_highest() -> None:
    assert LOWEST < Key.at("", "", "") < Key.at("\U0010fffe", "row", "1") < HIGHEST


def test_a_held_row_that_moved_leaves_its_old_place() -> None:
    fetched = stretch([[key(9, "1"), key(5)]], end=False)
    assert merge([key(3, "1")], fetched).remove == (key(3, "1"),)


def test_a_held_row_inside_the_page_that_the_page_has_not_is_gone() -> None:
    fetched = stretch([[key(9), key(5)]], end=False)
    assert merge([key(9), key(7), key(5), key(4)], fetched).remove == (key(7),)


def test_a_held_row_above_the_head_page_is_gone() -> None:
    assert merge([key(9)], stretch([[key(5)]], end=False)).remove == (key(9),)


def test_a_held_row_above_a_later_page_stays() -> None:
    fetched = stretch([[key(5), key(3)]], upper=key(7), end=False)
    assert merge([key(7), key(8)], fetched).remove == ()


def test_held_rows_below_the_last_page_of_the_list_are_gone() -> None:
    assert merge([key(2)], stretch([[key(5)]], end=True)).remove == (key(2),)


def test_nothing_goes_when_a_row_of_the_page_could_not_be_read() -> None:
    assert merge([key(7)], stretch([[key(9), key(5)]], end=False, whole=False)).remove == ()


def test_nothing_goes_when_the_server_orders_rows_in_another_way() -> None:
    assert merge([key(7)], stretch([[key(5), key(9)]], end=False)).remove == ()


def test_a_row_on_two_pages_counts_where_it_is_newest() -> None:
    fetched = stretch([[key(9, "1"), key(8)], [key(7), key(6, "1")]], end=False)
    assert fetched.keys == (key(9, "1"), key(8), key(7))


def test_a_page_above_the_newest_held_row_leaves_a_gap() -> None:
    fetched = stretch([[key(9), key(5)]], end=False)
    assert fetched.meets(key(5))
    assert fetched.meets(key(6))
    assert not fetched.meets(key(4))
    assert not fetched.meets(None)


def test_the_end_of_the_list_leaves_no_gap() -> None:
    assert stretch([[key(9)]], end=True).meets(key(4))


minutes = st.lists(st.integers(0, 99), unique=True)


@given(held=minutes, listed=minutes, start=st.integers(0, 40), size=st.integers(1, 20))
def test_after_a_merge_the_stretch_is_as_the_server_has_it_and_the_rest_as_it_was(
    held: list[int], listed: list[int], start: int, size: int
) -> None:
    server = sorted((key(minute) for minute in listed), reverse=True)
    page = server[start : start + size]
    upper = server[start - 1] if 0 < start <= len(server) else HIGHEST
    fetched = stretch([page], upper=upper, end=start + size >= len(server))
    before = {key(minute) for minute in held}
    merged = merge(before, fetched)
    after = (before - set(merged.remove)) | set(merged.insert)

    inside = {place for place in after if fetched.lowest <= place < upper}
    assert inside == set(page)
    assert after - inside == {place for place in before if not fetched.lowest <= place < upper}
    assert not set(merged.insert) & before
