"""Names in queries: ids of the users, channels and labels that a term means; completion.

A user or channel is named by a part of its name, a channel also by digits of its number. An exact
name comes before the start of a word, and that before any other part.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence, Set
from operator import attrgetter, itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from frontdesk.query.language import (
    AI,
    ASSIGNED,
    ID,
    ME,
    PHONE,
    UNASSIGNED,
    WORDS_OF,
    Query,
    QueryProblem,
    Term,
    Token,
    analyse,
    tokens,
    written_value,
)
from frontdesk.query.terms import (
    AD,
    ASSIGNEE,
    AUTHOR,
    CHANNEL,
    CONTACT,
    FIELD,
    HOURS,
    LABEL,
    TABLE,
    TEAM,
)
from frontdesk.text.clean import folded, one_line, shown_line
from frontdesk.text.phones import format_phone, is_user_id, parse_phone, phone_pattern
from frontdesk.text.search import search_words
from frontdesk.wire import (
    Channel,
    Contact,
    CustomField,
    Label,
    PhoneRef,
    Team,
    User,
    WeeklyHours,
)

if TYPE_CHECKING:
    from frontdesk.wire import Page

# Letters of a word that is found inside of others too.
_LEAST_INSIDE = 3

_NO_HOURS = "This inbox has no business hours: ages are in calendar time."
_UNKNOWN_HOURS = "The business hours are not known, without channels: ages are in calendar time."
_NOT_UNDERSTOOD = (
    "The time zone of the business hours of {channels} is not known here: "
    "ages there are in calendar time."
)
_LEAST_LETTERS = 3
_MOST_NAMED = 5


class TeamNames(NamedTuple):
    """A team: ids of its channels and members."""

    name: str
    channels: frozenset[str]
    members: frozenset[str]


class FieldNames(NamedTuple):
    """A custom field: its name, and the values of a list."""

    name: str
    options: Sequence[str] = ()


class QueryNames(NamedTuple):
    """Names that queries may use, from the catalogues; empty where the server lists none.

    users, channels: names by id. phones: numbers of channels by id. labels: titles. me: id of the
    own user, or "". contacts: known customers, for completion and to find their ids by number.
    customers: ids by the `from:` values that mean only one of all contacts, see `with_customers`.
    unknown_customers: `from:` values that mean none. teams: by id. fields: by key. hours: business
    hours by the ids of the channels that have some. zone: IANA name of the account's zone, or "".
    """

    users: Mapping[str, str] = MappingProxyType({})
    channels: Mapping[str, str] = MappingProxyType({})
    phones: Mapping[str, str] = MappingProxyType({})
    labels: Sequence[str] = ()
    me: str = ""
    contacts: Sequence[PhoneRef] = ()
    customers: Mapping[str, str] = MappingProxyType({})
    unknown_customers: Set[str] = frozenset()
    teams: Mapping[str, TeamNames] = MappingProxyType({})
    fields: Mapping[str, FieldNames] = MappingProxyType({})
    hours: Mapping[str, WeeklyHours] = MappingProxyType({})
    zone: str = ""

    @classmethod
    def of(
        cls,
        channels: Iterable[Channel] = (),
        users: Iterable[User] = (),
        labels: Iterable[Label] = (),
        *,
        me: str = "",
        contacts: Sequence[PhoneRef] = (),
        teams: Iterable[Team] = (),
        fields: Iterable[CustomField] = (),
    ) -> "QueryNames":
        channels = tuple(channels)
        return cls(
            {user.id: one_line(user.name) for user in users},
            {channel.id: one_line(channel.name) for channel in channels},
            {channel.id: channel.phone or "" for channel in channels},
            tuple(one_line(label.title) for label in labels),
            me,
            contacts,
            teams={team.id: _team(team) for team in teams},
            fields={
                field.key: FieldNames(one_line(field.name), tuple(map(one_line, field.options)))
                for field in fields
            },
            hours={
                channel.id: channel.business_hours
                for channel in channels
                if channel.business_hours is not None
            },
            zone=next((channel.timezone for channel in channels if channel.timezone), ""),
        )


def _team(team: Team) -> TeamNames:
    members = frozenset(user.id for user in team.members)
    return TeamNames(one_line(team.name), frozenset(team.channels), members)


def meaning(term: Term, names: QueryNames) -> frozenset[str] | None:
    """Ids of the users, channels or teams, or titles of the labels, that a term names.

    None: there is no catalogue, so that names are compared with those in each row.
    """
    if term.kind != LABEL and term.value.startswith(ID):
        return frozenset({term.value.removeprefix(ID)})
    match term.kind:
        case "assignee" | "by" if term.value == ME:
            return frozenset({names.me}) if names.me else None
        case "assignee" | "by":
            return _best(term.value, names.users.items()) if names.users else None
        case "team":
            named = [(id, team.name) for id, team in names.teams.items()]
            return _best(term.value, named) if named else None
        case "in":
            return _channels(term.value, names) if names.channels else None
        case "label" if names.labels:
            text = folded(term.value)
            return frozenset(title for title in names.labels if folded(title) == text)
    return None


def field_key(key: str, names: QueryNames) -> str | None:
    """Key of the custom field that has a key or a name; None if none is known."""
    if key in names.fields:
        return key
    text = folded(key)
    by_key = [known for known in names.fields if folded(known) == text]
    by_name = [known for known, field in names.fields.items() if folded(field.name) == text]
    return next(iter((*by_key, *by_name)), None) if names.fields else key


def alternatives(term: Term, names: QueryNames) -> tuple[Term, ...]:
    """Terms of one value each, of which one has to match.

    A name that has a comma itself, and is all that was written, is one value.
    """
    if not term.others:
        return (term,)
    whole = term._replace(value=",".join(term.values), others=())
    known: Mapping[str, Iterable[str]] = {
        LABEL: names.labels,
        CHANNEL: names.channels.values(),
        TEAM: [team.name for team in names.teams.values()],
        **dict.fromkeys((ASSIGNEE, AUTHOR), names.users.values()),
    }
    if folded(whole.value) in map(folded, known.get(term.kind, ())):
        return (whole,)
    return tuple(term._replace(value=value, others=()) for value in term.values)


def _channels(value: str, names: QueryNames) -> frozenset[str]:
    if by_name := _best(value, names.channels.items()):
        return by_name
    if number := phone_pattern(value):
        return frozenset(id for id, _ in number.select(names.phones.items(), itemgetter(1)))
    return frozenset(id for id, phone in names.phones.items() if value in phone)


def _best(value: str, named: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Ids of the names that fit best: equal, with a word that starts so, or with this part."""
    folded_value = folded(value)
    texts = [(id, folded(name)) for id, name in named]
    fits: Sequence[Callable[[str], bool]] = (
        lambda text: text == folded_value,
        lambda text: f" {text}".find(f" {folded_value}") >= 0,
        lambda text: folded_value in text,
    )
    matches = (frozenset(id for id, text in texts if fit(text)) for fit in fits)
    return next((ids for ids in matches if ids), frozenset())


