"""Types of members: their format and known values, for the OpenAPI document.

Nothing of it is checked when a value is read: other servers may write other values.
"""

from typing import Annotated, Any, TypeVar, get_args

from pydantic import Field
from pydantic.fields import FieldInfo

from frontdesk.wire.values import (
    AUTHORS,
    DELIVERY_STEPS,
    DIRECTIONS,
    MEDIA_STATUSES,
    MEDIA_TEXT_STATUSES,
    MESSAGE_KINDS,
    PHONE_DIGITS,
    STATUSES,
)

T = TypeVar("T")

OPEN = "x-known-values"


def closed(*words: str) -> Any:
    """An enumeration that will not grow."""
    return Field(json_schema_extra={"enum": [*words]})


def known(*words: str) -> Any:
    """The values of an open enumeration that are known today; clients must accept others."""
    return Field(json_schema_extra={OPEN: [*words], "examples": [words[0]]})


# Never null on the wire: None stands for a member that is absent there.
NotNull = Annotated[T | None, Field(json_schema_extra={"nullable": False})]

_DATE_TIME = {"format": "date-time"}
Timestamp = Annotated[str, Field(json_schema_extra={**_DATE_TIME})]
Phone = Annotated[
    str, Field(json_schema_extra={"pattern": rf"^\+{PHONE_DIGITS}$", "examples": ["+16505551234"]})
]
Color = Annotated[str, Field(json_schema_extra={"pattern": "^#[0-9a-fA-F]{6}$"})]
# Beyond these, and not finite, a number is none: 30,000 years, and what 64 bits hold.
MOST_SECONDS, MOST_COUNTED = 1e12, 2**63 - 1
Count = Annotated[int, Field(le=MOST_COUNTED, json_schema_extra={"minimum": 0})]
_Duration = Field(ge=0, le=MOST_SECONDS, allow_inf_nan=False)
# Sums of milliseconds.
MillisecondSeconds = Annotated[float, _Duration]
Seconds = Annotated[float, _Duration]

Status = Annotated[str, closed(*STATUSES)]
Direction = Annotated[str, closed(*DIRECTIONS)]
Author = Annotated[str, known(*AUTHORS)]
DeliveryStatus = Annotated[str, known("pending", *DELIVERY_STEPS)]
MediaStatus = Annotated[str, known(*MEDIA_STATUSES)]
MediaTextStatus = Annotated[str, known(*MEDIA_TEXT_STATUSES)]
MessageType = Annotated[str, known(*MESSAGE_KINDS)]
TemplateCategory = Annotated[str, known("AUTHENTICATION", "MARKETING", "UTILITY")]
PriceCategory = Annotated[
    str,
    known(
        "authentication",
        "authentication_international",
        "marketing",
        "marketing_lite",
        "referral_conversion",
        "service",
        "utility",
    ),
]
PriceType = Annotated[str, known("regular", "free_customer_service", "free_entry_point")]
TemplateStatus = Annotated[
    str,
    known(
        "APPROVED",
        "PENDING",
        "REJECTED",
        "PAUSED",
        "DISABLED",
        "IN_APPEAL",
        "FLAGGED",
        "PENDING_DELETION",
        "DELETED",
        "LIMIT_EXCEEDED",
        "LOCKED",
        "REINSTATED",
        "ARCHIVED",
        "UNARCHIVED",
    ),
]
Reason = Annotated[
    str,
    known(
        "unknown",
        "repeated",
        "malformed",
        "empty",
        "not_allowed",
        "unknown_value",
        "unavailable",
        "mismatch",
        "too_long",
        "too_short",
    ),
]


def is_timestamp(member: FieldInfo) -> bool:
    """True if a member is a timestamp, or null in its place."""
    return member.json_schema_extra == _DATE_TIME or Timestamp in get_args(member.annotation)
