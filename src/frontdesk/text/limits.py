"""Limits of what people write, in characters: longer values are cut where they enter the inbox.

What is cut says so, at its end and within the limit, so that cutting twice changes nothing. Ids and
keys are never cut, as two could become one: longer ones than `LONGEST_ID` are refused.
"""

from frontdesk.text.clean import shortened

# What WhatsApp's apps let a person write; its API takes 4,096 in a text and 1,024 in a caption.
TEXT = 65_536
# Names of people, channels and files: WhatsApp takes 25 in a profile, and 240 in a file's name.
NAME = 256
# An emoji with skin tones and joiners has up to 35 code points.
REACTION = 64
# Values of custom fields, descriptions and addresses of pages and files.
FIELD = 4_096
# Anything else on one line: kinds, categories, e-mail addresses.
WORD = 512
# All of the contents of one message together: buttons, products, cards, answers of a form.
CONTENTS = 131_072
# Whole numbers in such contents.
BITS = 64
# Members of such contents may be nested this deep.
DEPTH = 32
# Ids and keys, in bytes of UTF-8: real ids have less than a quarter, and indexes have limits.
LONGEST_ID = 512

_CUT = f"\n[cut: a text may have {TEXT:,} characters]"
_LONGEST_ENDING = 16


def is_too_long(id: str) -> bool:
    """Check an id or key."""
    return len(id.encode(errors="replace")) > LONGEST_ID


def cut_text(text: str) -> str:
    """The first characters of a text that is too long, and a line that says so.

    >>> cut_text("a" * 70_000)[-44:]
    'a\\n[cut: a text may have 65,536 characters]'
    """
    return text if len(text) <= TEXT else text[: TEXT - len(_CUT)] + _CUT


def cut_file_name(name: str) -> str:
    """The first characters of a name that is too long, with its ending: `aaaa….pdf`."""
    if len(name) <= NAME:
        return name
    _, dot, ending = name.rpartition(".")
    kept = dot + ending if dot and len(ending) <= _LONGEST_ENDING else ""
    return shortened(name[: NAME + 1], NAME - len(kept)) + kept
