"""Tables of the directory and of the library: what their list and details show of each resource.

The directory has users, teams, channels, labels and custom fields, and leads to their
conversations; the library has the replies, which filter none.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from frontdesk.inbox.server_counts import count_for, counted_filter
from frontdesk.mailbox import Listing
from frontdesk.query import Term, reference
from frontdesk.query.terms import TEAM
from frontdesk.text.clean import first_non_blank, humanize, one_line
from frontdesk.text.phones import contact_name, format_phone
from frontdesk.text.times import short_date, time_of_day
from frontdesk.tui import sentences
from frontdesk.tui.dialogs.base import Choice
from frontdesk.tui.dialogs.factories import ask
from frontdesk.tui.dialogs.picker import Picker
from frontdesk.tui.views.catalogue_screen import (
    Block,
    CatalogueScreen,
    CatalogueView,
    Detail,
    Known,
    Resource,
    colour_of,
    entry_line,
    fact,
    heading,
    only_open,
    paragraph,
)
from frontdesk.tui.views.template_preview import bubble, fill_in, parameters, plain_text
from frontdesk.tui.widgets.message_list import marked_pieces
from frontdesk.tui.widgets.text_layout import fit, spread, wrap_pieces
from frontdesk.wire import (
    CannedResponse,
    Channel,
    Contact,
    Conversation,
    ConversationFilter,
    CustomField,
    Label,
    Team,
    Template,
    User,
    UserRef,
)
from frontdesk.wire.values import STATUSES

_AVAILABILITY_MARKS = {"online": "●", "busy": "◐", "offline": "○"}
_CHANNEL_QUALITY = {"GREEN": "dim", "YELLOW": "warning", "RED": "error"}
_TEMPLATE_QUALITY = {**_CHANNEL_QUALITY, "GREEN": "text"}
_TEMPLATE_STATUS = {"APPROVED": "dim", "PENDING": "note", "IN_APPEAL": "note"}
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


def conversations_of(
    filter_of: Callable[[Any], ConversationFilter],
) -> Callable[[Any, Known], list[Block]]:
    """Conversation counts of a row by status; of a user maybe only the open ones."""

    def counted(row: Any, known: Known) -> list[Block]:
        filter = filter_of(row)
        blocks = [heading("CONVERSATIONS")]
        if filter.assignee is not None and not known.counts_assignees:
            blocks.append(fact("open", _length(known.mailbox.conversations(only_open(filter)))))
        else:
            counts = known.mailbox.counts(counted_filter(filter))
            for status in STATUSES:
                number = count_for(counts, filter.model_copy(update={"status": status}))
                blocks.append(fact(status, "…" if number is None else f"{number:,}"))
        return [*blocks, *_hint("shows those of any status in the inbox", known)]

    return counted


def _length(listing: Listing[Conversation]) -> str:
    """Number of loaded rows, "or more" if the list is not complete."""
    if listing.fetched_at is None:
        return "…"
    return f"{len(listing):,}" if listing.complete else f"{len(listing):,} or more"


def _hint(words: str, known: Known) -> list[Block]:
    """Hint that names the key for opening an entry."""
    return [paragraph(""), paragraph(f"{known.keys['list.open']} {words}", "dim")]


def _names(rows: Sequence[Team]) -> str:
    return ", ".join(one_line(row.name) for row in rows)


def availability(user: User | None, known: Known | None = None) -> str:
    """Symbol and word; "unknown" if the server sends no availability."""
    words = one_line(user.availability or "") if user else ""
    return f"{_AVAILABILITY_MARKS.get(words, '·')} {words}" if words else f"· {_UNKNOWN}"


def _user_name(user: User, known: Known) -> str:
    return one_line(user.name) or user.id


def _teams_of_user(user: User, known: Known) -> str:
    teams = known.mailbox.catalogues.teams()
    return _names([team for team in teams if any(one.id == user.id for one in team.members)])


def _of_user(user: User) -> ConversationFilter:
    return ConversationFilter(assignee=user.id)


USERS = Resource[User](
    "users", "Users", "user", "users",
    label=_user_name,
    aside=lambda user, _: "admin" if user.role == "administrator" else one_line(user.role),
    hint=lambda user, _: availability(user) if user.active else "left",
    hint_part=lambda user: "text" if user.availability == "online" and user.active else "dim",
    words=("role", "email"),
    copied=lambda user, _: user.email or user.name,
    filter=_of_user,
    details=(
        Detail("role", "role"),
        Detail("availability", availability),
        Detail("email", "email"),
        Detail("teams", _teams_of_user),
        Detail(
            "active",
            lambda user, _: "yes" if user.active else "no: only old messages name this user",
        ),
        Detail("id", "id", "dim"),
        conversations_of(_of_user),
    ),
)  # fmt: skip


def _size_of_team(team: Team, known: Known) -> str:
    people, numbers = len(team.members), len(team.channels)
    return f"{people} people, {numbers} number{'' if numbers == 1 else 's'}"


def _open_of_channel(id: str, known: Known) -> str:
    """Number of open conversations of a channel; empty if the server does not count them."""
    if known.counts is None or not known.counts.by_channel:
        return ""
    counted = known.counts.by_channel
    number = next((count.open for count in counted if count.channel == id), 0)
    return "" if number is None else f"{number:,} open"


def _member_line(member: UserRef, user: User | None, opened: str) -> Block:
    """Team member with availability and the number of their open conversations."""
    here = availability(user)
    return entry_line([("text", one_line(member.name)), ("dim", f"  {here}")], [("dim", opened)])


def _team_blocks(team: Team, known: Known) -> list[Block]:
    """Members and channels of a team, each with its open conversations."""
    catalogues = known.mailbox.catalogues
    users = {user.id: user for user in catalogues.users()}
    opened = _open_of_users(known)
    where = "open" if known.counts_assignees else "open, on this computer"
    blocks = [heading(f"MEMBERS ({len(team.members)})      {where}")]
    for member in team.members:
        blocks.append(_member_line(member, users.get(member.id), opened(member.id)))
    blocks.append(heading(f"NUMBERS ({len(team.channels)})"))
    names = catalogues.channel_names()
    blocks += [fact(names.get(id, id), _open_of_channel(id, known)) for id in team.channels]
    return [*blocks, *_hint("chooses one of them", known)]


def _open_of_users(known: Known) -> Callable[[str], str]:
    """Number of a user's open conversations: the server's, or ~ those that are cached."""
    if known.counts is not None and known.counts.by_assignee is not None:
        counted = {one.assignee: one.open for one in known.counts.by_assignee}
        return lambda id: f"{counted.get(id, 0):,}"
    rows = (row for row in known.mailbox.seen_conversations() if row.status == "open")
    seen = Counter(row.assignee.id for row in rows if row.assignee)
    return lambda id: f"~{seen[id]}"


class _TeamChoice(NamedTuple):
    """Conversations of a filter and further terms."""

    filter: ConversationFilter = ConversationFilter()
    terms: str = ""


def _choose_of_team(screen: CatalogueScreen, team: Team) -> None:
    """Ask for the conversations of the team, of a channel or of a member."""
    catalogues = screen.known.mailbox.catalogues
    names = catalogues.channel_names()
    teams = {one.id: one_line(one.name) for one in catalogues.teams()}
    term = str(Term(TEAM, reference(team.id, teams)))
    whole = [Choice(_TeamChoice(terms=term), sentences.WHOLE_TEAM, term)]
    channels = [
        Choice(
            _TeamChoice(ConversationFilter(channel=id)),
            names.get(id, id),
            _open_of_channel(id, screen.known),
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
    choices = [*(whole if team.channels else []), *channels, *members]
    picker = Picker(f"Conversations of {one_line(team.name)}", choices, current=None)
    ask(screen.app, picker, lambda chosen: screen.choose(chosen.filter, more=chosen.terms))


TEAMS = Resource[Team](
    "teams", "Teams", "team", "teams",
    hint=_size_of_team,
    words=("description", lambda team, _: " ".join(one_line(one.name) for one in team.members)),
    details=(
        Detail("about", "description"),
        Detail("distribution", lambda team, _: humanize(one_line(team.distribution))),
        _team_blocks,
    ),
    open=_choose_of_team,
)  # fmt: skip


def _number_of(channel: Channel, known: Known) -> str:
    """The number of a channel as it is known, else the id."""
    return first_non_blank(format_phone(channel.phone), channel.display_phone_number, channel.id)


def _limit_of(channel: Channel, known: Known) -> str:
    """In words, and by Meta's own name."""
    limit = one_line(channel.messaging_limit or "")
    return " · ".join(word for word in (_LIMITS.get(limit), limit) if word)


