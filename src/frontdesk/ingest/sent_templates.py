"""Gives messages that were sent as templates the text of those, in databases of older versions.

Events do so for later messages, and when a template becomes known.
"""

from functools import partial

from frontdesk.ingest.apply.batch import fill_templates
from frontdesk.store import dump, lookups
from frontdesk.store.database import Connection, Database


def fill_texts(database: Database, *, now: int) -> int:
    """Fill in the texts of all accounts; return their number. now: epoch milliseconds.

    Can be repeated after an interruption.
    """
    ids = [row["id"] for row in database.read_latest(dump.accounts)]
    total = 0
    for account_id in ids:
        for name in database.read_latest(partial(_names, account_id)):
            total += database.write(partial(_fill, account_id, name, now))
    return total


def _names(account_id: int, connection: Connection) -> list[str]:
    return lookups.template_names(connection, account_id)


def _fill(account_id: int, name: str, now: int, connection: Connection) -> int:
    return fill_templates(connection, account_id, [name], now=now).messages.changed
