"""Opens the viewer for a command line, also for one that is read without click."""

import os
from collections.abc import Mapping, Sequence

from frontdesk.cli.beginning import Beginning
from frontdesk.cli.light import lightly

_OPTIONS = {"--url": "url", "--database": "database", "--as": "user", "--profile": "profile"}


def plainly_said(arguments: Sequence[str]) -> dict[str, str] | None:
    """What options say by their names, where there is nothing else on the line.

    None: click has to read it, which takes longer to import than this line to open.
    """
    names, values = arguments[::2], arguments[1::2]
    plain = all(name in _OPTIONS for name in names) and not any(map(_is_option, values))
    if not plain or len(names) != len(values) or "_FRONTDESK_COMPLETE" in os.environ:
        return None
    return {_OPTIONS[name]: value for name, value in zip(names, values, strict=True)}


def _is_option(value: str) -> bool:
    return value.startswith("-")


def open_inbox(said: Mapping[str, str | None], begun: Beginning) -> None:
    """The viewer on the place that is said, or on the demo if that is what the reader wants.

    Raises: InboxError.
    """
    try:
        with lightly():
            from frontdesk.cli.places import said_place
            from frontdesk.cli.viewer import open_viewer
        wants_demo = open_viewer(said_place(**said), begun)
    finally:
        # What is told of a failure is for the terminal as it was.
        begun.end()
    if wants_demo:
        from frontdesk.cli.demo import open_demo

        open_demo()
