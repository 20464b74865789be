"""Message and note endpoints of a conversation."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Literal

from frontdesk.service import serializers
from frontdesk.service.api_keys import MEDIA_SCOPE
from frontdesk.service.cursors import CursorCodec
from frontdesk.service.endpoint import EndpointRequest
from frontdesk.service.params import echo, row_id
from frontdesk.service.problems import ApiError
from frontdesk.service.serializers import MessageFile
from frontdesk.store import conversations, media
from frontdesk.store.database import Row
from frontdesk.wire import Message, Note, Page, Ref


def messages(request: EndpointRequest) -> Page[Message]:
    """Messages of one conversation, newest first."""
    rows, next_cursor, thread, names = _listed(request, "message")
    quoted = {
        row["wamid"]: row
        for row in conversations.quoted_messages(
            *request.account,
            thread["channel_id"],
            _distinct(rows, "reply_wamid"),
        )
    }
    reactions = serializers.grouped(
        conversations.reactions_to(
            *request.account, thread["channel_id"], _distinct(rows, "wamid")
        ),
        "target_wamid",
    )
    files = _files(request, rows)
    return Page[Message].of(
        (
            serializers.message_body(
                row,
                _author(row, names, thread),
                quoted.get(row["reply_wamid"]),
                reactions[row["wamid"]],
                files.get(row["id"]),
            )
            for row in rows
        ),
        next_cursor,
    )


def _files(request: EndpointRequest, rows: Sequence[Row]) -> dict[int, MessageFile]:
    """Return the files of messages that have one, by message id; empty if none are served."""
    ids = [row["id"] for row in rows if row["media_json"] is not None]
    if not ids or not request.serves_media:
        return {}
    may_fetch = MEDIA_SCOPE in request.grant.scopes
    stored = media.of_messages(*request.account, ids)
    return {id: MessageFile(stored.get(id), may_fetch) for id in ids}


def cursor_of(codec: CursorCodec, conversation_id: int, message: Row) -> str:
    """Return the cursor of the page of a conversation's messages that begins with this one."""
    filters = _filters("message", str(conversation_id))
    thread = replace(codec, endpoint="messages", filters=filters)
    *place, id = (message[name] for name in conversations.THREAD_ORDERS["message"])
    return thread.encode((*place, id + 1))


def notes(request: EndpointRequest) -> Page[Note]:
    """Notes on one conversation, newest first."""
    rows, next_cursor, thread, names = _listed(request, "note")
    return Page[Note].of(
        (serializers.note_body(row, _author(row, names, thread)) for row in rows), next_cursor
    )


def _listed(
    request: EndpointRequest, table: Literal["message", "note"]
) -> tuple[list[Row], str | None, Row, dict[str, str]]:
    """Return the rows of a page, the next cursor, the conversation, and names of users by id."""
    paging = request.paging(_filters(table, request.path_value))
    request.parameters.raise_if_invalid()
    thread = _conversation(request)
    rows, next_cursor = paging.split(
        conversations.thread_page(
            *request.account, table, thread["id"], paging.after, paging.limit + 1
        ),
        itemgetter(*conversations.THREAD_ORDERS[table]),
    )
    written = {row["author_id"] for row in rows if row["author"] == "user" and row["author_id"]}
    user_ids = [int(user_id) for user_id in sorted(written)]
    names = conversations.user_names(*request.account, user_ids)
    return rows, next_cursor, thread, names


def _filters(table: Literal["message", "note"], conversation_id: str) -> Mapping[str, str]:
    """Return what a cursor is bound to: with the order, those of another order are refused."""
    order = " ".join(conversations.THREAD_ORDERS[table])
    return {"conversation": conversation_id, "order": order}


def no_conversation(request: EndpointRequest) -> ApiError:
    """Return the error of a path whose conversation does not exist."""
    return ApiError(
        "conversation_not_found",
        f"There is no conversation {echo(request.path_value)} in this inbox.",
        resource="conversation",
    )


def _conversation(request: EndpointRequest) -> Row:
    conversation_id = row_id(request.path_value)
    row = conversation_id and conversations.conversation(*request.account, conversation_id)
    if not row:
        raise no_conversation(request)
    return row


def _author(row: Row, names: Mapping[str, str], thread: Row) -> Ref | None:
    """Return the author, None if unknown; a user's current name wins over the stored one."""
    if row["author"] == "contact":
        return Ref(id=str(thread["contact_id"]), name=thread["contact_name"])
    user_id, name = row["author_id"], row["author_name"]
    if user_id is None and name is None:
        return None
    return Ref(id=user_id, name=names.get(user_id, name))


def _distinct(rows: Sequence[Row], column: str) -> list[str]:
    return sorted({row[column] for row in rows if row[column] is not None})