def reference(id: str, named: Mapping[str, str]) -> str:
    """Value that means exactly this user or channel: its name if no other has it."""
    name = named.get(id, "")
    usable = name and not name.startswith(ID) and name.casefold() not in (ME, UNASSIGNED, ASSIGNED)
    return name if usable and _best(name, named.items()) == {id} else f"{ID}{id}"


def customer(id: str, phone: str | None) -> Term:
    """Term for the conversations of one customer."""
    return Term(CONTACT, phone if phone and parse_phone(phone) == phone else f"{ID}{id}")


def contact_id(value: str, names: QueryNames) -> str | None:
    """Id of the only known contact that a `from:` value means."""
    if value.startswith(ID):
        return value.removeprefix(ID)
    if value in names.customers:
        return names.customers[value]
    number = phone_pattern(value)
    # A server may keep the number as it is written here, with the 0 that the likeliest lacks.
    phones = (value, *number.whole[:1]) if number is not None else ()
    ids = {one.phone: one.id for one in reversed(names.contacts)}
    return next((ids[phone] for phone in phones if phone in ids), None)


async def with_customers(
    names: QueryNames, query: Query, search: "Callable[[str], Awaitable[Page[Contact]]]"
) -> QueryNames:
    """Add the customers that `search` finds for numbers and parts of names. Raises: InboxError."""
    customers: dict[str, str] = {}
    every = [one for term in query.terms for one in alternatives(term, names)]
    for term in every:
        if term.kind == CONTACT and _is_searchable(term.value):
            page = await search(term.value)
            found = [one.short for one in page.data if is_meant(term.value, one)]
            number = phone_pattern(term.value)
            if number is not None:
                found = number.select(found, attrgetter("phone")) or found
            ids = [one.id for one in found]
            if page.next_cursor is None and len(ids) == 1:
                customers[term.value] = ids[0]
    return names._replace(customers=customers)


