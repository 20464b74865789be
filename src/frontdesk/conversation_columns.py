"""CSV columns of conversations, shared by the command line and the viewer's export."""

from collections.abc import Callable, Iterable
from typing import TextIO, TypeAlias

from frontdesk.text import first_said, shielded
from frontdesk.wire import Conversation

Cell: TypeAlias = str | int | float | bool | None
Read: TypeAlias = Callable[[Conversation], Cell]


def _name(row: Conversation) -> str:
    return first_said(row.contact.name, row.contact.phone, f"contact {row.contact.id}")


def _last_message(row: Conversation) -> str | None:
    preview = row.last_message
    return None if preview is None else preview.text or f"[{preview.type}]"


COLUMNS: tuple[tuple[str, Read], ...] = (
    ("id", lambda row: row.id),
    ("status", lambda row: row.status),
    ("contact", _name),
    ("contact_id", lambda row: row.contact.id),
    ("contact_name", lambda row: row.contact.name),
    ("contact_phone", lambda row: row.contact.phone),
    ("channel", lambda row: row.channel.id),
    ("channel_name", lambda row: row.channel.name or row.channel.id),
    ("assignee", lambda row: row.assignee.id if row.assignee else None),
    ("assignee_name", lambda row: row.assignee.name if row.assignee else None),
    ("labels", lambda row: ",".join(row.labels)),
    ("awaiting_human", lambda row: row.awaiting_human),
    ("unread_count", lambda row: row.unread_count),
    ("last_activity_at", lambda row: row.last_activity_at),
    ("waiting_since", lambda row: row.waiting_since),
    ("snoozed_until", lambda row: row.snoozed_until),
    ("first_reply_at", lambda row: row.first_reply_at),
    ("last_inbound_at", lambda row: row.last_inbound_at),
    ("service_window_expires_at", lambda row: row.service_window_expires_at),
    ("created_at", lambda row: row.created_at),
    ("updated_at", lambda row: row.updated_at),
    ("last_author", lambda row: row.last_message.author if row.last_message else None),
    ("last_message", _last_message),
)


def csv_cell(cell: Cell) -> Cell:
    """CSV value of a cell; texts are escaped against formula injection."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return shielded(cell) if isinstance(cell, str) else cell


def write_csv(out: TextIO, conversations: Iterable[Conversation]) -> None:
    """Write a header row, then one row per conversation."""
    # Deferred: the first paint does not need it.
    import csv

    writer = csv.writer(out)
    writer.writerow([name for name, _ in COLUMNS])
    for one in conversations:
        writer.writerow([csv_cell(read(one)) for _, read in COLUMNS])
