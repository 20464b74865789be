"""Reads all rows of a list that can only be asked for by ranges of ids and is cut off unsaid."""

from collections.abc import Awaitable, Callable

from frontdesk.ingest.shapes import Malformed, Part

Window = tuple[int, int]

# Above every id that Chatwoot gives.
_END = 10**15
# Chatwoot answers a range with 1,000 rows at most, other versions with 20 or 100: an answer of
# such a length may have been cut off, any other is whole.
_LIMITS = (20, 100)
_MOST = 1000


async def rows_by_windows(ask: Callable[[int, int], Awaitable[list[Part]]]) -> list[Part]:
    """Every row, by id. ask: the rows after one id and before another, perhaps cut off.

    A range whose answer may be cut off is halved and asked for again, so that nothing is skipped
    whatever the rows are sorted by. The row with the first id itself may come or not, as versions
    differ. Raises: Malformed: a row is outside of what was asked for.
    """
    found: dict[int, Part] = {}
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
