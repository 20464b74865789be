"""Merges contacts that a database has twice, once for each form of their number.

Events merge such contacts when they name one of them; see docs/contact-merging.md.
"""

from collections.abc import Callable, Iterator, Sequence

from frontdesk.ingest.apply.batch import merge_contacts
from frontdesk.store import contacts, dump, lookups
from frontdesk.store.database import Connection, Database, Row
from frontdesk.text.phones import phone_forms

_NUMBERS_AT_ONCE = 2_000
# Countries whose numbers have two forms follow each other.
_FIRST, _LAST = "+52", "+56"


def merge_doubles(database: Database, *, now: int) -> int:
    """Merge the contacts of all accounts that are one line's; return by how many there are fewer.

    Can be repeated after an interruption. now: epoch milliseconds.
    """
    ids = [row["id"] for row in database.read_latest(dump.accounts)]
    return sum(
        database.write(_merging(account_id, numbers, now))
        for account_id in ids
        for numbers in _doubles(database, account_id)
    )


def _doubles(database: Database, account_id: int) -> Iterator[list[str]]:
    """Yield numbers of contacts that exist twice, in batches."""
    last = _FIRST
    while last < _LAST:
        after = last

        def read(connection: Connection, after: str = after) -> tuple[Sequence[Row], list[str]]:
            rows = contacts.numbers_after(connection, account_id, after, _NUMBERS_AT_ONCE)
            return rows, _with_other_contact(connection, account_id, rows)

        rows, numbers = database.read_latest(read)
        if numbers:
            yield numbers
        last = rows[-1]["phone"] if len(rows) == _NUMBERS_AT_ONCE else _LAST


def _with_other_contact(connection: Connection, account_id: int, rows: Sequence[Row]) -> list[str]:
    """Return the numbers of rows, and their other forms, that belong to different contacts."""
    owners = {
        form: (row["phone"], row["contact_id"])
        for row in rows
        for form in phone_forms(row["phone"])[1:]
    }
    others = lookups.contacts(connection, account_id, phones=owners, wa_ids=(), wa_user_ids=())
    found = {str(row["phone"]): row["id"] for row in others}
    found |= {
        name: row["id"]
        for name, row in lookups.aliased_contacts(connection, account_id, owners).items()
    }
    return [
        name
        for form, (phone, contact_id) in owners.items()
        if found.get(form, contact_id) != contact_id
        for name in (phone, form)
    ]


def _merging(account_id: int, phones: Sequence[str], now: int) -> Callable[[Connection], int]:
    def merge(connection: Connection) -> int:
        rows = lookups.contacts(connection, account_id, phones=phones, wa_ids=(), wa_user_ids=())
        aliased = lookups.aliased_contacts(connection, account_id, phones)
        before = {row["id"] for row in (*rows, *aliased.values())}
        known = {str(row["phone"]) for row in rows} | aliased.keys()
        merge_contacts(connection, account_id, [name for name in phones if name in known], now=now)
        return len(before - lookups.existing(connection, account_id, "contact", before))

    return merge
