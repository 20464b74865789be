"""Control characters are removed, sizes are short."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.client.response import clean_json
from frontdesk.text.clean import clean, file_size, price


def test_every_control_and_surrogate_is_replaced() -> None:
    controls = [*range(0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000)]
    kept = {number for number in controls if clean(f"a{chr(number)}b") != "a\ufffdb"}
    assert kept == {ord("\t"), ord("\n")}
    for number in (0x20, 0x7E, 0xA1, 0xD7FF, 0xE000):
        assert clean(f"a{chr(number)}b") == f"a{chr(number)}b"


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[31mred", "�[31mred"),
        ("a\x9b2Jb", "a�2Jb"),
        ("title\x07\x00", "title��"),
        ("one\r\ntwo\rthree", "one\ntwo�three"),
        ("\u202egpj.exe", "<RLO>gpj.exe"),
        ("\u202aa\u202bb\u202cc\u202dd", "<LRE>a<RLE>b<PDF>c<LRO>d"),
        ("\u2066in\u2069", "<LRI>in<PDI>"),
        ("\u2067a\u2068b", "<RLI>a<FSI>b"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("soft\u00adhyphen", "softhyphen"),
        ("\u3164\uffa0", ""),
        ("lone \ud800 surrogate", "lone � surrogate"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("👩\u200d👧 ❤\ufe0f", "👩\u200d👧 ❤\ufe0f"),
    ],
)
def test_terminal_control_characters_are_made_visible_or_removed(hostile: str, shown: str) -> None:
    assert clean(hostile) == shown


@given(st.text(alphabet=st.characters(min_codepoint=0, max_codepoint=0x2100)))
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


def test_every_character_that_is_cleaned_is_found_in_a_body() -> None:
    cleaned = [char for char in map(chr, range(0x10000)) if clean(char) != char]
    bodies = [json.dumps(char, ensure_ascii=True).encode() for char in cleaned]
    bodies += [json.dumps(char, ensure_ascii=False).encode(errors="ignore") for char in cleaned]
    assert [body for body in bodies if clean_json(body) is body and body != b'""'] == []


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_a_json_body_is_cleaned_however_its_characters_are_written(value: object) -> None:
    for ascii_only in (True, False):
        body = json.dumps(value, ensure_ascii=ascii_only)
        try:
            encoded = body.encode()
        except UnicodeEncodeError:
            continue
        cleaned = clean_json(encoded).decode()
        assert all(text == clean(text) for text in _strings(json.loads(cleaned)))


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in _strings(part)]
    if isinstance(value, list):
        return [text for part in value for text in _strings(part)]
    return []


def test_a_harmless_body_is_not_copied() -> None:
    body = '{"text": "Olá 👍 漢字"}'.encode()
    assert clean_json(body) is body


def test_a_suspect_body_that_is_not_json_is_refused() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        clean_json(b"\x7f<html>")


def test_sizes_name_their_units() -> None:
    assert [file_size(n) for n in (812, 240_000, 3_400_000)] == ["812 B", "240 KB", "3.4 MB"]
    assert [file_size(n) for n in (999, 1_000, 1_000_000)] == ["999 B", "1 KB", "1.0 MB"]
    assert [file_size(n) for n in (3_449_999, 3_450_000)] == ["3.4 MB", "3.5 MB"]


def test_a_size_that_no_file_can_have_is_still_words() -> None:
    assert [file_size(n) for n in (999_949_999, 999_950_000)] == ["999.9 MB", "1.0 GB"]
    assert file_size(10**400).endswith("0.0 GB")
    assert file_size(-5) == "-5 B"


@pytest.mark.parametrize(
    ("amount", "currency", "words"),
    [
        (80.9, "GBP", "£80.90"),
        (24, "USD", "$24.00"),
        (24.5, "BRL", "R$ 24.50"),
        (80.9, "PLN", "80.90 PLN"),
        (1200, "JPY", "1200 JPY"),
        (4.125, "KWD", "4.125 KWD"),
        (9.9, "", "9.90"),
    ],
)
def test_a_price_has_the_decimals_of_its_currency(amount: float, currency: str, words: str) -> None:
    assert price(amount, currency) == words
