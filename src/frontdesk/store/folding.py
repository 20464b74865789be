"""Words folded for comparison: what names, labels and searches are ordered and matched by."""

import unicodedata

LONGEST_NAME_KEY = 200


def folded(text: str) -> str:
    """NFKD, marks stripped, casefolded: the same on every engine (contract 1.3).

    >>> folded("Ångström ﬁn")
    'angstrom fin'
    """
    if text.isascii():
        return text.casefold()
    plain = unicodedata.normalize("NFKD", text)
    stripped = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return unicodedata.normalize("NFKD", stripped.casefold())


def name_key(name: str) -> str:
    """What names are ordered by. Longer ones are equal beyond it: an index cannot hold any length.

    >>> name_key("Ångström")
    'angstrom'
    """
    return folded(name)[:LONGEST_NAME_KEY]


def label_key(title: str) -> str:
    """What makes two label titles one label, and what the label filter compares."""
    return title.casefold()
