"""Placeholders of kitty's protocol, read back by a parser of its own."""

import re
import unicodedata
from base64 import b64decode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from frontdesk.pictures.kitty import (
    MOST_LINES,
    MOST_NUMBER,
    deleted,
    placeholders,
    sent,
    through_tmux,
)

_COMMAND = re.compile("\x1b_G([^;\x1b]*)(?:;([^\x1b]*))?\x1b\\\\")


def commands(sequences: str) -> list[tuple[dict[str, str], str]]:
    """Keys and payload of each command; nothing may be between them."""
    assert _COMMAND.sub("", sequences) == ""
    return [
        (dict(pair.split("=") for pair in keys.split(",")), payload)
        for keys, payload in _COMMAND.findall(sequences)
    ]


@given(st.binary(min_size=1, max_size=20_000))
def test_a_picture_is_sent_whole_in_chunks_without_asking_for_an_answer(png: bytes) -> None:
    parts = commands(sent(7, 30, 14, png))
    first = parts[0][0]
    assert {name: first[name] for name in "aUficr"} == {
        "a": "T", "U": "1", "f": "100", "i": "7", "c": "30", "r": "14",
    }  # fmt: skip
    assert {keys["q"] for keys, _ in parts} == {"2"}
    assert [keys["m"] for keys, _ in parts] == ["1"] * (len(parts) - 1) + ["0"]
    assert all(len(payload) <= 4096 for _, payload in parts)
    assert b64decode("".join(payload for _, payload in parts)) == png


@given(st.integers(1, MOST_NUMBER), st.integers(1, 200), st.integers(1, MOST_LINES))
def test_the_colour_is_the_number_and_the_first_cell_says_the_row(
    number: int, columns: int, lines: int
) -> None:
    rows = placeholders(number, columns, lines)
    assert [len(row) for row in rows] == [columns] * lines
    inks = {cell.ink for row in rows for cell in row}
    assert inks == {(number >> 16, number >> 8 & 255, number & 255)}
    assert {cell.ground for row in rows for cell in row} == {None}
    assert {cell_len("".join(cell.letter for cell in row)) for row in rows} == {columns}
    marks = [row[0].letter[1] for row in rows]
    assert len({*marks}) == lines
    assert {row[0].letter[2] for row in rows} == {marks[0]}


def test_a_picture_is_deleted_with_its_data() -> None:
    ((keys, payload),) = commands(deleted(9))
    assert (keys, payload) == ({"a": "d", "d": "I", "i": "9", "q": "2"}, "")


@pytest.mark.parametrize("sequences", [deleted(9), sent(7, 30, 14, bytes(9_000))])
def test_tmux_passes_on_the_same(sequences: str) -> None:
    wrapped = re.findall("\x1bPtmux;((?:\x1b\x1b|[^\x1b])*)\x1b\\\\", through_tmux(sequences))
    assert "".join(wrapped).replace("\x1b\x1b", "\x1b") == sequences


def test_lines_are_marked_by_the_protocols_diacritics_in_their_order() -> None:
    """They are those above a letter that no letter is composed with, up to Unicode 6."""
    marks = [row[0].letter[1] for row in placeholders(1, 1, MOST_LINES)]
    composed = {
        part for code in range(0x3000) for part in unicodedata.normalize("NFD", chr(code))[1:]
    }
    protocol = [
        chr(code)
        for code in range(0x300, 0x7F4)
        if unicodedata.combining(chr(code)) == 230
        and not unicodedata.decomposition(chr(code))
        and chr(code) not in composed
    ]
    assert marks == protocol


def test_the_sequences_are_those_of_the_protocol() -> None:
    assert sent(7, 30, 14, b"abc") == ("\x1b_Ga=T,U=1,f=100,q=2,i=7,c=30,r=14,m=0;YWJj\x1b\\")
    # 3,072 bytes are 4,096 letters.
    (only,) = commands(sent(7, 30, 14, bytes(3_072)))
    first, second = commands(sent(7, 30, 14, bytes(3_073)))
    assert (only[0]["m"], first[0]["m"], second[0]) == ("0", "1", {"q": "2", "m": "0"})
    assert len(only[1]) == len(first[1]) == 4_096
    assert (deleted(9), through_tmux(deleted(9))) == (
        "\x1b_Ga=d,d=I,i=9,q=2\x1b\\",
        "\x1bPtmux;\x1b\x1b_Ga=d,d=I,i=9,q=2\x1b\x1b\\\x1b\\",
    )
