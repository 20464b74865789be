"""Text sanitising and formatting: control characters, widths, sizes. Times are in `time_format`.

Everything printed to a terminal has passed `clean` once, where it entered the program.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping

_COMPACT_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_SORTED_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

# Bidirectional controls, replaced by visible names.
_DIRECTION_MARKS = {
    0x202A: "<LRE>",
    0x202B: "<RLE>",
    0x202C: "<PDF>",
    0x202D: "<LRO>",
    0x202E: "<RLO>",
    0x2066: "<LRI>",
    0x2067: "<RLI>",
    0x2068: "<FSI>",
    0x2069: "<PDI>",
}

# Invisible characters, in which a text could be hidden from people: hyphens, marks of direction,
# fillers, variation selectors (except that of emoji). The joiners 200C and 200D stay, since Persian
# and emoji need them.
_INVISIBLE = (
    *(0x00AD, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x200B, 0x200E),
    *(0x200F, *range(0x2060, 0x2066), 0x3164, *range(0xFE00, 0xFE0F), 0xFEFF, 0xFFA0),
)
# Tags and variation selectors of plane 14; kept only as the three flags that are made of them.
_HIDDEN = "\U000e0000-\U000e0fff"
_FLAGS = ("gbeng", "gbsct", "gbwls")
# Kitty draws a picture in place of this character.
_PICTURE_CELL = 0x10EEEE

# Characters that draw nothing, by their general category, and those that do so besides: fillers
# (letters), selectors and other default-ignorable code points, and blank signs of scripts.
_BLANK_CATEGORIES = frozenset(("Cc", "Cf", "Co", "Cs", "Zl", "Zp", "Zs"))
_BLANK_SIGNS = frozenset(
    (
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
        *(*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xFFF0, 0xFFF9)),
        *(0x2065, 0x16FE4, 0x13441, 0x13442, 0x1D159),
        *range(0xE0000, 0xE1000),
    )
)
_SHOWN_MARK = re.compile("|".join(_DIRECTION_MARKS.values()))

_TABLE: dict[int, str | None] = {
    **dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000)), REPLACEMENT),
    **dict.fromkeys(_INVISIBLE),
    **dict.fromkeys((*range(0x206A, 0x2070), *range(0xFFF9, 0xFFFC)), REPLACEMENT),
    **_DIRECTION_MARKS,
    _PICTURE_CELL: REPLACEMENT,
    0x09: "\t",
    0x0A: "\n",
    0x2028: "\n",
    0x2029: "\n",
}

# Emoji sequences, on whose width terminals disagree: parts that are joined, with skin tones,
# presentation selectors and the tags of a flag.
_PICTURES = (
    "\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
)
_TONES, _TAGS, _END_TAG = "\U0001f3fb-\U0001f3ff", "\U000e0020-\U000e007e", "\U000e007f"
# What fonts have a picture of together with what it is joined to (Unicode's RGI sequences).
_JOINED = (
    "\u2194\u2195\u2620\u2640\u2642\u2695\u2696\u26a7\u2708\u2744\u2764\u27a1\u2b1b"
    "\U0001f308\U0001f32b\U0001f33e\U0001f373\U0001f37c\U0001f384\U0001f393\U0001f3a4\U0001f3a8\U0001f3eb\U0001f3ed"
    "\U0001f466-\U0001f469\U0001f48b\U0001f4a5\U0001f4a8\U0001f4ab\U0001f4bb\U0001f4bc\U0001f525"
    "\U0001f527\U0001f52c\U0001f5e8\U0001f680\U0001f692\U0001f7e9\U0001f7eb\U0001f91d\U0001f9af"
    "\U0001f9b0-\U0001f9b3\U0001f9ba\U0001f9bc\U0001f9bd\U0001f9d1\U0001f9d2\U0001fa79\U0001fa70"
)
_WHOLE = re.compile(
    f"(?<!\u200d)[{_PICTURES}](?:\ufe0f|[{_TONES}]|[{_TAGS}]{{2,6}}{_END_TAG})?"
    f"(?:\u200d[{_JOINED}][\ufe0f{_TONES}]?){{0,3}}(?![\u200d\ufe0f{_TONES}{_TAGS}{_END_TAG}])"
    "|[0-9#*]\ufe0f\u20e3"
)
# Joiners between letters are removed too, because Rich counts the letter after a joiner as zero
# cells wide. A skin tone alone is a picture.
_EMOJI_TAIL = re.compile(
    f"[\ufe0e\ufe0f\u200d{_END_TAG}]|(?:(?<=[{_PICTURES}])|(?<=[{_PICTURES}]\ufe0f))[{_TONES}]"
    f"|(?P<tone>[{_TONES}])|(?P<tag>[{_TAGS}])"
)
_TONE = "\N{BLACK SQUARE}"
# Terminals that draw a sequence in two cells, as it is counted; others draw its parts side by side.
# tmux (3.3) counts two, four or one cell, and other programs behind it count otherwise again.
_WHOLE_TERMINALS = ("xterm-kitty", "xterm-ghostty", "foot", "foot-extra", "foot-direct")

# More combining marks per letter than any language uses.
_MARKS = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_STACKED_MARKS = re.compile(f"({_MARKS}{{4}}){_MARKS}+")

# Symbols of currencies, and decimals of those that have not two.
_SYMBOLS = {"BRL": "R$ ", "EUR": "€", "GBP": "£", "INR": "₹", "USD": "$"}
_DECIMALS = {
    **dict.fromkeys(("CLP", "ISK", "JPY", "KRW", "PYG", "UGX", "VND", "XAF", "XOF"), 0),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
}

_TAGGED = "|".join("".join(chr(0xE0000 + ord(letter)) for letter in flag) for flag in _FLAGS)
_OUTSIDE_FLAGS = re.compile(f"(\U0001f3f4(?:{_TAGGED})\U000e007f)|[{_HIDDEN}]")
_LETTER_JOINERS = re.compile("\u200c|(?<![\u2190-\u2bff\U0001f000-\U0001faff\ufe0f])\u200d")
# Clients that render Markdown would load an image from an address of the writer's choice.
_LOADED = re.compile(r"!(?=\[)|<(?=[A-Za-z/!?])")
_QUOTES = dict.fromkeys(map(ord, '"“”„‟″＂«»'), "'")

_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
# Includes full-width forms, which East Asian spreadsheets treat alike.
_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def clean(text: str) -> str:
    """Replace everything in `text` that controls a terminal; newlines and tabs stay.

    Control characters and lone surrogates become U+FFFD, direction overrides visible names.
    Characters that no person sees are removed.
    """
    if not text.isascii():
        text = _OUTSIDE_FLAGS.sub(r"\1", text)
    return text.replace("\r\n", "\n").translate(_TABLE)


def visible(text: str) -> str:
    """Clean a text for a language model, without joiners of letters, images and HTML."""
    text = clean(text)
    if not text.isascii():
        text = _LETTER_JOINERS.sub("", text)
    return _LOADED.sub(r"\g<0> ", text)


def quoted(text: str) -> str:
    """Words of a customer within a line of facts: in quotes, which they cannot close.

    >>> quoted('Ana" · open')
    '"Ana\' - open"'
    """
    return f'"{without_separators(text).translate(_QUOTES)}"'


def without_separators(text: str) -> str:
    """A text on one line without the sign that separates facts."""
    return one_line(text).replace("·", "-")


# What people type for an apostrophe, by keyboard; letters that NFKD leaves apart.
FOLDED_APART = "‘’‛ʼʹʻ′´ŉı"
_ALIKE = str.maketrans({**dict.fromkeys(FOLDED_APART, "'"), "ŉ": "'n", "ı": "i"})


def folded(text: str) -> str:
    """NFKD, without combining marks, case-folded: the form that search and sorting compare.

    All apostrophes are one, and a dotless i is an i.

    >>> folded("Ångström ﬁn, l’ışık")
    "angstrom fin, l'isik"
    """
    if text.isascii():
        return text.casefold()
    plain = unicodedata.normalize("NFKD", text.translate(_ALIKE))
    stripped = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return unicodedata.normalize("NFKD", stripped.casefold())


def width_safe(text: str, *, whole: bool = False) -> str:
    """`text` in characters whose width all terminals agree on; only for display.

    An emoji sequence becomes its parts, without skin tones: none may be left out, for the sequence
    means something else without it. whole: for terminals that draw sequences in two cells, see
    `draws_sequences`.
    """
    if text.isascii():
        return text
    if whole:
        parts = _split_whole(text)
        text = "".join(part if kept else _EMOJI_TAIL.sub(_part, part) for part, kept in parts)
    else:
        text = _EMOJI_TAIL.sub(_part, text)
    return _STACKED_MARKS.sub(r"\1", text)


def _split_whole(text: str) -> Iterator[tuple[str, bool]]:
    """Pairs of text and True for the emoji sequences that fonts have."""
    at = 0
    for match in _WHOLE.finditer(text):
        yield text[at : match.start()], False
        yield match[0], _is_wide(match[0])
        at = match.end()
    yield text[at:], False


def _is_wide(sequence: str) -> bool:
    """True if terminals and Rich agree that a sequence has two cells, or it is one character."""
    is_wide = unicodedata.east_asian_width(sequence[0]) == "W"
    return is_wide or sequence[1:2] in ("", "\ufe0f")


def _part(match: re.Match[str]) -> str:
    """What is shown of a character of an emoji sequence: the letters of a flag's tags."""
    if match["tag"]:
        return chr(ord(match["tag"]) - 0xE0000)
    return _TONE if match["tone"] else ""


