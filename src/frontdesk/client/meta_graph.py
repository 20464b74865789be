"""Lists of Meta's Graph API, page by page."""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

from frontdesk.errors import BadResponse

PAGE = 100
MOST_PAGES = 1_000


class Api(Protocol):
    """What answers a GET with JSON."""

    async def get(self, path: str, parameters: Mapping[str, str] | None = None) -> Any: ...


async def rows(
    api: Api, path: str, fields: tuple[str, ...], advance: Callable[[int], object]
) -> AsyncIterator[Any]:
    """Every element of a list, until a page names no next one; `advance` is told of each page.

    The address of the next page is not asked, only where it begins is taken out of it.

    Raises: BadResponse: an answer is no page, or pages go in a circle.
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
    """Where the next page begins; None on the last, though that names a place too."""
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
