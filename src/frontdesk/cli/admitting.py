"""Admission options shared by all ingest commands."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., object])


def admission_options(command: F) -> Callable[..., object]:
    """Add the options that make up the command's `admission` argument."""

    @wraps(command)
    def admitting(*, auto_create_channels: bool, placeholders: bool, **others: Any) -> object:
        from frontdesk.ingest.admission import Admission

        return command(admission=Admission(auto_create_channels, placeholders), **others)

    options = (
        click.option(
            "--auto-create-channels/--no-auto-create-channels",
            default=True,
            show_default=True,
            help="Make a channel of every number that something comes for, or pass it over.",
        ),
        click.option(
            "--placeholders/--no-placeholders",
            default=True,
            show_default=True,
            help="Show that there was a message where only its delivery is known, or not.",
        ),
    )
    for option in reversed(options):
        admitting = option(admitting)
    return admitting
