"""The mailbox over a list that moves while it is read."""

import asyncio
import random
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cache.pages import shrunk
from tests.mailbox.inbox import (
    ALL,
    NOW,
    OPEN,
    Inbox,
    at,
    ids,
    shown,
)

from frontdesk.cache import Cache
from frontdesk.errors import BadResponse, CursorRefused, Forbidden, NotFound, Unreachable
from frontdesk.mailbox import Mailbox, RefreshResult
from frontdesk.system.request_priority import in_background
from frontdesk.wire import (
    ConversationFilter,
    Counts,
    Label,
    Note,
)


def test_opening_the_mailbox_imports_no_network_stack() -> None:
    program = "import sys, frontdesk.mailbox; sys.exit('httpx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


async def test_before_it_is_connected_the_cache_answers_and_the_server_is_unreachable(
    inbox: Inbox, cache: Cache
) -> None:
    mailbox = Mailbox(lambda: inbox, cache)
    assert not mailbox.connected
    assert len(mailbox.conversations(ALL)) == 0
    with pytest.raises(Unreachable):
        await mailbox.refresh_conversations(ALL)


async def test_several_that_connect_at_once_have_one_client(inbox: Inbox, cache: Cache) -> None:
    made: list[Inbox] = []

    def make() -> Inbox:
        made.append(inbox)
        return inbox

    mailbox = Mailbox(make, cache)
    await asyncio.gather(*(mailbox.connect() for _ in range(3)))
    assert len(made) == 1
    await mailbox.close()


async def test_closing_gives_up_the_connections(inbox: Inbox, cache: Cache) -> None:
    mailbox = Mailbox(lambda: inbox, cache)
    await mailbox.connect()
    assert mailbox.connected
    await mailbox.close()
    assert inbox.closed
    assert not mailbox.connected


async def test_the_first_refresh_reads_one_page(inbox: Inbox, mailbox: Mailbox) -> None:
    assert await mailbox.refresh_conversations(ALL) == RefreshResult(True)
    assert shown(mailbox) == ids(inbox.listed(ALL))[:50]
    assert inbox.requests == ["conversations"]
    assert mailbox.conversations(ALL).fetched_at == NOW


def date_in_the_future(inbox: Inbox) -> None:
    moved = inbox.conversations["7"].model_copy(update={"last_activity_at": at(10**6)})
    inbox.conversations["7"] = moved


