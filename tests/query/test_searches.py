"""Searches for messages: what is searched, where, and between which days."""

from datetime import date

import pytest

from frontdesk.query.search import MessageSearch, parse_search

FIRST, SECOND, THIRD = date(2026, 3, 1), date(2026, 3, 2), date(2026, 3, 3)


@pytest.mark.parametrize(
    ("text", "words", "query"),
    [
        ("", "", ""),
        ("refund  madrid", "refund madrid", ""),
        ("refund in:london from:ana is:open", "refund", "is:open in:london from:ana"),
        ("FROM:ana refund", "refund", "from:ana"),
        ("-in:london refund", "refund", "-in:london"),
        ('"pick up" today', "pick up today", ""),
        ("#1234 @ana unread", "#1234 @ana unread", ""),
        ("label:vip https://example.org", "label:vip https://example.org", ""),
        ("-refund", "-refund", ""),
        ('-"pick up"', '-"pick up"', ""),
        ("-before:2026-03-01", "-before:2026-03-01", ""),
        ("after:2026-03-01 refund", "refund", ""),
    ],
)
def test_a_search_has_words_and_terms(text: str, words: str, query: str) -> None:
    search = parse_search(text)
    assert (search.words, str(search.query), search.problems) == (words, query, ())


@pytest.mark.parametrize(
    ("text", "after", "before"),
    [
        ("refund", None, None),
        ("after:2026-03-01 refund", FIRST, None),
        ("refund before:2026-03-03", None, THIRD),
        ("AFTER:2026-03-01 Before:2026-03-03", FIRST, THIRD),
        ("after:2026-03-01 after:2026-03-02", SECOND, None),
        ("after:yesterday", None, None),
    ],
)
def test_a_search_has_days(text: str, after: date | None, before: date | None) -> None:
    search = parse_search(text)
    assert (search.after, search.before) == (after, before)


@pytest.mark.parametrize(
    ("text", "part", "words"),
    [
        ("refund after:soon", "after:soon", "after: takes a day, such as 2026-03-14."),
        ("Before:2026 x", "Before:2026", "before: takes a day, such as 2026-03-14."),
        ("a is:followup", "is:followup", "is:followup filters the list, and no search."),
    ],
)
def test_a_mistake_is_left_out_and_said_where_it_is(text: str, part: str, words: str) -> None:
    search = parse_search(text)
    assert [(text[one.start : one.end], one.message) for one in search.problems] == [(part, words)]
    assert (search.query.terms, search.after, search.before) == ((), None, None)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("refund", [None, FIRST, SECOND, THIRD]),
        ("after:2026-03-02", [SECOND, THIRD]),
        ("before:2026-03-02", [FIRST]),
        ("after:2026-03-02 before:2026-03-03", [SECOND]),
        ("after:2026-03-03 before:2026-03-02", []),
    ],
)
def test_a_search_includes_the_first_day_and_not_the_one_after_the_last(
    text: str, days: list[date | None]
) -> None:
    search = parse_search(text)
    assert [day for day in (None, FIRST, SECOND, THIRD) if search.includes(day)] == days


def test_at_most_100_characters_are_searched() -> None:
    longest = MessageSearch("x" * 100)
    assert (longest.too_long, longest.has_words) == (False, True)
    longer = MessageSearch("x" * 101)
    assert (longer.too_long, longer.has_words) == (True, False)


@pytest.mark.parametrize(
    ("words", "searched"), [("", False), (" \u0301", False), ("京", True), ("a b", True)]
)
def test_any_word_is_searched(words: str, searched: bool) -> None:
    assert MessageSearch(words).has_words is searched
