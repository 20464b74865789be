"""The commands of frontdesk: builds everything, passes it in, alone reads settings."""

import sys


def main() -> None:
    """The program `frontdesk`. Imported late: not every process of it has a command line."""
    import locale
    from contextlib import ExitStack, suppress

    # Days and times are written as the user's locale has them; one that is not there is the plain.
    with suppress(locale.Error):
        locale.setlocale(locale.LC_TIME, "")
    with ExitStack() as ending:
        rehearsal = None
        if sys.argv[1:] == ["demo"]:
            # The other process has the longer way to go: it starts before this one can read.
            from frontdesk.cli.rehearsal import rehearse

            rehearsal = rehearse(ending)
        from frontdesk.cli.commands import run
        from frontdesk.cli.light import lighten
        from frontdesk.cli.program import frontdesk

        lighten()
        run(frontdesk, rehearsal)
