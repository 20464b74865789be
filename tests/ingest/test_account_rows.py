"""Numbers and templates as lists of the Graph API have them."""

from typing import Any

import pytest

from frontdesk.ingest.events import ChannelUpsert, TemplateUpsert
from frontdesk.ingest.json_reader import Malformed
from frontdesk.ingest.webhooks.account import channel, listed_template

AT = 1_773_480_413_000
DETAILS: dict[str, Any] = {
    "verified_name": None,
    "quality_rating": None,
    "status": None,
    "name_status": None,
    "messaging_limit": None,
    "throughput": None,
    "platform": None,
    "on_business_app": None,
    "synced_at": AT,
}


@pytest.mark.parametrize(
    ("members", "details"),
    [
        ({}, {}),
        ({"is_on_biz_app": True}, {"on_business_app": 1}),
        ({"is_on_biz_app": False}, {"on_business_app": 0}),
        ({"throughput": {"level": "HIGH"}}, {"throughput": "HIGH"}),
        ({"throughput": "STANDARD"}, {"throughput": "STANDARD"}),
        (
            {
                "verified_name": "Shop",
                "quality_rating": "GREEN",
                "status": "CONNECTED",
                "name_status": "APPROVED",
                "messaging_limit_tier": "TIER_1K",
                "platform_type": "CLOUD_API",
            },
            {
                "verified_name": "Shop",
                "quality_rating": "GREEN",
                "status": "CONNECTED",
                "name_status": "APPROVED",
                "messaging_limit": "TIER_1K",
                "platform": "CLOUD_API",
            },
        ),
    ],
)
def test_a_number_has_the_details_that_are_listed(members: Any, details: dict[str, Any]) -> None:
    row = {"id": "101", "display_phone_number": "+44 7700 900-001", **members}
    assert channel(row, "waba", AT) == ChannelUpsert(
        phone_number_id="101",
        at=AT,
        phone="+447700900001",
        display_phone_number="+44 7700 900-001",
        waba_id="waba",
        details={**DETAILS, **details},  # type: ignore[typeddict-item]
    )


@pytest.mark.parametrize(
    ("members", "changes"),
    [
        ({}, {}),
        ({"rejected_reason": "NONE"}, {"rejected_reason": ""}),
        ({"rejected_reason": "SCAM"}, {"rejected_reason": "SCAM"}),
        ({"quality_score": {"score": "GREEN"}}, {"quality_score": "GREEN"}),
        (
            {"category": "UTILITY", "status": "APPROVED", "components": [{"type": "BODY"}]},
            {"category": "UTILITY", "status": "APPROVED", "components": ({"type": "BODY"},)},
        ),
    ],
)
def test_a_template_has_what_is_listed(members: Any, changes: dict[str, Any]) -> None:
    row = {"id": "9", "name": "hello", "language": "en", **members}
    expected = {"id": "9", "name": "hello", "language": "en", "at": AT, "waba_id": "waba"}
    assert listed_template(row, "waba", AT) == TemplateUpsert(**{**expected, **changes})


@pytest.mark.parametrize(
    ("row", "mistake"),
    [
        ([], "a number is not an object"),
        ({"id": "x"}, "id is no phone_number_id"),
        ({"id": "101", "is_on_biz_app": 1}, "is_on_biz_app is not true or false"),
    ],
)
def test_a_number_that_cannot_be_read_is_refused(row: object, mistake: str) -> None:
    with pytest.raises(Malformed, match=mistake):
        channel(row, "waba", AT)


def test_a_template_without_a_language_is_refused() -> None:
    with pytest.raises(Malformed, match="language is missing"):
        listed_template({"id": "9", "name": "hello"}, "waba", AT)
    with pytest.raises(Malformed, match="a template is not an object"):
        listed_template(None, "waba", AT)
