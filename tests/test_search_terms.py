"""What is typed into a search, and which texts have it."""

import pytest

from frontdesk.text import limits
from frontdesk.text.search import (
    Terms,
    contact_words,
    members_of,
    message_pieces,
    search_words,
    searched_text,
)

TEXT = "your refund for order 1042 is on its way"


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", 0),
        ("refund", 1),
        ("REFUND way", 2),
        ("refund refund", 1),
        ("fund 104", 2),
        ("refund blue", 1),
        ("blue", 0),
    ],
)
def test_a_text_matches_if_it_has_each_of_the_terms(typed: str, found: int) -> None:
    terms = Terms.of(typed)
    assert terms.count(TEXT) == found
    assert terms.match_text(TEXT) == (found == len(terms.spellings))


@pytest.mark.parametrize(
    ("typed", "is_indexed", "has_match"),
    [("an", False, False), ("and", True, True), ("an and", True, True), ("...", False, True)],
)
def test_an_index_of_three_letters_needs_a_term_of_three(
    typed: str, is_indexed: bool, has_match: bool
) -> None:
    assert Terms.of(typed).is_indexed is is_indexed
    assert (Terms.of(typed).match is not None) is has_match


def test_the_best_piece_has_the_most_terms_and_comes_first() -> None:
    pieces = ("An order", "Refund of the order", "The order to refund", "")
    assert Terms.of("order refund").best_of(pieces) == pieces[1]
    assert Terms.of("order").best_of(pieces) == pieces[0]
    assert Terms.of("order").best_of(()) == ""


@pytest.mark.parametrize(
    ("typed", "text", "is_found"),
    [
        ("12-34", "1234", True),
        ("12-34", "12-34", True),
        ("a-b", "ab", False),
        ("650-555-1234", "call 6505551234 now", True),
        ("650 555 1234", "call 6505551234 now", True),
        ("650 555 1234", "call 650 555 1234 now", True),
        # Seven digits may be a date or an order.
        ("0555 1234", "call 5551234 now", False),
        ("0555 12345", "call 55512345 now", True),
        ("Straße", "strasse", True),
        ("x" * 101, "x" * 100, True),
        ("x" * 100, "x" * 99, False),
    ],
)
def test_a_number_is_found_however_it_is_written(typed: str, text: str, is_found: bool) -> None:
    assert Terms.of(typed).match_text(text) is is_found


def test_of_very_many_words_fifty_are_searched() -> None:
    assert len(Terms.of(" ".join(map(str, range(50)))).spellings) == 50
    assert len(Terms.of(" ".join(map(str, range(51)))).spellings) == 50


@pytest.mark.parametrize(
    ("typed", "match"),
    [
        ("ab", None),
        ("abc", '(("abc"))'),
        ("abcd", '(("abc" AND "bcd"))'),
        ("abcdef", '(("abc" AND "def"))'),
        ("abcdefg", '(("abc" AND "def" AND "efg"))'),
        ("abc de fgh", '(("abc")) AND (("fgh"))'),
        ('a"b', '(("a""b"))'),
        ("12-34", '(("12-" AND "-34") OR ("123" AND "234"))'),
    ],
)
def test_the_index_is_asked_for_groups_of_three_letters(typed: str, match: str | None) -> None:
    assert Terms.of(typed).match == match


def test_of_a_long_word_eight_groups_are_asked_for() -> None:
    match = Terms.of("abcdefghijklmnopqrstuvwxyz0123").match
    assert match is not None
    assert match.count(" AND ") == 7


def test_a_searched_text_ends_with_its_numbers_without_separators() -> None:
    assert searched_text(["Call", "650-555 (12) 34"]) == "call\n650-555 (12) 34\n6505551234"
    assert searched_text(["No 12"]) == "no 12"
    assert searched_text(["x" * limits.TEXT + "y"]) == "x" * limits.TEXT


def test_a_message_is_searched_by_what_it_says_and_not_by_its_identifiers() -> None:
    message = {
        "text": "Hi",
        "media": {"filename": "a.pdf", "mime_type": "application/pdf"},
        "referral": {"headline": "Sale", "body": "", "source_url": "https://x.example"},
        "content": {"kind": "list", "id": "7", "items": [{"title": "Tea", "n": 5}, ["Cake"]]},
    }
    assert [*message_pieces(message)] == ["Hi", "a.pdf", "Sale", "Tea", "Cake"]
    assert [*message_pieces({"text": None, "media": [], "content": {}})] == []


def test_words_are_split_where_there_is_white_space() -> None:
    assert search_words("Ana\0SOUZA  x") == ["ana", "souza", "x"]
    assert contact_words("+44 7700 900 002") == ["+447700900002"]
    assert contact_words("Ana 7700") == ["ana", "7700"]


@pytest.mark.parametrize("body", ["", "[]", "7", "{", "[" * 100_000])
def test_what_is_no_object_has_no_members(body: str) -> None:
    assert members_of(body) == {}
    assert members_of('{"a": 1}') == {"a": 1}
