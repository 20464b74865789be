"""Exports accounts as native lines (NDJSON) from one snapshot, everything but keys and webhooks."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from frontdesk.ingest.archive.attachments import file_text, stored_digest
from frontdesk.ingest.archive.row_codec import FACTS, VERSION, line_of
from frontdesk.store import dump, media_texts
from frontdesk.store.database import Connection, Row
from frontdesk.store.rows import blank
from frontdesk.wire import timestamp

Line = dict[str, Any]
# Columns of a contact that are not null, with `aliases` and `began`: see the schema.
_Part = Mapping[str, Any]

# Referenced kinds come first.
_NAMED = ("channel", "user", "label", "custom_field", "canned_response", "template")
_REST = ("reaction", "orphan")


# Called with the id of an account and the SHA-256 of a stored file; True if it is exported.
ExportFile = Callable[[int, str], bool]


def lines(
    connection: Connection,
    slug: str | None,
    advance: Callable[[int], object],
    export_file: ExportFile | None = None,
) -> Iterator[Line]:
    """Yield the lines of all accounts or one. `advance` is called for each conversation.

    export_file: exports the files of messages too, whose lines then say their SHA-256.
    """
    for account in dump.accounts(connection, slug):
        yield from _AccountExport(connection, account, advance, export_file).lines()


class _AccountExport:
    def __init__(
        self,
        connection: Connection,
        account: Row,
        advance: Callable[[int], object],
        export_file: ExportFile | None,
    ) -> None:
        self._connection = connection
        self._account = account
        self._account_id = int(account["id"])
        self._advance = advance
        self._export_file = export_file
        self._numbers: dict[int, str] = {}
        self._users: dict[int, Line] = {}
        self._titles: dict[int, str] = {}
        self._read = media_texts.read_messages(connection, self._account_id)
        # Contacts by id as they were before numbers changed, by id of the contact of them all.
        self._parts: dict[int, dict[int, _Part]] = {}

    def lines(self) -> Iterator[Line]:
        yield self._account_line()
        for kind in _NAMED:
            yield from self._named(kind)
        yield from self._teams()
        yield from self._contacts()
        for row in self._rows("identity_change"):
            yield line_of("identity_change", row)
        yield from self._conversations()
        for kind in _REST:
            for row in self._rows(kind):
                yield line_of(kind, row, channel=self._numbers.get(row["channel_id"]))

    def _rows(self, kind: str) -> Iterator[Row]:
        return dump.rows_of(self._connection, self._account_id, kind)

    def _account_line(self) -> Line:
        account = self._account
        return {
            "kind": "account",
            "v": VERSION,
            "slug": account["slug"],
            "name": account["name"],
            "timezone": account["timezone"],
            "disabled": bool(account["disabled"]),
            "created_at": timestamp(account["created_at"]),
            "messages_keep_days": account["messages_keep_days"],
            **_business_hours(account["business_hours_json"]),
        }

    def _named(self, kind: str) -> Iterator[Line]:
        for row in self._rows(kind):
            if kind == "channel":
                self._numbers[row["id"]] = row["phone_number_id"]
            elif kind == "user":
                self._users[row["id"]] = _user(row)
            elif kind == "label":
                self._titles[row["id"]] = row["title"]
            yield line_of(kind, row)

    def _teams(self) -> Iterator[Line]:
        linked = dump.links(self._connection, self._account_id, "team_channel")
        members = dump.links(self._connection, self._account_id, "team_member")
        for row in self._rows("team"):
            channels = [self._numbers[number] for number in linked.get(row["id"], ())]
            users = [self._users[user] for user in members.get(row["id"], ())]
            yield line_of("team", row, channels=channels, members=users)

    def _contacts(self) -> Iterator[Line]:
        """Yield contacts with their former names; of merged ones each part, as it was before."""
        aliases: dict[int, list[str]] = {}
        for row in self._rows("alias"):
            aliases.setdefault(row["contact_id"], []).append(row["phone"])
        for row in self._rows("part"):
            members = json.loads(row["row_json"])
            self._parts.setdefault(row["contact_id"], {})[row["id"]] = members
        for row in self._rows("contact"):
            if row["id"] not in self._parts:
                yield line_of("contact", row, aliases=aliases.get(row["id"], []))
                continue
            for id_, part in self._parts[row["id"]].items():
                columns = {**blank("contact"), **part, "id": id_, "updated_at": row["updated_at"]}
                yield line_of("contact", columns, aliases=part["aliases"])

    def _conversations(self) -> Iterator[Line]:
        """Yield each conversation after its messages, notes and events."""
        streams = {kind: _Stream(self._rows(kind)) for kind in FACTS}
        entries = _Stream(self._rows("entry"))
        for row in dump.conversations(self._connection, self._account_id):
            channel = self._numbers[row["channel_id"]]
            for kind, stream in streams.items():
                for fact in stream.of(row["id"]):
                    part = row["contact_id"] if fact["part"] is None else fact["part"]
                    yield self._fact(kind, fact, channel, self._contact(row, part))
            assignee = self._users.get(row["assignee_id"])
            marks = (entry["label_id"] for entry in entries.of(row["id"]))
            labels = sorted(self._titles[mark] for mark in marks if mark)
            contact = self._contact(row, self._first_part(row))
            place = {"channel": channel, "contact": contact}
            yield line_of("conversation", row, **place, assignee=assignee, labels=labels)
            self._advance(1)

    def _contact(self, conversation: Row, part_id: int) -> Line:
        """Return the contact of a conversation; of a merged one, that part of it."""
        part = self._parts.get(conversation["contact_id"], {}).get(part_id)
        contact = {
            name: conversation[f"contact_{name}"] if part is None else part.get(name)
            for name in ("phone", "wa_id", "wa_user_id", "name")
        }
        return {"id": str(conversation["contact_id"]), **contact}

    def _first_part(self, conversation: Row) -> int:
        """Return the part of a merged contact with which a conversation began."""
        parts = self._parts.get(conversation["contact_id"], {})
        channel = str(conversation["channel_id"])
        began = {
            id_: part["began"][channel] for id_, part in parts.items() if channel in part["began"]
        }
        return min(began, key=began.__getitem__, default=conversation["contact_id"])

    def _fact(self, kind: str, row: Row, channel: str, contact: Line) -> Line:
        line = line_of(kind, row, channel=channel, contact=contact)
        author = line.get("author_ref")
        if author is not None and author["id"] is not None:
            user = self._users.get(int(author["id"])) if row["author"] == "user" else None
            author["external_id"] = None if user is None else user["external_id"]
        if kind == "message" and line.get("media") and self._export_file is not None:
            digest = stored_digest(self._connection, self._account_id, row["id"])
            if digest is not None and self._export_file(self._account_id, digest):
                line["media"]["sha256"] = digest
        if kind == "message" and row["id"] in self._read:
            line["media_text"] = file_text(self._connection, self._account_id, row["id"])
        return line


class _Stream:
    """Rows sorted by conversation, consumed one conversation at a time."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self._rows = rows
        self._next = next(rows, None)

    def of(self, conversation_id: int) -> Iterator[Row]:
        while self._next is not None and self._next["conversation_id"] <= conversation_id:
            if self._next["conversation_id"] == conversation_id:
                yield self._next
            self._next = next(self._rows, None)


def _user(row: Row) -> Line:
    return {"id": str(row["id"]), "name": row["name"], "external_id": row["key"]}


def _business_hours(text: str | None) -> dict[str, Any]:
    return {} if text is None else {"business_hours": json.loads(text)}
