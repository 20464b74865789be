"""Opens the viewer on the place that the command line names."""

from collections.abc import Mapping

from frontdesk.cli.beginning import Beginning


def open_inbox(said: Mapping[str, str | None], begun: Beginning) -> None:
    """The viewer on the place that is said, or on the demo if that is what the reader wants.

    Raises: InboxError.
    """
    try:
        from frontdesk.cli.places import said_place
        from frontdesk.cli.viewer import open_viewer

        wants_demo = open_viewer(said_place(**said), begun)
    finally:
        # What is told of a failure is for the terminal as it was.
        begun.end()
    if wants_demo:
        from frontdesk.cli.demo import open_demo

        open_demo()
