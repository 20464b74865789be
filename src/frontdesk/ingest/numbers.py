"""Applies facts about phone numbers to the channels that have these numbers."""

from collections.abc import Sequence
from typing import Any

from frontdesk.ingest.catalogue import Catalogue
from frontdesk.ingest.events import ChannelUpsert, NumberUpdate
from frontdesk.ingest.letters import packed
from frontdesk.ingest.orphans import NUMBER, Orphans

_NO_CHANNEL = 0


def tell_numbers(
    catalogue: Catalogue,
    orphans: Orphans,
    updates: Sequence[NumberUpdate],
    upserts: Sequence[ChannelUpsert],
) -> None:
    """Park facts about numbers, and apply them to the channels that currently have these."""
    phones = {update.phone for update in updates}
    phones |= {upsert.phone for upsert in upserts if upsert.phone}
    orphans.load(_NO_CHANNEL, phones)
    for update in updates:
        _keep(orphans, update)
    for phone in sorted(phones):
        facts = _facts(orphans, phone)
        if facts:
            for number in catalogue.numbers_of(phone):
                for name, (at, value) in sorted(facts.items()):
                    told = ChannelUpsert(number, at, details={name: value})
                    catalogue.tell_channel(told, seen=False)


def _keep(orphans: Orphans, update: NumberUpdate) -> None:
    """Keep the latest value of each detail as {name: [milliseconds, value]}; it stays parked."""
    facts = _facts(orphans, update.phone)
    told = {name: [update.at, value] for name, value in update.details.items()}
    newer = {name: fact for name, fact in told.items() if _rank(fact) > _rank(facts.get(name))}
    if newer:
        facts |= newer
        latest = max(at for at, _ in facts.values())
        orphans.keep(_NO_CHANNEL, update.phone, NUMBER, latest, facts)


def _facts(orphans: Orphans, phone: str) -> dict[str, list[Any]]:
    waiting = orphans.waiting(_NO_CHANNEL, phone, NUMBER)
    return {} if waiting is None else waiting[1]


def _rank(fact: list[Any] | None) -> tuple[int, str]:
    return (-1, "") if fact is None else (fact[0], packed(fact[1]) or "")
