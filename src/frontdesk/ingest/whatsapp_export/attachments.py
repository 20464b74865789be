"""Attaches the files of a chat's .zip to its imported messages."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

from frontdesk.ingest.apply.message_matching import EXPORT
from frontdesk.ingest.media.attaching import FileTarget, Write, attach
from frontdesk.ingest.whatsapp_export.importer import ChatPlace
from frontdesk.ingest.whatsapp_export.members import ZipMembers
from frontdesk.ingest.whatsapp_export.parser import Chat
from frontdesk.store import lookups, media
from frontdesk.store.database import Connection
from frontdesk.store.erase import contact_ids
from frontdesk.store.incoming_files import IncomingFile
from frontdesk.store.rows import MessageRow


def attach_files(
    target: FileTarget,
    chat: Chat,
    place: ChatPlace,
    members: ZipMembers,
    advance: Callable[[int], object],
) -> Counter[str]:
    """Store the files of messages that name them; see `attach`. Those without a member count as
    `missing`."""
    rows = target.database.read_latest(partial(_rows, chat, place))
    missing: Counter[str] = Counter()

    def found() -> Iterator[tuple[MessageRow, str | None, Write]]:
        for row in rows:
            name = json.loads(row["media_json"] or "{}").get("filename")
            member = members.find(name) if name else None
            if member is None:
                missing["missing"] += bool(name)
                continue
            yield row, name, partial(_copy, members, member)

    return attach(target, place.account_id, found(), advance) + missing


def _copy(members: ZipMembers, member: str, incoming: IncomingFile) -> None:
    for chunk in members.read(member):
        incoming.write(chunk)


def _rows(chat: Chat, place: ChatPlace, connection: Connection) -> list[MessageRow]:
    """Messages of the chat that name a file and have none."""
    account_id, phone = place.account_id, place.person.phone
    channel = lookups.catalogue_row(
        connection, account_id, "channel", "phone_number_id", place.channel
    )
    if channel is None or phone is None or not chat.entries:
        return []
    ids = contact_ids(connection, account_id, (phone,))
    first = min(entry.at for entry in chat.entries)
    last = max(entry.at for entry in chat.entries)
    rows: list[MessageRow] = []
    for conversation in lookups.conversations_of(connection, account_id, ids):
        if conversation["channel_id"] == channel["id"]:
            rows += [
                row
                for row in media.messages_without_file(
                    connection, account_id, first - 1, conversation["id"], requested=True
                )
                if row["source"] == EXPORT and row["created_at"] <= last
            ]
    return rows
