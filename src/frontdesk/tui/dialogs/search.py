"""Full-text search dialog over the cached messages, notes and names; works offline."""

from textual import work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static

from frontdesk.cache import Hit
from frontdesk.mailbox import Mailbox
from frontdesk.phones import contact_name
from frontdesk.query import Query
from frontdesk.text import ago
from frontdesk.tui import sentences
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.choices import Choice
from frontdesk.tui.dialogs.picker import Picker
from frontdesk.tui.dialogs.switcher import number_choices
from frontdesk.tui.key_names import ENTER, named

MOST_HITS = 100


class SearchScreen(Picker[Hit | Query]):
    """Returns the selected hit, or the query for the conversations of a number that was typed."""

    def __init__(self, mailbox: Mailbox, clock: Clock, sought: str) -> None:
        super().__init__("Search", [], current=None)
        self._mailbox = mailbox
        self._clock = clock
        self._sought = sought
        self._none = sentences.NO_MATCH_HERE

    def compose(self) -> ComposeResult:
        with Vertical(id="picker", classes="-wide"):
            yield Static(sentences.SEARCH, id="picker-title", markup=False)
            yield Input(self._sought, placeholder=sentences.SEARCH_HINT, id="picker-input")
            yield self.list
            words = f"{ENTER} go there   {{picker.leave}} back"
            yield Static(named(self, words), id="picker-keys", markup=False)

    def on_mount(self) -> None:
        self._tell_where()

    @work
    async def _tell_where(self) -> None:
        """Show the number of searched rows; counting takes longer than a search."""
        seen = await self._mailbox.seen()
        self._none = sentences.NO_MATCH_SEARCHED.format(messages=seen.messages)
        title = sentences.SEARCH_OF.format(messages=seen.messages, conversations=seen.conversations)
        self.query_one("#picker-title", Static).update(title)

    def narrow(self, typed: str) -> None:
        """Search synchronously on each key; it takes milliseconds."""
        hits = self._mailbox.search(typed, limit=MOST_HITS) if typed.strip() else []
        choices: list[Choice[Hit | Query]] = [
            Choice(hit, hit.snippet, self._hint(hit), hit.spans)
            for hit in sorted(hits, key=_is_inside)
        ]
        choices += number_choices(typed)
        self.make_room(len(choices))
        self.list.say_when_empty(self._none if typed.strip() else "")
        self.offer(choices)

    def _hint(self, hit: Hit) -> str:
        conversation = self._mailbox.conversation(hit.conversation_id or "")
        if conversation is None:
            return "customer"
        name = contact_name(conversation.contact)
        moment = self._clock.local(hit.created_at)
        return f"{name} · {ago(moment, self._clock.server_now())}" if moment else name


def _is_inside(hit: Hit) -> bool:
    """True if no match begins a word."""
    starts = (start for start, _ in hit.spans)
    return not any(not start or not hit.snippet[start - 1].isalnum() for start in starts)