def draws_sequences(environment: Mapping[str, str]) -> bool:
    """True if the terminal is known to draw an emoji sequence as one picture in two cells."""
    in_page = "TEXTUAL_DRIVER" in environment
    return environment.get("TERM") in _WHOLE_TERMINALS and not in_page


def one_line(text: str) -> str:
    """Collapse all white space to single spaces."""
    return " ".join(text.split())


def is_blank(text: str) -> bool:
    """True if nothing of a text is drawn: spaces, controls, direction marks also as `clean` writes
    them, fillers, selectors, private use.

    >>> is_blank("\\u3164 \\u200b"), is_blank("\\u3164x")
    (True, False)
    """
    return not any(map(_is_drawn, text)) or (
        text[0] == "<" and not any(map(_is_drawn, _SHOWN_MARK.sub("", text)))
    )


def _is_drawn(character: str) -> bool:
    if character.isascii():
        return " " < character < "\x7f"
    is_sign = ord(character) not in _BLANK_SIGNS
    return is_sign and unicodedata.category(character) not in _BLANK_CATEGORIES


def shown_line(text: str | None) -> str:
    """The text on one line; "" if nothing of it is drawn."""
    return "" if text is None or is_blank(text) else one_line(text)


def compact_json(value: object, *, sort_keys: bool = False) -> str:
    """Encode a value as JSON on one line, without blanks between members."""
    return (_SORTED_JSON if sort_keys else _COMPACT_JSON).encode(value)


