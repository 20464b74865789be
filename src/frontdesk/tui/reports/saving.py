"""Saves a report's rows by conversation: streamed into a file, or as a download."""

import io
import os
from collections.abc import AsyncIterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from textual.app import App

from frontdesk.exports.tables import BYTE_ORDER_MARK, Csv, JsonLines, Writer
from frontdesk.reports.conversation_rows import COLUMNS
from frontdesk.system import private_files
from frontdesk.tui.dialogs.save_prompt import ending, save, saved_as
from frontdesk.wire.reports import ConversationReport

ROW_ENDINGS = ("csv", "ndjson")


async def save_rows(
    app: App[Any], name: str, rows: AsyncIterable[ConversationReport]
) -> tuple[str, int]:
    """Write rows in the format of a name's extension; returns how they were saved, and how many.

    A file appears under its name when it is whole. Raises: InboxError. OSError: it cannot be
    written.
    """
    if app.is_web:
        text = io.StringIO()
        count = await _write(text, name, rows)
        return save(app, name, text.getvalue(), lambda sentence: None) or "", count
    with _new_file(name) as file:
        count = await _write(file, name, rows)
    return saved_as(name), count


@contextmanager
def _new_file(name: str) -> Iterator[TextIO]:
    """Open a private file, which gets its name once it is written whole."""
    path = Path(name).expanduser()
    unfinished = path.with_name(f"{path.name}.part")
    try:
        with open(
            unfinished, "w", encoding="utf-8", newline="", opener=private_files.opener
        ) as file:
            yield file
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


async def _write(out: TextIO, name: str, rows: AsyncIterable[ConversationReport]) -> int:
    writer: Writer[ConversationReport]
    if ending(name) == "csv":
        out.write(BYTE_ORDER_MARK)
        writer = Csv(out, COLUMNS)
    else:
        writer = JsonLines(out)
    count = 0
    async for row in rows:
        writer.add(row)
        count += 1
    writer.end()
    return count
