"""Applies messages of a batch: inserts, merged copies, edits, revocations and statuses."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from operator import itemgetter
from typing import Any, overload

from frontdesk.ingest.apply import message_row
from frontdesk.ingest.apply.bounds import bounded, bounded_contents
from frontdesk.ingest.apply.catalogue import Catalogue
from frontdesk.ingest.apply.contacts import Contacts
from frontdesk.ingest.apply.context import EDIT, READ, REVOKE, STATUS, BatchContext, PendingUpdates
from frontdesk.ingest.apply.conversation_rules import OUTBOUND, QUIET_TYPES
from frontdesk.ingest.apply.conversations import (
    BatchConversation,
    Conversations,
    RewrittenMessage,
)
from frontdesk.ingest.apply.message_matching import EXPORT, NamelessMessages, alike, was_changed
from frontdesk.ingest.events import (
    CONTENTS,
    MessageEdit,
    MessageRead,
    MessageRevoke,
    MessageUpsert,
    Person,
    StatusUpdate,
)
from frontdesk.ingest.media import requests as media_requests
from frontdesk.store import lookups, media, writes
from frontdesk.store.media_texts import FileText
from frontdesk.store.rows import MESSAGE_ORDER, MessageRow, packed
from frontdesk.text import templates
from frontdesk.text.limits import cut_text
from frontdesk.wire.values import DELIVERY_STEPS

TEMPLATE = "template"

# A mention of a channel without a message must not move its creation time back.
_LATEST = 1 << 62


class Messages:
    """Messages of a batch. `load` the stored ones first."""

    def __init__(
        self,
        context: BatchContext,
        catalogue: Catalogue,
        contacts: Contacts,
        conversations: Conversations,
        pending: PendingUpdates,
    ) -> None:
        self._context = context
        self._catalogue = catalogue
        self._contacts = contacts
        self._conversations = conversations
        self._pending = pending
        # By channel id and wamid.
        self._rows: dict[tuple[int, str], MessageRow] = {}
        # Stored rows before this batch, by id.
        self._before: dict[int, MessageRow] = {}
        self._nameless = NamelessMessages(context)
        # Messages of this batch that were read before they were known, with the time of reading.
        self.read_before: list[tuple[MessageRow, int]] = []
        # Words of files that come with their messages.
        self._file_texts: list[tuple[MessageRow, FileText]] = []
        # Files of chat exports by the id of the message that they move from, and to.
        self._moved_files: dict[int, int] = {}

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
            self._pending.load(channel_id, names)
            if not self._context.ids.any("message"):
                continue
            for row in lookups.messages(*self._context.account, channel_id, names):
                self._rows[channel_id, str(row["wamid"])] = self._changeable(row)

    def stored(self, channel: str, wamid: str) -> MessageRow | None:
        """Return the stored message with a wamid, if any."""
        return self._rows.get((self._catalogue.channel_id(channel, _LATEST), wamid))

    def update_places(self) -> None:
        """Update loaded messages after conversations were merged or split."""
        for row in self._rows.values():
            row["conversation_id"], row["part"] = self._conversations.current_place(row)

    def apply_message(self, event: MessageUpsert) -> None:
        """Insert a message, or merge a copy into the stored one."""
        channel_id = self._catalogue.channel_id(event.channel, event.at)
        row = self.find(channel_id, event.wamid)
        author_id, author_name = self._catalogue.author(event.author, event.at)
        if event.type == TEMPLATE and event.text is None and (row is None or row["text"] is None):
            event = replace(event, **self._template_text(event.content, channel_id))
        copy = message_row.message_row(event, author_id, author_name)
        if row is not None:
            # Copies of a call have different times.
            self._conversations.extend_back_for(row, event.at)
            before = message_row.folded_columns(row)
            changed = self._merge_copy(row, copy, event.person)
            self._rewrite(row, before, "messages", changed=changed)
            self._keep_text(row, event.media_text)
            return
        conversation = self._conversations.get_or_create(channel_id, event.person, event.at)
        if event.type not in QUIET_TYPES:
            self._contacts.record_activity(event.person, event.at)
        if event.wamid is None and self._nameless.is_known(conversation, copy):
            self._context.counts.add("messages", "known")
            return
        if event.wamid is None and not event.compared and self._mark_matched(conversation, copy):
            return
        exported = None if event.wamid is None else self._exported(conversation, copy)
        if exported is None:
            self._append(conversation, copy, event.person)
            self._context.counts.add("messages", "new")
        else:
            self._identify(exported, copy)
        self._keep_text(exported or copy, event.media_text)

    def _keep_text(self, row: MessageRow, text: FileText | None) -> None:
        if text is not None:
            self._file_texts.append((row, text))

    def fill_templates(self, names: Iterable[str]) -> None:
        """Give stored messages the text of the templates of these names."""
        for name in names:
            for stored in lookups.templates_without_text(*self._context.account, name):
                row = self.find(stored["channel_id"], stored["wamid"]) or self._changeable(stored)
                content = json.loads(row["content_json"] or "{}")
                words = self._template_text(content, row["channel_id"])
                if words and row["text"] is None:
                    before = message_row.folded_columns(row)
                    row["text"], row["content_json"] = words["text"], packed(words["content"])
                    self._rewrite(row, before, "messages", changed=True)

    def _template_text(self, content: Mapping[str, Any] | None, channel_id: int) -> dict[str, Any]:
        """Return text and contents of a sent template; empty if the template is not known."""
        name, language = (content or {}).get("name"), (content or {}).get("language")
        if content is None or not isinstance(name, str) or not isinstance(language, str):
            return {}
        stored = self._catalogue.template_components(name, language, channel_id)
        sent = content.get("components")
        parts = [part for part in sent if isinstance(part, Mapping)] if sent else []
        components = templates.filled_components(stored, parts)
        text = templates.body_text(components)
        if text is None:
            return {}
        filled = bounded_contents({**content, "components": components})
        return {"text": cut_text(text), "content": filled}

    def _mark_matched(self, conversation: BatchConversation, copy: MessageRow) -> bool:
        """Note the export's time in the message with a wamid that is the same; False if none is."""
        match = self._nameless.take_identified(conversation, copy)
        if match is None:
            return False
        channel_id, wamid = conversation.channel_id, match["wamid"]
        if (channel_id, wamid) not in self._rows:
            (row,) = lookups.messages(*self._context.account, channel_id, {wamid})
            self._rows[channel_id, wamid] = self._changeable(row)
        row = self._rows[channel_id, wamid]
        before = message_row.folded_columns(row)
        row["stamped_at"] = copy["created_at"]
        self._rewrite(row, before, "messages", changed=True)
        return True

    def _identify(self, row: MessageRow, copy: MessageRow) -> None:
        """Give a message imported from a chat export its wamid and the provider's data."""
        before = message_row.folded_columns(row)
        message_row.identify(row, copy)
        self._index(row)
        self._rewrite(row, before, "messages", changed=True)

    def _index(self, row: MessageRow) -> None:
        """Index a message by its new wamid, and apply pending updates."""
        if row["wamid"] is None:
            return
        self._rows[row["channel_id"], row["wamid"]] = row
        self._apply_pending(row, row["wamid"])

    def _merge_copy(self, row: MessageRow, copy: MessageRow, person: Person) -> bool:
        """Merge a copy; displaces export contents that turn out to be another message's."""
        if row["source"] != EXPORT or copy["source"] == EXPORT or copy["richness"] != CONTENTS:
            return message_row.merge_copy(row, copy)
        if was_changed(row) or alike(row, copy):
            if row["stamped_at"] in (None, row["created_at"]):
                message_row.identify(row, copy)
                return True
            return message_row.merge_copy(row, copy)
        self._undo_match(row, copy, person)
        return True

    def _undo_match(self, row: MessageRow, copy: MessageRow, person: Person) -> None:
        """Undo a wrong match between a wamid and a message of a chat export.

        The displaced contents are swapped with the right message, or become a message of their own.
        """
        conversation, displaced = self._conversations.owner_of(row), message_row.exported(row)
        own = self._exported(conversation, copy)
        message_row.identify(row, copy)
        if own is None:
            row["stamped_at"] = None
            self._append(conversation, displaced, person)
            self._moved_files[row["id"]] = displaced["id"]
            self._context.counts.add("messages", "new")
            return
        self._moved_files |= {row["id"]: own["id"], own["id"]: row["id"]}
        before = message_row.folded_columns(own)
        row["stamped_at"] = own["created_at"]
        message_row.restore_export(own, displaced)
        self._rewrite(own, before, "messages", changed=True)

    def apply_status(self, event: StatusUpdate) -> None:
        """Apply a delivery status.

        For an unknown message, create a placeholder, or park the status if it names no person.
        """
        channel_id = self._catalogue.channel_id(event.channel, event.at)
        row = self.find(channel_id, event.wamid)
        if row is not None and event.person is not None:
            self._conversations.extend_back_for(row, event.at)
        if event.status not in DELIVERY_STEPS or (row is not None and not row["direction"]):
            self._context.counts.ignore()
        elif row is not None:
            before = message_row.folded_columns(row)
            changed = message_row.deliver(row, event)
            self._rewrite(row, before, "statuses", changed=changed)
        elif event.person is None:
            self._context.counts.ignore()
            self._park_status(channel_id, event)
        else:
            self._add_placeholder(channel_id, event, event.person)

    def _add_placeholder(self, channel_id: int, event: StatusUpdate, person: Person) -> None:
        """Create a placeholder for a message of which only a status is known.

        A message of a chat export without a wamid is used instead if one matches.
        """
        conversation = self._conversations.get_or_create(channel_id, person, event.at)
        self._contacts.record_activity(person, event.at)
        row: MessageRow | None = None
        if event.status == "sent":
            row = self._changeable(self._nameless.take_sent(conversation, event.at))
        if row is not None:
            before = message_row.folded_columns(row)
            row["wamid"], row["stamped_at"] = event.wamid, row["stamped_at"] or row["created_at"]
            message_row.deliver(row, event)
            self._index(row)
            self._rewrite(row, before, "statuses", changed=True)
            return
        row = message_row.placeholder_row(event)
        message_row.deliver(row, event)
        self._append(conversation, row, person)
        self._context.counts.add("statuses", "new")

    def apply_amendment(self, event: MessageEdit | MessageRevoke) -> None:
        """Apply an edit or a revocation; park it if the message is unknown."""
        channel_id = self._catalogue.channel_id(event.channel, event.at)
        row = self.find(channel_id, event.target_wamid)
        if row is None:
            parked = self._park_amendment(channel_id, event)
            self._context.counts.add("amendments", "new" if parked else "known")
            return
        before = message_row.folded_columns(row)
        if isinstance(event, MessageEdit):
            changed = message_row.edit(row, event)
        else:
            changed = message_row.revoke(row, event.at)
        self._rewrite(row, before, "amendments", changed=changed)

    def find(self, channel_id: int, wamid: str | None) -> MessageRow | None:
        """Return a message by wamid, if it is stored or in this batch."""
        return None if wamid is None else self._rows.get((channel_id, wamid))

    def save(self) -> None:
        """Write the messages; conversation rows follow after the fold."""
        added, now = self.added(), self._context.now
        changes = [
            change
            for conversation in self._conversations.touched()
            for change in conversation.rewritten.values()
        ]
        rewritten = [row for row, _ in changes]
        moved = {*self._moved_files.values()}
        times = {row["id"]: row["created_at"] for row in (*added, *rewritten) if row["id"] in moved}
        times |= {
            row["id"]: row["created_at"]
            for row, before in changes
            if row["media_json"] is not None and row["created_at"] != before["created_at"]
        }
        # Files first: the words of files are indexed with their messages.
        media.move(*self._context.account, self._moved_files, times)
        media_requests.request_new(*self._context.account, added, now)
        media_requests.request_changed(*self._context.account, rewritten, now)
        writes.add_messages(*self._context.account, added)
        writes.update_messages(*self._context.account, changes)
        media_requests.keep_texts(*self._context.account, self._file_texts, now)

    def added(self) -> list[MessageRow]:
        return [
            row
            for conversation in self._conversations.touched()
            for row in sorted(conversation.messages, key=itemgetter(*MESSAGE_ORDER))
        ]

    @overload
    def _changeable(self, row: MessageRow) -> MessageRow: ...
    @overload
    def _changeable(self, row: MessageRow | None) -> MessageRow | None: ...
    def _changeable(self, row: MessageRow | None) -> MessageRow | None:
        """Return a copy of a stored row; the row itself is kept to compare with."""
        if row is None:
            return None
        self._before[row["id"]] = row
        return row.copy()

    def _exported(self, conversation: BatchConversation, copy: MessageRow) -> MessageRow | None:
        return self._changeable(self._nameless.take(conversation, copy))

    def _park_amendment(self, channel_id: int, event: MessageEdit | MessageRevoke) -> bool:
        """Park an edit or a revocation unless the parked one prevails."""
        if isinstance(event, MessageRevoke):
            return self._park_revoke(channel_id, event)
        detail = asdict(event)
        parked = self._pending.parked(channel_id, event.target_wamid, EDIT)
        if parked is not None:
            at, other = parked
            if (event.at, packed(detail)) <= (at, packed(other)):
                return False
        self._pending.park(channel_id, event.target_wamid, EDIT, event.at, detail)
        return True

    def _park_revoke(self, channel_id: int, event: MessageRevoke) -> bool:
        """Park the earliest revocation of a message."""
        parked = self._pending.parked(channel_id, event.target_wamid, REVOKE)
        if parked is not None and parked[0] <= event.at:
            return False
        self._pending.park(channel_id, event.target_wamid, REVOKE, event.at, asdict(event))
        return True

    def park_read(self, channel_id: int, event: MessageRead) -> bool:
        """Park the earliest reading of a message."""
        parked = self._pending.parked(channel_id, event.target_wamid, READ)
        if parked is not None and parked[0] <= event.at:
            return False
        self._pending.park(channel_id, event.target_wamid, READ, event.at, {})
        return True

    def _park_status(self, channel_id: int, event: StatusUpdate) -> None:
        """Park a status, merged with a parked one of the same step."""
        place = channel_id, event.wamid, f"{STATUS}{event.status}"
        parked = self._pending.parked(*place)
        merged = event if parked is None else message_row.merged_status(_status(parked[1]), event)
        if parked is None or asdict(merged) != parked[1]:
            self._pending.park(*place, merged.at, asdict(merged))

    def _apply_pending(self, row: MessageRow, wamid: str) -> None:
        place = row["channel_id"], wamid
        if not self._pending.has_any(*place):
            return
        if edit := self._pending.take(*place, EDIT):
            message_row.edit(row, bounded(MessageEdit(**edit[1])))
        if revoke := self._pending.take(*place, REVOKE):
            message_row.revoke(row, revoke[0])
        if read := self._pending.take(*place, READ):
            self.read_before.append((row, read[0]))
        for status in sorted(DELIVERY_STEPS):
            step = self._pending.take(*place, f"{STATUS}{status}")
            if step is not None and row["direction"] == OUTBOUND:
                message_row.deliver(row, _status(step[1]))

    def _append(self, conversation: BatchConversation, row: MessageRow, person: Person) -> None:
        row["account_id"] = self._context.account_id
        row["conversation_id"] = conversation.id
        row["channel_id"] = conversation.channel_id
        row["part"] = self._conversations.part(person)
        row["id"] = self._context.ids.next("message")
        conversation.messages.append(row)
        conversation.touched = True
        if row["wamid"] is not None:
            self._index(row)
            self._conversations.extend_back(conversation, row["part"], row["created_at"])

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
            self._context.counts.add(kind, "known")
            return
        self._context.counts.add(kind, "changed")
        conversation = self._conversations.owner_of(row)
        conversation.touched = True
        self._conversations.extend_back(conversation, row["part"], row["created_at"])
        stored = self._before.get(row["id"])
        if stored is not None:
            conversation.rewritten[row["id"]] = RewrittenMessage(row, stored)
            conversation.refold = conversation.refold or message_row.folded_columns(row) != before


def _status(detail: Mapping[str, Any]) -> StatusUpdate:
    """Decode a parked status."""
    return StatusUpdate(**{**detail, "person": None})
