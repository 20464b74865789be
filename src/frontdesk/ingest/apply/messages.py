"""Applies messages of a batch: inserts, merged copies, edits, revocations and statuses."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from frontdesk.ingest.apply import message_row
from frontdesk.ingest.apply.catalogue import Catalogue
from frontdesk.ingest.apply.contacts import Contacts
from frontdesk.ingest.apply.context import BatchCounts
from frontdesk.ingest.apply.conversations import BatchConversation, Conversations
from frontdesk.ingest.apply.matching import EXPORT, alike, was_changed
from frontdesk.ingest.apply.message_row import MessageRow
from frontdesk.ingest.apply.nameless import NamelessMessages
from frontdesk.ingest.apply.pending import EDIT, REVOKE, STATUS, PendingUpdates
from frontdesk.ingest.apply.rules import OUTBOUND, QUIET_TYPES
from frontdesk.ingest.events import (
    CONTENTS,
    MessageEdit,
    MessageRevoke,
    MessageUpsert,
    Person,
    StatusUpdate,
)
from frontdesk.store import lookups, writes
from frontdesk.store.database import Connection
from frontdesk.store.writes import Ids
from frontdesk.wire.values import DELIVERY_STEPS

# A mention of a channel without a message must not move its creation time back.
_LATEST = 1 << 62


class Messages:
    """Messages of a batch. `load` the stored ones first."""

    def __init__(
        self,
        connection: Connection,
        account_id: int,
        ids: Ids,
        counted: BatchCounts,
        catalogue: Catalogue,
        people: Contacts,
        threads: Conversations,
        orphans: PendingUpdates,
    ) -> None:
        self._connection = connection
        self._account_id = account_id
        self._ids = ids
        self._counted = counted
        self._catalogue = catalogue
        self._people = people
        self._threads = threads
        self._orphans = orphans
        self._letters: dict[tuple[int, str], MessageRow] = {}
        self._nameless = NamelessMessages(connection, account_id)

    def load(self, wamids: Iterable[tuple[str, str, int]], times: Iterable[int]) -> None:
        """Read the batch's stored messages, given as (channel, wamid, time).

        times: of all messages of the batch, including those without a wamid.
        """
        by_channel: dict[int, set[str]] = {}
        named = list(wamids)
        self._nameless.load((*times, *(at for _, _, at in named)))
        for channel, wamid, at in named:
            by_channel.setdefault(self._catalogue.channel_id(channel, at), set()).add(wamid)
        for channel_id, names in by_channel.items():
            self._orphans.load(channel_id, names)
            if not self._ids.any("message"):
                continue
            for row in lookups.messages(self._connection, self._account_id, channel_id, names):
                self._letters[channel_id, row["wamid"]] = {
                    **row,
                    "was": row,
                    "was_at": row["created_at"],
                }

    def named(self, channel: str, wamid: str) -> MessageRow | None:
        """Return the stored message with a wamid, if any."""
        return self._letters.get((self._catalogue.channel_id(channel, _LATEST), wamid))

    def follow(self) -> None:
        """Update loaded messages after conversations were merged or split."""
        for row in self._letters.values():
            row["conversation_id"], row["part"] = self._threads.place(row)

    def say(self, event: MessageUpsert) -> None:
        """Insert a message, or merge a copy into the stored one."""
        channel_id = self._catalogue.channel_id(event.channel, event.at)
        row = self.known(channel_id, event.wamid)
        author_id, author_name = self._catalogue.author(event.author, event.at)
        copy = message_row.message_row(event, author_id, author_name)
        if row is not None:
            before = message_row.folded_columns(row)
            changed = self._enrich(row, copy, event.person)
            self._rewrite(row, before, "messages", changed=changed)
            return
        thread = self._threads.of(channel_id, event.person, event.at)
        if event.type not in QUIET_TYPES:
            self._people.seen(event.person, event.at)
        if event.wamid is None and self._nameless.is_known(thread, copy):
            self._counted.known("messages")
            return
        exported = None if event.wamid is None else self._nameless.take(thread, copy)
        if exported is None:
            self._append(thread, copy, event.person)
            self._counted.new("messages")
        else:
            self._identify(exported, copy)

    def _identify(self, row: MessageRow, copy: MessageRow) -> None:
        """Give a message imported from a chat export its wamid and the provider's data."""
        before = message_row.folded_columns(row)
        message_row.identify(row, copy)
        self._name(row)
        self._rewrite(row, before, "messages", changed=True)

    def _name(self, row: MessageRow) -> None:
        """Index a message by its new wamid, and apply pending updates."""
        self._letters[row["channel_id"], row["wamid"]] = row
        self._take_orphans(row)

    def _enrich(self, row: MessageRow, copy: MessageRow, person: Person) -> bool:
        """Merge a copy; displaces export contents that turn out to be another message's."""
        if row["source"] != EXPORT or copy["source"] == EXPORT or copy["richness"] != CONTENTS:
            return message_row.merge_copy(row, copy)
        if was_changed(row) or alike(row, copy):
            if row["stamped_at"] in (None, row["created_at"]):
                message_row.identify(row, copy)
                return True
            return message_row.merge_copy(row, copy)
        self._give_back(row, copy, person)
        return True

    def _give_back(self, row: MessageRow, copy: MessageRow, person: Person) -> None:
        """Undo a wrong match between a wamid and a message of a chat export.

        The displaced contents are swapped with the right message, or become a message of their own.
        """
        thread, displaced = self._threads.holding(row), message_row.exported(row)
        own = self._nameless.take(thread, copy)
        message_row.identify(row, copy)
        if own is None:
            row["stamped_at"] = None
            self._append(thread, displaced, person)
            self._counted.new("messages")
            return
        before = message_row.folded_columns(own)
        row["stamped_at"] = own["created_at"]
        own.update({name: displaced[name] for name in message_row.EXPORTED})
        self._rewrite(own, before, "messages", changed=True)

    def deliver(self, event: StatusUpdate) -> None:
        """Apply a delivery status.

        For an unknown message, create a placeholder, or park the status if it names no person.
        """
        channel_id = self._catalogue.channel_id(event.channel, event.at)
        row = self.known(channel_id, event.wamid)
        if row is not None and event.person is not None:
            self._threads.began(row, event.at)
        if event.status not in DELIVERY_STEPS or (row is not None and not row["direction"]):
            self._counted.ignore()
        elif row is not None:
            before = message_row.folded_columns(row)
            changed = message_row.deliver(row, event)
            self._rewrite(row, before, "statuses", changed=changed)
        elif event.person is None:
            self._counted.ignore()
            self._keep_status(channel_id, event)
        else:
            self._stand_in(channel_id, event, event.person)

    def _stand_in(self, channel_id: int, event: StatusUpdate, person: Person) -> None:
        """Create a placeholder for a message of which only a status is known.

        A message of a chat export without a wamid is used instead if one matches.
        """
        thread = self._threads.of(channel_id, person, event.at)
        self._people.seen(person, event.at)
        row = self._nameless.take_sent(thread, event.at) if event.status == "sent" else None
        if row is not None:
            before = message_row.folded_columns(row)
            row["wamid"], row["stamped_at"] = event.wamid, row["stamped_at"] or row["created_at"]
            message_row.deliver(row, event)
            self._name(row)
            self._rewrite(row, before, "statuses", changed=True)
            return
        row = message_row.placeholder_row(event)
        message_row.deliver(row, event)
        self._append(thread, row, person)
        self._counted.new("statuses")

    def amend(self, event: MessageEdit | MessageRevoke) -> None:
        """Apply an edit or a revocation; park it if the message is unknown."""
        channel_id = self._catalogue.channel_id(event.channel, event.at)
        row = self.known(channel_id, event.target_wamid)
        if row is None:
            kept = self._keep_orphan(channel_id, event)
            (self._counted.new if kept else self._counted.known)("amendments")
            return
        before = message_row.folded_columns(row)
        changed = _amend(row, event)
        self._rewrite(row, before, "amendments", changed=changed)

    def known(self, channel_id: int, wamid: str | None) -> MessageRow | None:
        """Return a message by wamid, if it is stored or in this batch."""
        return None if wamid is None else self._letters.get((channel_id, wamid))

    def save(self) -> None:
        """Write the messages; conversation rows follow after the fold."""
        writes.add(self._connection, "message", self.added())
        rewritten = [row for one in self._threads.touched() for row in one.rewritten.values()]
        writes.update_messages(self._connection, rewritten)

    def added(self) -> list[MessageRow]:
        return [
            row
            for thread in self._threads.touched()
            for row in sorted(thread.messages, key=lambda row: (row["created_at"], row["id"]))
        ]

    def _keep_orphan(self, channel_id: int, event: MessageEdit | MessageRevoke) -> bool:
        """Park an edit or a revocation unless the parked one prevails."""
        if isinstance(event, MessageRevoke):
            return self._keep_earliest_revoke(channel_id, event)
        detail = asdict(event)
        waiting = self._orphans.waiting(channel_id, event.target_wamid, EDIT)
        if waiting is not None:
            at, other = waiting
            if (event.at, message_row.packed(detail)) <= (at, message_row.packed(other)):
                return False
        self._orphans.keep(channel_id, event.target_wamid, EDIT, event.at, detail)
        return True

    def _keep_earliest_revoke(self, channel_id: int, event: MessageRevoke) -> bool:
        """Park the earliest revocation of a message."""
        waiting = self._orphans.waiting(channel_id, event.target_wamid, REVOKE)
        if waiting is not None and waiting[0] <= event.at:
            return False
        self._orphans.keep(channel_id, event.target_wamid, REVOKE, event.at, asdict(event))
        return True

    def _keep_status(self, channel_id: int, event: StatusUpdate) -> None:
        """Park a status, merged with a parked one of the same step."""
        place = channel_id, event.wamid, f"{STATUS}{event.status}"
        waiting = self._orphans.waiting(*place)
        merged = event if waiting is None else message_row.merged_status(_status(waiting[1]), event)
        if waiting is None or asdict(merged) != waiting[1]:
            self._orphans.keep(*place, merged.at, asdict(merged))

    def _take_orphans(self, row: MessageRow) -> None:
        """Apply the pending updates of a message."""
        place = row["channel_id"], row["wamid"]
        if not self._orphans.wait_for(*place):
            return
        if edit := self._orphans.take(*place, EDIT):
            message_row.edit(row, MessageEdit(**edit[1]))
        if revoke := self._orphans.take(*place, REVOKE):
            message_row.revoke(row, revoke[0])
        for status in sorted(DELIVERY_STEPS):
            step = self._orphans.take(*place, f"{STATUS}{status}")
            if step is not None and row["direction"] == OUTBOUND:
                message_row.deliver(row, _status(step[1]))

    def _append(self, thread: BatchConversation, row: MessageRow, person: Person) -> None:
        row["account_id"] = self._account_id
        row["conversation_id"] = thread.id
        row["channel_id"] = thread.channel_id
        row["part"] = self._threads.part(person)
        row["id"] = self._ids.next("message")
        thread.messages.append(row)
        thread.touched = True
        if row["wamid"] is not None:
            self._name(row)
            self._threads.reach(thread, row["part"], row["created_at"])

    def _rewrite(
        self,
        row: MessageRow,
        before: tuple[object, ...],
        kind: str,
        *,
        changed: bool,
    ) -> None:
        """Record a change of a message, with a refold of its conversation if rules depend on it."""
        if not changed:
            self._counted.known(kind)
            return
        self._counted.change(kind)
        thread = self._threads.holding(row)
        thread.touched = True
        self._threads.reach(thread, row["part"], row["created_at"])
        if "was_at" in row:
            thread.rewritten[row["id"]] = row
            thread.refold = thread.refold or message_row.folded_columns(row) != before


def _status(detail: Mapping[str, Any]) -> StatusUpdate:
    """Decode a parked status."""
    return StatusUpdate(**{**detail, "person": None})


def _amend(row: MessageRow, event: MessageEdit | MessageRevoke) -> bool:
    if isinstance(event, MessageEdit):
        return message_row.edit(row, event)
    return message_row.revoke(row, event.at)
