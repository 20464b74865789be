"""Restores exported rows, with their ids, into an empty account."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from frontdesk import business_hours
from frontdesk.ingest import admission
from frontdesk.ingest.apply.context import BatchContext
from frontdesk.ingest.apply.conversations import BatchConversation
from frontdesk.ingest.apply.metrics import MetricDeltas
from frontdesk.ingest.archive.reader import NativeLine
from frontdesk.ingest.archive.row_codec import FACTS, STORED, row_of
from frontdesk.ingest.audit import metric_events
from frontdesk.ingest.json_reader import Malformed, instant
from frontdesk.store import counters, dump, lookups, message_search, raw_events, writes
from frontdesk.store.changes import NAMES
from frontdesk.store.contacts import label_key
from frontdesk.store.counters import LabelledConversation
from frontdesk.store.database import Connection
from frontdesk.store.expiry import LONGEST_KEPT_DAYS
from frontdesk.store.rows import ContactRow, MessageRow
from frontdesk.store.writes import Ids

Row = dict[str, Any]

# Tally that rows of a kind count for; "" for dependent rows, which are not counted.
TALLIES: Mapping[str, str] = {
    **{
        kind: f"{kind}s"
        for kind in ("channel", "contact", "conversation", "message", "reaction", "note")
    },
    "conversation_event": "events",
    **dict.fromkeys(("user", "team", "label"), "catalogue"),
    **dict.fromkeys(("custom_field", "canned_response", "template"), "catalogue"),
    **dict.fromkeys(("alias", "identity_change", "part", "orphan"), ""),
}


class RowCopy(NamedTuple):
    """Row copy of an export, with its line."""

    line: NativeLine
    row: Row

    @property
    def kind(self) -> str:
        return str(self.line.members["kind"])

    @property
    def is_fact(self) -> bool:
        """Check if it precedes the line of its conversation."""
        return self.kind in FACTS

    @property
    def conversation_id(self) -> int | None:
        """Id of the conversation that must be restored with it, None without one."""
        if self.kind == "conversation":
            return int(self.row["id"])
        return self.row["conversation_id"] if self.is_fact else None


def is_copy(members: Mapping[str, Any]) -> bool:
    """Check if a native line is a full copy of a row."""
    return STORED in members and members.get("kind") in TALLIES


def row(members: Mapping[str, Any], account_id: int) -> Row:
    """Decode the row of a copy. Raises: Malformed."""
    lists = {"conversation": ("labels",), "team": ("channels", "members")}
    for name in lists.get(members["kind"], ()):
        if not isinstance(members.get(name), list):
            raise Malformed(f"{name} is not an array")
    columns = row_of(members["kind"], members, account_id)
    is_message = members["kind"] == "message"
    if is_message and columns["category"] is not None and columns["priced_at"] is None:
        # Older exports lack the time of the pricing.
        columns["priced_at"] = columns["created_at"]
    return columns


def begin(connection: Connection, account_id: int, line: Mapping[str, Any]) -> bool:
    """Prepare an account for a restore; False if it is not empty, or `line` starts no full copy.

    Raises: Malformed.
    """
    last_ids = line.get("last_ids")
    if not isinstance(last_ids, Mapping) or dump.last_ids(connection, account_id):
        return False
    created = line.get("created_at")
    settings = {
        "name": line.get("name"),
        "timezone": line.get("timezone"),
        "created_at": instant(created),
        "disabled": int(line.get("disabled") is True),
        "messages_keep_days": line.get("messages_keep_days"),
        "business_hours_json": _business_hours(line.get("business_hours")),
    }
    days = settings["messages_keep_days"]
    if days is not None and not (type(days) is int and 0 < days <= LONGEST_KEPT_DAYS):
        raise Malformed(f"messages_keep_days is not a number of days up to {LONGEST_KEPT_DAYS}")
    if not all(isinstance(settings[name], str) for name in ("name", "timezone")):
        raise Malformed("the account has no name or no timezone")
    dump.restore_account(connection, account_id, settings)
    ids = Ids(connection, account_id)
    for kind, value in last_ids.items():
        if not (isinstance(value, int) and 0 <= value < 2**62 and kind in TALLIES):
            raise Malformed("last_ids is not an object of whole numbers")
        ids.skip(kind, value)
    ids.save()
    writes.bump_revision(connection, account_id)
    return True


def _business_hours(contents: object) -> str | None:
    """Return business hours as they are stored. Raises: Malformed."""
    if contents is None:
        return None
    if not isinstance(contents, Mapping):
        raise Malformed("business_hours is not an object")
    try:
        return business_hours.dumps(business_hours.parse_hours(contents))
    except ValueError as error:
        raise Malformed(f"business_hours.{error}") from error


def unplaced(connection: Connection, account_id: int, copies: Sequence[RowCopy]) -> set[int]:
    """Return ids of conversations whose contact or channel does not exist."""
    rows: dict[str, list[Row]] = {}
    for copy in copies:
        rows.setdefault(copy.kind, []).append(copy.row)
    conversations = rows.get("conversation", ())
    unplaced_ids: set[int] = set()
    for table, column in (("channel", "channel_id"), ("contact", "contact_id")):
        ids = {each[column] for each in conversations} - {row["id"] for row in rows.get(table, ())}
        missing = ids - lookups.existing(connection, account_id, table, ids)
        unplaced_ids |= {each["id"] for each in conversations if each[column] in missing}
    return unplaced_ids


def restore(connection: Connection, account_id: int, copies: Sequence[RowCopy]) -> None:
    """Restore rows with their lines, in the order of the export.

    Counters are consistent after each call: a conversation is counted with its own line, which
    follows its messages, notes and events.
    """
    by_kind: dict[str, list[RowCopy]] = {}
    for copy in copies:
        by_kind.setdefault(copy.kind, []).append(copy)
    ids = Ids(connection, account_id)
    metrics = MetricDeltas(BatchContext(connection, account_id, 0, ids))
    for kind, of_kind in by_kind.items():
        rows = [copy.row for copy in of_kind]
        if kind == "contact":
            writes.save_contacts(connection, account_id, cast(list[ContactRow], rows))
        elif kind != "conversation":
            dump.put(connection, kind, rows)
        if kind == "message" and lookups.has_message_index(connection):
            message_search.remove(connection, account_id, rows)
            message_search.add(connection, account_id, rows)
    numbers = (copy.row["phone_number_id"] for copy in by_kind.get("channel", ()))
    raw_events.wait_for(connection, account_id, map(admission.kind_of, numbers))
    _link_teams(connection, account_id, by_kind.get("team", ()))
    for conversation in _conversations(copy.row for copy in by_kind.get("message", ())):
        metrics.count(conversation)
    _settle(connection, account_id, by_kind.get("conversation", ()), metrics)
    metrics.save()
    ids.save()
    restored = (copy.row["id"] for copy in by_kind.get("conversation", ()))
    writes.bump_revision(connection, account_id, (NAMES, *restored))


def _conversations(messages: Iterable[Row]) -> Iterable[BatchConversation]:
    conversations: dict[int, BatchConversation] = {}
    for message in messages:
        number = message["conversation_id"]
        if number not in conversations:
            conversations[number] = BatchConversation(
                number, 0, message["channel_id"], message["created_at"]
            )
        conversations[number].messages.append(cast(MessageRow, message))
    return conversations.values()


def _settle(
    connection: Connection,
    account_id: int,
    conversations: Iterable[RowCopy],
    metrics: MetricDeltas,
) -> None:
    """Insert conversations, whose facts are complete, and compute their entries and metrics."""
    users = lookups.user_ids(connection, account_id)
    moves: list[tuple[LabelledConversation | None, LabelledConversation | None]] = []
    rows: list[Row] = []
    for line, each in conversations:
        conversation = BatchConversation(
            each["id"], each["contact_id"], each["channel_id"], each["created_at"]
        )
        metrics.append(conversation, metric_events(connection, account_id, each["id"], users))
        titles = (label_key(str(title)) for title in line.members["labels"])
        labels = _ids(connection, account_id, ("label", "title_key"), titles)
        rows.append(each)
        metrics.label(conversation, each["created_at"], frozenset(labels))
        moves.append((None, LabelledConversation(each, frozenset(labels))))
    dump.put(connection, "conversation", rows)
    counters.move(connection, account_id, moves)


def _link_teams(connection: Connection, account_id: int, teams: Iterable[RowCopy]) -> None:
    for line, each in teams:
        numbers = map(str, line.members["channels"])
        keys = (
            str(member.get("external_id"))
            for member in line.members["members"]
            if isinstance(member, dict)
        )
        channels = _ids(connection, account_id, ("channel", "phone_number_id"), numbers)
        users = _ids(connection, account_id, ("app_user", "key"), keys)
        writes.link_team(connection, account_id, each["id"], channels, users)


def _ids(
    connection: Connection, account_id: int, place: tuple[str, str], keys: Iterable[str]
) -> set[int]:
    """Return row ids of catalogue rows restored earlier; unknown keys are ignored."""
    rows = (lookups.catalogue_row(connection, account_id, *place, key) for key in keys)
    return {row["id"] for row in rows if row is not None}
