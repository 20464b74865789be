"""Kept output of a program."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.own_commands.output import (
    HEAD_BYTES,
    HEAD_LINES,
    TAIL_BYTES,
    TAIL_LINES,
    KeptOutput,
    plain_line,
)


def kept(*parts: bytes) -> KeptOutput:
    output = KeptOutput()
    for part in parts:
        output.add(part)
    return output


@given(st.lists(st.binary(max_size=60)))
def test_output_in_pieces_is_the_output_in_one_piece(parts: list[bytes]) -> None:
    assert kept(*parts).text() == kept(b"".join(parts)).text()


@given(st.binary())
def test_no_line_has_what_controls_a_terminal(line: bytes) -> None:
    shown = plain_line(line)
    assert all(one in "\t\n" or one.isprintable() or ord(one) > 0xA0 for one in shown), shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (b"\x1b[31mred\x1b[0m", "red"),
        (b"\x1b]0;title\x07a", "a"),
        (b"\x1b]52;c;aGk=\x1b\\a", "a"),
        (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        (b"\x1bPdevice\x1b\\a", "a"),
        (b"\x1b[2J\x1b[?1049ha", "a"),
        (b"\x1b[>4;2ma", "a"),
        (b"10 %\r50 %\r100 %\r\n", "100 %"),
        (b"\xff\xfe", "\N{REPLACEMENT CHARACTER}" * 2),
        ("\u202eabc".encode(), "<RLO>abc"),
        (b"a\x00b", "ab"),
    ],
)
def test_a_line_is_plain_text(written: bytes, shown: str) -> None:
    assert plain_line(written) == shown


def test_the_first_and_the_last_lines_are_kept_and_the_rest_is_counted() -> None:
    lines = [b"%06d\n" % number for number in range(50_000)]
    output = kept(b"".join(lines))
    shown = output.lines
    assert shown[0] == "000000"
    assert shown[len(shown) - 1] == output.last_line == "049999"
    assert len(shown) == HEAD_LINES + 1 + TAIL_LINES
    assert shown[HEAD_LINES] == f"… {output.left_out:,} bytes left out …"
    assert output.left_out == 7 * (50_000 - HEAD_LINES - TAIL_LINES)


def test_rows_of_an_output_keep_their_keys_while_it_grows() -> None:
    output = kept(b"".join(b"%06d\n" % number for number in range(40_000)))
    before = output.lines
    output.add(b"more\n" * 10)
    after = output.lines
    for position in (0, HEAD_LINES - 1, HEAD_LINES, len(before) - 1):
        found = after.find(before.key(position))
        assert found is not None
        assert found == before.find(before.key(position)) or position > HEAD_LINES
        assert after.key(found) == before.key(position)
    assert after.find(before.key(HEAD_LINES + 1)) is None


def test_a_line_without_an_end_is_kept_in_parts_and_copied_whole() -> None:
    line = "é" * 10_000
    output = kept(*(line.encode()[at : at + 999] for at in range(0, 20_000, 999)))
    assert max(map(len, output.lines)) <= 4_000
    assert "".join(output.lines) == output.text() == line


def test_ten_megabytes_in_one_line_are_bounded() -> None:
    output = kept(*[b"x" * 65536] * 160)
    assert output.total == 160 * 65536
    assert len(output.text()) < 1_500_000


def test_a_line_of_the_longest_length_is_whole_and_a_longer_one_is_in_parts() -> None:
    assert [len(line) for line in kept(b"x" * 3_999 + b"\n").lines] == [3_999]
    assert [len(line) for line in kept(b"x" * 4_000 + b"\n").lines] == [4_000, 0]
    assert [len(line) for line in kept(b"x" * 4_000).lines] == [4_000]
    assert [len(line) for line in kept(b"x" * 4_001).lines] == [4_000, 1]
    assert kept(b"x" * 9_000 + b"\n").text() == "x" * 9_000 + "\n"
    assert [len(line) for line in kept(b"x" * 9_000 + b"\ny").lines] == [4_000, 4_000, 1_000, 1]


@pytest.mark.parametrize("letter", ["é", "€", "😀"])
@pytest.mark.parametrize("shift", range(4))
def test_a_long_line_is_not_cut_within_a_letter(letter: str, shift: int) -> None:
    line = "x" * shift + letter * 4_000
    lines = list(kept(line.encode()).lines)
    assert "".join(lines) == line
    assert all(3_997 <= len(part.encode()) <= 4_000 for part in lines[:-1])


def test_bytes_that_are_no_letters_are_cut_too() -> None:
    assert len(kept(b"\x80" * 9_000).text()) == 9_000


def test_an_output_that_is_not_too_long_is_whole() -> None:
    lines = HEAD_LINES + TAIL_LINES
    whole = kept(b"x\n" * lines)
    assert (whole.left_out, len(whole.lines)) == (0, lines)
    assert whole.text() == "x\n" * lines
    more = kept(b"x\n" * lines, b"y\n")
    assert (more.left_out, more.total) == (2, 2 * lines + 2)
    assert len(more.lines) == lines + 1
    assert more.lines[HEAD_LINES] == "… 2 bytes left out …"
    assert more.text().splitlines().count("x") == lines - 1


def test_the_beginning_and_the_end_have_so_many_bytes() -> None:
    line = b"x" * 1_023 + b"\n"
    whole = (HEAD_BYTES + TAIL_BYTES) // 1_024
    assert kept(line * whole).left_out == 0
    more = kept(line * whole, b"\n")
    assert more.left_out == 1_024
    assert more.lines[HEAD_BYTES // 1_024].endswith("left out …")
    # What is short enough later does not go to the beginning.
    short = kept(line * (HEAD_BYTES // 1_024 - 1), b"y" * 1_100 + b"\n", b"z\n")
    assert [one[0] for one in list(short.lines)[-2:]] == ["y", "z"]


@pytest.mark.parametrize(
    ("parts", "last"),
    [
        ([], ""),
        ([b"\n \n"], ""),
        ([b"a\n\n"], "a"),
        ([b"a\n", b" b"], "b"),
        ([b"a\n\x1b[0m\n"], "a"),
        ([b"x\n" * (HEAD_LINES + 1), b"\n"], "x"),
    ],
)
def test_the_last_line_is_that_which_is_not_blank(parts: list[bytes], last: str) -> None:
    assert kept(*parts).last_line == last


def test_every_row_is_found_by_its_key_and_others_are_not() -> None:
    for count in (0, 1, HEAD_LINES, HEAD_LINES + 3, HEAD_LINES + TAIL_LINES + 7):
        lines = kept(b"x\n" * count).lines
        keys = [lines.key(position) for position in range(len(lines))]
        assert len({*keys}) == len(keys)
        assert [lines.find(key) for key in keys] == list(range(len(lines)))
        assert lines.find(str(count)) is None
        assert ("gap" in keys) == (lines.find("gap") is not None)
    assert keys[HEAD_LINES : HEAD_LINES + 2] == ["gap", str(HEAD_LINES + 7)]
    assert lines.find(str(HEAD_LINES + 6)) is None


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (b"a\rb\r\n", "b"),
        (b"a\r\n", "a"),
        (b"a\tb", "a\tb"),
        (b"\x1b(Ba", "a"),
        (b"\x1b]0;title", ""),
        (b"\xc2\x9b31ma", "a"),
        (b"\xc2\x9d0;t\xc2\x9ca", "a"),
        (b"a\x7f\x08b", "ab"),
        (b"a\x1b", "a"),
    ],
)
def test_sequences_of_all_kinds_are_left_out(written: bytes, shown: str) -> None:
    assert plain_line(written) == shown
