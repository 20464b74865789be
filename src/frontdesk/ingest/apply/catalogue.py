"""Applies channels, users, labels and other catalogue rows: created on first use, then updated.

Facts about a phone number are applied to the channel that has it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, cast

from frontdesk.ingest.apply.context import NUMBER, BatchContext, PendingUpdates
from frontdesk.ingest.events import (
    Author,
    CannedResponseUpsert,
    ChannelUpsert,
    CustomFieldUpsert,
    LabelUpsert,
    NumberUpdate,
    TeamUpsert,
    TemplateUpsert,
    UserUpsert,
)
from frontdesk.store import lookups, writes
from frontdesk.store.contacts import label_key, name_key
from frontdesk.store.rows import ChannelDetails, blank, column_value, packed

CatalogueUpsert = (
    CannedResponseUpsert
    | CustomFieldUpsert
    | LabelUpsert
    | TeamUpsert
    | TemplateUpsert
    | UserUpsert
)


class _CatalogueKind(NamedTuple):
    """Table and unique column of a kind of catalogue row, and values that a new one begins with.

    Besides the defaults of the schema.
    """

    name: str
    key: str
    defaults: Mapping[str, Any] = MappingProxyType({})


_KINDS: Mapping[str, _CatalogueKind] = {
    "channel": _CatalogueKind("channel", "phone_number_id"),
    "user": _CatalogueKind("app_user", "key", {"role": "agent"}),
    "label": _CatalogueKind("label", "title_key"),
    "team": _CatalogueKind("team", "name"),
    "custom_field": _CatalogueKind("custom_field", "key", {"type": "text"}),
    "canned_response": _CatalogueKind("canned_response", "short_code"),
    "template": _CatalogueKind("template", "id"),
}


# Kind of the row of each event, and the field with its key, in the order in which they are applied.
CATALOGUE_EVENTS: Mapping[type[CatalogueUpsert], tuple[str, str]] = {
    UserUpsert: ("user", "key"),
    LabelUpsert: ("label", "title"),
    CustomFieldUpsert: ("custom_field", "key"),
    CannedResponseUpsert: ("canned_response", "short_code"),
    TemplateUpsert: ("template", "id"),
    TeamUpsert: ("team", "name"),
}
_NO_COLUMNS = ("at", "channels", "members")


class Catalogue:
    """Catalogue of an account while one batch is applied."""

    def __init__(self, context: BatchContext) -> None:
        self._context = context
        self._rows: dict[tuple[str, str], dict[str, Any]] = {}
        self._unsaved: dict[tuple[str, str], dict[str, Any]] = {}
        self._teams: list[tuple[int, set[int], set[int]]] = []
        self._times: dict[tuple[str, str], dict[str, int]] = {}
        # Channels created in this batch, and names of templates whose contents changed.
        self.new_numbers: list[str] = []
        self.new_templates: dict[str, None] = {}
        # By name and language; all are applied before any message asks for one.
        self._templates: dict[tuple[str, str], list[Mapping[str, Any]]] = {}

    def channel_id(self, phone_number_id: str, at: int) -> int:
        """Return a channel's id; creates it if unknown."""
        row = self._find("channel", phone_number_id)
        if row is None:
            row = self._make("channel", phone_number_id, at, _channel_name({}, phone_number_id))
            self._context.counts.add("channels", "new")
        return self._mention(("channel", phone_number_id), row, at)

    def user_id(self, key: str, at: int) -> int:
        """Return a user's id; creates it if unknown."""
        row = self._find("user", key) or self._make("user", key, at, _named(key))
        return self._mention(("user", key), row, at)

    def author(self, author: Author, at: int) -> tuple[int | None, str | None]:
        """Return the author's user id, if it is a user, and the name given by the event."""
        return None if author.user is None else self.user_id(author.user, at), author.name

    def label_id(self, title: str, at: int) -> int:
        """Return a label's id; creates it if unknown."""
        key = label_key(title)
        row = self._find("label", key) or self._make("label", key, at, {"title": title})
        if title > row["title"] and "title" not in self._times_of(("label", key), row):
            row["title"] = title
            self._unsaved["label", key] = row
        return self._mention(("label", key), row, at)

    def numbers_of(self, phone: str) -> list[str]:
        """Return the phone_number_ids of channels that currently have a phone number."""
        stored = lookups.channels_with(*self._context.account, phone)
        numbers = {row["phone_number_id"] for row in stored}
        held = {key: row for (kind, key), row in self._rows.items() if kind == "channel"}
        numbers = {key for key in numbers if key not in held}
        return sorted(numbers | {key for key, row in held.items() if row["phone"] == phone})

    def apply_channel(self, event: ChannelUpsert, *, seen: bool = True) -> None:
        """Apply facts about a channel. seen: it was in use at that time."""
        columns = {
            "phone": event.phone,
            "display_phone_number": event.display_phone_number,
            "waba_id": event.waba_id,
            "alias": event.alias,
            **{name: column_value(value) for name, value in event.details.items()},
        }
        key = event.phone_number_id
        row = self._find("channel", key)
        had_none = row is None
        if row is None:
            row = self._make("channel", key, event.at, _channel_name({}, key))
        differing = self._newer(("channel", key), row, columns, event.at)
        row.update(differing)
        row.update(_channel_name(row, key))
        self._stamp(("channel", key), row, event.at if seen else row["updated_at"], differing)
        how: Literal["changed", "known"] = "changed" if differing else "known"
        self._context.counts.add("channels", "new" if had_none else how)

    def apply(self, event: CatalogueUpsert) -> None:
        """Apply any other catalogue upsert."""
        kind, key, columns = _columns_of(event)
        row = self._find(kind, key)
        if row is None:
            row = self._make(kind, key, event.at, columns)
            differing = columns
            row.update(self._newer((kind, key), row, columns, event.at))
            self._context.counts.add("catalogue", "new")
        else:
            differing = self._newer((kind, key), row, columns, event.at)
            row.update(differing)
            self._stamp((kind, key), row, event.at, differing)
            self._context.counts.add("catalogue", "changed" if differing else "known")
        if kind == "template" and differing.get("components_json"):
            self.new_templates[row["name"]] = None
        if "name_key" in row:
            row["name_key"] = name_key(row["name"])
        if isinstance(event, TeamUpsert):
            self._link(row["id"], event)

    def template_components(
        self, name: str, language: str, channel_id: int
    ) -> list[Mapping[str, Any]]:
        """Return the components of a template, of the channel's business account if it has one of
        that name; empty if it is not known."""
        if (name, language) not in self._templates:
            self._templates[name, language] = self._named_templates(name, language)
        rows = self._templates[name, language]
        owner = self._waba_of(channel_id) if len(rows) > 1 else None
        for row in sorted(rows, key=lambda row: (row["waba_id"] != owner, row["id"])):
            components = json.loads(row["components_json"])
            if components:
                return [each for each in components if isinstance(each, dict)]
        return []

    def _named_templates(self, name: str, language: str) -> list[Mapping[str, Any]]:
        """Return the templates of a name and language, as this batch leaves them."""
        stored = lookups.templates(*self._context.account, name, language)
        rows: dict[str, Mapping[str, Any]] = {row["id"]: row for row in stored}
        rows |= {
            key: row
            for (kind, key), row in self._rows.items()
            if kind == "template" and (row["name"], row["language"]) == (name, language)
        }
        return list(rows.values())

    def _waba_of(self, channel_id: int) -> str | None:
        channels = (row for (kind, _), row in self._rows.items() if kind == "channel")
        channel: Mapping[str, Any] | None = next(
            (row for row in channels if row["id"] == channel_id), None
        )
        if channel is None:
            channel = lookups.catalogue_row(*self._context.account, "channel", "id", channel_id)
        return None if channel is None else channel["waba_id"]

    def save(self) -> None:
        for place, row in self._unsaved.items():
            if self._times.get(place):
                row["times_json"] = json.dumps(self._times[place], sort_keys=True)
        for kind in _KINDS:
            rows = [row for (of, _), row in self._unsaved.items() if of == kind]
            if rows:
                writes.save(self._context.connection, kind, rows)
        for team_id, channels, members in self._teams:
            writes.link_team(*self._context.account, team_id, channels, members)
        self._unsaved, self._teams = {}, []

    def _mention(self, place: tuple[str, str], row: dict[str, Any], at: int) -> int:
        """Return the id, and move `created_at` back to the earliest mention."""
        if at < row["created_at"]:
            row["created_at"] = at
            self._unsaved[place] = row
        return int(row["id"])

    def _find(self, kind: str, key: str) -> dict[str, Any] | None:
        row = self._rows.get((kind, key))
        if row is None:
            table = _KINDS[kind]
            stored = lookups.catalogue_row(*self._context.account, table.name, table.key, key)
            if stored is not None:
                row = self._rows[kind, key] = dict(stored)
        return row

    def _make(self, kind: str, key: str, at: int, columns: Mapping[str, Any]) -> dict[str, Any]:
        """Insert a row with its defaults and key."""
        self._context.counts.changed = True
        table = _KINDS[kind]
        row = {**blank(kind), **table.defaults, "account_id": self._context.account_id}
        row["created_at"] = row["updated_at"] = at
        row.update({name: value for name, value in columns.items() if value is not None})
        row[table.key] = key
        if table.key != "id":
            row["id"] = self._context.ids.next(kind)
        if kind == "channel":
            self.new_numbers.append(key)
        self._rows[kind, key] = self._unsaved[kind, key] = row
        return row

    def _newer(
        self, place: tuple[str, str], row: dict[str, Any], columns: Mapping[str, Any], at: int
    ) -> dict[str, Any]:
        """Return the values that are newer than the row's and differ from them.

        Of two values of the same time, the greater wins, independent of order. "" clears a value.
        """
        times = self._times_of(place, row)
        differing: dict[str, Any] = {}
        for name, value in columns.items():
            known_at = times.get(name, -1)
            if value is None or (at, str(value)) < (known_at, str(row[name] or "")):
                continue
            if at > known_at:
                times[name] = at
                self._unsaved[place] = row
            if row[name] != _nothing(value):
                differing[name] = _nothing(value)
        return differing

    def _times_of(self, place: tuple[str, str], row: Mapping[str, Any]) -> dict[str, int]:
        if place not in self._times:
            self._times[place] = json.loads(row["times_json"] or "{}")
        return self._times[place]

    def _stamp(
        self, place: tuple[str, str], row: dict[str, Any], at: int, differing: Mapping[str, Any]
    ) -> None:
        """Update `created_at` to the earliest mention and `updated_at` to the latest change."""
        earlier = "created_at" in row and at < row["created_at"]
        if earlier:
            row["created_at"] = at
        if differing:
            row["updated_at"] = max(at, row["updated_at"] or 0)
        if differing or earlier:
            self._unsaved[place] = row

    def _link(self, team_id: int, event: TeamUpsert) -> None:
        channels = {self.channel_id(number, event.at) for number in event.channels}
        members = {self.user_id(key, event.at) for key in event.members}
        times = self._times_of(("team", event.name), self._rows["team", event.name])
        if event.at < times.get("links", -1):
            return
        times["links"] = event.at
        self._unsaved["team", event.name] = self._rows["team", event.name]
        if lookups.team_links(*self._context.account, team_id) != (channels, members):
            self._teams.append((team_id, channels, members))
            self._context.counts.changed = True


