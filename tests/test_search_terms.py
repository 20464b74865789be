"""What is typed into a search, and which texts have it."""

import pytest

from frontdesk.text.search import Terms

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
