"""The client as a library: lists of any length, and single resources."""

from collections.abc import Awaitable, Callable

import pytest

from frontdesk import wire
from frontdesk.client import InboxClient, RowPages
from frontdesk.errors import BadResponse, CursorRefused, Refused, Unreachable
from frontdesk.wire import Label, Page, PartialPage

LISTS = {
    "conversations": wire.Conversation,
    "contacts": wire.Contact,
    "labels": wire.Label,
    "custom_fields": wire.CustomField,
    "users": wire.User,
    "teams": wire.Team,
    "channels": wire.Channel,
    "canned_responses": wire.CannedResponse,
    "templates": wire.Template,
}


@pytest.mark.parametrize(("name", "row"), LISTS.items())
async def test_every_list_is_iterated_to_its_end(
    client: InboxClient, name: str, row: type[wire.Wire]
):
    ids = [one.id async for one in getattr(client, name)(limit=9)]
    assert ids
    assert len(ids) == len(set(ids))
    assert [one.id async for one in getattr(client, name)()] == ids
    assert all([isinstance(one, row) async for one in getattr(client, name)()])


async def test_messages_and_notes_of_a_conversation(client: InboxClient):
    messages = [one async for one in client.messages("2", limit=2)]
    times = [one.created_at for one in messages]
    assert len(messages) > 2
    assert times == sorted(times, reverse=True)
    assert all([one.conversation_id == "2" async for one in client.notes("2")])


async def test_filters_counts_and_the_report_agree(client: InboxClient):
    counts = await client.counts()
    rows = [one async for one in client.conversations(status="open")]
    assert len(rows) == counts.open
    mine = [one async for one in client.conversations(status="open", assignee="me")]
    assert len(mine) == counts.mine
    assert (await client.report()).period.timezone
    contact = next(iter([one async for one in client.contacts("sam") if one.phone]))
    assert await client.contact_by_phone(str(contact.phone)) == contact


async def test_the_cursor_goes_on_where_a_page_ended(client: InboxClient):
    every = [one.id async for one in client.conversations()]
    rows = client.conversations(limit=10)
    first = await rows.page()
    later = client.conversations(limit=10, cursor=rows.cursor)
    assert [one.id for one in first.data] + [one.id async for one in later] == every
    assert (later.cursor, later.ended) == (None, True)
    with pytest.raises(CursorRefused):
        await client.contacts(cursor=rows.cursor).page()


async def test_pages_can_be_had_one_by_one(client: InboxClient):
    sizes = [len(page.data) async for page in client.conversations(limit=100).pages()]
    assert set(sizes[:-1]) == {100}
    assert sum(sizes) == (await client.counts()).all


async def test_a_refused_filter_has_the_code_of_the_error(client: InboxClient):
    with pytest.raises(Refused) as refused:
        await anext(client.conversations(channel="nope"))
    assert refused.value.code == "invalid_filter"


def label(id: int) -> Label:
    return Label(id=str(id), title=f"label {id}")


def scripted(*answers: Page[Label] | Exception) -> Callable[[str | None], Awaitable[Page[Label]]]:
    """Answers in this order, the last one again and again."""
    left = list(answers)

    async def fetch(cursor: str | None) -> Page[Label]:
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    return fetch


def page(*ids: int, cursor: str | None = None, **members: bool) -> Page[Label]:
    return Page[Label](data=tuple(map(label, ids)), next_cursor=cursor, **members)


async def test_after_a_failure_it_goes_on_with_the_same_page():
    rows = RowPages(scripted(page(1, cursor="a"), Unreachable("gone"), page(2)))
    assert (await anext(rows)).id == "1"
    with pytest.raises(Unreachable):
        await anext(rows)
    assert rows.cursor == "a"
    assert [row.id async for row in rows] == ["2"]


async def test_the_end_is_where_the_server_says_so():
    assert [row.id async for row in RowPages(scripted(page(1, cursor="a", has_more=False)))] == [
        "1"
    ]
    assert [row.id async for row in RowPages(scripted(page(1)))] == ["1"]
    assert [row async for row in RowPages(scripted(page()))] == []


@pytest.mark.parametrize(
    "answers",
    [
        (page(1, cursor="a"), page(2, cursor="a")),
        (page(1, cursor="a"), page(2, cursor="b"), page(1, cursor="a")),
        (page(1, has_more=True),),
    ],
    ids=["the same cursor", "a ring", "more, but no cursor"],
)
async def test_a_list_without_an_end_is_refused_after_what_it_gave(
    answers: tuple[Page[Label], ...],
):
    rows = RowPages(scripted(*answers))
    read = [await anext(rows) for _ in answers]
    assert len(read) == len(answers)
    for _ in range(2):
        with pytest.raises(BadResponse):
            await anext(rows)


async def test_empty_pages_are_passed_but_not_for_ever():
    some = [page(cursor=str(number)) for number in range(4)]
    assert [row.id async for row in RowPages(scripted(*some, page(1)))] == ["1"]
    number = iter(range(1000))

    async def fetch(cursor: str | None) -> Page[Label]:
        return page(cursor=str(next(number)))

    with pytest.raises(BadResponse):
        await anext(RowPages(fetch))
    assert next(number) < 10


async def test_rows_that_could_not_be_read_are_counted():
    partial = PartialPage[Label](data=(label(1),), unreadable=2, next_cursor="a")
    rows = RowPages(scripted(partial, page(2)))
    assert [row.id async for row in rows] == ["1", "2"]
    assert rows.unreadable == 2
