"""Invariants hold in every frame, for random keys, responses and sizes."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from frontdesk.wire import Message, Page
from tests.soak.virtual_loop import VirtualLoop
from tests.tui.frame_invariants import TrueScreen
from tests.tui.memory_inbox import MemoryInbox, MemoryInboxApp, Shown, memory_inbox_viewer, name
from tests.tui.random_session import KEYS, RandomSession, run


def check_same(app: MemoryInboxApp) -> None:
    """Everything that names a customer names the one of the highlighted row."""
    shown = Shown(app)
    header = shown.names("#thread-title")
    thread, contact = shown.names("Thread"), shown.names("ContactPanel")
    row = [shown.selected] if shown.selected else []
    named = {*row, *header, *thread, *contact}
    assert len(named) <= 1, f"row {row}, header {header}, thread {thread}, contact {contact}"
    if named and shown.part("#thread-title"):
        assert header, f"the header is silent about {named}"
    if named and shown.part("Thread"):
        assert thread or "".join(shown.part("Thread")).strip(), f"the thread of {named} is blank"


# Every third is of another server.
SLOW = [pytest.param(number, marks=pytest.mark.slow) for number in range(4)]


@pytest.mark.parametrize("seed", [*SLOW, 11])
def test_invariants_hold_in_every_frame(tmp_path: Path, seed: int) -> None:
    check_every_frame(RandomSession(seed), seed, tmp_path)


class SharedCustomers(MemoryInbox):
    """Customers have up to two conversations; what is said names the customer."""

    def __init__(self, size: int, seconds: Callable[[], float | None] = lambda: 0.0) -> None:
        super().__init__(size, seconds)
        for number in range(size // 2, size):
            contact = self.rows[str(number - size // 2)]["contact"]
            self.rows[str(number)] = {**self.rows[str(number)], "contact": contact}

    async def message_page(
        self, conversation_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Message]:
        page = await super().message_page(conversation_id, limit=limit, cursor=cursor)
        own, shared = name(int(conversation_id)), self.rows[conversation_id]["contact"]["name"]
        said = [one.model_copy(update={"text": _renamed(one, own, shared)}) for one in page.data]
        return page.model_copy(update={"data": tuple(said)})


def _renamed(message: Message, own: str, shared: str) -> str:
    return (message.text or "").replace(own, shared)


@pytest.mark.parametrize("seed", [*SLOW, 13])
def test_invariants_hold_while_stories_are_opened_and_left(tmp_path: Path, seed: int) -> None:
    keys = (*KEYS, *("a",) * 8)
    session = RandomSession(seed, SharedCustomers, keys)
    check_every_frame(session, seed, tmp_path, least_stories=1)


def check_every_frame(
    session: RandomSession, seed: int, directory: Path, *, least_stories: int = 0
) -> None:
    """Let a session take its course until it has shown enough. least_stories: frames with one."""
    frames = stories = 0

    async def live() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        async with memory_inbox_viewer(session.source, directory / "cache.db") as app:
            true = TrueScreen(app, app.mailbox, "1", loop.time)
            wrong: list[str] = []

            def after_frame() -> None:
                nonlocal frames, stories
                frames += 1
                stories += app.inbox.thread.story is not None
                try:
                    true.check()
                    check_same(app)
                except AssertionError as error:
                    shown = "\n".join(Shown(app).lines)
                    wrong.append(f"{error}\nafter {session.actions[-12:]}\n{shown}")

            app.after_frame = after_frame  # type: ignore[method-assign]
            app.before_action = true.acts  # type: ignore[method-assign]
            # Frames of dialogs are not counted, and a session may be in them for long.
            for step in range(500):
                if step >= 60 and frames > 60 and stories >= least_stories:
                    break
                await session.step(app)
                assert not wrong, wrong[0]
                await asyncio.sleep(0.1)
                true.focused()
            await asyncio.sleep(1.0)

    run(seed, live)
    assert frames > 60
    assert stories >= least_stories