def _is_searchable(value: str) -> bool:
    """True if the search for contacts finds every contact that a `from:` value means.

    It finds shorter words only at the beginning of words, and digits only in numbers.
    """
    if value.startswith(ID):
        return False
    if is_handle(value):
        return True
    if number := phone_pattern(value):
        return bool(number.whole)
    first, *_ = (*folded(value).split(), "")
    return sum(map(str.isalpha, first)) >= _LEAST_LETTERS and not any(map(str.isdigit, value))


def is_handle(value: str) -> bool:
    """True if a `from:` value is a @username or a user id, which only one customer has."""
    return value.startswith("@") or is_user_id(value)


def is_contact(value: str, contact: PhoneRef) -> bool:
    """True if a `from:` value is the id, the number or a part of it, the username after @, or has
    words that are all in the name or the username; those of two letters begin a word there."""
    if value.startswith(ID):
        return contact.id == value.removeprefix(ID)
    number = phone_pattern(value)
    if number is not None and number.matches(contact.phone):
        return True
    handle = folded(contact.username or "")
    if value.startswith("@"):
        return folded(value.removeprefix("@")) == handle
    names = f"{folded(contact.name or '')} {handle}"
    words = search_words(value)
    return bool(words) and all(_is_in(word, names) for word in words)


def _is_in(word: str, names: str) -> bool:
    letters = sum(letter.isalnum() or not letter.isascii() for letter in word)
    if letters < _LEAST_INSIDE:
        return any(name.startswith(word) for name in names.split())
    return word in names


def is_meant(value: str, contact: Contact) -> bool:
    """As `is_contact`, also for a user id, which rows of conversations lack; the server may have
    found a former one."""
    return is_user_id(value) or is_contact(value, contact.short)


def check(text: str, names: QueryNames) -> tuple[Query, list[QueryProblem]]:
    """Parse a query, and report names that nobody and nothing has."""
    query, problems = analyse(text)
    for token in tokens(text):
        terms = analyse(text[token.start : token.end])[0].terms
        if terms and (message := unknown_name(terms[0], names)):
            problems.append(QueryProblem(token.start, token.end, message))
    return query, sorted(problems)


def unknown_name(term: Term, names: QueryNames) -> str:
    """Sentence on a name that nobody and nothing has, with like ones first; "" if it is known."""
    if term.others:
        problems = (unknown_name(one, names) for one in alternatives(term, names))
        return next(filter(None, problems), "")
    if term.kind == CONTACT:
        return f"No customer fits {term.value}." if term.value in names.unknown_customers else ""
    if term.kind == AD:
        return ""
    if term.kind == FIELD:
        known_keys = field_key(term.key, names) is not None
        return "" if known_keys else _no_such("No custom field", term.key, names.fields)
    if term.value in WORDS_OF.get(term.kind, ()):
        return ""
    ids = meaning(term, names)
    if ids != frozenset():
        return _no_channels(ids, names) if term.kind == TEAM else ""
    what, known = {
        ASSIGNEE: ("No user", names.users.values()),
        AUTHOR: ("No user", names.users.values()),
        TEAM: ("No team", [team.name for team in names.teams.values()]),
        CHANNEL: ("No channel", names.channels.values()),
        LABEL: ("No label", names.labels),
    }[term.kind]
    return _no_such(what, term.value, known)


