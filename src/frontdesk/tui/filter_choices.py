"""Values of each filter for the pickers, with counts where they are known."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from frontdesk.mailbox import Mailbox
from frontdesk.query import QueryPlan, reference
from frontdesk.tui.bar_texts import count_for
from frontdesk.tui.dialogs.choices import Choice
from frontdesk.wire import ConversationFilter, Counts
from frontdesk.wire.values import STATUSES

ANY = ""


def choices_for(
    kind: str, plan: QueryPlan, mailbox: Mailbox, counts: Counts | None
) -> list[Choice[str]]:
    """Values of a kind of term, `ANY` first, with counts where they are known for the view."""
    words = {
        "assignee": "anyone or no one",
        "in": "all channels",
        "is": "any status",
        "label": "any label",
    }
    known = None if plan.rest else counts
    return [Choice(ANY, words[kind]), *_CHOICES[kind](plan.filter, mailbox, known)]


def _statuses(
    chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None
) -> list[Choice[str]]:
    return [Choice(s, s, _count(counts, chosen, "status", s)) for s in STATUSES]


def _assignees(
    chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None
) -> list[Choice[str]]:
    words = [("unassigned", "unassigned"), ("assigned", "assigned")]
    if mailbox.state_of("me") != "absent" and (counts is None or counts.mine is not None):
        words.insert(0, ("me", "me"))
    choices = [
        Choice(w, text, _count(counts, chosen, "assignee", w), synonyms=_ASSIGNEES[w])
        for w, text in words
    ]
    users = {user.id: user.name for user in mailbox.catalogues.users()}
    hints = {user.id: user.availability or "" for user in mailbox.catalogues.users()}
    return choices + [Choice(reference(id, users), name, hints[id]) for id, name in users.items()]


_ASSIGNEES = {"me": "mine", "unassigned": "nobody no one", "assigned": "anybody anyone"}


def _channels(
    chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None
) -> list[Choice[str]]:
    counted = counts.by_channel if counts and counts_channels(chosen) else ()
    open_in = {one.channel: f"{one.open} open" for one in counted if one.open is not None}
    names = {channel.id: channel.name for channel in mailbox.catalogues.channels()}
    return [Choice(reference(id, names), name, open_in.get(id, "")) for id, name in names.items()]


def _labels(
    chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None
) -> list[Choice[str]]:
    """Labels, with counts for those whose counts are cached."""
    return [
        Choice(
            label.title,
            f"#{label.title}",
            _count(
                counts
                and mailbox.counts(ConversationFilter(channel=chosen.channel, label=label.title)),
                chosen,
                "label",
                label.title,
            ),
        )
        for label in mailbox.catalogues.labels()
    ]


def counts_channels(chosen: ConversationFilter) -> bool:
    """True if the counts by channel, which are of all open conversations, are those of a view."""
    narrower = chosen.model_copy(update={"channel": None, "sort": None})
    return narrower == ConversationFilter(status="open")


_Choices = Callable[[ConversationFilter, Mailbox, Counts | None], list[Choice[str]]]
_CHOICES: Mapping[str, _Choices] = MappingProxyType(
    {"is": _statuses, "assignee": _assignees, "in": _channels, "label": _labels}
)


def _count(counts: Counts | None, chosen: ConversationFilter, name: str, value: str) -> str:
    number = count_for(counts, chosen.model_copy(update={name: value}))
    return "" if number is None else str(number)
