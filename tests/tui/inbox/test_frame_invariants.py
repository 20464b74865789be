"""Invariants hold in every frame, for random keys, responses and sizes."""

import asyncio
from pathlib import Path

import pytest

from tests.soak.virtual_loop import VirtualLoop
from tests.tui.frame_invariants import TrueScreen
from tests.tui.memory_inbox import MemoryInboxApp, Shown, memory_inbox_viewer
from tests.tui.random_session import RandomSession, run


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
    session = RandomSession(seed)
    frames = 0

    async def live() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        async with memory_inbox_viewer(session.source, tmp_path / "cache.db") as app:
            true = TrueScreen(app, app.mailbox, "1", loop.time)
            wrong: list[str] = []

            def after_frame() -> None:
                nonlocal frames
                frames += 1
                try:
                    true.check()
                    check_same(app)
                except AssertionError as error:
                    shown = "\n".join(Shown(app).lines)
                    wrong.append(f"{error}\nafter {session.actions[-12:]}\n{shown}")

            app.after_frame = after_frame  # type: ignore[method-assign]
            app.after_refresh = true.refreshed  # type: ignore[method-assign]
            # Frames of dialogs are not counted, and a session may be in them for long.
            for step in range(500):
                if step >= 60 and frames > 60:
                    break
                await session.step(app)
                assert not wrong, wrong[0]
                await asyncio.sleep(0.1)
                true.focused()
            await asyncio.sleep(1.0)

    run(seed, live)
    assert frames > 60
