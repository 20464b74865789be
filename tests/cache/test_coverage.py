"""What of the conversations is kept whole on this computer: the rule, its words, the lease."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from frontdesk.cache import Cache
from frontdesk.cache.coverage import LEASE_SECONDS, Coverage
from frontdesk.settings import KeepRule

NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "rule", "noun", "since"),
    [
        ("all", KeepRule("all"), "conversations", None),
        ("open", KeepRule("open", status="open"), "open conversations", None),
        (
            "1d",
            KeepRule("1d", days=1),
            "conversations of the last 1 days",
            datetime(2026, 3, 13, 10, 0, tzinfo=UTC),
        ),
        (
            "3650d",
            KeepRule("3650d", days=3650),
            "conversations of the last 3650 days",
            datetime(2016, 3, 16, 10, 0, tzinfo=UTC),
        ),
    ],
)
def test_what_to_keep_is_all_what_is_open_or_of_some_days(
    text: str, rule: KeepRule, noun: str, since: datetime | None
) -> None:
    found = KeepRule.parse(text)
    assert found == rule
    assert (found.noun, found.since(NOW)) == (noun, since)


def test_nothing_is_kept_if_it_is_off() -> None:
    assert KeepRule.parse("off") is None


@pytest.mark.parametrize("text", ["", "0d", "3651d", "30", "30m", "ALL", "resolved"])
def test_another_text_is_no_rule(text: str) -> None:
    with pytest.raises(ValueError, match='use "off", "open", "all" or a number of days, as "30d"'):
        KeepRule.parse(text)


@pytest.mark.parametrize(
    ("coverage", "words"),
    [
        (Coverage("all", 1_200, 1_200, whole=True), "all 1,200 conversations"),
        (Coverage("open", 7, 1_200), "7 of 1,200 open conversations"),
        (Coverage("30d", 7, 9, filling=True), "7 of 9 conversations of the last 30 days (filling)"),
        (
            Coverage("all", 7, 9, filling=True, full=True),
            "7 of 9 conversations (the rest does not fit)",
        ),
        (Coverage("off", 7, 9), "7 of 9 conversations"),
    ],
)
def test_how_much_is_kept_is_said_in_words(coverage: Coverage, words: str) -> None:
    assert coverage.words == words


async def test_one_process_fills_the_cache_until_its_lease_ends(tmp_path: Path) -> None:
    now = NOW

    def clock() -> datetime:
        return now

    path = tmp_path / "pages.db"
    one, other = (Cache(path, "test", clock=clock).fill_progress for _ in range(2))
    assert await one.claim()
    assert not await other.claim()
    now += timedelta(seconds=LEASE_SECONDS - 1)
    assert not await other.claim()
    # Renewed, it lasts as long again.
    assert await one.claim()
    now += timedelta(seconds=LEASE_SECONDS - 1)
    assert not await other.claim()
    await other.release()
    assert not await other.claim()
    now += timedelta(seconds=1)
    assert await other.claim()
    assert not await one.claim()
    await other.release()
    assert await one.claim()


async def test_a_lease_of_a_wrong_clock_counts_as_ended(tmp_path: Path) -> None:
    now = NOW + timedelta(days=1)
    path = tmp_path / "pages.db"
    ahead = Cache(path, "test", clock=lambda: now).fill_progress
    right = Cache(path, "test", clock=lambda: NOW).fill_progress
    assert await ahead.claim()
    assert await right.claim()


async def test_nothing_is_said_of_a_cache_that_was_never_filled(cache: Cache) -> None:
    assert cache.fill_progress.coverage() is None
    assert cache.fill_progress.state() is None
    assert cache.fill_progress.reach("open", "") == (False, None)