def _teams_of_channel(channel: Channel, known: Known) -> str:
    return _names([one for one in known.mailbox.catalogues.teams() if channel.id in one.channels])


def _on_phone_app(channel: Channel, known: Known) -> str:
    return {None: "", True: "yes", False: "no"}[channel.on_business_app]


def _synced_at(channel: Channel, known: Known) -> str:
    synced = known.clock.local(channel.synced_at)
    return f"{short_date(synced)} {time_of_day(synced)}" if synced else ""


def _of_channel(channel: Channel) -> ConversationFilter:
    return ConversationFilter(channel=channel.id)


CHANNELS = Resource[Channel](
    "channels", "Channels", "channel", "channels",
    label=lambda channel, known: one_line(channel.name) or _number_of(channel, known),
    aside=_number_of,
    count=lambda channel, known: _open_of_channel(channel.id, known),
    hint=lambda channel, _: f"{one_line(channel.quality_rating or _UNKNOWN):7}",
    hint_part=lambda channel: _CHANNEL_QUALITY.get(channel.quality_rating or "", "dim"),
    words=("phone", "status", "verified_name"),
    copied=lambda channel, _: channel.phone or channel.id,
    filter=_of_channel,
    details=(
        Detail("number", lambda channel, _: format_phone(channel.phone)
             or one_line(channel.display_phone_number or "")),
        Detail("shown as", "verified_name"),
        Detail("quality", "quality_rating",
             lambda channel: _CHANNEL_QUALITY.get(channel.quality_rating or "", "text")),
        Detail("limit", _limit_of),
        Detail("status", "status",
             lambda channel: "text" if channel.status in ("CONNECTED", "", None) else "error"),
        Detail("teams", _teams_of_channel),
        conversations_of(_of_channel),
        lambda channel, known: [heading("AT META")],
        Detail("name", "name_status"),
        Detail("throughput", "throughput"),
        Detail("platform", "platform"),
        Detail("phone app too", _on_phone_app),
        Detail("phone id", "id"),
        Detail("account id", "waba_id"),
        Detail("as of", _synced_at),
    ),
)  # fmt: skip


