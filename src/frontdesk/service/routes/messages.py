"""Message and note endpoints of a conversation."""

from collections.abc import Mapping, Sequence

from frontdesk.service import serializers
from frontdesk.service.endpoint import Call
from frontdesk.service.filters import own_id
from frontdesk.service.problems import Refusal
from frontdesk.store import conversations
from frontdesk.store.database import Row
from frontdesk.wire import Message, Note, Page, Ref


def messages(call: Call) -> Page[Message]:
    """Messages of one conversation, newest first."""
    place = call.place({"conversation": call.path_value})
    call.parameters.settle()
    thread = _conversation(call)
    rows, next_cursor = place.cut(
        conversations.message_page(
            call.connection, call.account_id, thread["id"], place.after, place.limit + 1
        ),
        ("created_at", "id"),
    )
    names = _user_names(call, rows)
    quoted = {
        row["wamid"]: row
        for row in conversations.quoted_messages(
            call.connection, call.account_id, thread["channel_id"], _told(rows, "reply_wamid")
        )
    }
    reactions = serializers.grouped(
        conversations.reactions_to(
            call.connection, call.account_id, thread["channel_id"], _told(rows, "wamid")
        ),
        "target_wamid",
    )
    return Page[Message].of(
        (
            serializers.message_body(
                row,
                _author(row, names, thread),
                quoted.get(row["reply_wamid"]),
                reactions[row["wamid"]],
            )
            for row in rows
        ),
        next_cursor,
    )


def notes(call: Call) -> Page[Note]:
    """Notes on one conversation, newest first."""
    place = call.place({"conversation": call.path_value})
    call.parameters.settle()
    thread = _conversation(call)
    rows, next_cursor = place.cut(
        conversations.note_page(
            call.connection, call.account_id, thread["id"], place.after, place.limit + 1
        ),
        ("created_at", "id"),
    )
    names = _user_names(call, rows)
    return Page[Note].of(
        (serializers.note_body(row, _author(row, names, thread)) for row in rows), next_cursor
    )


def _conversation(call: Call) -> Row:
    asked = own_id(call.path_value)
    row = (
        None
        if asked is None
        else conversations.conversation(call.connection, call.account_id, asked)
    )
    if row is None:
        raise Refusal(
            "conversation_not_found",
            "There is no such conversation in the account of this key.",
            resource="conversation",
        )
    return row


def _user_names(call: Call, rows: Sequence[Row]) -> dict[str, str]:
    written = {row["author_id"] for row in rows if row["author"] == "user" and row["author_id"]}
    user_ids = [int(user_id) for user_id in sorted(written)]
    return conversations.user_names(call.connection, call.account_id, user_ids)


def _author(row: Row, names: Mapping[str, str], thread: Row) -> Ref | None:
    """Return the author, None if unknown; a user's current name wins over the stored one."""
    if row["author"] == "contact":
        return Ref(id=str(thread["contact_id"]), name=thread["contact_name"])
    user_id, name = row["author_id"], row["author_name"]
    if user_id is None and name is None:
        return None
    return Ref(id=user_id, name=names.get(user_id, name))


def _told(rows: Sequence[Row], column: str) -> list[str]:
    return sorted({row[column] for row in rows if row[column] is not None})
