"""Directory view: users, teams, channels, labels and custom fields, and their conversations.

Entries and details are pure functions of the catalogues.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

from textual import work
from textual.timer import Timer

from frontdesk.inbox.server_counts import count_for, counted_filter
from frontdesk.mailbox import Listing
from frontdesk.query import Term, reference
from frontdesk.query.terms import TEAM
from frontdesk.text.clean import first_non_blank, humanize, one_line
from frontdesk.text.phones import contact_name, format_phone
from frontdesk.text.times import short_date, time_of_day
from frontdesk.tui import sentences
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.base import Choice
from frontdesk.tui.dialogs.factories import ask
from frontdesk.tui.dialogs.picker import Picker
from frontdesk.tui.dialogs.view_table import Opening
from frontdesk.tui.views.catalogue_screen import (
    Block,
    CatalogueEntry,
    CatalogueScreen,
    Section,
    colour_of,
    entry_line,
    fact,
    heading,
    paragraph,
    title,
)
from frontdesk.wire import (
    Channel,
    Contact,
    Conversation,
    ConversationFilter,
    Counts,
    CustomField,
    Label,
    Team,
    User,
    UserRef,
)
from frontdesk.wire.values import STATUSES

_AVAILABILITY_MARKS = {"online": "●", "busy": "◐", "offline": "○"}
_QUALITY_PARTS = {"GREEN": "dim", "YELLOW": "warning", "RED": "error"}
_UNKNOWN = "unknown"
_LIMITS = {
    "TIER_50": "50 customers a day",
    "TIER_250": "250 customers a day",
    "TIER_1K": "1,000 customers a day",
    "TIER_2K": "2,000 customers a day",
    "TIER_10K": "10,000 customers a day",
    "TIER_100K": "100,000 customers a day",
    "TIER_UNLIMITED": "without limit",
}


def user_entry(user: User) -> CatalogueEntry:
    """List row of a user: name, role, availability."""
    here = availability(user) if user.active else "left"
    return CatalogueEntry(
        user.id,
        _name_of_user(user),
        "admin" if user.role == "administrator" else one_line(user.role),
        hint=here,
        hint_part="text" if user.availability == "online" and user.active else "dim",
        words=f"{user.role} {user.email or ''}",
        copied=user.email or user.name,
        filter=ConversationFilter(assignee=user.id),
    )


def _name_of_user(user: User) -> str:
    return one_line(user.name) or user.id


def availability(user: User | None) -> str:
    """Symbol and word; "unknown" if the server sends no availability."""
    availability = one_line(user.availability or "") if user else ""
    return (
        f"{_AVAILABILITY_MARKS.get(availability, '·')} {availability}"
        if availability
        else f"· {_UNKNOWN}"
    )


def user_facts(user: User, teams: Sequence[Team]) -> list[Block]:
    return [
        title(_name_of_user(user)),
        fact("role", one_line(user.role)),
        fact("availability", availability(user)),
        fact("email", one_line(user.email or "")),
        fact("teams", ", ".join(one_line(team.name) for team in teams)),
        fact("active", "yes" if user.active else "no: only old messages name this user"),
        fact("id", user.id, "dim"),
    ]


def team_entry(team: Team) -> CatalogueEntry:
    """List row of a team: name, number of members and channels."""
    people, numbers = len(team.members), len(team.channels)
    members = " ".join(one_line(member.name) for member in team.members)
    return CatalogueEntry(
        team.id,
        one_line(team.name),
        hint=f"{people} people, {numbers} number{'' if numbers == 1 else 's'}",
        words=f"{one_line(team.description or '')} {members}",
        copied=one_line(team.name),
    )


def team_facts(team: Team) -> list[Block]:
    return [
        title(one_line(team.name)),
        fact("about", one_line(team.description or "")),
        fact("distribution", humanize(one_line(team.distribution))),
    ]


def member_line(member: UserRef, user: User | None, opened: str) -> Block:
    """Team member with availability and the number of their open conversations."""
    here = availability(user)
    return entry_line([("text", one_line(member.name)), ("dim", f"  {here}")], [("dim", opened)])


def channel_entry(channel: Channel, counts: Counts | None) -> CatalogueEntry:
    """List row of a channel: name, number, open conversations, quality."""
    quality = one_line(channel.quality_rating or _UNKNOWN)
    number, counted = _number_of(channel), open_words(counts, channel.id)
    return CatalogueEntry(
        channel.id,
        one_line(channel.name) or number,
        number,
        counted,
        f"{quality:7}",
        _QUALITY_PARTS.get(quality, "dim"),
        words=f"{channel.phone or ''} {channel.status or ''} {channel.verified_name or ''}",
        copied=channel.phone or channel.id,
        filter=ConversationFilter(channel=channel.id),
    )


def _number_of(channel: Channel) -> str:
    """The number of a channel as it is known, else the id."""
    return first_non_blank(format_phone(channel.phone), channel.display_phone_number, channel.id)


def open_words(counts: Counts | None, channel_id: str) -> str:
    """Number of open conversations of a channel; empty if the server does not count them."""
    if counts is None or not counts.by_channel:
        return ""
    number = next((count.open for count in counts.by_channel if count.channel == channel_id), 0)
    return "" if number is None else f"{number:,} open"


def channel_facts(channel: Channel, teams: Sequence[Team]) -> list[Block]:
    """Details of a channel; Meta's own terms are shown unchanged."""
    quality = one_line(channel.quality_rating or "")
    limit = one_line(channel.messaging_limit or "")
    status = one_line(channel.status or "")
    answering = [one_line(team.name) for team in teams if channel.id in team.channels]
    return [
        title(one_line(channel.name) or _number_of(channel)),
        fact(
            "number",
            format_phone(channel.phone) or one_line(channel.display_phone_number or ""),
        ),
        fact("shown as", one_line(channel.verified_name or "")),
        fact("quality", quality, _QUALITY_PARTS.get(quality, "text")),
        fact("limit", " · ".join(word for word in (_LIMITS.get(limit), limit) if word)),
        fact("status", status, "text" if status in ("CONNECTED", "") else "error"),
        fact("teams", ", ".join(answering)),
    ]


