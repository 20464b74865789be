"""Users, teams, channels and labels by what people type for them."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from frontdesk.client import InboxClient
from frontdesk.errors import BadSettings, NotFound
from frontdesk.query import parse
from frontdesk.query.terms import ASSIGNEE, CHANNEL, LABEL, TEAM
from frontdesk.selection.names import find, listed, query_names
from frontdesk.wire import Channel, Label, Team, User, Wire

USERS = (
    User(id="1", name="Grace Okafor", email="grace@example.com"),
    User(id="2", name="Zoë Grant"),
    User(id="3", name="Ana Ruiz"),
    User(id="4", name="Mariana"),
)
TEAMS = (Team(id="1", name="Atlantic shops"), Team(id="7", name="Península"))
CHANNELS = (
    Channel(id="108", name="London", phone="+442079460958"),
    Channel(id="109", name="London, North"),
)
LABELS = (Label(id="1", title="VIP"), Label(id="2", title="complaint"))


async def paged(rows: Sequence[Wire]) -> AsyncIterator[Wire]:
    for row in rows:
        yield row


async def found(rows: Sequence[Wire], name: str, kind: str, noun: str = "user") -> Any:
    pages: Any = paged(rows)
    return await find(pages, name, noun, kind=kind)


@pytest.mark.parametrize(
    ("rows", "kind", "name", "id"),
    [
        (USERS, ASSIGNEE, "grace", "1"),
        (USERS, ASSIGNEE, "GRACE@example.com", "1"),
        (USERS, ASSIGNEE, "2", "2"),
        (USERS, ASSIGNEE, "zoe", "2"),
        # The start of a word comes before any other part, as in queries.
        (USERS, ASSIGNEE, "ana", "3"),
        (USERS, ASSIGNEE, "riana", "4"),
        (TEAMS, TEAM, "atl", "1"),
        (TEAMS, TEAM, "peninsula", "7"),
        (CHANNELS, CHANNEL, "london", "108"),
        (CHANNELS, CHANNEL, "north", "109"),
        (CHANNELS, CHANNEL, "+44 20 7946 0958", "108"),
        (LABELS, LABEL, "vip", "1"),
    ],
)
async def test_a_part_of_a_name_finds_what_it_means_in_queries(
    rows: Sequence[Wire], kind: str, name: str, id: str
) -> None:
    assert (await found(rows, name, kind)).id == id


async def test_a_part_that_several_have_says_which_there_are() -> None:
    words = "Several users fit 'gra', give a longer name or an id: there is Grace Okafor .1., Zoë"
    with pytest.raises(BadSettings, match=words):
        await found(USERS, "gra", ASSIGNEE)


@pytest.mark.parametrize("name", ["", " ", "nobody"])
async def test_a_name_that_nobody_has_says_who_there_is(name: str) -> None:
    with pytest.raises(BadSettings, match=f"There is no user '{name}': there is Grace Okafor, Zoë"):
        await found(USERS, name, ASSIGNEE)


async def test_labels_have_whole_names_as_in_queries() -> None:
    with pytest.raises(BadSettings, match="There is no label 'comp': there is VIP, complaint"):
        await found(LABELS, "comp", LABEL, "label")


async def test_without_a_kind_only_whole_names_count() -> None:
    pages: Any = paged(USERS)
    with pytest.raises(NotFound, match="There is no user 'grace'"):
        await find(pages, "grace", "user", NotFound)


def test_twelve_names_are_listed_and_the_rest_is_counted() -> None:
    names = [f"n{number}" for number in range(14)]
    assert listed([]) == ""
    assert listed(names[:1]) == ": there is n0"
    assert listed(names[:12]) == f": there is {', '.join(names[:12])}"
    assert listed(names[:13]) == f": there is {', '.join(names[:12])} and 1 more"
    assert listed(names).endswith(", n11 and 2 more")


@pytest.mark.parametrize(
    ("text", "kinds", "read"),
    [
        ("is:open waiting:>1h factura has:image @unassigned by:phone", (), set()),
        ("@ana", (), {"users"}),
        ("by:ana -@me", (), {"users", "me"}),
        ("in:london #vip", (), {"channels", "labels"}),
        ("waiting:>1h hours:business", (), {"channels"}),
        ("team:atlantic", (), {"teams"}),
        ("field:tier=gold", (), {"fields"}),
        ("@unassigned", (ASSIGNEE, "team", "field"), {"users", "teams", "fields"}),
    ],
)
async def test_only_the_names_that_a_query_may_mean_are_read(
    client: InboxClient, text: str, kinds: tuple[str, ...], read: set[str]
) -> None:
    names = await query_names(client, parse(text), kinds)
    every = ("users", "channels", "labels", "teams", "fields", "me")
    assert {name for name in every if getattr(names, name)} == read


async def test_who_is_me_is_asked_for_where_the_query_says_me(client: InboxClient) -> None:
    assert (await query_names(client, parse("@me"))).me
    assert (await query_names(client, parse("@ana"))).me == ""
