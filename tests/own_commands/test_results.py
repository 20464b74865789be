"""Results that stay under what they are of."""

import pytest

from frontdesk.own_commands.results import (
    MOST_CHARACTERS,
    MOST_RESULTS,
    results,
    setting,
    with_result,
)


def test_a_result_stays_until_its_command_is_run_again_or_it_is_removed() -> None:
    stored = with_result(None, "message 5", "Translate", "\nHello\n\n  again\n")
    stored = with_result(stored, "", "Summary", "short")
    stored = with_result(stored, "message 5", "Words", "2")
    assert results(stored) == {
        "message 5": [("Translate", "Hello\n\n  again"), ("Words", "2")],
        "": [("Summary", "short")],
    }
    stored = with_result(stored, "message 5", "Translate", "Hi")
    assert results(stored)["message 5"] == [("Words", "2"), ("Translate", "Hi")]
    stored = with_result(stored, "message 5", "Translate", " \n")
    assert results(stored)["message 5"] == [("Words", "2")]
    for entry, command in (("message 5", "Words"), ("", "Summary")):
        stored = with_result(stored, entry, command, "")
    assert stored == ""


def test_a_long_result_is_cut_and_the_oldest_go() -> None:
    stored = ""
    for at in range(MOST_RESULTS + 1):
        stored = with_result(stored, str(at), "A", "x" * (MOST_CHARACTERS + at))
    assert list(results(stored)) == [str(at) for at in range(1, MOST_RESULTS + 1)]
    assert results(stored)["1"] == [("A", "x" * MOST_CHARACTERS + "…")]
    whole = with_result("", "1", "A", "x" * MOST_CHARACTERS)
    assert results(whole)["1"] == [("A", "x" * MOST_CHARACTERS)]


@pytest.mark.parametrize("stored", [None, "", "[", "[[1]]"])
def test_a_setting_that_is_none_has_no_results(stored: str | None) -> None:
    assert results(stored) == {}


def test_each_conversation_has_a_setting() -> None:
    assert setting("27") == "under/27"