def meta_facts(channel: Channel, clock: Clock) -> list[Block]:
    """Further details of a channel at Meta, and when they were synchronised."""
    on_app = "" if channel.on_business_app is None else "no"
    synced = clock.local(channel.synced_at)
    return [
        heading("AT META"),
        fact("name", one_line(channel.name_status or "")),
        fact("throughput", one_line(channel.throughput or "")),
        fact("platform", one_line(channel.platform or "")),
        fact("phone app too", "yes" if channel.on_business_app else on_app),
        fact("phone id", channel.id),
        fact("account id", one_line(channel.waba_id or "")),
        fact("as of", f"{short_date(synced)} {time_of_day(synced)}" if synced else ""),
    ]


def label_entry(label: Label) -> CatalogueEntry:
    """List row of a label: colour swatch and hex value."""
    return CatalogueEntry(
        label.id,
        f"#{one_line(label.title)}",
        one_line(label.description or ""),
        hint=one_line(label.color),
        swatch=colour_of(label.color),
        copied=label.title,
        filter=ConversationFilter(label=label.title),
    )


def label_facts(label: Label) -> list[Block]:
    return [
        title(f"#{one_line(label.title)}"),
        fact("about", one_line(label.description or "")),
        fact("colour", one_line(label.color), swatch=colour_of(label.color)),
    ]


def field_entry(field: CustomField) -> CatalogueEntry:
    """List row of a custom field: name and type."""
    return CatalogueEntry(
        field.id,
        one_line(field.name),
        one_line(field.key),
        hint=one_line(field.type),
        words=f"{one_line(field.description or '')} {' '.join(field.options)}",
        copied=field.key,
    )


def field_facts(field: CustomField) -> list[Block]:
    blocks = [
        title(one_line(field.name)),
        fact("key", one_line(field.key)),
        fact("type", one_line(field.type)),
        fact("about", one_line(field.description or "")),
    ]
    if field.options:
        blocks.append(fact("options", ", ".join(one_line(option) for option in field.options)))
    if field.pattern:
        blocks.append(fact("pattern", one_line(field.pattern)))
        blocks.append(fact("which means", one_line(field.pattern_hint or "")))
    return blocks