async def test_a_refresh_leaves_no_gap_below_a_row_that_is_dated_in_the_future(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    date_in_the_future(inbox)
    await mailbox.refresh_conversations(ALL)
    await mailbox.older_conversations(ALL)
    for number in range(100, 220):
        inbox.bump(str(number))
    await mailbox.refresh_conversations(ALL)
    loaded = shown(mailbox)
    assert loaded[:150] == ids(inbox.listed(ALL))[:150]
    inbox.requests.clear()
    inbox.bump("300")
    assert (await mailbox.refresh_conversations(ALL)).added == ("300",)
    assert inbox.requests == ["conversations"]


async def test_after_many_news_no_gap_is_below_a_row_that_is_dated_in_the_future_either(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    date_in_the_future(inbox)
    await mailbox.refresh_conversations(ALL)
    for number in range(100, 500):
        inbox.bump(str(number))
    assert (await mailbox.refresh_conversations(ALL)).restarted
    await mailbox.older_conversations(ALL)
    assert shown(mailbox) == ids(inbox.listed(ALL))[:300]


async def test_older_pages_go_to_the_end_and_no_further(inbox: Inbox, mailbox: Mailbox) -> None:
    await mailbox.refresh_conversations(ALL)
    while not mailbox.conversations(ALL).complete:
        assert (await mailbox.older_conversations(ALL)).changed
    assert shown(mailbox) == ids(inbox.listed(ALL))
    asked = len(inbox.requests)
    assert await mailbox.older_conversations(ALL) == RefreshResult(False)
    assert len(inbox.requests) == asked == 8


async def test_two_that_need_the_next_page_at_once_load_it_once(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    await mailbox.refresh_conversations(ALL)
    asked = len(inbox.requests)
    first_cursor = mailbox.conversations(ALL).cursor

    async def after_the_commit() -> RefreshResult:
        # Holds the event loop until the other thread has saved the page: whoever waits for it has
        # not been told yet.
        while mailbox.conversations(ALL).cursor == first_cursor:
            continue
        return await mailbox.older_conversations(ALL)

    results = await asyncio.gather(
        *(mailbox.older_conversations(ALL) for _ in range(2)), after_the_commit()
    )
    assert all(result.changed for result in results)
    assert len(inbox.requests) == asked + 1
    assert shown(mailbox) == ids(inbox.listed(ALL))[:100]


async def test_a_page_in_the_background_keeps_nobody_waiting(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    await mailbox.refresh_conversations(ALL)
    resting, rested = asyncio.Event(), asyncio.Event()

    async def pause() -> None:
        resting.set()
        await rested.wait()

    with in_background(pause):
        behind = asyncio.create_task(mailbox.older_conversations(ALL))
    await resting.wait()
    assert (await mailbox.older_conversations(ALL)).changed
    rested.set()
    assert (await behind).changed
    # The page that was needed in the background is the one that was loaded meanwhile.
    assert shown(mailbox) == ids(inbox.listed(ALL))[:100]
    assert len(inbox.requests) == 2


async def test_a_refresh_without_news_reads_one_page_and_changes_nothing(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    await mailbox.refresh_conversations(ALL)
    assert await mailbox.refresh_conversations(ALL) == RefreshResult(False)
    assert len(inbox.requests) == 2


async def test_a_refresh_keeps_older_rows_and_reports_what_is_new(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    await mailbox.refresh_conversations(ALL)
    await mailbox.older_conversations(ALL)
    inbox.bump("900")
    inbox.bump("360")
    refreshed = await mailbox.refresh_conversations(ALL)
    assert refreshed == RefreshResult(True, added=("360", "900"))
    assert shown(mailbox) == ids(inbox.listed(ALL))[:101]


async def test_a_refresh_reads_on_until_it_meets_what_is_held(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    await mailbox.refresh_conversations(ALL)
    for number in range(1000, 1120):
        inbox.bump(str(number))
    refreshed = await mailbox.refresh_conversations(ALL)
    assert (len(refreshed.added), refreshed.restarted) == (120, False)
    assert len(inbox.requests) == 1 + 3
    assert shown(mailbox) == ids(inbox.listed(ALL))[:170]


async def test_after_a_long_absence_the_list_starts_again(inbox: Inbox, mailbox: Mailbox) -> None:
    await mailbox.refresh_conversations(ALL)
    for number in range(1000, 1400):
        inbox.bump(str(number))
    assert (await mailbox.refresh_conversations(ALL)).restarted
    assert shown(mailbox) == ids(inbox.listed(ALL))[:250]
    await mailbox.older_conversations(ALL)
    assert shown(mailbox) == ids(inbox.listed(ALL))[:300]


async def test_an_interrupted_refresh_leaves_no_gap(inbox: Inbox, mailbox: Mailbox) -> None:
    await mailbox.refresh_conversations(ALL)
    before = shown(mailbox)
    for number in range(1000, 1120):
        inbox.bump(str(number))
    inbox.failures["conversations cursor"] = Unreachable("The connection was lost")
    with pytest.raises(Unreachable):
        await mailbox.refresh_conversations(ALL)
    assert shown(mailbox) == before


async def test_a_conversation_that_left_the_filter_goes_from_its_list_only(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    for filter in (OPEN, ALL):
        await mailbox.refresh_conversations(filter)
    gone = inbox.conversations["390"].model_copy(update={"status": "resolved"})
    inbox.conversations["390"] = gone
    for filter in (OPEN, ALL):
        await mailbox.refresh_conversations(filter)
    assert "390" not in shown(mailbox, OPEN)
    assert "390" in shown(mailbox, ALL)
    assert mailbox.conversation("390") == gone


async def test_a_refresh_down_to_a_time_loads_all_since_below_a_row_dated_in_the_future_too(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    since = datetime.fromisoformat(at(inbox.clock + 1))
    inbox.clock += 1_000_000
    inbox.bump("400")
    inbox.clock -= 1_000_000
    await mailbox.refresh_conversations(ALL)
    for number in range(1, 101):
        inbox.bump(str(number))
    inbox.requests.clear()
    await mailbox.refresh_conversations(ALL, down_to=since)
    assert shown(mailbox)[:101] == ids(inbox.listed(ALL))[:101]
    assert len(inbox.requests) == 3


async def test_a_thorough_refresh_finds_what_left_further_down(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    await mailbox.refresh_conversations(ALL)
    await mailbox.older_conversations(ALL)
    del inbox.conversations["310"]
    await mailbox.refresh_conversations(ALL)
    assert "310" in shown(mailbox)
    await mailbox.refresh_conversations(ALL, thorough=True)
    assert shown(mailbox) == ids(inbox.listed(ALL))[: len(shown(mailbox))]


async def test_an_expired_cursor_costs_nobody_a_place(inbox: Inbox, mailbox: Mailbox) -> None:
    await mailbox.refresh_conversations(ALL)
    for _ in range(2):
        await mailbox.older_conversations(ALL)
    listing = mailbox.conversations(ALL)
    place = listing.position("260")
    assert place is not None
    assert listing.cursor is not None
    inbox.expired.add(listing.cursor)
    inbox.bump("900")
    refreshed = await mailbox.older_conversations(ALL)
    assert (refreshed.added, refreshed.restarted) == (("900",), False)
    listing.reload()
    assert listing.position("260") == place + 1
    assert ids(listing) == ids(inbox.listed(ALL))[:200]
    assert listing.cursor not in inbox.expired
    await mailbox.older_conversations(ALL)
    assert shown(mailbox) == ids(inbox.listed(ALL))[:250]


async def test_an_expired_cursor_of_a_thread_keeps_its_messages(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    inbox.write("7", 200)
    await mailbox.refresh_thread("7")
    await mailbox.older_messages("7")
    thread = mailbox.thread("7")
    anchor = thread[0].id
    assert thread.cursor is not None
    inbox.expired.add(thread.cursor)
    inbox.write("7", 1)
    await mailbox.older_messages("7")
    thread.reload()
    assert thread.position(anchor) == 49
    assert [row.id for row in thread] == [row.id for row in inbox.messages["7"]][-150:]


async def test_a_list_too_long_to_be_read_again_is_cut_and_its_conversations_are_kept(
    inbox: Inbox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("frontdesk.mailbox.lists.RESTART_PAGES", 2)
    await mailbox.refresh_conversations(ALL)
    for _ in range(3):
        await mailbox.older_conversations(ALL)
    cursor = mailbox.conversations(ALL).cursor
    assert cursor is not None
    inbox.expired.add(cursor)
    assert (await mailbox.older_conversations(ALL)).restarted
    assert shown(mailbox) == ids(inbox.listed(ALL))[:100]
    assert mailbox.conversation("210") is not None
    await mailbox.older_conversations(ALL)
    assert shown(mailbox) == ids(inbox.listed(ALL))[:150]


async def test_a_server_that_refuses_every_cursor_has_its_head_shown(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    await mailbox.refresh_conversations(ALL)
    await mailbox.older_conversations(ALL)
    inbox.failures["conversations cursor"] = CursorRefused("Start again", code="invalid_cursor")
    with pytest.raises(BadResponse, match="cursor that it has just given: the list stops here"):
        await mailbox.older_conversations(ALL)
    assert shown(mailbox) == ids(inbox.listed(ALL))[:50]
    assert mailbox.conversation("310") is not None
    inbox.failures["conversations cursor"] = AssertionError("it was asked for again")
    assert not (await mailbox.older_conversations(ALL)).changed


async def test_a_walk_goes_on_where_room_was_made_in_the_cache(
    inbox: Inbox, mailbox: Mailbox, cache: Cache, tmp_path: Path
) -> None:
    await mailbox.refresh_conversations(ALL)
    while not mailbox.conversations(ALL).complete:
        await mailbox.older_conversations(ALL)
    await shrunk(cache, tmp_path / "pages.db")
    assert shown(mailbox) == ids(inbox.listed(ALL))[:50]
    inbox.bump("100")
    await mailbox.refresh_conversations(ALL)
    while not mailbox.conversations(ALL).complete:
        await mailbox.older_conversations(ALL)
    assert shown(mailbox) == ids(inbox.listed(ALL))


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32), pace=st.integers(0, 25))
async def test_a_walk_over_a_moving_list_and_one_refresh_miss_nothing(
    tmp_path_factory: pytest.TempPathFactory, seed: int, pace: int
) -> None:
    inbox, chance = Inbox(), random.Random(seed)
    for number in range(1, 201):
        inbox.bump(str(number))
    cache = Cache(tmp_path_factory.mktemp("cache") / "pages-1.db", "test")
    mailbox = Mailbox(lambda: inbox, cache)
    await mailbox.connect()

    def move() -> None:
        for _ in range(chance.randint(0, pace)):
            inbox.bump(str(chance.randint(1, 220)))

    inbox.between = move
    await mailbox.refresh_conversations(ALL)
    for _ in range(100):
        if mailbox.conversations(ALL).complete:
            break
        await mailbox.older_conversations(ALL)
    inbox.between = lambda: None
    await mailbox.refresh_conversations(ALL)
    while not mailbox.conversations(ALL).complete:
        await mailbox.older_conversations(ALL)
    assert list(mailbox.conversations(ALL)) == inbox.listed(ALL)
    cache.close()


async def test_a_thread_opens_at_its_end_and_grows_upwards(inbox: Inbox, mailbox: Mailbox) -> None:
    inbox.write("7", 120)
    await mailbox.refresh_thread("7")
    thread = mailbox.thread("7")
    assert [row.id for row in thread] == [row.id for row in inbox.messages["7"]][-50:]
    await mailbox.older_messages("7")
    await mailbox.older_messages("7")
    thread.reload()
    assert [row.id for row in thread] == [row.id for row in inbox.messages["7"]]
    assert thread.complete


async def test_new_messages_are_reported_and_appended(inbox: Inbox, mailbox: Mailbox) -> None:
    inbox.write("7", 5)
    await mailbox.refresh_thread("7")
    inbox.write("7", 2)
    newest = [row.id for row in inbox.messages["7"]][-2:]
    assert (await mailbox.refresh_thread("7")).added == tuple(reversed(newest))


async def test_notes_older_than_the_loaded_messages_wait_for_them(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    for _ in range(70):
        inbox.annotate("7")
    inbox.write("7", 60)
    inbox.annotate("7")
    await mailbox.refresh_thread("7")
    await mailbox.refresh_notes("7")
    assert [type(row) for row in mailbox.thread("7")].count(Note) == 1
    assert len(mailbox.notes("7")) == 50
    await mailbox.older_messages("7")
    assert [type(row) for row in mailbox.thread("7")].count(Note) == 71
    moments = [row.created_at for row in mailbox.thread("7")]
    assert moments == sorted(moments)


async def test_no_notes_are_known_only_after_they_were_read(inbox: Inbox, mailbox: Mailbox) -> None:
    assert not mailbox.has_read_notes("7")
    await mailbox.refresh_notes("7")
    assert mailbox.has_read_notes("7")
    assert mailbox.notes("7") == []


async def test_a_server_without_notes_has_none(inbox: Inbox, mailbox: Mailbox) -> None:
    inbox.failures["notes"] = NotFound("No such path")
    assert await mailbox.refresh_notes("7") == RefreshResult(False)
    assert mailbox.notes("7") == []


async def test_a_conversation_that_is_gone_leaves_the_lists(inbox: Inbox, mailbox: Mailbox) -> None:
    await mailbox.refresh_conversations(ALL)
    inbox.failures["messages"] = NotFound("No such conversation")
    with pytest.raises(NotFound):
        await mailbox.refresh_thread("390")
    assert "390" not in shown(mailbox)


async def test_catalogues_are_read_to_their_end(inbox: Inbox, mailbox: Mailbox) -> None:
    inbox.labels = tuple(Label(id=str(number), title=f"label {number}") for number in range(5))
    assert await mailbox.refresh_catalogues() == {}
    assert mailbox.catalogues.labels() == list(inbox.labels)
    assert [user.name for user in mailbox.catalogues.users()] == ["Ana"]
    assert [channel.name for channel in mailbox.catalogues.channels()] == ["Support"]
    assert [field.key for field in mailbox.catalogues.custom_fields()] == ["plan"]


async def test_a_catalogue_that_the_key_may_not_read_does_not_stop_the_others(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    inbox.failures["labels"] = Forbidden("Not with this key", scope="labels:read")
    inbox.failures["custom_fields"] = NotFound("No such path")
    assert sorted(await mailbox.refresh_catalogues()) == ["custom_fields", "labels"]
    assert mailbox.catalogues.labels() == []
    assert len(mailbox.catalogues.users()) == 1


async def test_counts_are_those_last_seen(inbox: Inbox, mailbox: Mailbox) -> None:
    assert mailbox.counts(OPEN) is None
    await mailbox.refresh_counts(OPEN)
    assert mailbox.counts(OPEN) == Counts(all=400)
    assert mailbox.counts(ALL) is None
    assert mailbox.counts(ConversationFilter(status="open", sort="waiting")) == Counts(all=400)
    assert mailbox.counts(ConversationFilter(status="open", assignee="me")) is None


async def test_cached_rows_and_settings_are_available_offline_at_the_next_start(
    inbox: Inbox, tmp_path: Path
) -> None:
    first = Cache(tmp_path / "kept" / "pages-1.db", "one")
    mailbox = Mailbox(lambda: inbox, first)
    await mailbox.connect()
    await mailbox.refresh_conversations(ALL)
    mailbox.set_setting("last conversation", "390")
    first.close()
    second = Cache(tmp_path / "kept" / "pages-1.db", "one")
    offline = Mailbox(lambda: inbox, second)
    assert shown(offline) == ids(inbox.listed(ALL))[:50]
    assert offline.get_setting("last conversation") == "390"
    second.close()
