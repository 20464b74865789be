"""Lists in an order of the server: cached in that order, whatever changes and whoever asks."""

from random import Random

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.mailbox.inbox import NOW, Inbox, at, ids, shown

from frontdesk.cache import Cache
from frontdesk.mailbox import Mailbox
from frontdesk.query import sort_key
from frontdesk.wire import ConversationFilter, timestamp

STEPS = ("answer", "wait", "arrive", "resolve", "activity", "poll", "older", "poll", "older")
_NOW = int(NOW.timestamp() * 1000)


def change(inbox: Inbox, step: str, chance: Random) -> None:
    id = str(chance.randint(1, 150))
    if step == "arrive":
        id = str(len(inbox.conversations) + 1)
    inbox.bump(
        id,
        status="resolved" if step == "resolve" else "open",
        waiting_since=at(chance.randrange(400)) if step in ("wait", "arrive") else None,
        service_window_expires_at=timestamp(_NOW + chance.randint(-9_000_000, 80_000_000)),
    )


@pytest.mark.parametrize("sort", ["waiting", "window"])
@settings(
    max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(steps=st.lists(st.sampled_from(STEPS), max_size=14), seed=st.integers(0, 1000))
# The third page begins with a window that has just closed.
@example(steps=[*["answer"] * 4, "older"], seed=405)
async def test_cached_rows_are_sorted_and_match_the_server_after_a_poll(
    tmp_path_factory: pytest.TempPathFactory, sort: str, steps: list[str], seed: int
) -> None:
    inbox, chance = Inbox(), Random(seed)
    for _ in range(150):
        change(inbox, chance.choice(("wait", "answer", "arrive")), chance)
    cache = Cache(tmp_path_factory.mktemp("cache") / "cache.db", "test")
    mailbox = Mailbox(lambda: inbox, cache, clock=lambda: NOW)
    await mailbox.connect()
    by_activity = ConversationFilter(status="open")
    ordered = ConversationFilter(status="open", sort=sort)
    await mailbox.refresh_conversations(ordered)
    for step in steps:
        match step:
            case "activity":
                await mailbox.refresh_conversations(by_activity, thorough=True)
            case "poll":
                await mailbox.refresh_conversations(ordered)
                held = shown(mailbox, ordered)
                assert held == ids(inbox.listed(ordered))[: len(held)]
            case "older":
                await mailbox.refresh_conversations(ordered)
                await mailbox.older_conversations(ordered)
                held = shown(mailbox, ordered)
                assert held == ids(inbox.listed(ordered))[: len(held)]
            case _:
                change(inbox, step, chance)
        rows = list(mailbox.conversations(ordered))
        assert rows == sorted(rows, key=sort_key(sort, NOW))
        assert len({row.id for row in rows}) == len(rows)
    cache.close()


async def test_a_page_that_was_under_way_does_not_bring_back_what_was_answered(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    ordered = ConversationFilter(sort="waiting")
    for number in range(1, 121):
        inbox.bump(str(number), waiting_since=at(number))
    await mailbox.refresh_conversations(ordered)

    def meanwhile() -> None:
        inbox.between = lambda: None
        inbox.conversations["60"] = inbox.conversations["60"].model_copy(
            update={"waiting_since": None, "last_activity_at": at(9_999)}
        )

    inbox.between = meanwhile
    await mailbox.older_conversations(ordered)
    waiting = [row.id for row in mailbox.conversations(ordered) if row.waiting_since]
    assert waiting == [str(number) for number in range(1, 102) if number != 60][: len(waiting)]


@pytest.mark.parametrize(("thorough", "pages"), [(False, 5), (True, 7)])
async def test_a_poll_of_a_long_list_reads_its_first_pages_only(
    inbox: Inbox, mailbox: Mailbox, thorough: bool, pages: int
) -> None:
    ordered = ConversationFilter(sort="waiting")
    for number in range(1, 351):
        inbox.bump(str(number), waiting_since=at(number))
    await mailbox.refresh_conversations(ordered)
    for _ in range(6):
        await mailbox.older_conversations(ordered)
    assert len(mailbox.conversations(ordered)) == 350
    inbox.requests.clear()
    await mailbox.refresh_conversations(ordered, thorough=thorough)
    assert len(inbox.requests) == pages


async def test_a_row_that_another_list_brings_moves_to_its_place(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    ordered = ConversationFilter(status="open", sort="waiting")
    for number in range(1, 31):
        inbox.bump(str(number), waiting_since=at(number))
    await mailbox.refresh_conversations(ordered)
    assert shown(mailbox, ordered)[:3] == ["1", "2", "3"]
    inbox.bump("20", waiting_since=at(0))
    inbox.bump("1", waiting_since=None)
    await mailbox.refresh_conversations(ConversationFilter(status="open"))
    held = shown(mailbox, ordered)
    assert held[:3] == ["20", "2", "3"]
    assert held == ids(inbox.listed(ordered))[: len(held)]
