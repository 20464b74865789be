"""Reads that the inbox may do at any time: of the cache, the server's abilities, and the panes."""

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from frontdesk.inbox.rows import CachedList, Place, Rows
from frontdesk.query import Query, QueryNames, SavedView
from frontdesk.wire import Contact, Conversation, ConversationFilter, Counts, PhoneRef


class ServerClock(Protocol):
    """Time here and at the server."""

    def now(self) -> datetime: ...

    def server_now(self) -> datetime: ...


class Capabilities(Protocol):
    """What is known of the server, as `ServerCapabilities` has it."""

    @property
    def offered(self) -> frozenset[str]: ...

    @property
    def ignored(self) -> frozenset[str]: ...

    def lacking(self, name: str, /) -> str: ...

    def store_lacks(self) -> None: ...


class Cached(Protocol):
    """What the inbox may read at any time, and store: the part of `Mailbox` without requests."""

    @property
    def connected(self) -> bool: ...

    @property
    def me(self) -> str: ...

    @property
    def capabilities(self) -> Capabilities: ...

    def names(self, contacts: Iterable[PhoneRef], /) -> QueryNames: ...

    def conversations(self, filter: ConversationFilter, /) -> CachedList: ...

    def follows(self, filter: ConversationFilter, /) -> bool: ...

    def conversation(self, id: str, /) -> Conversation | None: ...

    def conversations_by_id(self, ids: Collection[str], /) -> Mapping[str, Conversation]: ...

    def conversations_of(self, contact_id: str, /) -> list[Conversation]: ...

    def conversations_found(self, text: str, /) -> list[Conversation]: ...

    def conversations_saying(self, text: str, /) -> Collection[str]: ...

    def known_contact(self, id: str, /) -> Contact | None: ...

    def counts(self, filter: ConversationFilter, /) -> Counts | None: ...

    def total(self, filter: ConversationFilter, /) -> int | None: ...

    def remark(self, filter: ConversationFilter, /) -> str: ...

    def has_newest(self, conversation: Conversation, /) -> bool: ...

    def newer_entry(self, conversation: Conversation, /) -> str | None: ...

    def get_setting(self, name: str, /) -> str | None: ...

    def get_settings(self, names: Collection[str], /) -> Mapping[str, str]: ...

    def settings_with(self, value: str, /) -> Collection[str]: ...

    def settings_beginning_with(self, prefix: str, /) -> Mapping[str, str]: ...

    def set_setting(self, name: str, value: str, /) -> None: ...


class Views(Protocol):
    """Saved views."""

    def all(self) -> list[SavedView]:
        """Views with a key, in the order of keys, then the others."""

    def named(self, query: Query) -> SavedView | None: ...


class Window(Protocol):
    """The rows as the terminal shows them, and the cursor among them.

    dimmed: ids of rows that no longer match the view. after_gap: ids of rows below a line that says
    that rows are missing there. Both are set before `rows_changed`.
    """

    rows: Rows[Conversation]
    dimmed: Set[str]
    after_gap: Set[str]
    cursor: int

    @property
    def is_shown(self) -> bool:
        """False while the application ends."""

    @property
    def is_entered(self) -> bool:
        """True if keys go to the list once no dialog is open."""

    @property
    def is_covered(self) -> bool:
        """True while a dialog or another screen is open."""

    @property
    def row(self) -> Conversation | None:
        """The row under the cursor."""

    @property
    def selected_id(self) -> str | None:
        """Id of the row that was under the cursor, as long as other rows were not announced."""

    @property
    def is_by_input(self) -> bool:
        """True if a key or a click selected that row."""

    def take_for_input(self, *, also_none: bool = False) -> None:
        """Take the selected row for one that a key selected. also_none: the next one, without."""

    @property
    def marked(self) -> Sequence[str]:
        """Ids of the marked conversations."""

    def mark_only(self, conversation_ids: Sequence[str]) -> None:
        """Mark these conversations and no others."""

    @property
    def place(self) -> Place | None:
        """Scroll position for `return_to`; None without rows."""

    def return_to(self, rows: Rows[Conversation], place: Place) -> bool:
        """Show rows at a scroll position; False if its rows are gone."""

    @property
    def goes_on(self) -> bool:
        """True while a movement to an end goes on over rows that are loaded."""

    @property
    def at_start(self) -> bool:
        """True if the first line of the first row is visible."""

    def in_view(self) -> Sequence[int]:
        """Positions of the visible rows."""

    def keys_in_view(self) -> Sequence[str]:
        """Keys of the visible rows."""

    def show(self, rows: Rows[Conversation], *, cursor: int = 0) -> None:
        """Show other rows from their start, and reveal the one at `cursor`."""

    def rows_changed(self, shown: Sequence[str] = (), *, cursor: int | None = None) -> None:
        """Show other `rows` of the same view, with the cursor on one of them.

        shown: keys of those that were visible before. cursor: None if nothing was selected.
        """

    def go_to(self, position: int, *, by_input: bool = True) -> None: ...

    def go_to_last(self) -> None:
        """Go to the last row, and on over those that this loads."""

    def refresh_rows(self) -> None:
        """Draw the rows anew."""

    def stop(self) -> object:
        """End a movement to an end."""

    def loading_more(self) -> AbstractContextManager[None]:
        """While rows are loaded at an end, a movement to that end goes on over them."""


class ThreadWindow(Protocol):
    """The thread as the terminal shows it."""

    @property
    def is_entered(self) -> bool:
        """True if keys go to the thread once no dialog is open."""

    @property
    def shown_beside(self) -> Collection[str]:
        """Ids of conversations whose entries are shown with those of the selected one."""

    @property
    def shows_end(self) -> bool:
        """True if the last entry of the thread is displayed."""
