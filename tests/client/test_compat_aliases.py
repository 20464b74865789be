"""Servers with other member names give the same values as `/v1`."""

import asyncio
import random
from itertools import product
from typing import Any

import pytest
from tests.client.inbox_rows import Row
from tests.client.other_server import OtherServer, Variant
from tests.client.variants import ENVELOPES, IDS, ROWS
from tests.client.walks import CONVERSATION, Walked, client_of, walk, walked_through


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    """What the contract's own spelling gives, read once."""
    walked = asyncio.run(walked_through())
    assert not walked.failed
    return walked.read


def check(walked: Walked, expected: dict[str, Any]) -> None:
    assert not walked.failed
    assert walked.read == expected


@pytest.mark.parametrize("name", ENVELOPES)
async def test_an_envelope_changes_nothing_of_what_is_read(
    name: str, expected: dict[str, Any]
) -> None:
    check(await walked_through(ENVELOPES[name]), expected)


@pytest.mark.parametrize("name", ROWS)
async def test_a_spelling_of_rows_changes_nothing_of_what_is_read(
    name: str, expected: dict[str, Any]
) -> None:
    check(await walked_through(ROWS[name]), expected)


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
    check(await walked_through(ROWS[row], ENVELOPES[envelope]), expected)


@pytest.mark.parametrize("name", IDS)
async def test_ids_of_any_form_lead_to_their_rows(name: str) -> None:
    write = IDS[name]

    def rewritten(listed: str, rows: list[Row]) -> list[Row]:
        change = {"id", "conversation_id"}
        return [{k: write(v) if k in change else v for k, v in row.items()} for row in rows]

    walked = await walked_through(Variant(rows=rewritten), conversation=write(CONVERSATION))
    assert not walked.failed
    assert len(walked.ids("messages")) == 5
    assert walked.ids("conversations")[0] == write("1007")


async def test_differences_are_reported_and_the_contract_has_none() -> None:
    async with client_of(OtherServer()) as client:
        await walk(client)
        assert client.server.differences == ()
    async with client_of(OtherServer((ENVELOPES["V06"], ROWS["V43 body"]))) as client:
        await walk(client)
        assert {
            "Lists are in items",
            "The next cursor is in next",
            "Message: text is body",
        } <= set(client.server.differences)
