"""Opens the viewer on the place given on the command line."""

from collections.abc import Mapping

from frontdesk.cli.beginning import Beginning


def open_inbox(said: Mapping[str, str | None], begun: Beginning) -> None:
    """Open the viewer, or the demo if the user chose that.

    Raises: InboxError.
    """
    try:
        from frontdesk.cli.places import said_place
        from frontdesk.cli.viewer import open_viewer

        wants_demo = open_viewer(said_place(**said), begun)
    finally:
        # Error messages must be printed on the restored terminal.
        begun.end()
    if wants_demo:
        from frontdesk.cli.demo import open_demo

        open_demo()
