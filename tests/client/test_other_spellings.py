"""Servers with other member names give the same values as `/v1`."""

import asyncio
import random
from itertools import product
from typing import Any

import pytest
from tests.client.full_read import CONVERSATION, InboxContents, client_of, read_all, read_from
from tests.client.inbox_rows import Row
from tests.client.other_server import OtherServer, Variant
from tests.client.variants import ENVELOPES, IDS, ROWS


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    """What the contract's own spelling gives, read once."""
    contents = asyncio.run(read_from())
    assert not contents.failed
    return contents.read


def check(contents: InboxContents, expected: dict[str, Any]) -> None:
    assert not contents.failed
    assert contents.read == expected


@pytest.mark.parametrize("name", ENVELOPES)
async def test_an_envelope_changes_nothing_of_what_is_read(
    name: str, expected: dict[str, Any]
) -> None:
    check(await read_from(ENVELOPES[name]), expected)


@pytest.mark.parametrize("name", ROWS)
async def test_a_spelling_of_rows_changes_nothing_of_what_is_read(
    name: str, expected: dict[str, Any]
) -> None:
    check(await read_from(ROWS[name]), expected)


def some_pairs() -> list[tuple[str, str]]:
    """Every row variant with two envelopes, every envelope with several row variants."""
    chance = random.Random(7)
    pairs = list(product(ENVELOPES, ROWS))
    chance.shuffle(pairs)
    often: dict[str, int] = {}
    chosen = []
    for envelope, row in pairs:
        if often.get(row, 0) < 2 and often.get(envelope, 0) < 5:
            often[row] = often.get(row, 0) + 1
            often[envelope] = often.get(envelope, 0) + 1
            chosen.append((envelope, row))
    return chosen


@pytest.mark.parametrize(("envelope", "row"), some_pairs())
async def test_envelopes_and_rows_go_together(
    envelope: str, row: str, expected: dict[str, Any]
) -> None:
    check(await read_from(ROWS[row], ENVELOPES[envelope]), expected)


@pytest.mark.parametrize("name", IDS)
async def test_ids_of_any_form_lead_to_their_rows(name: str) -> None:
    write = IDS[name]

    def rewritten(listed: str, rows: list[Row]) -> list[Row]:
        change = {"id", "conversation_id"}
        return [{k: write(v) if k in change else v for k, v in row.items()} for row in rows]

    contents = await read_from(Variant(rows=rewritten), conversation=write(CONVERSATION))
    assert not contents.failed
    assert len(contents.ids("messages")) == 5
    assert contents.ids("conversations")[0] == write("1007")


async def test_differences_are_reported_and_the_contract_has_none() -> None:
    async with client_of(OtherServer()) as client:
        await read_all(client)
        assert client.server.differences == ()
    async with client_of(OtherServer((ENVELOPES["V06"], ROWS["V43 body"]))) as client:
        await read_all(client)
        assert {
            "Lists are in items",
            "The next cursor is in next",
            "Message: text is body",
        } <= set(client.server.differences)
