"""Case-insensitive keys for sorting and matching names and labels."""

from frontdesk.text import folded as folded

LONGEST_NAME_KEY = 200


def name_key(name: str) -> str:
    """Sort key of a name, truncated: index entries are limited in size.

    >>> name_key("Ångström")
    'angstrom'
    """
    return folded(name)[:LONGEST_NAME_KEY]


def label_key(title: str) -> str:
    """Key that identifies a label: its casefolded title."""
    return title.casefold()
