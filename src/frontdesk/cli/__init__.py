"""The commands of frontdesk: builds everything, passes it in, alone reads settings."""


def main() -> None:
    """The program `frontdesk`. Imported late: not every process of it has a command line."""
    from frontdesk.cli.commands import run
    from frontdesk.cli.light import lighten
    from frontdesk.cli.program import frontdesk

    lighten()
    run(frontdesk)
