"""Full-text search dialog over the cached conversations; works offline."""

from textual import work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static

from frontdesk.cache import Hit
from frontdesk.mailbox import Mailbox
from frontdesk.phones import contact_name
from frontdesk.text import ago
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.choices import Choice
from frontdesk.tui.dialogs.picker import Picker
from frontdesk.tui.key_names import ENTER, named

MOST_HITS = 100


class SearchScreen(Picker[Hit]):
    """Returns the selected hit, which is always of a conversation."""

    def __init__(self, mailbox: Mailbox, clock: Clock, sought: str) -> None:
        super().__init__("Search", [], current=None)
        self._mailbox = mailbox
        self._clock = clock
        self._sought = sought

    def compose(self) -> ComposeResult:
        with Vertical(id="picker", classes="-wide"):
            yield Static("Search in all that was seen here", id="picker-title", markup=False)
            yield Input(self._sought, placeholder="words, or parts of them", id="picker-input")
            yield self.list
            words = f"{ENTER} go there   {{picker.leave}} back"
            yield Static(named(self, words), id="picker-keys", markup=False)

    def on_mount(self) -> None:
        self._tell_where()

    @work
    async def _tell_where(self) -> None:
        """Show the number of searched rows; counting takes longer than a search."""
        seen = await self._mailbox.seen()
        where = f"{seen.messages} messages of {seen.conversations} conversations seen here"
        self.query_one("#picker-title", Static).update(f"Search in {where}")

    def narrow(self, typed: str) -> None:
        """Search synchronously on each key; it takes milliseconds."""
        hits = self._mailbox.search(typed, limit=MOST_HITS) if typed.strip() else []
        choices = [
            Choice(
                hit,
                hit.snippet,
                self._hint(hit.conversation_id, hit.created_at),
                hit.spans,
            )
            for hit in hits
            if hit.conversation_id is not None
        ]
        self.make_room(len(choices))
        self.list.say_when_empty("nothing seen here has this" if typed.strip() else "")
        self.offer(choices)

    def _hint(self, conversation_id: str | None, created_at: str) -> str:
        conversation = self._mailbox.conversation(conversation_id or "")
        contact = conversation.contact if conversation else None
        name = contact_name(contact) if contact else ""
        moment = self._clock.local(created_at)
        return f"{name} · {ago(moment, self._clock.server_now())}" if moment else name
