"""Directory view: users, teams, channels, labels and custom fields, and their conversations."""

from collections.abc import Sequence
from typing import ClassVar

from textual import work
from textual.timer import Timer

from frontdesk.mailbox import Listing
from frontdesk.text import one_line
from frontdesk.tui.screens import directory_words as say
from frontdesk.tui.screens.choices import Choice
from frontdesk.tui.screens.inbox_words import count_for
from frontdesk.tui.screens.picker import Picker
from frontdesk.tui.screens.seen import seen_conversations
from frontdesk.tui.screens.shelf_screen import Section, ShelfScreen
from frontdesk.tui.screens.view_table import Opening
from frontdesk.tui.widgets.shelf import Block, Entry, fact, heading, paragraph
from frontdesk.wire import Contact, Conversation, ConversationFilter, Counts, Team
from frontdesk.wire.values import STATUSES

REST_SECONDS = 0.2
_OPEN = ConversationFilter(status="open")


class DirectoryScreen(ShelfScreen):
    """Counts by user, channel and label come from the server, others from cached conversations."""

    SHOWN = "DIRECTORY"
    SECTIONS: ClassVar[Sequence[Section]] = (
        Section("users", "Users", "users"),
        Section("teams", "Teams", "teams"),
        Section("channels", "Channels", "channels"),
        Section("labels", "Labels", "labels"),
        Section("custom_fields", "Custom fields", "custom fields"),
    )

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._resting: Timer | None = None

    @property
    def view_name(self) -> str:
        return "directory"

    @property
    def keys(self) -> Sequence[str]:
        return (
            "{list.next}/{list.previous} move",
            "{list.open} conversations",
            "{shelf.search} search",
            "{shelf.before} {shelf.after} section",
            "{view.copy} copy",
            "{view.menu} views",
        )

    # Contents

    def entries(self, section: str) -> list[Entry]:
        catalogues = self.mailbox.catalogues
        match section:
            case "users":
                return [say.user_entry(one) for one in catalogues.users()]
            case "teams":
                return [say.team_entry(one) for one in catalogues.teams()]
            case "channels":
                counts = self.mailbox.counts(ConversationFilter())
                return [say.channel_entry(one, counts) for one in catalogues.channels()]
            case "labels":
                return [say.label_entry(one) for one in catalogues.labels()]
        return [say.field_entry(one) for one in catalogues.custom_fields()]

    def blocks(self, section: str, entry: Entry) -> list[Block]:
        catalogues = self.mailbox.catalogues
        match section:
            case "users":
                user = next(one for one in catalogues.users() if one.id == entry.id)
                teams = [t for t in catalogues.teams() if any(m.id == user.id for m in t.members)]
                return [*say.user_facts(user, teams), *self._counts(entry)]
            case "teams":
                team = next(one for one in catalogues.teams() if one.id == entry.id)
                return self._team_blocks(team)
            case "channels":
                channel = next(one for one in catalogues.channels() if one.id == entry.id)
                return [
                    *say.channel_facts(channel, catalogues.teams()),
                    *self._counts(entry),
                    *say.meta_facts(channel, self.clock),
                ]
            case "labels":
                label = next(one for one in catalogues.labels() if one.id == entry.id)
                return [*say.label_facts(label), *self._counts(entry)]
        field = next(one for one in catalogues.custom_fields() if one.id == entry.id)
        return [*say.field_facts(field), *self._seen_blocks(field.key)]

    def _counts(self, entry: Entry) -> list[Block]:
        """Conversation counts of an entry by status; of a user only the open ones."""
        assert entry.chosen is not None
        blocks = [heading("CONVERSATIONS")]
        if entry.chosen.assignee is not None:
            listing = self.mailbox.conversations(_open_of(entry))
            blocks.append(fact("open", _length(listing)))
        else:
            counts = self.mailbox.counts(entry.chosen)
            for status in STATUSES:
                chosen = entry.chosen.model_copy(update={"status": status})
                number = count_for(counts, chosen)
                blocks.append(fact(status, "…" if number is None else f"{number:,}"))
        return [*blocks, paragraph(""), self._hint("shows them in the inbox")]

    def _hint(self, words: str) -> Block:
        """Hint that names the key for opening an entry."""
        return paragraph(f"{self.key_names['list.open']} {words}", "dim")

    def _team_blocks(self, team: Team) -> list[Block]:
        """Members and channels of a team, each with its open conversations."""
        seen = [one for one in seen_conversations(self.mailbox) if one.status == "open"]
        counts = self.mailbox.counts(ConversationFilter())
        users = {one.id: one for one in self.mailbox.catalogues.users()}
        blocks = say.team_facts(team)
        blocks.append(heading(f"MEMBERS ({len(team.members)})      open, of those seen so far"))
        for member in team.members:
            mine = sum(1 for one in seen if one.assignee and one.assignee.id == member.id)
            blocks.append(say.member_line(member, users.get(member.id), mine))
        blocks.append(heading(f"NUMBERS ({len(team.channels)})"))
        names = {one.id: one_line(one.name) for one in self.mailbox.catalogues.channels()}
        for id in team.channels:
            blocks.append(fact(names.get(id, id), say.open_words(counts, id)))
        return [*blocks, paragraph(""), self._hint("chooses one of them")]

    def _seen_blocks(self, key: str) -> list[Block]:
        """Cached contacts that have a value in a custom field."""
        found = self._seen_values(key)
        blocks = [heading(f"SEEN SO FAR (~{len(found)})")]
        blocks += [
            fact(say.customer(conversation), say.value_words(contact.custom_fields[key]))
            for conversation, contact in found
        ]
        if not found:
            blocks.append(paragraph("No customer whose page was opened has a value here.", "dim"))
        else:
            blocks.append(paragraph(""))
            blocks.append(self._hint("chooses one of them"))
        return blocks

    def _seen_values(self, key: str) -> list[tuple[Conversation, Contact]]:
        found = []
        for conversation in seen_conversations(self.mailbox):
            contact = self.mailbox.contact(conversation)
            if contact is not None and contact.custom_fields.get(key) not in (None, ""):
                found.append((conversation, contact))
        return found

    # Requests

    async def read(self) -> None:
        await super().read()
        await self.ask(self._read_counts)
        if self.list.row is not None:
            self.rested(self.list.row)

    async def _read_counts(self) -> None:
        if await self.mailbox.refresh_counts(ConversationFilter()):
            self.show_saved()

    def rested(self, entry: Entry) -> None:
        """Request the counts of the entry after the cursor has been on it for `REST_SECONDS`."""
        if self._resting is not None:
            self._resting.stop()
        if entry.chosen is not None:
            self._resting = self.set_timer(REST_SECONDS, self.count_behind)

    @work(group="behind", exclusive=True)
    async def count_behind(self) -> None:
        """Request the conversation counts of the entry under the cursor."""
        entry = self.list.row
        if entry is not None and entry.chosen is not None:
            await self.ask(lambda: self._ask_behind(entry))
            self.refresh_details()

    async def _ask_behind(self, entry: Entry) -> None:
        assert entry.chosen is not None
        if entry.chosen.assignee is None:
            await self.mailbox.refresh_counts(entry.chosen)
        else:
            # /v1 has no counts by assignee: use the length of the first page.
            await self.mailbox.refresh_conversations(_open_of(entry))

    # Enter, where /v1 has no filter for the section

    def open_entry(self, section: str, entry: Entry) -> None:
        if section == "teams":
            team = next(one for one in self.mailbox.catalogues.teams() if one.id == entry.id)
            picker = Picker(f"Conversations of {entry.name}", self._team_choices(team), current="")
            self.app.push_screen(picker, self._take_of_team)
        elif section == "custom_fields":
            self._choose_seen(entry)

    def _team_choices(self, team: Team) -> list[Choice]:
        counts: Counts | None = self.mailbox.counts(ConversationFilter())
        names = {one.id: one_line(one.name) for one in self.mailbox.catalogues.channels()}
        choices = [
            Choice(f"channel {id}", names.get(id, id), say.open_words(counts, id))
            for id in team.channels
        ]
        return choices + [
            Choice(f"assignee {one.id}", f"@{one_line(one.name)}") for one in team.members
        ]

    def _take_of_team(self, value: str | None) -> None:
        if value is not None:
            name, _, id = value.partition(" ")
            status = "open" if name == "assignee" else None
            self.choose(ConversationFilter(**{"status": status, name: id}))

    def _choose_seen(self, entry: Entry) -> None:
        key = next(f.key for f in self.mailbox.catalogues.custom_fields() if f.id == entry.id)
        choices = [
            Choice(
                conversation.id,
                say.customer(conversation),
                say.value_words(contact.custom_fields[key]),
            )
            for conversation, contact in self._seen_values(key)
        ]
        if not choices:
            self.notify("No customer with a value was seen so far (~)", markup=False)
            return
        picker = Picker(f"Seen so far with {entry.name} (~{len(choices)})", choices, current="")
        self.app.push_screen(picker, self._take_seen)

    def _take_seen(self, id: str | None) -> None:
        conversation = self.mailbox.conversation(id) if id is not None else None
        if conversation is not None:
            chosen = ConversationFilter(status=conversation.status, channel=conversation.channel.id)
            name = say.customer(conversation)
            self.choose(chosen, f"{name} is among these")


def _open_of(entry: Entry) -> ConversationFilter:
    assert entry.chosen is not None
    return entry.chosen.model_copy(update={"status": "open"})


def _length(listing: Listing[Conversation]) -> str:
    """Number of loaded rows, "or more" if the list is not complete."""
    if listing.fetched_at is None:
        return "…"
    return f"{len(listing):,}" if listing.complete else f"{len(listing):,} or more"