def value_words(value: Any) -> str:
    """Text of a custom field's value; booleans are yes and no."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return one_line(str(value))


REST_SECONDS = 0.2


class _TeamChoice(NamedTuple):
    """Conversations of a filter and further terms."""

    filter: ConversationFilter = ConversationFilter()
    terms: str = ""


class DirectoryScreen(CatalogueScreen):
    """Counts by user, channel and label come from the server, others from cached conversations."""

    view_name = "directory"
    keys = (
        "{view.back} back",
        "{list.next}/{list.previous} move",
        "{list.open} conversations",
        "{catalogue.search} find",
        "{catalogue.before} {catalogue.after} section",
        "{view.copy} copy",
        "{view.menu} views",
    )
    SHOWN = "DIRECTORY"
    SECTIONS: ClassVar[Sequence[Section]] = (
        Section("users", "Users", "user", "users"),
        Section("teams", "Teams", "team", "teams"),
        Section("channels", "Channels", "channel", "channels"),
        Section("labels", "Labels", "label", "labels"),
        Section("custom_fields", "Custom fields", "custom field", "custom fields"),
    )

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._resting: Timer | None = None

    # Contents

    def entries(self, section: str) -> list[CatalogueEntry]:
        catalogues = self.mailbox.catalogues
        match section:
            case "users":
                return [user_entry(user) for user in catalogues.users()]
            case "teams":
                return [team_entry(team) for team in catalogues.teams()]
            case "channels":
                counts = self.mailbox.counts(ConversationFilter())
                return [channel_entry(channel, counts) for channel in catalogues.channels()]
            case "labels":
                return [label_entry(label) for label in catalogues.labels()]
        return [field_entry(field) for field in catalogues.custom_fields()]

    def blocks(self, section: str, entry: CatalogueEntry) -> list[Block]:
        catalogues = self.mailbox.catalogues
        match section:
            case "users":
                user = next(user for user in catalogues.users() if user.id == entry.id)
                teams = [t for t in catalogues.teams() if any(m.id == user.id for m in t.members)]
                return [*user_facts(user, teams), *self._counts(entry)]
            case "teams":
                team = next(team for team in catalogues.teams() if team.id == entry.id)
                return self._team_blocks(team)
            case "channels":
                channel = next(
                    channel for channel in catalogues.channels() if channel.id == entry.id
                )
                return [
                    *channel_facts(channel, catalogues.teams()),
                    *self._counts(entry),
                    *meta_facts(channel, self.clock),
                ]
            case "labels":
                label = next(label for label in catalogues.labels() if label.id == entry.id)
                return [*label_facts(label), *self._counts(entry)]
        field = next(field for field in catalogues.custom_fields() if field.id == entry.id)
        return [*field_facts(field), *self._seen_blocks(field.key)]

    def _counts(self, entry: CatalogueEntry) -> list[Block]:
        """Conversation counts of an entry by status; of a user maybe only the open ones."""
        assert entry.filter is not None
        blocks = [heading("CONVERSATIONS")]
        if entry.filter.assignee is not None and not self._counts_assignees:
            listing = self.mailbox.conversations(_open_of(entry))
            blocks.append(fact("open", _length(listing)))
        else:
            counts = self.mailbox.counts(counted_filter(entry.filter))
            for status in STATUSES:
                chosen = entry.filter.model_copy(update={"status": status})
                number = count_for(counts, chosen)
                blocks.append(fact(status, "…" if number is None else f"{number:,}"))
        return [*blocks, paragraph(""), self._hint("shows those of any status in the inbox")]

    @property
    def _counts_assignees(self) -> bool:
        """True if the server has counted the conversations of each user."""
        counts = self.mailbox.counts(ConversationFilter())
        return counts is not None and counts.by_assignee is not None

    def _hint(self, words: str) -> Block:
        """Hint that names the key for opening an entry."""
        return paragraph(f"{self.key_names['list.open']} {words}", "dim")

    def _team_blocks(self, team: Team) -> list[Block]:
        """Members and channels of a team, each with its open conversations."""
        counts = self.mailbox.counts(ConversationFilter())
        users = {user.id: user for user in self.mailbox.catalogues.users()}
        opened = self._open_of_users(counts)
        where = "open" if self._counts_assignees else "open, on this computer"
        blocks = team_facts(team)
        blocks.append(heading(f"MEMBERS ({len(team.members)})      {where}"))
        for member in team.members:
            blocks.append(member_line(member, users.get(member.id), opened(member.id)))
        blocks.append(heading(f"NUMBERS ({len(team.channels)})"))
        names = self.mailbox.catalogues.channel_names()
        for id in team.channels:
            blocks.append(fact(names.get(id, id), open_words(counts, id)))
        return [*blocks, paragraph(""), self._hint("chooses one of them")]

    def _open_of_users(self, counts: Counts | None) -> Callable[[str], str]:
        """Number of a user's open conversations: the server's, or ~ those that are cached."""
        if counts is not None and counts.by_assignee is not None:
            known = {one.assignee: one.open for one in counts.by_assignee}
            return lambda id: f"{known.get(id, 0):,}"
        rows = (row for row in self.mailbox.seen_conversations() if row.status == "open")
        seen = Counter(row.assignee.id for row in rows if row.assignee)
        return lambda id: f"~{seen[id]}"

    def _seen_blocks(self, key: str) -> list[Block]:
        """Cached contacts that have a value in a custom field."""
        values = self._seen_values(key)
        blocks = [heading(f"ON THIS COMPUTER (~{len(values)})")]
        blocks += [
            fact(contact_name(conversation.contact), value_words(contact.custom_fields[key]))
            for conversation, contact in values
        ]
        if not values:
            blocks.append(paragraph(sentences.NO_VALUES_READ, "dim"))
        else:
            blocks.append(paragraph(""))
            blocks.append(self._hint("chooses one of them"))
        return blocks

    def _seen_values(self, key: str) -> list[tuple[Conversation, Contact]]:
        """Cached contacts with a value in a custom field, each with its latest conversation."""
        values: dict[str, tuple[Conversation, Contact]] = {}
        for conversation in self.mailbox.seen_conversations():
            contact = self.mailbox.contact(conversation)
            if contact is not None and contact.custom_fields.get(key) not in (None, ""):
                values.setdefault(contact.id, (conversation, contact))
        return list(values.values())

    # Requests

    async def read(self) -> None:
        await super().read()
        await self.ask(self._read_counts)
        if self.list.row is not None:
            self.highlighted(self.list.row)

    async def _read_counts(self) -> None:
        if await self.mailbox.refresh_counts(ConversationFilter()):
            self.show_saved()

    def highlighted(self, entry: CatalogueEntry) -> None:
        """Request the counts of the entry after the cursor has been on it for `REST_SECONDS`."""
        if self._resting is not None:
            self._resting.stop()
        if entry.filter is not None:
            self._resting = self.set_timer(REST_SECONDS, self.count_behind)

    @work(group="behind", exclusive=True)
    async def count_behind(self) -> None:
        """Request the conversation counts of the entry under the cursor."""
        entry = self.list.row
        if entry is not None and entry.filter is not None:
            await self.ask(lambda: self._ask_behind(entry))
            self.refresh_details()

    async def _ask_behind(self, entry: CatalogueEntry) -> None:
        assert entry.filter is not None
        if entry.filter.assignee is None or self._counts_assignees:
            await self.mailbox.refresh_counts(counted_filter(entry.filter))
        else:
            # Without counts by assignee: the length of the first page.
            await self.mailbox.refresh_conversations(_open_of(entry))

    # Enter, where /v1 has no filter for the section

    def open_entry(self, section: str, entry: CatalogueEntry) -> None:
        if section == "teams":
            team = next(team for team in self.mailbox.catalogues.teams() if team.id == entry.id)
            picker = Picker(
                f"Conversations of {entry.name}", self._team_choices(team), current=None
            )
            ask(self.app, picker, lambda chosen: self.choose(chosen.filter, more=chosen.terms))
        elif section == "custom_fields":
            self._choose_seen(entry)

    def _team_choices(self, team: Team) -> list[Choice[_TeamChoice]]:
        """The team, its channels, and its members."""
        counts: Counts | None = self.mailbox.counts(ConversationFilter())
        names = self.mailbox.catalogues.channel_names()
        teams = {one.id: one_line(one.name) for one in self.mailbox.catalogues.teams()}
        term = str(Term(TEAM, reference(team.id, teams)))
        whole = [Choice(_TeamChoice(terms=term), sentences.WHOLE_TEAM, term)]
        channels = [
            Choice(
                _TeamChoice(ConversationFilter(channel=id)),
                names.get(id, id),
                open_words(counts, id),
            )
            for id in team.channels
        ]
        members = [
            Choice(
                _TeamChoice(ConversationFilter(status="open", assignee=member.id)),
                f"@{one_line(member.name)}",
            )
            for member in team.members
        ]
        # Without channels, it has no conversations.
        return [*(whole if team.channels else []), *channels, *members]

    def _choose_seen(self, entry: CatalogueEntry) -> None:
        key = next(f.key for f in self.mailbox.catalogues.custom_fields() if f.id == entry.id)
        choices = [
            Choice(
                conversation.id,
                contact_name(conversation.contact),
                value_words(contact.custom_fields[key]),
            )
            for conversation, contact in self._seen_values(key)
        ]
        if not choices:
            self.notify(sentences.NO_VALUES, markup=False)
            return
        picker = Picker(
            f"On this computer with {entry.name} (~{len(choices)})", choices, current=""
        )
        ask(self.app, picker, self._take_seen)

    def _take_seen(self, id: str) -> None:
        conversation = self.mailbox.conversation(id)
        if conversation is not None:
            self.end(conversation.contact)


def _open_of(entry: CatalogueEntry) -> ConversationFilter:
    assert entry.filter is not None
    return entry.filter.model_copy(update={"status": "open"})


def _length(listing: Listing[Conversation]) -> str:
    """Number of loaded rows, "or more" if the list is not complete."""
    if listing.fetched_at is None:
        return "…"
    return f"{len(listing):,}" if listing.complete else f"{len(listing):,} or more"
