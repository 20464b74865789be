"""Words folded for comparison: what names, labels and searches are ordered and matched by."""

from frontdesk.text import folded as folded

LONGEST_NAME_KEY = 200


def name_key(name: str) -> str:
    """What names are ordered by. Longer ones are equal beyond it: an index cannot hold any length.

    >>> name_key("Ångström")
    'angstrom'
    """
    return folded(name)[:LONGEST_NAME_KEY]


def label_key(title: str) -> str:
    """What makes two label titles one label, and what the label filter compares."""
    return title.casefold()
