"""Detects query filters that the server ignores, and applies them to the response."""

from collections.abc import Callable, Mapping

from frontdesk.client.server import IGNORED, Notebook
from frontdesk.wire import Contact, Conversation, ConversationFilter, Page

_HERE = "The server sends rows that do not match; they are left out here."


class Filtering:
    """Applies filters to received pages, and records which ones the server ignores."""

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook

    def conversations(
        self, page: Page[Conversation], filter: ConversationFilter
    ) -> Page[Conversation]:
        """Rows that match the filter; a row that lacks the member is assumed to match."""
        kept = page.data
        for name, value in filter.parameters().items():
            matches = _matcher(name, value)
            left = tuple(row for row in kept if matches(row))
            if len(left) < len(kept):
                self._notebook.feature(f"filter_{name}", IGNORED, _HERE)
                kept = left
            self._notebook.works(f"filter_{name}")
        return page if kept is page.data else page.model_copy(update={"data": kept})

    def knows_me(self, page: Page[Conversation]) -> bool:
        """False if the rows of a filter for "me" have several assignees."""
        return len({row.assignee.id if row.assignee else "" for row in page.data}) < 2

    def contacts(self, page: Page[Contact], q: str) -> Page[Contact]:
        """Matching rows. If at least half match, all: the server may search in further members."""
        words = q.casefold().split()
        left = tuple(row for row in page.data if _is_found(row, words))
        if 2 * len(left) >= len(page.data):
            self._notebook.works("search_contacts")
            return page
        self._notebook.feature("search_contacts", IGNORED, _HERE)
        return page.model_copy(update={"data": left})


def _matcher(name: str, value: str) -> Callable[[Conversation], bool]:
    """Predicate of a filter; True for rows that lack the member."""
    matchers: Mapping[str, Callable[[Conversation], bool]] = {
        "status": lambda row: row.status in (value, "unknown"),
        "channel": lambda row: row.channel.id in (value, ""),
        "label": lambda row: (
            "labels" not in row.model_fields_set
            or value.casefold() in (label.casefold() for label in row.labels)
        ),
        "assignee": lambda row: _is_assigned(row, value),
    }
    return matchers[name]


def _is_assigned(row: Conversation, wanted: str) -> bool:
    if wanted == "me" or "assignee" not in row.model_fields_set:
        return True
    if wanted in ("assigned", "unassigned"):
        return (row.assignee is None) == (wanted == "unassigned")
    return row.assignee is not None and row.assignee.id == wanted


def _is_found(row: Contact, words: list[str]) -> bool:
    """True if every word is in a name, e-mail address, custom field or phone number."""
    said = [row.name, row.profile_name, row.username, row.email, row.phone, row.wa_id]
    said += [text for text in row.custom_fields.values() if isinstance(text, str)]
    text = " ".join(word.casefold() for word in said if word)
    digits = "".join(filter(str.isdigit, row.phone or row.wa_id or ""))
    return all(word in text or _is_number(word, digits) for word in words)


def _is_number(word: str, digits: str) -> bool:
    wanted = "".join(filter(str.isdigit, word))
    return len(wanted) >= 3 and wanted in digits
