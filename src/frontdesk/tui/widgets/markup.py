"""WhatsApp markup: *bold*, _italic_, ~strike~, `code` and ```code```."""

import re

from frontdesk.tui.widgets.cells import Piece

# A mark opens before a non-space that follows a non-letter, and closes the other way round; only
# ```code``` may span lines.
_MARKED = re.compile(
    r"```(?P<block>.+?)```"
    r"|`(?P<code>[^`\n]+)`"
    r"|(?<![\w*])\*(?P<strong>\S(?:[^*\n]*\S)?)\*(?![\w*])"
    r"|(?<![\w_])_(?P<italic>\S(?:[^_\n]*\S)?)_(?![\w_])"
    r"|(?<![\w~])~(?P<strike>\S(?:[^~\n]*\S)?)~(?![\w~])",
    re.DOTALL,
)
_CODE = ("block", "code")


def marked_pieces(text: str, part: str = "text") -> list[Piece]:
    """`text` as pieces without the marks; nested marks take the style of the innermost one."""
    pieces: list[Piece] = []
    end = 0
    for match in _MARKED.finditer(text):
        kind = match.lastgroup
        assert kind is not None
        if match.start() > end:
            pieces.append((part, text[end : match.start()]))
        inner = match[kind]
        if kind in _CODE:
            pieces.append(("code", inner.strip("\n")))
        else:
            pieces += marked_pieces(inner, kind)
        end = match.end()
    if end < len(text):
        pieces.append((part, text[end:]))
    return pieces
