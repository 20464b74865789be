"""Names are compared without marks and case."""

import pytest

from frontdesk.store.contacts import LONGEST_NAME_KEY, folded, label_key, name_key


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Ana Souza", "ana souza"),
        ("Ångström ﬁn", "angstrom fin"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("İstanbul", "istanbul"),
        ("한국", "한국"),
        ("👍🏽", "👍🏽"),
        ("l’été ‘ok’ don´t ŉ", "l'ete 'ok' don't 'n"),
        ("ışık", "isik"),
        ("", ""),
    ],
)
def test_names_fold(text: str, key: str) -> None:
    assert folded(text) == folded(key)
    assert folded(folded(text)) == folded(text)


def test_labels_that_differ_in_case_alone_are_one() -> None:
    assert label_key("VIP") == label_key("vip")
    assert label_key("é") != label_key("e")


def test_the_key_of_an_endless_name_ends() -> None:
    assert name_key("Å" * 9999) == "a" * LONGEST_NAME_KEY
