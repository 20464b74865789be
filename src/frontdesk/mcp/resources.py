"""Resources: the query language, a transcript, a report."""

from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError

from frontdesk.errors import InboxError, NotFound
from frontdesk.exports.conversations import transcript_lines
from frontdesk.mcp.failures import sentence
from frontdesk.mcp.inbox import InboxReader
from frontdesk.mcp.tools import QUERY, InboxTools
from frontdesk.selection.threads import read_thread
from frontdesk.text.clean import visible

_LAST = 200
_MARKDOWN = "text/markdown"


def add(server: MCPServer[Any], reader: InboxReader, tools: InboxTools) -> None:
    """Add the resources to a server."""

    @server.resource("frontdesk://query-language", mime_type=_MARKDOWN, title="The query language")
    def query_language() -> str:
        """What the argument `query` takes."""
        return QUERY

    @server.resource(
        "frontdesk://conversation/{id}", mime_type=_MARKDOWN, title="Transcript of a conversation"
    )
    async def transcript(id: str) -> str:
        """The last 200 messages, with notes, as Markdown."""
        try:
            thread = await read_thread(reader.client, id, last=_LAST)
            row = await reader.client.conversation(id)
        except NotFound as error:
            raise ResourceNotFoundError(sentence(error)) from None
        except InboxError as error:
            raise ResourceError(sentence(error)) from None
        lines = transcript_lines(id, row, thread.entries, reader.zone, markdown=True)
        older = f"*Only the last {_LAST} messages.*\n\n" if thread.older else ""
        return older + visible("\n".join(lines))

    @server.resource("frontdesk://report/{period}", mime_type=_MARKDOWN, title="Report of a period")
    async def report(period: str) -> str:
        """All figures of a period, by its name or its days."""
        try:
            return await tools.report(period=period)
        except ToolError as error:
            raise ResourceError(str(error)) from None
