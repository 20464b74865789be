"""The commands of frontdesk: builds everything, passes it in, alone reads settings."""

import sys


def main() -> None:
    """The program `frontdesk`. Imported late: not every process of it has a command line."""
    from contextlib import ExitStack

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
