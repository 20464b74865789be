"""Control characters are removed, sizes are short."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.client.response import clean_json
from frontdesk.text.calls import CALL_KINDS, call_content, call_details, call_length, call_text
from frontdesk.text.clean import (
    clean,
    compact_json,
    counted,
    escape_formula,
    file_size,
    first_non_blank,
    folded,
    humanize,
    is_ascii_terminal,
    is_blank,
    is_kitty_terminal,
    one_line,
    plain,
    price,
    shortened,
)


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


@pytest.mark.parametrize(
    ("characters", "shown"),
    [
        # Hyphens and spaces that cannot be seen, marks of direction, fillers, mathematics.
        ("\u00ad\u061c\u180e\u200b\u200e\u200f\u3164\ufeff\uffa0", ""),
        ("\u2060\u2061\u2062\u2063\u2064", ""),
        # Fillers of Korean and Khmer, selectors of Mongolian and of variants, tags.
        ("\u115f\u1160\u17b4\u17b5\u180b\u180f\u2065\ufe00\ufe0e", ""),
        ("\U000e0001\U000e0068\U000e007f\U000e0100\U000e0fff", ""),
        # The cell of a picture of kitty.
        ("\U0010eeee", "\ufffd"),
        # Deprecated controls and marks of annotations.
        ("\u206a\u206b\u206c\u206d\u206e\u206f\ufff9\ufffa\ufffb", "\ufffd" * 9),
        ("\u2028\u2029", "\n\n"),
        ("\u202a\u202b\u202c\u202d\u202e", "<LRE><RLE><PDF><LRO><RLO>"),
        ("\u2066\u2067\u2068\u2069", "<LRI><RLI><FSI><PDI>"),
        ("\x00\x08\x0b\x1b\x1f\x7f\x80\x9f\ud800\udfff", "\ufffd" * 10),
    ],
)
def test_each_character_that_is_not_seen_is_removed_or_shown(characters: str, shown: str) -> None:
    assert clean(characters) == shown


def test_characters_beside_those_that_are_cleaned_stay() -> None:
    beside = (
        "\t\n \x7e\xa0\xac\xae\u061b\u061d\u115e\u1161\u17b3\u17b6\u180a\u1810"
        "\u200a\u200c\u200d\u2010\u2027\u202f\u205f\u2070\u3163\u3165\ufe0f\ufe10\ufefe\uff00\uff9f\uffa1\ufff8\ufffc\ud7ff\ue000"
        "\U000dffff\U000e1000\U0010eeed\U0010eeef"
    )
    assert clean(beside) == beside


def test_tags_stay_in_the_flags_that_are_made_of_them_and_nowhere_else() -> None:
    def tagged(letters: str) -> str:
        return "🏴" + "".join(chr(0xE0000 + ord(letter)) for letter in letters)

    for flag in ("gbeng", "gbsct", "gbwls"):
        assert clean(tagged(flag) + "\U000e007f") == tagged(flag) + "\U000e007f"
    for other in ("hello", "gbsc", "gbengx"):
        assert clean(f"a{tagged(other)}\U000e007fb") == "a🏴b"


@given(st.text(alphabet=st.characters(min_codepoint=0, max_codepoint=0x2100)))
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


def test_every_character_that_is_cleaned_is_found_in_a_body() -> None:
    cleaned = [
        char
        for char in map(chr, (*range(0x10000), *range(0xE0000, 0xE1000), 0x10EEEE))
        if clean(char) != char
    ]
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


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("abcde", 5, "abcde"),
        ("abcdef", 5, "abcd…"),
        ("a" * 80, None, "a" * 80),
        ("a" * 81, None, "a" * 79 + "…"),
    ],
)
def test_a_text_that_is_too_long_ends_in_an_ellipsis(
    text: str, most: int | None, shown: str
) -> None:
    assert (shortened(text) if most is None else shortened(text, most)) == shown


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 lines"), (1, "1 line"), (2, "2 lines"), (2000, "2,000 lines")],
)
def test_a_number_has_its_noun_in_the_plural_unless_there_is_one(count: int, words: str) -> None:
    assert counted(count, "line") == words


def test_words_are_put_on_one_line() -> None:
    assert one_line(" a\t b\n\nc ") == "a b c"
    assert first_non_blank(None, " ", "a\nb", "c") == "a b"
    assert first_non_blank("", None) == ""
    assert first_non_blank("\u2800", "\ufe0f", "\u202e\u200f", "\ue000", "\u115f", "Bo") == "Bo"


@pytest.mark.parametrize(
    "text",
    [
        *("", " \t\n", "\x01\x7f", "\u00a0\u3000\u2003", "\u200b\u200d\u2060\ufeff"),
        *("\u3164", "\uffa0\u115f\u1160", "\u17b4\u17b5", "\u2800", "\ufe0e\ufe0f", "\u034f"),
        *("\u200e\u202e\u2066", "\ue000\U0010eeee", "\U000e0041\U000e0100", "\U0001d159", "\udc00"),
    ],
)
def test_a_text_of_signs_that_draw_nothing_is_blank_also_once_it_is_cleaned(text: str) -> None:
    assert is_blank(text)
    # Cleaning shows that there was a control, a surrogate, or a sign of pictures.
    if "\ufffd" not in clean(text):
        assert is_blank(clean(text))


@pytest.mark.parametrize(
    "text", ["a", "7", "\u3164a", "\U0001fae8", "\u0301", "<b>", "<RLO>x", "\ufffd", "ﷺ", "❤\ufe0f"]
)
def test_a_text_with_any_sign_that_is_drawn_is_not_blank(text: str) -> None:
    assert not is_blank(text)
    assert humanize("ai_agent") == "ai agent"
    assert humanize("_") == "unknown"


def test_json_is_compact_and_sorted_if_asked_for() -> None:
    value = {"b": [1, 2], "a": "é"}
    assert compact_json(value) == '{"b":[1,2],"a":"é"}'
    assert compact_json(value, sort_keys=True) == '{"a":"é","b":[1,2]}'


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("=1+1", "'=1+1"),
        (" =1+1", "' =1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("-x", "'-x"),
        ("\tx", "'\tx"),
        ("＝1", "'＝1"),
        ("-12", "-12"),
        ("+34600111222", "+34600111222"),
        ("-1.5", "-1.5"),
        ("a=1", "a=1"),
        ("", ""),
    ],
)
def test_a_spreadsheet_takes_no_text_for_a_formula(text: str, escaped: str) -> None:
    assert escape_formula(text) == escaped


@pytest.mark.parametrize(
    ("environment", "is_ascii"),
    [
        ({}, False),
        ({"TERM": "linux"}, True),
        ({"TERM": "vt100"}, True),
        ({"TERM": "xterm-256color", "LANG": "en_GB.UTF-8"}, False),
        ({"LANG": "en_GB.ISO-8859-1"}, True),
        ({"LANG": "de_DE.utf8@euro"}, False),
        ({"LC_ALL": "C", "LANG": "en_GB.UTF-8"}, False),
        ({"LC_ALL": "C", "PYTHONUTF8": "0"}, True),
        ({"LANG": "POSIX", "PYTHONUTF8": "0"}, True),
        ({"LANG": "en_GB.UTF-8", "PYTHONUTF8": "0"}, False),
        ({"LC_ALL": "", "LC_CTYPE": "ru_RU.KOI8-R", "LANG": "en_GB.UTF-8"}, True),
    ],
)
def test_a_terminal_has_letters_beyond_ascii_unless_it_is_known_to_lack_them(
    environment: dict[str, str], is_ascii: bool
) -> None:
    assert is_ascii_terminal(environment) == is_ascii


@pytest.mark.parametrize(
    ("environment", "is_kitty"),
    [
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "xterm-ghostty"}, True),
        ({"TERM": "xterm", "TERM_PROGRAM": "ghostty"}, True),
        ({"TERM": "xterm", "TERM_PROGRAM": "tmux"}, False),
        ({}, False),
    ],
)
def test_kitty_is_known_by_its_names(environment: dict[str, str], is_kitty: bool) -> None:
    assert is_kitty_terminal(environment) == is_kitty


def test_plain_text_has_ascii_digits_and_spaces_and_no_direction_marks() -> None:
    assert plain("\u200f١٢\u00a0/\u202f٣ م\u2069") == "12 / 3 م"
    assert plain("½ ²") == "½ ²"


def test_texts_are_compared_without_marks_and_case() -> None:
    assert [folded(text) for text in ("ÅNGSTRÖM ﬁn", "STRASSE", "Straße", "İ")] == [
        "angstrom fin",
        "strasse",
        "strasse",
        "i",
    ]


@pytest.mark.parametrize(
    ("seconds", "length"),
    [
        (0, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (61, "1 min 1 s"),
        (3599, "59 min 59 s"),
        (3600, "1 h"),
        (3601, "1 h 1 s"),
        (3661, "1 h 1 min"),
        (90_000, "25 h"),
    ],
)
def test_the_length_of_a_call_is_in_its_two_largest_units(seconds: int, length: str) -> None:
    assert call_length(seconds) == length


@pytest.mark.parametrize(
    ("status", "seconds", "video", "details", "text"),
    [
        ("ringing", None, None, "ringing", "Voice call, ringing"),
        ("answered", 125, False, "2 min 5 s", "Voice call, 2 min 5 s"),
        ("answered", 0, True, "0 s", "Video call, 0 s"),
        ("answered", -1, True, "", "Video call"),
        ("answered", None, True, "", "Video call"),
        ("missed", 5, None, "", "Missed voice call"),
        ("unanswered", 5, True, "", "Unanswered video call"),
        ("declined", 5, False, "", "Declined voice call"),
    ],
)
def test_a_call_is_said_with_what_became_of_it(
    status: str, seconds: int | None, video: bool | None, details: str, text: str
) -> None:
    content = call_content(status, seconds, video=video)
    assert content["duration_seconds"] == (seconds if status == "answered" else None)
    assert (call_details(content), call_text(content)) == (details, text)


def test_calls_are_of_eight_kinds() -> None:
    assert (
        *("voice call", "video call", "missed voice call", "missed video call"),
        *("unanswered voice call", "unanswered video call"),
        *("declined voice call", "declined video call"),
    ) == CALL_KINDS
