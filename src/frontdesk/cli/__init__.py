"""The commands of frontdesk: builds everything, passes it in, alone reads settings."""

import click

from frontdesk import __version__


@click.group()
@click.version_option(__version__, prog_name="frontdesk")
def main() -> None:
    """A terminal inbox for customer conversations held over WhatsApp numbers."""