def _hashed(label: Label, known: Known) -> str:
    return f"#{one_line(label.title)}"


def _of_label(label: Label) -> ConversationFilter:
    return ConversationFilter(label=label.title)


LABELS = Resource[Label](
    "labels", "Labels", "label", "labels",
    label=_hashed,
    aside="description",
    hint="color",
    swatch=lambda label: colour_of(label.color),
    copied=lambda label, _: label.title,
    filter=_of_label,
    details=(
        Detail("about", "description"),
        Detail("colour", "color", swatch=True),
        conversations_of(_of_label),
    ),
)  # fmt: skip


def value_words(value: Any) -> str:
    """Text of a custom field's value; booleans are yes and no."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return one_line(str(value))


def _seen_values(field: CustomField, known: Known) -> list[tuple[Conversation, str]]:
    """Values of cached contacts, each with the latest conversation of its contact."""
    values: dict[str, tuple[Conversation, str]] = {}
    for conversation in known.mailbox.seen_conversations():
        contact: Contact | None = known.mailbox.contact(conversation)
        if contact is not None and contact.custom_fields.get(field.key) not in (None, ""):
            words = value_words(contact.custom_fields[field.key])
            values.setdefault(contact.id, (conversation, words))
    return list(values.values())


def _seen_blocks(field: CustomField, known: Known) -> list[Block]:
    """Cached contacts that have a value in a custom field."""
    values = _seen_values(field, known)
    blocks = [heading(f"ON THIS COMPUTER (~{len(values)})")]
    if not values:
        return [*blocks, paragraph(sentences.NO_VALUES_READ, "dim")]
    blocks += [fact(contact_name(conversation.contact), value) for conversation, value in values]
    return [*blocks, *_hint("chooses one of them", known)]


def _choose_seen(screen: CatalogueScreen, field: CustomField) -> None:
    """Ask for a cached contact that has a value in the field."""
    choices = [
        Choice(conversation.contact, contact_name(conversation.contact), value)
        for conversation, value in _seen_values(field, screen.known)
    ]
    if not choices:
        screen.notify(sentences.NO_VALUES, markup=False)
        return
    title = f"On this computer with {one_line(field.name)} (~{len(choices)})"
    ask(screen.app, Picker(title, choices, current=None), screen.end)


CUSTOM_FIELDS = Resource[CustomField](
    "custom_fields", "Custom fields", "custom field", "custom fields",
    aside="key",
    hint="type",
    words=("description", lambda field, _: " ".join(field.options)),
    copied=lambda field, _: field.key,
    details=(
        Detail("key", "key"),
        Detail("type", "type"),
        Detail("about", "description"),
        Detail("options", lambda field, _: ", ".join(map(one_line, field.options)), optional=True),
        Detail("pattern", "pattern", optional=True),
        Detail("which means", "pattern_hint", optional=True),
        _seen_blocks,
    ),
    open=_choose_seen,
)  # fmt: skip


def _template_hint(template: Template, known: Known) -> str:
    """The status unless it may be sent, then the category."""
    status = one_line(template.status or "?")
    return (one_line(template.category or "") if status == "APPROVED" else status).lower()


def _category(template: Template, known: Known) -> str:
    before = template.previous_category
    was = f" (was {one_line(before)})" if before else ""
    return one_line(template.category or "") + was


def _rejected_reason(template: Template, known: Known) -> str:
    reason = one_line(template.rejected_reason or "")
    return humanize(reason) if reason not in ("", "NONE") else ""


def _channels_of(template: Template, known: Known) -> str:
    names = known.mailbox.catalogues.channel_names()
    return ", ".join(names.get(id, id) for id in template.channels)


def _changed(template: Template, known: Known) -> str:
    changed = known.clock.local(template.updated_at)
    return f"{short_date(changed)} {changed.year}" if changed else ""


def _layout(template: Template, known: Known) -> list[Block]:
    """Preview of a template, one block per line so that it scrolls by line; then parameters."""
    blocks: list[Block] = [heading("AS WHATSAPP SHOWS IT"), lambda width: bubble(template, width)]
    places = parameters(template)
    if places:
        blocks.append(heading("FILLED IN BY THE SENDER"))
        blocks += [fact(place, example or "no example", "note") for place, example in places]
    return [*blocks, lambda width: [[("text", fit("", width))]]]


TEMPLATES = Resource[Template](
    "templates", "Templates", "template", "templates",
    view="templates",
    aside="language",
    hint=_template_hint,
    hint_part=lambda template: _TEMPLATE_STATUS.get(template.status or "", "error"),
    words=("status", "category", "quality_score", lambda template, _: plain_text(template)),
    copied=lambda template, known: fill_in(
        plain_text(template), known.contact, dict(parameters(template))
    ),
    details=(
        Detail("language", "language"),
        Detail("category", _category),
        Detail("status", "status",
             lambda template: {"": "dim", **_TEMPLATE_STATUS}.get(template.status or "", "error")),
        Detail("quality", "quality_score",
             lambda template: _TEMPLATE_QUALITY.get(template.quality_score or "", "dim")),
        Detail("refused because", _rejected_reason, "error", optional=True),
        Detail("numbers", _channels_of, optional=True),
        Detail("changed", _changed, optional=True),
        _layout,
    ),
)  # fmt: skip


def _filled_reply(reply: CannedResponse, known: Known) -> str:
    return fill_in(reply.text, known.contact, {})


def _reply_blocks(reply: CannedResponse, known: Known) -> list[Block]:
    is_filled = known.contact is not None and _filled_reply(reply, known) != reply.text
    name = f" with the name of {contact_name(known.contact)}" if is_filled and known.contact else ""
    key = known.keys["view.copy"]
    return [
        paragraph(""),
        lambda width: [
            spread(line, (), width)
            for line in wrap_pieces(marked_pieces(reply.text), min(width, 72))
        ],
        paragraph(""),
        paragraph(f"{len(reply.text)} characters · {key}: copy{name}", "dim"),
    ]


QUICK_REPLIES = Resource[CannedResponse](
    "canned_responses", "Quick replies", "quick reply", "quick replies",
    view="replies",
    label=lambda reply, _: f"/{one_line(reply.short_code)}",
    aside="text",
    copied=_filled_reply,
    details=(_reply_blocks,),
)  # fmt: skip

DIRECTORY = CatalogueView(
    "DIRECTORY",
    (USERS, TEAMS, CHANNELS, LABELS, CUSTOM_FIELDS),
    (
        "{view.back} back",
        "{list.next}/{list.previous} move",
        "{list.open} conversations",
        "{catalogue.search} find",
        "{catalogue.before} {catalogue.after} section",
        "{view.copy} copy",
        "{view.menu} views",
    ),
    reads=("users", "teams", "channels", "labels", "custom_fields"),
    counted=True,
)
LIBRARY = CatalogueView(
    "LIBRARY",
    (TEMPLATES, QUICK_REPLIES),
    (
        "{view.back} back",
        "{list.next}/{list.previous} move",
        "{catalogue.search} find",
        "{view.copy} copy text",
        "{catalogue.before} {catalogue.after} section",
        "{catalogue.details} details",
        "{view.menu} views",
    ),
    reads=("templates", "canned_responses", "channels"),
)
