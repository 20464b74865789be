"""Words on the way to a reader: hostile characters out, times and sizes short.

Everything that a terminal or a shell prints passes `clean`, once, where a server's answer is read.
"""

import locale
import re
import unicodedata
from datetime import date, datetime, timedelta

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

# Bidirectional overrides, embeddings and isolates: shown, never obeyed.
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

# Invisible, and of no use to a reader. The joiners 200C and 200D stay: Persian and emoji need them.
_INVISIBLE = (
    0x00AD,
    0x061C,
    0x180E,
    0x200B,
    0x200E,
    0x200F,
    0x2060,
    0x2061,
    0x2062,
    0x2063,
    0x2064,
    0x3164,
    0xFEFF,
    0xFFA0,
)

_TABLE: dict[int, str | None] = {
    **dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000)), REPLACEMENT),
    **dict.fromkeys(_INVISIBLE),
    **dict.fromkeys((*range(0x206A, 0x2070), *range(0xFFF9, 0xFFFC)), REPLACEMENT),
    **_DIRECTION_MARKS,
    0x09: "\t",
    0x0A: "\n",
    0x2028: "\n",
    0x2029: "\n",
}

# Terminals disagree about the width of emoji that are made of several characters: skin tones, what
# a joiner joins, presentation selectors, the tags of flags. Only their first character is drawn.
# A joiner between letters goes too: Rich takes the letter after it for no cell wide.
_EMOJI_TAIL = re.compile(
    "[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
    "|\u200d[\u2190-\u2bff\U0001f000-\U0001faff]?"
)

# More marks on a letter than any language needs only make lines heavy.
_MARKS = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_STACKED_MARKS = re.compile(f"({_MARKS}{{4}}){_MARKS}+")

_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
# The wide forms are what spreadsheets of East Asia take for the same signs.
_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def clean(text: str) -> str:
    """`text` without anything that a terminal would obey; newlines and tabs stay.

    Controls and lone surrogates become U+FFFD, direction overrides become visible marks.
    """
    return text.replace("\r\n", "\n").translate(_TABLE)


def folded(text: str) -> str:
    """NFKD, marks stripped, casefolded: what search and order compare (contract 1.3).

    >>> folded("Ångström ﬁn")
    'angstrom fin'
    """
    if text.isascii():
        return text.casefold()
    plain = unicodedata.normalize("NFKD", text)
    stripped = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return unicodedata.normalize("NFKD", stripped.casefold())


def steady(text: str) -> str:
    """`text` as every terminal measures it; what is copied elsewhere keeps all of it."""
    if text.isascii():
        return text
    return _STACKED_MARKS.sub(r"\1", _EMOJI_TAIL.sub("", text))


def one_line(text: str) -> str:
    """`text` with every run of white space as one space."""
    return " ".join(text.split())


def shortened(text: str, most: int = 80) -> str:
    """`text` in at most so many characters; an ellipsis at its end tells that some is missing.

    >>> shortened("a" * 9, 5)
    'aaaa…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def first_said(*names: str | None) -> str:
    """The first of some names that has more in it than white space, on one line; else empty."""
    return next((name for name in (one_line(name or "") for name in names) if name), "")


def ago(then: datetime, now: datetime) -> str:
    """How long ago, in at most six cells: now, 12m, 3h, Tue, 9 Mar, 2024. Never negative."""
    passed = max(now - then, timedelta())
    if passed < timedelta(minutes=1):
        return "now"
    if passed < timedelta(hours=1):
        return f"{passed // timedelta(minutes=1)}m"
    if passed < timedelta(days=1):
        return f"{passed // timedelta(hours=1)}h"
    if passed < timedelta(days=6):
        return f"{then:%a}"
    return short_date(then) if then.year == now.year else str(then.year)


def duration(length: timedelta) -> str:
    """A length of time in its largest unit: 12m, 3h, 2d; under a minute is 0m, never negative."""
    minutes = max(0, length // timedelta(minutes=1))
    if minutes < 60:
        return f"{minutes}m"
    if minutes < 24 * 60:
        return f"{minutes // 60}h"
    return f"{minutes // (24 * 60)}d"


def long_duration(length: timedelta) -> str:
    """A length of time in its two largest units: 21 h 40 m, 3 d 2 h, 5 m."""
    minutes = max(0, length // timedelta(minutes=1))
    days, hours, rest = minutes // 1440, minutes % 1440 // 60, minutes % 60
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {rest} m" if hours else f"{rest} m"


def milliseconds(length: timedelta | None) -> str:
    """How long an answer takes: 84 ms."""
    return "unknown" if length is None else f"{length / timedelta(milliseconds=1):.0f} ms"


def ahead_or_behind(skew: timedelta | None) -> str:
    """How far another clock is from this machine's, which it is ahead of by `skew`."""
    if skew is None:
        return "the server does not tell the time"
    if not skew:
        return "the same as here"
    seconds = abs(skew) / timedelta(seconds=1)
    return f"{seconds:.0f} seconds {'ahead of' if skew > timedelta() else 'behind'} this machine"


def short_date(day: date) -> str:
    """9 Mar; Mar 9 where the locale has months first."""
    return f"{day:%b} {day.day}" if month_first() else f"{day.day} {day:%b}"


def long_date(day: date) -> str:
    """Friday 13 March 2026; Friday, March 13, 2026 where the locale has months first."""
    if month_first():
        return f"{day:%A}, {day:%B} {day.day}, {day.year}"
    return f"{day:%A} {day.day} {day:%B} {day.year}"


def time_of_day(moment: datetime) -> str:
    """14:05; 2:05 PM where the locale has twelve hours."""
    if "%p" in _habit("T_FMT") or "%r" in _habit("T_FMT"):
        return f"{moment:%I:%M %p}".removeprefix("0")
    return f"{moment:%H:%M}"


def month_first() -> bool:
    """Whether the process's locale says March 9 and not 9 March. It is told once, at its start."""
    return _habit("D_FMT").startswith(("%m", "%b", "%D"))


def _habit(name: str) -> str:
    """How the locale writes dates and times; empty for the plain one, and where nobody tells."""
    asked = getattr(locale, name, None)
    plain = locale.setlocale(locale.LC_TIME).partition(".")[0] in ("C", "POSIX")
    return "" if plain or asked is None else locale.nl_langinfo(asked)


def file_size(size: int) -> str:
    """A file's size in its largest unit: 812 B, 240 KB, 3.4 MB."""
    if size < 1000:
        return f"{size} B"
    if size < 1_000_000:
        return f"{round(size / 1000)} KB"
    tenths = (size + 50_000) // 100_000
    return f"{tenths // 10}.{tenths % 10} MB"


def words(name: str) -> str:
    """A name of the interface as words: `ai_agent` is "ai agent"."""
    return name.replace("_", " ").strip() or "unknown"


def shielded(text: str) -> str:
    """A text that no spreadsheet takes for a formula. Numbers, also of phones, stay as they are.

    >>> shielded("=1+1"), shielded("+34600111222")
    ("'=1+1", '+34600111222')
    """
    if text.lstrip(" ").startswith(_FORMULA_SIGNS) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text
