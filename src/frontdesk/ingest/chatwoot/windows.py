"""Reads a list by id ranges when the server truncates responses silently."""

from collections.abc import Awaitable, Callable

from frontdesk.ingest.json_reader import JsonObject, Malformed

Window = tuple[int, int]

# Greater than any Chatwoot id.
_END = 10**15
# Chatwoot returns at most 1,000 rows of a range, other versions 20 or 100: a response of such a
# length may be truncated, any other is complete.
_LIMITS = (20, 100)
_MOST = 1000


async def rows_by_windows(
    ask: Callable[[int, int], Awaitable[list[JsonObject]]],
) -> list[JsonObject]:
    """Return all rows by id. ask: returns rows after one id and before another, maybe truncated.

    A range whose response may be truncated is halved and requested again, so that no row is lost
    whatever the sort order. Versions differ in including the first id. Raises: Malformed: a row is
    out of range.
    """
    found: dict[int, JsonObject] = {}
    windows: list[Window] = [(1, _END)]
    while windows:
        first, end = windows.pop()
        rows = {row.number("id"): row for row in await ask(first - 1, end)}
        if any(not first - 1 <= id < end for id in rows):
            raise Malformed(
                "it does not answer ranges of message ids (after= with before=): it is too old to "
                "be read without losing messages, so update Chatwoot first"
            )
        if _is_whole(len(rows)) or end - first == 1:
            found |= rows
            continue
        middle = max(sorted(rows)[len(rows) // 2], first + 1)
        windows += [(middle, end), (first, middle)]
    return [found[id] for id in sorted(found)]


def _is_whole(length: int) -> bool:
    return length < _MOST and length not in _LIMITS
