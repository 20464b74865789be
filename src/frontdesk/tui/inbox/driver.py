"""Carries out what the inbox asks for: requests by the mailbox, and waits for time."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from functools import partial
from math import inf
from typing import ParamSpec, TypeVar

from textual.widget import Widget
from textual.worker import Worker

from frontdesk.errors import InboxError
from frontdesk.inbox.requests import Fetched, Order
from frontdesk.inbox.state import Inbox
from frontdesk.inbox.tasks import Asked
from frontdesk.mailbox import Mailbox
from frontdesk.mailbox.lists import RefreshResult
from frontdesk.query import QueryNames
from frontdesk.request_priority import urgent
from frontdesk.tui.filters import offered, query_names, store_lacks
from frontdesk.tui.unsupported import ignored_filters, lacking
from frontdesk.wire import Contact, Conversation, ConversationFilter, PhoneRef

P = ParamSpec("P")
T = TypeVar("T")

# Least time to the next alarm: no turn of the event loop is without a pause.
_LEAST_SECONDS = 0.001


class MailboxServer:
    """The mailbox as what answers requests of the inbox."""

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox

    async def fetch_counts(self, filter: ConversationFilter) -> None:
        await self._mailbox.refresh_counts(filter)

    async def fetch_head(self, filter: ConversationFilter, *, thorough: bool) -> Fetched:
        return _fetched(await self._mailbox.refresh_conversations(filter, thorough=thorough))

    async def fetch_older(self, filter: ConversationFilter) -> Fetched:
        return _fetched(await self._mailbox.older_conversations(filter))

    async def find_me(self) -> None:
        await self._mailbox.find_me()

    async def fetch_names(self) -> None:
        await self._mailbox.refresh_catalogues()

    async def contact_by_phone(self, phone: str) -> Contact:
        return await self._mailbox.contact_by_phone(phone)

    async def contacts_with(self, text: str) -> Sequence[Contact]:
        return (await self._mailbox.search_contacts(text)).data


def _fetched(result: RefreshResult) -> Fetched:
    return Fetched(result.added, result.unreadable)


class MailboxReads:
    """The mailbox as what the inbox may read at any time."""

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox
        self.conversations = mailbox.conversations
        self.conversation, self.conversations_by_id = (
            mailbox.conversation,
            mailbox.conversations_by_id,
        )
        self.conversations_of, self.known_contact = mailbox.conversations_of, mailbox.known_contact
        self.counts, self.newer_entry = mailbox.counts, mailbox.newer_entry
        self.unread_among, self.marked_unread = mailbox.unread_among, mailbox.marked_unread
        self.mark_read, self.mark_unread = mailbox.mark_read, mailbox.mark_unread
        self.get_setting, self.set_setting = mailbox.get_setting, mailbox.set_setting

    @property
    def connected(self) -> bool:
        return self._mailbox.connected

    @property
    def me(self) -> str:
        return self._mailbox.me

    @property
    def offered(self) -> frozenset[str]:
        return offered(self._mailbox)

    @property
    def ignored(self) -> frozenset[str]:
        return ignored_filters(self._mailbox)

    def lacking(self, feature: str) -> str:
        return lacking(self._mailbox, feature)

    def store_lacks(self) -> None:
        store_lacks(self._mailbox)

    def names(self, contacts: Iterable[PhoneRef]) -> QueryNames:
        return query_names(self._mailbox, contacts)

    def conversations_found(self, text: str) -> list[Conversation]:
        hits = self._mailbox.search(text, kinds=("conversation",))
        found = (self._mailbox.conversation(hit.conversation_id or "") for hit in hits)
        return [row for row in found if row is not None]


class Driver:
    """Hands events to the inbox, and what it asks for to the mailbox.

    node: the widget whose messages and workers these are. carry_out: does what an order says.
    """

    def __init__(
        self, node: Widget, mailbox: Mailbox, inbox: Inbox, carry_out: Callable[[Order], None]
    ) -> None:
        self._node, self._inbox = node, inbox
        self._server = MailboxServer(mailbox)
        self._carry_out = carry_out
        self._running: dict[Asked, Worker[None]] = {}
        # When the inbox has something to do, and what waits for it.
        self._due: float | None = None
        self._alarm: Worker[None] | None = None

    def do(self, event: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Hand in an event, and carry out what follows from it; returns what it returns."""
        result = event(*args, **kwargs)
        self._follow()
        return result

    def _follow(self) -> None:
        orders, requests = self._inbox.take()
        while orders or requests:
            for order in orders:
                self._carry_out(order)
            for request in requests:
                if isinstance(request, Asked):
                    send, group = partial(self._send, request), request.kind.name.lower()
                    self._running[request] = self._node.run_worker(send, group=group)
                elif request.asked in self._running:
                    self._running.pop(request.asked).cancel()
            orders, requests = self._inbox.take()
        self._set_alarm()

    async def _send(self, asked: Asked) -> None:
        tasks = self._inbox.tasks
        try:
            with urgent() if asked.urgent else nullcontext():
                value = await asked.request.send(self._server)
        except InboxError as error:
            self.do(tasks.fail, asked, error)
        else:
            self.do(tasks.answer, asked, value)
        finally:
            self._running.pop(asked, None)

    def _set_alarm(self) -> None:
        """Wait for the next time at which the inbox has something to do."""
        due = self._inbox.wake_at
        if due is not None and (self._due is None or due < self._due):
            self._due = due
            self._alarm = self._node.run_worker(self._wait, group="alarm", exclusive=True)
        elif due is None and self._alarm is not None and self._due is not None:
            self._alarm.cancel()
            self._due = None

    async def _wait(self) -> None:
        while self._due is not None:
            await asyncio.sleep(max(self._due - self._inbox.seconds(), _LEAST_SECONDS))
            # It is asked below when the next time is.
            self._due = -inf
            self.do(self._inbox.advance)
            self._due = self._inbox.wake_at
