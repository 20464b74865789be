"""`frontdesk openapi`: prints the OpenAPI document."""

import click

from frontdesk.cli.base import command


@command("openapi", "frontdesk openapi > openapi.json", "frontdesk openapi | jq .info.version")
def openapi_command() -> None:
    """Print the OpenAPI document of the interface."""
    from frontdesk.service.openapi import document_bytes

    click.echo(document_bytes(), nl=False)
