"""Saved views on the keys 5 to 9: defaults and the user's changes."""

from collections.abc import Mapping

from pydantic_core import from_json, to_json

from frontdesk.mailbox import Mailbox
from frontdesk.tui.screens.sieve import Sieve, View
from frontdesk.wire import ConversationFilter

DIGITS = ("5", "6", "7", "8", "9")

FIRST_VIEWS: Mapping[str, View] = {
    "5": View(filter=ConversationFilter(status="open", assignee="me")),
    "6": View(filter=ConversationFilter(status="open", assignee="unassigned")),
    "7": View(filter=ConversationFilter(status="open"), sieve=Sieve(awaiting_human=True)),
    "8": View(filter=ConversationFilter(status="snoozed")),
    "9": View(filter=ConversationFilter(status="resolved")),
}

_NAME = "inbox.views"


class SavedViews:
    """Saved views, stored per server and key in the local database."""

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox

    def of(self, digit: str) -> View:
        """View of a key."""
        return self._kept().get(digit, FIRST_VIEWS[digit])

    def save(self, digit: str, view: View) -> None:
        """Assign a view to a key."""
        kept = {
            key: one.model_dump(mode="json") for key, one in {**self._kept(), digit: view}.items()
        }
        self._mailbox.remember(_NAME, to_json(kept).decode())

    def _kept(self) -> dict[str, View]:
        text = self._mailbox.recall(_NAME)
        try:
            kept = from_json(text) if text else {}
            return {digit: View.model_validate(members) for digit, members in kept.items()}
        except (ValueError, AttributeError):
            return {}
