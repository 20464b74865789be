"""Conversation list actions of the inbox: filter, sort, navigate, switch, search."""

from functools import partial

from textual import work

from frontdesk.phones import contact_name
from frontdesk.tui import filters
from frontdesk.tui.dialogs import open as dialogs
from frontdesk.tui.filters import ANY, SavedViews, choices_for, quickly, with_filter, with_sieve
from frontdesk.tui.inbox.frame import InboxFrame
from frontdesk.tui.local_filter import View
from frontdesk.tui.unsupported import remark_on


class Triage(InboxFrame):
    """Actions on the conversation list of the inbox screen."""

    def action_filter(self) -> None:
        """Open the filter menu, then a picker of values."""
        self.app.push_screen(dialogs.menu("Filter by", filters.FILTER_MENU), self._filter_by)

    def action_order(self) -> None:
        """Open the menu of sort orders for loaded rows."""
        order = self._queue.view.sieve.order
        self.app.push_screen(
            dialogs.menu("Order", filters.ORDER_MENU, current=order), self._order_by
        )

    def action_kept_view(self, digit: str) -> None:
        """Show the saved view of a key."""
        self._choose(SavedViews(self._mailbox).of(digit))

    def action_keep_view(self) -> None:
        """Ask for the key on which to save this view."""
        self.app.push_screen(dialogs.menu("Keep this view on", filters.KEEP_MENU), self._keep_view)

    def action_take_off(self) -> None:
        """Remove the last chip of the view."""
        chip = self._bars.last_chip()
        if chip is not None:
            self._choose(filters.without(self._queue.view, chip))

    def action_status(self, step: int) -> None:
        status = self._queue.status_beside(step)
        self._choose(with_filter(self._queue.view, status=status))

    def action_channel(self, step: int) -> None:
        """Select the next or previous channel; all channels come before the first."""
        channel = self._queue.channel_beside(step)
        if channel is None:
            self._say(self._queue.lacking("channels") or "There is no channel to go to")
        else:
            self._choose(with_filter(self._queue.view, channel=channel or None))

    def action_conversation(self, step: int) -> None:
        """Open the next or previous conversation; the focus stays in its pane."""
        self._list.action_move(step)
        self._open_selected()

    def action_unread(self, step: int) -> None:
        """Go to the next or previous unread conversation; downwards further pages are loaded."""
        position = self._queue.unread_beside(self._list.cursor, step)
        if position is not None:
            self._go_to(position)
        elif step > 0 and self._queue.sieve.idle:
            self._find_unread()
        elif step > 0:
            self._say("No unread conversation below")
        else:
            self._say("No unread conversation above")

    def action_waiting(self) -> None:
        """Go to the longest waiting loaded conversation; repeated, to the next longest."""
        position = self._queue.longest_waiting(self._list.row)
        if position is None:
            self._say("Nobody waits, of those that are loaded")
            return
        self._go_to(position)
        if not self._queue.listing.complete:
            rows, order = len(self._queue.listing), self._keys["inbox.order"]
            self._say(f"The longest wait of the {rows:,} loaded rows; {order} sorts all of them")

    def action_swap(self) -> None:
        """Go back to the previously opened conversation; repeated, forth again."""
        position = self._queue.position_before(self._reading.conversation)
        if position is None:
            self._say("There is no conversation before this one here")
        else:
            self._go_to(position)

    def action_switch(self) -> None:
        """Open the quick switcher."""
        self.app.push_screen(dialogs.switcher(self._mailbox), self._switch)

    def action_search(self) -> None:
        """Open the full-text search."""
        self.app.push_screen(dialogs.search(self._mailbox, self._clock), self._show_found)

    def action_view(self, name: str) -> None:
        """Open a view over the inbox."""
        raise NotImplementedError

    def _switch(self, place: str | None) -> None:
        kind, _, id = (place or "").partition(" ")
        if kind == "view":
            self.action_view(id)
        elif kind == "contact":
            self._show_contact(id)
        elif kind:
            self._choose(with_filter(View(), **{kind: id}))

    def _show_contact(self, id: str, name: str = "") -> None:
        """Show the conversations of a contact; `name` is used if the contact is not cached."""
        contact = self._mailbox.known_contact(id)
        name = contact_name(contact) if contact else name
        self._choose(filters.of_contact(id, name))
        self._panes.enter("list")

    def _show_found(self, found: str | None) -> None:
        """Open the conversation of a search hit, and move the cursor to the row."""
        if found is None:
            return
        conversation_id, _, key = found.partition(" ")
        conversation = self._mailbox.conversation(conversation_id)
        if conversation is None:
            self._say("This conversation is no longer kept here")
            return
        contact = conversation.contact
        self._show_contact(contact.id, contact_name(contact))
        rows = self._list.rows
        position = rows.find(f"conversation {conversation_id}") if rows is not None else None
        self._go_to(position or 0)
        entries = self._thread.rows
        place = entries.find(key) if entries is not None else None
        if place is not None:
            self._panes.enter("thread")
            self._thread.go_to(place)

    def _filter_by(self, name: str | None) -> None:
        """Apply an entry of the filter menu; open a picker if it needs a value.

        The picker is pushed synchronously, so that the next key goes to it.
        """
        if name is None:
            return
        no_me = self._queue.lacking("me") if name == "mine" else ""
        if no_me:
            self._say(no_me)
            return
        view = quickly(self._queue.view, name)
        if view is not None:
            self._choose(view)
        elif name == "keep":
            self.action_keep_view()
        elif name == "text":
            prompt = dialogs.prompt(
                "~ ", value=self._queue.sieve.text, placeholder="words of the row"
            )
            self.app.push_screen(prompt, self._take_text)
        else:
            self._ask_for(name)

    def _ask_for(self, name: str) -> None:
        """Open a picker of values for a server filter."""
        current = getattr(self._queue.filter, name)
        choices = choices_for(name, self._queue.filter, self._mailbox, self._queue.counts)
        remark = remark_on(self._mailbox, name)
        picker = dialogs.picker(f"Filter by {name}", choices, current=current or ANY, remark=remark)
        self.app.push_screen(picker, partial(self._take_choice, name))

    def _take_choice(self, name: str, value: str | None) -> None:
        if value is not None:
            self._choose(with_filter(self._queue.view, **{name: value or None}))

    def _take_text(self, text: str | None) -> None:
        if text is not None:
            self._choose(with_sieve(self._queue.view, text=text))

    def _order_by(self, order: str | None) -> None:
        if order is not None:
            self._choose(with_sieve(self._queue.view, order=order))

    def _keep_view(self, digit: str | None) -> None:
        if digit is not None:
            SavedViews(self._mailbox).save(digit, self._queue.view)
            self._say(f"Key {digit} shows this view from now on")

    @work(group="looking", exclusive=True)
    async def _find_unread(self) -> None:
        found: list[int] = []

        async def look() -> None:
            self._queue.looking = True
            try:
                position = await self._queue.unread_below(self._list.cursor)
            finally:
                self._queue.looking = False
            found.extend([] if position is None else [position])

        if await self._ask(look) and not found:
            where = "" if self._queue.listing.complete else " in what is loaded"
            self._say(f"No unread conversation below{where}")
        elif found:
            self._go_to(found[0])
