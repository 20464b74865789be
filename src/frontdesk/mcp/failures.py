"""Failures as sentences that say what to do: models are shown the text of an error only."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.mcpserver.exceptions import ToolError

from frontdesk.errors import InboxError, NotOffered, advice, sentence_of
from frontdesk.exports.brief import short_name

_PREFIX = re.compile(r"\AError executing tool \w+: ")
# A fault of pydantic: the argument on a line, what is wrong on the next, with details in brackets.
_FAULT = re.compile(r"^(\w[\w.]*)\n  (.+?)(?: \[type=.*)?$", re.MULTILINE)
_MOST = 600


def sentence(error: InboxError) -> str:
    """What went wrong, and what to do about it."""
    return f"{short_name(sentence_of(error), _MOST).rstrip('.')}. {advice(error)}".strip()


@contextmanager
def reported(instead: str = "") -> Iterator[None]:
    """Turn expected failures into errors of the tool. instead: what to do without the feature."""
    try:
        yield
    except NotOffered as error:
        raise ToolError(f"{str(error).rstrip('.')}. {instead or advice(error)}".strip()) from None
    except InboxError as error:
        raise ToolError(sentence(error)) from None


async def readable_errors(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """Middleware: an error of a tool is one line, without the SDK's prefix and hints."""
    result = await call_next(ctx)
    if ctx.method != "tools/call" or result is None:
        return result
    if isinstance(result, dict):
        result = types.CallToolResult.model_validate(result)
    if isinstance(result, types.CallToolResult) and result.is_error:
        contents = [_readable(content) for content in result.content]
        return result.model_copy(update={"content": contents})
    return result


def known_arguments(tools: Iterable[Callable[..., Any]]) -> ServerMiddleware[Any]:
    """Middleware that refuses arguments which a tool does not have: the SDK passes over them."""
    known = {
        tool.__name__: [name for name in signature(tool).parameters if name != "context"]
        for tool in tools
    }

    async def middleware(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        called = ctx.params if ctx.method == "tools/call" and ctx.params else {}
        names, given = known.get(called.get("name", "")), called.get("arguments")
        unknown = [name for name in given or () if names is not None and name not in names]
        if not unknown:
            return await call_next(ctx)
        there = f"it has {', '.join(names)}" if names else "it has none"
        words = f"{called['name']} has no argument {short_name(unknown[0])}: {there}."
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=words)], is_error=True
        )

    return middleware


def _readable(content: Any) -> Any:
    if not isinstance(content, types.TextContent):
        return content
    text = _PREFIX.sub("", content.text)
    if faults := _FAULT.findall(text):
        text = "; ".join(f"{name}: {fault}" for name, fault in faults) + "."
    return content.model_copy(update={"text": " ".join(text.split())})
