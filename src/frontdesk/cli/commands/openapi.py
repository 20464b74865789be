"""`frontdesk openapi`: prints the OpenAPI document."""

import click

from frontdesk.cli.base import Command


@click.command("openapi", cls=Command)
def openapi_command() -> None:
    """Print the OpenAPI 3.1 description of the /v1 interface."""
    from frontdesk.service.openapi import document_bytes

    click.echo(document_bytes(), nl=False)
