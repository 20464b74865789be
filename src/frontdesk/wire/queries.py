"""Query parameters of lists and reports: filters, limits, periods."""

from collections.abc import Mapping
from types import MappingProxyType

from frontdesk.wire.base import Wire

ASSIGNEE_WORDS = ("me", "unassigned", "assigned")
DEFAULT_CONVERSATION_ORDER = "activity"
CONVERSATION_ORDERS = (DEFAULT_CONVERSATION_ORDER, "waiting", "window", "created", "oldest")
GRANULARITIES = ("hour", "day", "week", "month")
COMPARISONS = ("days", "week", "month", "year")
CLOCKS = ("calendar", "business")
REPORT_PARTS = (
    *("users", "teams", "labels", "ads", "hours", "spread", "waits", "backlog"),
    "person_series",
)
# Parts that a report has in calendar time only.
CALENDAR_PARTS = ("ads",)
# Parts that a report of one user, team or label may have; at most one of these is asked for.
FILTERED_REPORT_PARTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "user": ("users", "spread", "waits", "person_series"),
        "team": ("users", "spread", "waits", "person_series"),
        "label": ("hours", "spread", "waits"),
    }
)

MAX_LIMIT = 100
CONVERSATION_LIMIT = 25
CONTACT_LIMIT = 25
MESSAGE_LIMIT = 50
CATALOGUE_LIMIT = 100


# Stands for an order that came later too.
LATER_ORDERS = ("created", "oldest")
SORT_LATER = "sort=created"
# Filters of conversations that a server may lack, and `sort`.
EXTENSIONS = frozenset({"contact", "awaiting_human", "unread", "sort", SORT_LATER, "query"})
# Authors besides users: the WhatsApp Business app on a phone, and a bot.
AUTHOR_WORDS = ("me", "phone", "ai")
MOST_VALUES = 20
MOST_FIELD_CHARACTERS = 200
MOST_QUERY_CHARACTERS, MOST_QUERY_TERMS = 1_000, 20
# What counts are given by on request, an extension. Not by labels where they are of one label.
COUNTS_BY = ("assignees", "labels")
# Parameters of reports that a server may lack.
REPORT_EXTENSIONS = frozenset({"include", "target_first_response", "target_reply"})


class ConversationFilter(Wire):
    """Filter of conversations: every member that is not None must match.

    All but the first four are extensions, which a server may lack. contact: an id. sort: one of
    CONVERSATION_ORDERS. query: terms of the query language, with the ids of what has a name.
    """

    status: str | None = None
    assignee: str | None = None
    channel: str | None = None
    label: str | None = None
    contact: str | None = None
    awaiting_human: bool | None = None
    unread: bool | None = None
    query: str | None = None
    sort: str | None = None

    def parameters(self) -> dict[str, str]:
        """The query parameters, in a fixed order, those without a value left out."""
        return {
            name: str(value).lower() if isinstance(value, bool) else value
            for name, value in vars(self).items()
            if value is not None
        }


class ReportQuery(Wire):
    """Parameters of a report; the server chooses those that are None.

    from_, to: instants with an offset, or dates of the zone; `to` itself is not in the period.
    user, team (ids) and label (a title): at most one of them.
    compare: one of COMPARISONS, how far back the previous period is. clock: one of CLOCKS. include:
    some of REPORT_PARTS, with commas between. Targets are in seconds.
    """

    from_: str | None = None
    to: str | None = None
    timezone: str | None = None
    channel: str | None = None
    user: str | None = None
    team: str | None = None
    label: str | None = None
    granularity: str | None = None
    compare: str | None = None
    clock: str | None = None
    include: str | None = None
    target_first_response: int | None = None
    target_reply: int | None = None

    def parameters(self) -> dict[str, str]:
        """The query parameters, in a fixed order, those without a value left out."""
        return {name: str(value) for name, value in self.model_dump(exclude_none=True).items()}
