"""`frontdesk db business-hours`: prints, sets or removes the business hours of an account."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from frontdesk.cli.base import command
from frontdesk.cli.database import account_named, account_option, opened
from frontdesk.cli.options import database_option
from frontdesk.errors import BadSettings, UnusableFile
from frontdesk.selection.names import listed
from frontdesk.text.clean import clean, one_line

if TYPE_CHECKING:
    from frontdesk.business_hours import BusinessHours
    from frontdesk.store.database import Connection


@command(
    "business-hours",
    "frontdesk db business-hours --database inbox.db",
    "frontdesk db business-hours --set hours.toml --database inbox.db",
    "frontdesk db business-hours --clear --database inbox.db",
)
@database_option("Database of the service.")
@account_option
@click.option(
    "--set",
    "file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Replace them with those of a TOML file, in a table [business_hours].",
)
@click.option("--clear", is_flag=True, help="Remove them: reports have calendar time only.")
def business_hours_command(database: str, account: str, file: Path | None, clear: bool) -> None:
    """Print, set or remove business hours.

    They are those of an account and its channels. Reports measure in them if asked to; nothing
    that is stored depends on them.
    """
    from frontdesk.business_hours import BusinessHours
    from frontdesk.store.business_hours import hours_of, set_hours

    if file is not None and clear:
        raise click.UsageError("--set does not go with --clear")
    if file is None and not clear:
        with opened(database) as store:
            click.echo(store.read(lambda c: _shown(hours_of(c, account_named(c, account)["id"]))))
        return
    hours = BusinessHours() if file is None else _read(file)

    def write(connection: "Connection") -> None:
        account_id = account_named(connection, account)["id"]
        _check_channels(connection, account_id, hours)
        set_hours(connection, account_id, hours)

    with opened(database, upgrade=True) as store:
        store.write(write)
    click.echo("The business hours are set" if hours else "There are no business hours any more")


def _check_channels(connection: "Connection", account_id: int, hours: "BusinessHours") -> None:
    """Raises: BadSettings: there are hours of a channel that the account does not have."""
    from frontdesk.store.catalogues import CHANNELS, all_rows

    channels = {
        row["phone_number_id"]: one_line(row["name"])
        for row in all_rows(connection, account_id, CHANNELS)
    }
    for id in hours.channels:
        if id not in channels:
            known = [f"{id} ({name})" for id, name in channels.items()]
            raise BadSettings(
                clean(f"business_hours.channels: no channel has the id {id!r}{listed(known)}")
            )


def _read(path: Path) -> "BusinessHours":
    """Read the table of a file. Raises: UnusableFile, BadSettings."""
    from frontdesk.business_hours import parse_hours
    from frontdesk.system import toml

    try:
        contents = toml.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnusableFile(clean(f"{path} cannot be read: {error}")) from error
    if not isinstance(contents.get("business_hours"), dict):
        raise BadSettings(f"{path} has no table [business_hours]")
    try:
        return parse_hours(contents["business_hours"])
    except ValueError as error:
        raise BadSettings(clean(f"{path}: business_hours.{error}")) from error


def _shown(hours: "BusinessHours") -> str:
    """Return business hours as a TOML file has them."""
    from frontdesk.business_hours import toml_text

    return clean(toml_text(hours)) if hours else "There are no business hours"
