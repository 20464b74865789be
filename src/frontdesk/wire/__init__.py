"""`/v1` as frozen data: what the service sends is what the client reads.

The values of reports are in `frontdesk.wire.reports`.
"""

from typing import TYPE_CHECKING, Any

from frontdesk.wire.base import Wire, body_of
from frontdesk.wire.queries import ConversationFilter, ReportQuery
from frontdesk.wire.resources import (
    CATALOGUES,
    AssigneeCounts,
    CannedResponse,
    Channel,
    ChannelCounts,
    Contact,
    Conversation,
    Counts,
    CountSet,
    CustomField,
    Delivery,
    Label,
    LabelCounts,
    Media,
    MediaText,
    Message,
    MessagePreview,
    Note,
    PhoneRef,
    Pricing,
    ProviderError,
    Reaction,
    Ref,
    ReplyTo,
    StatusCounts,
    Team,
    Template,
    User,
    UserRef,
    WeeklyHours,
)
from frontdesk.wire.values import instant, timestamp

if TYPE_CHECKING:
    from frontdesk.wire.envelopes import (
        Changes,
        ConversationPage,
        MessageMatch,
        Page,
        ParameterProblem,
        PartialPage,
        Problem,
    )

__all__ = [
    "CATALOGUES",
    "AssigneeCounts",
    "CannedResponse",
    "Changes",
    "Channel",
    "ChannelCounts",
    "Contact",
    "Conversation",
    "ConversationFilter",
    "ConversationPage",
    "CountSet",
    "Counts",
    "CustomField",
    "Delivery",
    "Label",
    "LabelCounts",
    "Media",
    "MediaText",
    "Message",
    "MessageMatch",
    "MessagePreview",
    "Note",
    "Page",
    "ParameterProblem",
    "PartialPage",
    "PhoneRef",
    "Pricing",
    "Problem",
    "ProviderError",
    "Reaction",
    "Ref",
    "ReplyTo",
    "ReportQuery",
    "StatusCounts",
    "Team",
    "Template",
    "User",
    "UserRef",
    "WeeklyHours",
    "Wire",
    "body_of",
    "instant",
    "timestamp",
]


def __getattr__(name: str) -> Any:
    """Import the envelopes when they are used: a start of the viewer needs none."""
    if name in __all__:
        from frontdesk.wire import envelopes

        return getattr(envelopes, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
