"""Pagination of lists in Meta's Graph API."""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

from frontdesk.errors import BadResponse

PAGE = 100
MOST_PAGES = 1_000


class Api(Protocol):
    """A JSON API with GET."""

    async def get(self, path: str, parameters: Mapping[str, str] | None = None) -> Any: ...


async def rows(
    api: Api, path: str, fields: tuple[str, ...], advance: Callable[[int], object]
) -> AsyncIterator[Any]:
    """All rows of a list; `advance` is called with the length of each page.

    Only the cursor is taken from the URL of the next page; the URL itself is not requested.

    Raises: BadResponse: a response is not a list, or a cursor repeats.
    """
    parameters = {"fields": ",".join(fields), "limit": str(PAGE)}
    seen: set[str] = set()
    while len(seen) < MOST_PAGES:
        page = await api.get(path, parameters)
        if not isinstance(page, dict) or not isinstance(page.get("data"), list):
            raise BadResponse("The server answered with something that is not a list")
        for row in page["data"]:
            yield row
        advance(len(page["data"]))
        after = _after(page.get("paging"))
        if after is None:
            return
        if after in seen:
            raise BadResponse("The server gives the same page again and again")
        seen.add(after)
        parameters = {**parameters, "after": after}
    raise BadResponse(f"The server has more than {MOST_PAGES:,} pages")


def _after(paging: object) -> str | None:
    """Cursor of the next page; None on the last page, although that has a cursor too."""
    following = paging.get("next") if isinstance(paging, dict) else None
    if not isinstance(paging, dict) or not isinstance(following, str):
        return None
    cursors = paging.get("cursors")
    after = cursors.get("after") if isinstance(cursors, dict) else None
    if not isinstance(after, str):
        after = next(iter(parse_qs(urlsplit(following).query).get("after", ())), None)
    if after is None:
        raise BadResponse("The server does not tell where its next page begins")
    return after
