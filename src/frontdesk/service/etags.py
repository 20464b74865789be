"""ETags: values that a tag is computed from, `If-None-Match`, and headers of stored responses."""

import hashlib

from starlette.requests import Request

from frontdesk import __version__
from frontdesk.service.api_keys import Principal
from frontdesk.service.endpoint import Endpoint


def entity_tag(*parts: object) -> str:
    """Hash the `repr` of the values that a response depends on to a weak ETag."""
    return weak_tag(repr(parts).encode())


def weak_tag(content: bytes) -> str:
    return f'W/"{hashlib.sha256(content).hexdigest()[:32]}"'


def response_tag(
    request: Request,
    endpoint: Endpoint | None,
    principal: Principal,
    awake_at: int | None,
    now: int,
) -> str:
    """Compute the ETag of a path below /v1 from the account's revision and the request.

    Needs no response. The mark of the database keeps the revisions of a restored one apart.
    awake_at and the minute of a report cover what time alone changes within a revision.
    """
    query: bytes = request.scope["query_string"]
    grant = principal.grant
    return entity_tag(
        __version__,
        grant.account_id,
        principal.mark,
        principal.revision,
        awake_at,
        endpoint and endpoint.minute(query, now),
        grant.user_id,
        sorted(grant.scopes),
        request.scope["path"],
        sorted(query.split(b"&")),
    )


def is_unchanged(request: Request, tag: str) -> bool:
    """Check `If-None-Match` of a GET or HEAD for a weak tag."""
    if request.method not in ("GET", "HEAD"):
        return False
    # Proxies may have made a weak tag strong; ours are all weak.
    known = ",".join(request.headers.getlist("if-none-match"))
    return any(tag in (text.strip(), f"W/{text.strip()}") for text in known.split(","))


def caching(tag: str) -> dict[str, str]:
    """Headers of a response that may be stored but must be revalidated."""
    return {
        "ETag": tag,
        "Cache-Control": "private, no-cache",
        "Vary": "Authorization, Accept-Encoding",
    }
