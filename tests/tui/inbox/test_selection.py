"""Rows of the list: they stay where they are until a refresh, whatever the server says."""

import asyncio
from pathlib import Path

import pytest

from frontdesk.tui.widgets.conversation_list import ConversationList
from tests.soak.sandbox import send
from tests.tui.memory_inbox import (
    MemoryInbox,
    MemoryInboxApp,
    Shown,
    memory_inbox_viewer,
    name,
)
from tests.tui.random_session import RandomSession, run


def all_rows(app: MemoryInboxApp) -> list[str]:
    """The names in the list, also of what is not in view."""
    rows = app.query_one(ConversationList).rows
    return [rows[at].contact.name or "" for at in range(len(rows))]


def header(shown: Shown) -> str:
    """The chips of the view, without the counts beside them."""
    return "   ".join(shown.lines[0].split("   ")[:2])


@pytest.mark.slow
def test_rows_in_view_stay_in_the_list_until_a_key_is_pressed(tmp_path: Path) -> None:
    session = RandomSession(1)
    compared: list[str] = []

    async def live() -> None:
        async with memory_inbox_viewer(session.source, tmp_path / "cache.db") as app:
            for _ in range(20):
                await session.step(app)
                if len(app.screen_stack) > 1:
                    send(app, "escape")
                # The list of channels may be in its place.
                send(app, "2")
                await asyncio.sleep(30.0)
                shown = Shown(app)
                before = shown.names("ConversationList")
                session.change()
                await asyncio.sleep(45.0)
                existing = {name(int(id)) for id in session.source.rows}
                same_view = header(Shown(app)) == header(shown)
                # What was never answered is shown as it was when it was last read.
                if same_view and "live" in shown.lines[-1]:
                    compared.extend(before)
                    rows = all_rows(app)
                    left = [one for one in before if one in existing and one not in rows]
                    assert not left, f"{left} went from {before} after {session.actions[-8:]}"

    run(1, live)
    assert len(compared) > 200


def test_every_unread_customer_is_met_on_the_way_down_the_unread(tmp_path: Path) -> None:
    source = MemoryInbox(30)
    unread = [name(n) for n in range(1, 30) if n % 3 and source.rows[str(n)]["status"] == "open"]

    async def live() -> None:
        async with memory_inbox_viewer(source, tmp_path / "cache.db") as app:
            met = []
            for key in ("f", "u", *["j"] * (len(unread) - 1)):
                send(app, key)
                await asyncio.sleep(15.0)
                met.append(Shown(app).selected)
            assert met[1:] == unread
            assert all_rows(app) == unread

    run(0, live)


def test_a_row_that_stops_matching_is_dimmed_where_it_was_until_a_refresh(tmp_path: Path) -> None:
    source = MemoryInbox(12)

    async def live() -> None:
        async with memory_inbox_viewer(source, tmp_path / "cache.db") as app:
            before = all_rows(app)
            send(app, "j")
            await asyncio.sleep(12.0)
            selected = Shown(app).selected
            assert selected == before[1]
            source.change(str(int(selected[-3:])), status="resolved")
            await asyncio.sleep(12.0)
            conversations = app.query_one(ConversationList)
            assert all_rows(app) == before
            assert Shown(app).selected == selected
            assert conversations.dimmed == {str(int(selected[-3:]))}
            send(app, "ctrl+r")
            await asyncio.sleep(2.0)
            assert all_rows(app) == [one for one in before if one != selected]
            assert not conversations.dimmed

    run(0, live)


def test_a_row_that_matches_again_is_not_dimmed_and_there_once(tmp_path: Path) -> None:
    source = MemoryInbox(12)

    async def live() -> None:
        async with memory_inbox_viewer(source, tmp_path / "cache.db") as app:
            await asyncio.sleep(12.0)
            before = all_rows(app)
            source.change("3", status="snoozed")
            await asyncio.sleep(75.0)
            assert app.query_one(ConversationList).dimmed == {"3"}
            source.change("3", status="open")
            await asyncio.sleep(75.0)
            assert not app.query_one(ConversationList).dimmed
            assert sorted(all_rows(app)) == sorted(before)

    run(0, live)
