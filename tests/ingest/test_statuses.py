"""Merging two statuses of one step: the earlier time, the later pricing."""

from dataclasses import replace

from frontdesk.ingest.apply.message_row import merged_status
from frontdesk.ingest.events import Person, StatusUpdate

PLAIN = StatusUpdate("108200000000011", Person("+16505551234"), "wamid.A", 2_000, "delivered")
PRICED = replace(PLAIN, at=3_000, category="utility", billable=True)


def test_the_earlier_time_and_the_pricing_of_either_hold_in_both_orders() -> None:
    for merged in (merged_status(PLAIN, PRICED), merged_status(PRICED, PLAIN)):
        assert (merged.at, merged.category, merged.billable) == (2_000, "utility", True)


def test_without_pricing_it_is_the_earlier_report() -> None:
    later = replace(PLAIN, at=5_000)
    assert merged_status(PLAIN, later) == merged_status(later, PLAIN) == PLAIN
