"""Kept output of a program."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.own_commands.output import HEAD_LINES, TAIL_LINES, KeptOutput, plain_line


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