def _nothing(value: object) -> object:
    return None if value == "" else value


def _named(name: str) -> dict[str, str]:
    return {"name": name, "name_key": name_key(name)}


def _channel_name(row: Mapping[str, Any], phone_number_id: str) -> dict[str, str]:
    """Return the operator's alias, else the verified name, else the number."""
    names = (row.get("alias"), row.get("verified_name"), row.get("phone"))
    return _named(next((name for name in names if name), phone_number_id))


def _columns_of(event: CatalogueUpsert) -> tuple[str, str, dict[str, Any]]:
    """Return an event's kind, key and columns."""
    kind, key_field = CATALOGUE_EVENTS[type(event)]
    names = (each.name for each in fields(event) if each.name not in _NO_COLUMNS)
    columns = {name: column_value(getattr(event, name)) for name in names}
    key = columns[key_field] if kind == "label" else columns.pop(key_field)
    match event:
        case LabelUpsert():
            key = label_key(key)
        case UserUpsert() | TeamUpsert():
            columns |= _named(event.name)
        case CustomFieldUpsert():
            options = columns.pop("options")
            columns["options_json"] = None if options is None else _spaced_json(options)
        case TemplateUpsert():
            components = columns.pop("components")
            columns["components_json"] = _spaced_json(components) if components else None
    return kind, key, columns


