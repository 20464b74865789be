"""Searches for messages: what is searched, where, and between which days."""

from datetime import UTC, date, datetime

import pytest

from frontdesk.query.search import MessageSearch

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)
FIRST, SECOND, THIRD = date(2026, 3, 1), date(2026, 3, 2), date(2026, 3, 3)


@pytest.mark.parametrize(
    ("text", "words", "query"),
    [
        ("", "", ""),
        ("refund  madrid", "refund madrid", ""),
        ("refund in:london from:ana is:open", "refund", "is:open in:london from:ana"),
        ("FROM:ana refund", "refund", "from:ana"),
        ("-in:london refund", "refund", "-in:london"),
        ('"pick up" today', '"pick up" today', ""),
        ('"today"', "today", ""),
        ("#1234 @ana unread late", "late", "@ana #1234 unread"),
        ("has:image waiting:>1h invoice", "invoice", "has:image waiting:>1h"),
        ("invoice -refund", "invoice", "-refund"),
        ("after:2026-03-01 refund", "refund", "sent:2026-03-01.."),
    ],
)
def test_a_search_has_words_and_terms(text: str, words: str, query: str) -> None:
    search = MessageSearch.of(text)
    assert (search.words, str(search.query), search.problems) == (words, query, ())


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("refund", (None, None)),
        ("after:2026-03-01 refund", (FIRST, None)),
        ("since:2026-03-01", (FIRST, None)),
        ("refund before:2026-03-03", (None, THIRD)),
        ("refund until:2026-03-02", (None, THIRD)),
        ("AFTER:2026-03-01 Before:2026-03-03", (FIRST, THIRD)),
        ("before:2026-03-03 after:2026-03-02", (SECOND, THIRD)),
        ("sent:2026-03-01..2026-03-02", (FIRST, THIRD)),
        ("after:yesterday", (date(2026, 3, 13), None)),
        ("before:yesterday", (None, date(2026, 3, 13))),
        ("before:2026-03", (None, FIRST)),
    ],
)
def test_a_search_has_days(text: str, days: tuple[date | None, date | None]) -> None:
    search = MessageSearch.of(text)
    assert (search.days(NOW), search.problems) == (days, ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("refund after:soon", "after: takes a day, such as 2026-03-14, 2026-03 or yesterday"),
        ("x before:2026..", "before: takes a day, such as"),
        ("after:2026-03-01 after:2026-03-02", "The days of messages are one range: keep"),
        ("after:2026-03-03 before:2026-03-02", "The days of messages are one range: keep"),
        ("a is:followup", "is:followup filters the list, and no search."),
        ("a sort:waiting", "A search begins with the newest message: leave sort: out."),
        ("label:vip", "There is no filter label:"),
    ],
)
def test_what_a_search_cannot_do_is_said(text: str, words: str) -> None:
    (problem,) = MessageSearch.of(text).problems
    assert problem.message.startswith(words)


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
