"""Sessions of the SDK's client with a server in this process, and estimates of tokens."""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any
from zoneinfo import ZoneInfo

from mcp_types import Tool

from frontdesk.client import InboxClient
from frontdesk.mcp.inbox import InboxReader
from frontdesk.mcp.server import build
from frontdesk.text.clean import compact_json
from mcp import Client
from tests.conftest import NOW

UTC = ZoneInfo("UTC")
MODES = ("auto", "legacy")

_CURSOR = r"cursor=([0-9a-f]{8}\.\d*\.\d*\.[^\s)]*)"
_PIECE = re.compile(r"\s*[^\W\d_]+|\d{1,3}|\s+|[^\w\s]+|_")
# Letters of a word that the tokens of large vocabularies hold; of other scripts, one.
_LETTERS = 6


@asynccontextmanager
async def session_with(inbox: InboxClient, mode: str = "auto") -> AsyncIterator[Client]:
    """A session with a server over an inbox, at NOW in UTC."""
    reader = InboxReader(inbox, UTC, lambda: NOW)
    server = build(lambda: reader)
    async with Client(server, mode=mode) as session:
        yield session


async def answer(session: Client, tool: str, **arguments: Any) -> str:
    """The only text of an answer that is no error."""
    result = await session.call_tool(tool, arguments)
    (content,) = result.content
    assert not result.is_error, content
    assert result.structured_content is None
    assert content.type == "text"
    return content.text


async def refusal(session: Client, tool: str, **arguments: Any) -> str:
    """The only text of an error, which is one line."""
    result = await session.call_tool(tool, arguments)
    (content,) = result.content
    assert result.is_error, content
    assert content.type == "text"
    assert "\n" not in content.text
    return content.text


def cursor_in(text: str) -> str | None:
    """The cursor that an answer ends or begins with."""
    match = re.search(_CURSOR, text)
    return match[1] if match else None


def without_cursors(text: str) -> str:
    """An answer with c in place of each cursor."""
    return re.sub(_CURSOR, "cursor=c", text)


def definitions_of(tools: Sequence[Tool]) -> int:
    """How many bytes the definitions of tools have; about four make a token."""
    shown = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    return len(compact_json(shown).encode())


def estimated_tokens(text: str) -> int:
    """How many tokens a text has, rather too many: no vocabulary is at hand."""
    return sum(_pieces(piece) for piece in _PIECE.findall(text))


def _pieces(piece: str) -> int:
    word = piece.strip()
    if word.isascii():
        return max(1, -(-len(word) // _LETTERS))
    return len(word.encode()) // 2
