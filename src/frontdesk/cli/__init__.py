"""Command line: entry point and commands. Only this package reads settings."""

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from frontdesk.cli.first_frame_display import FirstFrameDisplay


def main() -> None:
    """Entry point of `frontdesk`. Imports the command line late: some processes need none."""
    # Objects created at start live until exit: skip garbage collection before the first paint.
    gc.disable()
    from frontdesk.cli.first_frame_display import prepare_first_frame

    first_frame = prepare_first_frame(sys.argv[1:])
    try:
        first_frame.show()
        from frontdesk.cli.signals import exit_on_signals

        exit_on_signals()
        _run(first_frame)
    except KeyboardInterrupt:
        # During imports; `commands` handles interrupts later.
        sys.exit(130)
    finally:
        first_frame.restore_terminal()


def _run(first_frame: "FirstFrameDisplay") -> None:
    """Run the command line. Imported only after the first frame is on the terminal."""
    _use_user_locale()
    _configure_libraries()
    from frontdesk.cli.base import run
    from frontdesk.cli.main import frontdesk

    run(frontdesk, first_frame)


def _configure_libraries() -> None:
    """Set variables that libraries read when they are imported."""
    from frontdesk.system.subprocess_environment import set_only_here
    from frontdesk.text.clean import is_kitty_terminal

    # Its search for plugins reads the metadata of all installed packages.
    set_only_here("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # Frames a second. With Textual's default of 60, a key shortly after a frame waits up to 16 ms.
    set_only_here("TEXTUAL_FPS", "240")
    # They have all colours, which they say in a variable that ssh does not pass on.
    if is_kitty_terminal(os.environ):
        set_only_here("TEXTUAL_COLOR_SYSTEM", "truecolor")


def _use_user_locale() -> None:
    """Format dates in the user's locale; a missing locale falls back to "C"."""
    import locale
    from contextlib import suppress

    with suppress(locale.Error):
        locale.setlocale(locale.LC_TIME, "")
