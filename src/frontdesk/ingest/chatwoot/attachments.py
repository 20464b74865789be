"""Attaches files of Chatwoot to the messages that name their addresses."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

from frontdesk.ingest.media.attaching import FileTarget, Write, attach
from frontdesk.store import media
from frontdesk.store.incoming_files import IncomingFile
from frontdesk.store.rows import MessageRow

SOURCE = "chatwoot"

# Writes the file at an address; raises an InboxError if it cannot be had.
Download = Callable[[str, IncomingFile], object]


def attach_files(
    target: FileTarget, account_id: int, download: Download, advance: Callable[[int], object]
) -> Counter[str]:
    """Store the files of imported messages; see `attach`."""
    rows = target.database.read_latest(
        lambda c: media.messages_without_file(c, account_id, -1, None, requested=True)
    )

    def found() -> Iterator[tuple[MessageRow, str | None, Write]]:
        for row in rows:
            members = json.loads(row["media_json"] or "{}")
            if row["source"] == SOURCE and members.get("url"):
                yield row, members.get("filename"), partial(download, members["url"])

    return attach(target, account_id, found(), advance)