def shortened(text: str, most: int = 80) -> str:
    """Truncate to `most` characters, with an ellipsis if anything is missing.

    >>> shortened("a" * 9, 5)
    'aaaa…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def first_non_blank(*names: str | None) -> str:
    """The first name that is not blank, on one line; empty if there is none."""
    return next(filter(None, map(shown_line, names)), "")


def file_size(size: int) -> str:
    """File size in its largest unit: 812 B, 240 KB, 3.4 MB, 1.2 GB."""
    if size < 1000:
        return f"{size} B"
    if size < 1_000_000:
        return f"{round(size / 1000)} KB"
    unit, name = (1_000_000, "MB") if size < 999_950_000 else (1_000_000_000, "GB")
    tenths = (size + unit // 20) // (unit // 10)
    return f"{tenths // 10}.{tenths % 10} {name}"


class AtLeast(int):
    """Number of what was counted until counting ended; it is written with a plus.

    >>> f"{AtLeast(10_000):,}"
    '10,000+'
    """

    def __format__(self, spec: str) -> str:
        return f"{int(self):{spec}}+"


def counted(count: int, noun: str) -> str:
    """Number and noun, which is in the plural unless there is one.

    >>> counted(1, "line"), counted(2000, "line")
    ('1 line', '2,000 lines')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def price(amount: float, currency: str) -> str:
    """Price with the decimals of its currency: £80.90, R$ 24.50, 80.90 PLN, 1200 JPY."""
    symbol, decimals = _SYMBOLS.get(currency, ""), _DECIMALS.get(currency, 2)
    number = f"{amount:.{decimals}f}"
    return f"{symbol}{number}" if symbol else f"{number} {currency}".rstrip()


def humanize(name: str) -> str:
    """Identifier as words: `ai_agent` becomes "ai agent"."""
    return name.replace("_", " ").strip() or "unknown"


def escape_formula(text: str) -> str:
    """Escape text against formula injection in spreadsheets; numbers stay unchanged.

    >>> escape_formula("=1+1"), escape_formula("+34600111222")
    ("'=1+1", '+34600111222')
    """
    if text.lstrip(" ").startswith(_FORMULA_SIGNS) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


# Terminals whose fonts lack everything but ASCII.
_PLAIN_TERMINALS = ("linux", "dumb", "vt")
_CHARSET_NAMES = ("LC_ALL", "LC_CTYPE", "LANG")


def is_kitty_terminal(environment: Mapping[str, str]) -> bool:
    """True for kitty and Ghostty, also at the other end of ssh."""
    return (
        environment.get("TERM") in ("xterm-kitty", "xterm-ghostty")
        or environment.get("TERM_PROGRAM") == "ghostty"
    )


def is_ascii_terminal(environment: Mapping[str, str]) -> bool:
    """True if the terminal or the locale is known to support nothing else.

    Python writes UTF-8 in the locale C, unless it is told not to.
    """
    if environment.get("TERM", "").startswith(_PLAIN_TERMINALS):
        return True
    locale = next((environment[name] for name in _CHARSET_NAMES if environment.get(name)), "")
    if locale in ("C", "POSIX") and environment.get("PYTHONUTF8") == "0":
        return True
    charset = locale.partition(".")[2].partition("@")[0].lower().replace("-", "")
    return charset not in ("", "utf8")


_UNPRINTED = "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
_SPACES = (
    "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)


def plain(text: str) -> str:
    """Remove direction marks, and convert spaces and digits of any script to ASCII."""
    return text if text.isascii() else "".join(map(_plain_character, text))


def _plain_character(character: str) -> str:
    if character.isascii():
        return character
    if character in _UNPRINTED:
        return ""
    if character in _SPACES:
        return " "
    return str(int(character)) if character.isdecimal() else character