def lacks_hours(query: Query, names: QueryNames) -> str:
    """Sentence on why `hours:business` measures calendar time; "" if it does not, or is not there.

    Channels without hours beside others that have some are no reason to say so.
    """
    if not any(term.kind == HOURS for term in query.terms):
        return ""
    if names.hours:
        channels = ", ".join(without_clock(names))
        return _NOT_UNDERSTOOD.format(channels=channels) if channels else ""
    return _NO_HOURS if names.channels else _UNKNOWN_HOURS


def without_clock(names: QueryNames) -> list[str]:
    """Names of the channels whose business hours are not understood here: their zone is unknown."""
    # Deferred: no start needs it.
    from frontdesk.query.business_waits import calendar_of

    ids = [id for id, hours in names.hours.items() if calendar_of(hours) is None]
    named = sorted(names.channels.get(id, id) for id in ids)
    return [*named[:_MOST_NAMED], *(["…"] if len(named) > _MOST_NAMED else [])]


def _no_channels(ids: frozenset[str] | None, names: QueryNames) -> str:
    """Sentence on a team in whose channels nothing can be; "" if it has some."""
    empty = [names.teams[id].name for id in sorted(ids or ()) if id in names.teams]
    if not empty or any(team.channels for id, team in names.teams.items() if id in (ids or ())):
        return ""
    return f"The team {empty[0]} has no channels."


def _no_such(what: str, value: str, known: Iterable[str]) -> str:
    """Sentence on a name that nothing has; those are first that are like it, or a word of them."""
    known = list(known)
    words = {word: name for name in known for word in (*folded(name).split(), folded(name))}
    # Deferred: no start needs it.
    from difflib import get_close_matches

    close = dict.fromkeys(words[word] for word in get_close_matches(folded(value), words))
    shown = [*close, *(name for name in known if name not in close)][:_MOST_NAMED]
    more = ", …" if len(known) > len(shown) else "."
    return f"{what} fits {value}. There is {', '.join(shown)}{more}"


class Completion(NamedTuple):
    """Replacement of [start, end) in the text of a query. hint: what it means."""

    start: int
    end: int
    text: str
    hint: str = ""


_STARTS = tuple(example for kind in TABLE for example in kind.examples)


def complete(text: str, cursor: int, names: QueryNames) -> list[Completion]:
    """Ways to finish the term that ends at the cursor, or to begin one there."""
    token = next((token for token in tokens(text[:cursor]) if token.end == cursor), None)
    if token is None or (token.end - token.start == token.negated and not token.quoted):
        start = cursor
        return [Completion(start, cursor, word, hint) for word, hint in _STARTS]
    if token.sign:
        return _field_values(token, text, cursor, names)
    if token.others:
        return _last_values(token, text, cursor, names)
    completions = list(_finished(token, names))
    mark = "-" if token.negated else ""
    written = text[token.start : cursor].casefold()
    return [
        Completion(token.start, cursor, f"{mark}{word}", hint)
        for word, hint in dict(completions).items()
        if f"{mark}{word}".casefold() != written
    ]


def _last_values(token: Token, text: str, cursor: int, names: QueryNames) -> list[Completion]:
    """Ways to finish the last of several values."""
    prefix = token.prefix.lower()
    last = token._replace(value=token.others[-1], others=(), negated=False)
    written = text[token.last : cursor].casefold()
    finished = (
        (word.removeprefix(prefix), hint)
        for word, hint in _finished(last, names)
        if word.startswith(prefix)
    )
    return [
        Completion(token.last, cursor, word, hint)
        for word, hint in dict(finished).items()
        if word.casefold() != written
    ]