def _spaced_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


_NO_CHANNEL = 0


def apply_number_facts(
    catalogue: Catalogue,
    pending: PendingUpdates,
    updates: Sequence[NumberUpdate],
    upserts: Sequence[ChannelUpsert],
) -> None:
    """Park facts about numbers, and apply them to the channels that currently have these."""
    phones = {update.phone for update in updates}
    phones |= {upsert.phone for upsert in upserts if upsert.phone}
    pending.load(_NO_CHANNEL, phones)
    for update in updates:
        _park(pending, update)
    for phone in sorted(phones):
        facts = _facts(pending, phone)
        if facts:
            for number in catalogue.numbers_of(phone):
                for name, (at, value) in sorted(facts.items()):
                    details = cast(ChannelDetails, {name: value})
                    upsert = ChannelUpsert(number, at, details=details)
                    catalogue.apply_channel(upsert, seen=False)


def _park(pending: PendingUpdates, update: NumberUpdate) -> None:
    """Keep the latest value of each detail as {name: [milliseconds, value]}; it stays parked."""
    facts = _facts(pending, update.phone)
    columns = {name: [update.at, value] for name, value in update.details.items()}
    newer = {name: fact for name, fact in columns.items() if _rank(fact) > _rank(facts.get(name))}
    if newer:
        facts |= newer
        latest = max(at for at, _ in facts.values())
        pending.park(_NO_CHANNEL, update.phone, NUMBER, latest, facts)


def _facts(pending: PendingUpdates, phone: str) -> dict[str, list[Any]]:
    waiting = pending.parked(_NO_CHANNEL, phone, NUMBER)
    return {} if waiting is None else waiting[1]


def _rank(fact: list[Any] | None) -> tuple[int, str]:
    return (-1, "") if fact is None else (fact[0], packed(fact[1]) or "")
