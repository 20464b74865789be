"""The story of a customer: all conversations as one thread, and back to the selected one."""

import re
from pathlib import Path
from typing import Any

from frontdesk.tui import sentences
from frontdesk.wire import Message, Page
from tests.tui.inbox.test_triage_frames import play, press
from tests.tui.memory_inbox import MemoryInbox, MemoryInboxApp, Shown, name


class OfOneCustomer(MemoryInbox):
    """A server on which the first customer has three conversations, one of them resolved."""

    def __init__(self) -> None:
        super().__init__(30)
        for id in ("8", "11"):
            self.rows[id] = {**self.rows[id], "contact": self.rows["0"]["contact"]}

    async def message_page(self, conversation_id: str, **options: Any) -> Page[Message]:
        page = await super().message_page(conversation_id, **options)
        if conversation_id not in ("8", "11"):
            return page
        words = [re.sub(r"Customer \d+", name(0), one.text or "") for one in page.data]
        data = tuple(
            one.model_copy(update={"text": f"In {conversation_id}, {text}"})
            for one, text in zip(page.data, words, strict=True)
        )
        return page.model_copy(update={"data": data})


def thread(app: MemoryInboxApp) -> str:
    return "\n".join(Shown(app).part("Thread"))


def text(app: MemoryInboxApp) -> str:
    return "\n".join(Shown(app).lines)


def rules(app: MemoryInboxApp) -> list[str]:
    """Words of the lines between conversations."""
    return re.findall(r"─ ((?:London|Madrid) · [^─]+) ─", thread(app))


def test_a_customers_conversations_are_one_thread_and_one_key_leads_back(tmp_path: Path) -> None:
    source = OfOneCustomer()

    async def story(app: MemoryInboxApp) -> None:
        await press(app, "g", "enter", seconds=2.0)
        alone = thread(app)
        assert f"0 from {name(0)}" in alone
        assert not rules(app)
        await press(app, "a", seconds=3.0)
        assert f"In 8, 3 from {name(0)}" in thread(app)
        assert [rule.partition(",")[0] for rule in rules(app)] == [
            "Madrid · open",
            "London · resolved",
            "London · open",
        ]
        order = [thread(app).index(f"{words}0 from") for words in ("In 11, ", "In 8, ")]
        assert order == sorted(order)
        assert "3 conversations" in text(app)
        # What is read and what the header says stay those of the selected one.
        assert app.inbox.inbox.selection.id == "0"
        await press(app, "a", seconds=1.0)
        assert thread(app) == alone

    play(source, tmp_path, story, size=(120, 60))


def test_a_reader_who_looks_at_one_conversation_returns_to_the_place_in_the_story(
    tmp_path: Path,
) -> None:
    def selected(app: MemoryInboxApp) -> str:
        return app.inbox.thread.messages.selected_key or ""

    async def story(app: MemoryInboxApp) -> None:
        await press(app, "g", "a", seconds=3.0)
        await press(app, *"kkkkkk", seconds=1.0)
        before, shown = selected(app), thread(app)
        assert before.startswith("message ")
        assert not before.startswith("message 0.")
        await press(app, "a", seconds=1.0)
        assert selected(app).startswith("message 0.")
        await press(app, "a", seconds=1.0)
        assert (selected(app), thread(app)) == (before, shown)
        await press(app, "a", seconds=1.0)
        await press(app, "j", seconds=0.5)
        moved = selected(app)
        await press(app, "a", seconds=1.0)
        assert selected(app) == moved

    play(OfOneCustomer(), tmp_path, story, size=(120, 30))


def test_a_customer_with_one_conversation_has_no_other_story(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, "g", "a", seconds=2.0)
        assert sentences.ONLY_CONVERSATION in text(app)
        assert not rules(app)

    play(MemoryInbox(10), tmp_path, story)


def test_what_is_written_in_another_conversation_comes_into_the_story(tmp_path: Path) -> None:
    source = OfOneCustomer()

    async def story(app: MemoryInboxApp) -> None:
        await press(app, "g", "a", seconds=3.0)
        source.write("8", f"And one more thing, from {name(0)}")
        await press(app, "ctrl+r", seconds=5.0)
        assert "one more thing" in thread(app)
        await press(app, "a", seconds=1.0)
        assert "one more thing" not in thread(app)

    play(source, tmp_path, story, size=(120, 60))


def test_another_conversation_ends_the_story(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, "g", "a", seconds=3.0)
        assert rules(app)
        await press(app, "J", seconds=2.0)
        assert not rules(app)
        await press(app, "K", seconds=2.0)
        assert not rules(app)
        assert f"0 from {name(0)}" in thread(app)

    play(OfOneCustomer(), tmp_path, story, size=(120, 60))


def test_who_stands_on_the_reply_window_is_told_what_it_is(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, "g", seconds=2.0)
        await press(app, "4", seconds=1.0)
        assert sentences.REPLY_WINDOW not in text(app)
        for _ in range(20):
            fact = app.inbox.contact.facts.row
            if fact is not None and fact.label == "reply window":
                break
            await press(app, "j", seconds=0.2)
        assert sentences.REPLY_WINDOW in text(app)

    play(MemoryInbox(10), tmp_path, story, size=(160, 45))