def _field_values(token: Token, text: str, cursor: int, names: QueryNames) -> list[Completion]:
    """Ways to finish the last value of a custom field."""
    field = names.fields.get(field_key(token.key, names) or "", FieldNames(""))
    last = token.others[-1] if token.others else token.value
    written = text[token.last : cursor].casefold()
    options = (
        written_value(option, FIELD) for option in field.options if _rank(last, option) is not None
    )
    return [
        Completion(token.last, cursor, option, field.name)
        for option in options
        if option.casefold() != written
    ]


def _finished(token: Token, names: QueryNames) -> Iterator[tuple[str, str]]:
    """Terms with a value that begins as the token does; without a prefix, of all kinds."""
    prefix = token.prefix.lower()
    typed = f"{prefix}{token.value.lower()}"
    if prefix not in _NAMED:
        yield from (start for start in _STARTS if start[0].startswith(typed))
    if not prefix:
        yield from (start for start in _STARTS if start[0].partition(":")[2].startswith(typed))
    kinds = [prefix] if prefix in _NAMED else [] if prefix else list(_NAMED)
    ranked = sorted(
        (rank, number, text, hint)
        for number, (text, hint, name) in enumerate(
            named for kind in kinds for named in _NAMED[kind](names)
        )
        if (rank := _rank(token.value, name)) is not None
    )
    yield from ((text, hint) for _, _, text, hint in ranked)


def _rank(typed: str, name: str) -> int | None:
    """0 for the start of a name, 1 for the start of a word in it, 2 inside; None if not in it.

    A number is also inside however it is written.
    """
    text, folded_name = folded(typed), folded(name)
    if folded_name.startswith(text):
        return 0
    if f" {text}" in folded_name:
        return 1
    number = phone_pattern(typed)
    return 2 if text in folded_name or (number is not None and number.matches(name)) else None


def _users(names: QueryNames) -> Iterator[tuple[str, str, str]]:
    for word, hint in ((ME, "me"), (UNASSIGNED, "no one"), (ASSIGNED, "anyone")):
        yield f"@{word}", hint, word
    for id, name in names.users.items():
        yield str(Term(ASSIGNEE, reference(id, names.users))), name, name


def _named_channels(names: QueryNames) -> Iterator[tuple[str, str, str]]:
    for id, name in names.channels.items():
        phone = names.phones.get(id, "")
        yield (
            str(Term(CHANNEL, reference(id, names.channels))),
            format_phone(phone),
            f"{name} {phone}",
        )


def _customers(names: QueryNames) -> Iterator[tuple[str, str, str]]:
    for contact in names.contacts:
        name, phone = shown_line(contact.name), contact.phone or ""
        yield str(customer(contact.id, phone)), name, f"{name} {phone}"


def _authors(names: QueryNames) -> Iterator[tuple[str, str, str]]:
    words = ((ME, "me"), (PHONE, "the WhatsApp Business app"), (AI, "a bot"))
    for word, hint in words:
        yield f"by:{word}", hint, word
    for id, name in names.users.items():
        yield str(Term(AUTHOR, reference(id, names.users))), name, name


def _teams(names: QueryNames) -> Iterator[tuple[str, str, str]]:
    known = {id: team.name for id, team in names.teams.items()}
    for id, name in known.items():
        yield str(Term(TEAM, reference(id, known))), "", name


def _fields(names: QueryNames) -> Iterator[tuple[str, str, str]]:
    for key, field in names.fields.items():
        yield str(Term(FIELD, key=key)), field.name, f"{key} {field.name}"


def _labels(names: QueryNames) -> Iterator[tuple[str, str, str]]:
    return ((str(Term(LABEL, title)), "", title) for title in names.labels)


# Text, hint and searchable name of all values that a prefix can have.
_NAMED: Mapping[str, Callable[[QueryNames], Iterator[tuple[str, str, str]]]] = MappingProxyType(
    {
        **{"@": _users, "#": _labels, "in:": _named_channels, "from:": _customers},
        **{"team:": _teams, "by:": _authors, "field:": _fields},
    }
)
