"""Pictures that the terminal itself draws, by placeholders of kitty's graphics protocol.

https://sw.kovidgoyal.net/kitty/graphics-protocol/#unicode-placeholders. A picture is sent once,
under a number. Its cells are letters of a private area whose colour is that number, so that they
scroll and are covered like text.
"""

from base64 import b64encode
from itertools import chain

from frontdesk.pictures.cells import PictureCell

_PLACEHOLDER = "\U0010eeee"
_CHUNK = 4096
# Marks that say which row or column a placeholder is, in the protocol's order.
_MARKS = tuple(
    map(
        chr,
        chain(
            (0x305, 0x30D, 0x30E, 0x310, 0x312, 0x33D, 0x33E, 0x33F, 0x346, 0x34A, 0x34B, 0x34C),
            (0x350, 0x351, 0x352, 0x357, 0x35B),
            *(range(0x363, 0x370), range(0x483, 0x488), range(0x592, 0x596)),
            *(range(0x597, 0x59A), range(0x59C, 0x5A2), (0x5A8, 0x5A9, 0x5AB, 0x5AC, 0x5AF, 0x5C4)),
            *(range(0x610, 0x618), range(0x657, 0x65C), (0x65D, 0x65E), range(0x6D6, 0x6DD)),
            *(range(0x6DF, 0x6E3), (0x6E4, 0x6E7, 0x6E8, 0x6EB, 0x6EC)),
            (0x730, 0x732, 0x733, 0x735, 0x736, 0x73A, 0x73D, 0x73F, 0x740, 0x741, 0x743, 0x745),
            (0x747, 0x749, 0x74A, *range(0x7EB, 0x7F2), 0x7F3),
        ),
    )
)
MOST_LINES = len(_MARKS)
# Numbers fit in a colour; those with a fourth byte would need another mark.
MOST_NUMBER = (1 << 24) - 1


def placeholders(number: int, columns: int, lines: int) -> list[list[PictureCell]]:
    """The cells of a picture that was sent; lines: at most `MOST_LINES`.

    Only the first cell of a row says which row it is; the others go on from their left neighbour.
    """
    ink = number >> 16 & 255, number >> 8 & 255, number & 255
    rest = [PictureCell(_PLACEHOLDER, ink, None)] * (columns - 1)
    return [
        [PictureCell(_PLACEHOLDER + mark + _MARKS[0], ink, None), *rest] for mark in _MARKS[:lines]
    ]


def sent(number: int, columns: int, lines: int, png: bytes) -> str:
    """Control sequences that give a picture to the terminal, for placeholders; no answer comes."""
    text = b64encode(png).decode()
    head = f"a=T,U=1,f=100,q=2,i={number},c={columns},r={lines},"
    parts = []
    for at in range(0, len(text), _CHUNK):
        more = int(at + _CHUNK < len(text))
        parts.append(f"\x1b_G{head}m={more};{text[at : at + _CHUNK]}\x1b\\")
        head = "q=2,"
    return "".join(parts)


def deleted(number: int) -> str:
    """Control sequence after which the terminal forgets a picture."""
    return f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\"


def through_tmux(sequences: str) -> str:
    """The same, passed on by tmux where its option `allow-passthrough` is on."""
    return "".join(
        f"\x1bPtmux;\x1b\x1b{part}\x1b\x1b\\\x1b\\"
        for part in sequences.replace("\x1b\\", "").split("\x1b")[1:]
    )
