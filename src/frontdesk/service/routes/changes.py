"""Endpoint of what changed since an earlier answer, and the positions of its answers.

A position is the mark of the database and a revision of the account, and between two pages of one
revision the id of a conversation: `9f3c12ab-40` or `9f3c12ab-40-1042`.
"""

import re

from frontdesk.service import serializers
from frontdesk.service.endpoint import EndpointRequest, JsonBody
from frontdesk.service.routes.conversations import previewed_texts
from frontdesk.store import changes as queries
from frontdesk.store.changes import NAMES, ChangePosition
from frontdesk.store.conversations import conversations_by_id, labels_of
from frontdesk.wire import Changes

_POSITION = re.compile(r"([0-9a-f]{8})-([0-9]{1,18})(?:-([0-9]{1,18}))?")


def changes(request: EndpointRequest) -> JsonBody[Changes]:
    """Conversations that changed after a position, as they are now, the oldest change first."""
    limit, after = request.parameters.limit(request.endpoint.page_length), None
    text = request.parameters.get("after")
    request.parameters.raise_if_invalid()
    newest = ChangePosition(request.revision)
    after = newest if text is None else decode(text, request.mark, request.revision)
    rows = [] if after is None else queries.changes(*request.account, after, limit + 1)
    page, has_more = rows[:limit], len(rows) > limit
    ids = [row["conversation_id"] for row in page if row["conversation_id"] != NAMES]
    found = conversations_by_id(*request.account, ids, request.awake_at) if ids else {}
    labels = serializers.grouped(labels_of(*request.account, [*found]), "conversation_id")
    last = ChangePosition(page[-1]["revision"], page[-1]["conversation_id"]) if has_more else newest
    return serializers.changes_body(
        [found[id] for id in ids if id in found],
        labels,
        {
            "gone": [str(id) for id in ids if id not in found],
            "names": len(ids) < len(page),
            "reset": after is None,
            "next": encode(last, request.mark),
            "has_more": has_more,
        },
        with_preview="messages:read" in request.grant.scopes,
        file_texts=previewed_texts(request, found.values()),
        is_news=text is None or after != newest,
    )


def encode(position: ChangePosition, mark: str) -> str:
    id = "" if position.is_whole else f"-{position.conversation_id}"
    return f"{mark}-{position.revision}{id}"


def decode(text: str, mark: str, newest: int) -> ChangePosition | None:
    """Return the position; None if the database with this mark, and `newest`, has not given it."""
    match = _POSITION.fullmatch(text)
    if match is None or match[1] != mark or int(match[2]) > newest:
        return None
    return ChangePosition(int(match[2]), *(map(int, match.groups()[2:]) if match[3] else ()))
