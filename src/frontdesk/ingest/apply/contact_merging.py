"""Merges contacts: which contacts are one person's, their facts, and changes of identity.

`ContactIndex.contacts_of` decides which contacts are one: if it finds several, `contacts.py` merges
them. Of their facts, such as the name, the latest of each wins.

Changes of number or user id merge reversibly, from parts. A part is a contact by itself: all facts
about identifiers that certainly belong to one person. An identity change merges two parts into one
contact, unless the new identifier belonged to somebody before. As an older fact that arrives later
may prove this, parts are stored, and messages refer to theirs. A contact is thus computed from its
parts and the changes, independently of the order of arrival.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, cast

from frontdesk.ingest.apply.context import BatchContext
from frontdesk.ingest.events import (
    ADDRESS_BOOK_NAME,
    CONTACT_FACTS,
    IMPORTED_NAME,
    NO_NAME,
    PROFILE_NAME,
    ContactUpsert,
    IdentityChange,
    Person,
)
from frontdesk.store import lookups, writes
from frontdesk.store.contacts import name_key
from frontdesk.store.rows import (
    AliasRow,
    ContactRow,
    IdentityChangeRow,
    PartRow,
    blank,
    column_value,
)
from frontdesk.text.clean import compact_json, is_blank
from frontdesk.text.phones import canonical_phone, phone_forms

_FACT_COLUMNS = (*CONTACT_FACTS, "marketing_opt_out_at")
_CUSTOM = "custom."
# In order of precedence.
_RANKS = (ADDRESS_BOOK_NAME, IMPORTED_NAME, PROFILE_NAME, NO_NAME)


# {name: [milliseconds, value]}.
Facts = dict[str, list[Any]]


@dataclass(slots=True)
class BatchContact:
    """Contact, or part of a merged contact, with its decoded facts.

    began: start of a part's conversation by channel id.
    """

    row: ContactRow
    facts: Facts
    began: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, row: ContactRow, began: Mapping[int, int] = {}) -> "BatchContact":
        """Decode the facts of a row, which the contact owns."""
        return cls(row, json.loads(row["facts_json"] or "{}"), dict(began))

    @property
    def id(self) -> int:
        return self.row["id"]

    def apply(self, values: Mapping[str, Any], at: int) -> bool | None:
        """Merge newer facts; return True if columns changed, None if no fact was newer."""
        newer = {
            name: [at, value]
            for name, value in values.items()
            if _is_newer([at, value], self.facts.get(name))
        }
        if not newer:
            return None
        # As JSON: 1 and true are equal, but another value for the reader.
        differs = any(
            name not in self.facts or compact_json(self.facts[name][1]) != compact_json(value)
            for name, (_, value) in newer.items()
        )
        self.facts.update(newer)
        return differs and self._update_columns()

    def merge(self, other: "BatchContact") -> None:
        """Merge the facts of another contact of the same person."""
        for name, fact in other.facts.items():
            if _is_newer(fact, self.facts.get(name)):
                self.facts[name] = fact
        self._update_columns()
        row, other_row = self.row, other.row
        row["created_at"] = min(row["created_at"], other_row["created_at"])
        times = (row["last_activity_at"], other_row["last_activity_at"])
        row["last_activity_at"] = max(filter(None, times), default=None)

    def encoded(self) -> ContactRow:
        """Encode the facts into `facts_json` and return the row."""
        if self.facts:
            self.row["facts_json"] = compact_json(self.facts, sort_keys=True)
        return self.row

    def _update_columns(self) -> bool:
        """Update the columns from the facts; return True if any changed."""
        facts = self.facts
        shown = {name: facts[name][1] for name in _FACT_COLUMNS if name in facts}
        shown |= _best_name(facts)
        custom = {
            name.removeprefix(_CUSTOM): fact[1]
            for name, fact in facts.items()
            if name.startswith(_CUSTOM)
        }
        if custom:
            shown["custom_json"] = json.dumps(custom, ensure_ascii=False, sort_keys=True)
        row = cast(dict[str, Any], self.row)
        changed = any(row[name] != value for name, value in shown.items())
        row.update(shown)
        return changed


def facts_of(event: ContactUpsert) -> dict[str, Any]:
    """Return an event's facts by name."""
    facts: dict[str, Any] = {
        f"name.{event.name_rank}": _visible_name(event.name),
        **{name: column_value(getattr(event, name)) for name in CONTACT_FACTS},
        "profile_name": _visible_name(event.profile_name),
    }
    facts |= {f"{_CUSTOM}{key}": value for key, value in event.custom_fields.items()}
    facts = {name: value for name, value in facts.items() if value is not None}
    if event.marketing_opt_out is not None:
        # Known to be none is a fact too.
        facts["marketing_opt_out_at"] = event.at if event.marketing_opt_out else None
    return facts


def _visible_name(name: str | None) -> str | None:
    """Return a name as it is written; None if it draws nothing and so names nobody."""
    return None if name is None or is_blank(name) else name


def _is_newer(fact: list[Any], other: list[Any] | None) -> bool:
    """Compare by time, then by value, so that the order of arrival does not matter."""
    if other is None:
        return True
    return fact[0] > other[0] or (
        fact[0] == other[0]
        and compact_json(fact[1], sort_keys=True) > compact_json(other[1], sort_keys=True)
    )


def _best_name(facts: Mapping[str, list[Any]]) -> dict[str, Any]:
    for rank in _RANKS:
        fact = facts.get(f"name.{rank}")
        if fact is not None and fact[1] is not None:
            return {"name": fact[1], "name_rank": rank, "name_key": name_key(fact[1])}
    return {"name": None, "name_rank": NO_NAME, "name_key": ""}


class ContactIndex:
    """Finds contacts by phone number, wa_id, user id or alias; a number by any of its forms."""

    def __init__(self) -> None:
        self._by_user: dict[str, BatchContact] = {}
        self._by_phone: dict[str, BatchContact] = {}
        self._by_wa: dict[str, BatchContact] = {}
        self._by_alias: dict[str, BatchContact] = {}
        # Stored contact id to the contact that it now belongs to.
        self.stored: dict[int, BatchContact] = {}
        # Contacts of one number that were stored for each of its forms.
        self.doubles: list[tuple[BatchContact, BatchContact]] = []

    def contacts_of(self, person: Person) -> Iterator[BatchContact]:
        """Yield the contacts of a person's identifiers; that of the phone first."""
        number, user = wa_number(person), person.wa_user_id
        if person.phone:
            line = canonical_phone(person.phone)
            yield from filter(None, (self._by_phone.get(line), self._by_alias.get(line)))
        if number:
            line = canonical_phone(f"+{number}")
            yield from filter(None, (self._by_wa.get(line), self._by_alias.get(line)))
        if user:
            yield from filter(None, (self._by_user.get(user), self._by_alias.get(user)))

    def named(self, name: str) -> BatchContact | None:
        """Return the contact of a name in the format of `principal_name`."""
        return next(self.contacts_of(Person.named(name)), None)

    def add(self, contact: BatchContact) -> None:
        """Index a contact by its identifiers."""
        if contact.row["wa_user_id"]:
            self._by_user[contact.row["wa_user_id"]] = contact
        if contact.row["phone"]:
            line = canonical_phone(contact.row["phone"])
            other = self._by_phone.get(line, contact)
            if other is not contact:
                self.doubles.append((other, contact))
            self._by_phone[line] = contact
        if contact.row["wa_id"]:
            self._by_wa.setdefault(canonical_phone(f"+{contact.row['wa_id']}"), contact)

    def add_alias(self, name: str, contact: BatchContact) -> bool:
        """Add an alias; returns False if it existed."""
        line = canonical_phone(name)
        if self._by_alias.get(line) is contact:
            return False
        self._by_alias[line] = contact
        return True

    def drop_alias(self, name: str) -> bool:
        """Remove an alias; returns False if it did not exist."""
        return self._by_alias.pop(canonical_phone(name), None) is not None

    def aliases_of(self, contact: BatchContact) -> set[str]:
        """Return the canonical forms of a contact's aliases."""
        return {name for name, owner in self._by_alias.items() if owner is contact}

    def repoint(self, old: BatchContact, new: BatchContact) -> None:
        """Repoint all identifiers of one contact to another."""
        for index in (self._by_user, self._by_phone, self._by_wa, self._by_alias, self.stored):
            repoint(index, old, new)


def repoint(index: dict[Any, BatchContact], old: BatchContact, new: BatchContact) -> None:
    for name in [name for name, contact in index.items() if contact is old]:
        index[name] = new


def wa_number(person: Person) -> str | None:
    """Return the digits of the person's WhatsApp number."""
    return person.wa_id or (person.phone.removeprefix("+") if person.phone else None)


def principal_name(person: Person) -> str:
    """Return the name used in identity changes: a canonical number with +, or a user id."""
    number = f"+{person.wa_id}" if person.wa_id else None
    return canonical_phone(person.phone or number or person.wa_user_id or "")


# Identity change (old, new, at): the person with the name `old` has had `new` since `at`.
Change = tuple[str, str, int]

_CHANGE = "identity_change"
# Columns that are no facts about a part.
_NOT_KEPT = frozenset(("account_id", "id", "search", "updated_at"))
_STORED = tuple(name for name in blank("contact") if name not in _NOT_KEPT)


class PartMove(NamedTuple):
    """Result for a stored part: the part that it merged into (usually itself) and its contact.

    began: start of its conversation by channel id; None: it was the whole contact.
    """

    id: int
    part: int
    contact: int
    began: Mapping[int, int] | None


class ContactParts:
    """Parts and identity changes of a batch's contacts."""

    def __init__(self, context: BatchContext, index: ContactIndex) -> None:
        self._context = context
        self._index = index
        self._changes: set[Change] = set()
        self._unsaved: list[Change] = []
        # Parts as read: {id: (contact id, row_json)}, and the contacts made of them.
        self._stored: dict[int, tuple[int, str]] = {}
        self._owners: dict[int, BatchContact] = {}
        self._parts: dict[int, BatchContact] = {}
        self._contact_ids: dict[int, int] = {}
        self._whole: set[int] = set()

    def load(self, contacts: Mapping[int, BatchContact]) -> list[BatchContact]:
        """Return the contacts, with those made of parts replaced by the parts."""
        if not (contacts and self._context.ids.any(_CHANGE)):
            return list(contacts.values())
        names: set[str] = set()
        stored_aliases: list[tuple[BatchContact, list[str]]] = []
        for row in lookups.parts_of(*self._context.account, contacts.keys()):
            part, aliases = self._decoded(row)
            self._stored[part.id] = row["contact_id"], row["row_json"]
            self._owners[row["contact_id"]] = contacts[row["contact_id"]]
            self._parts[part.id] = part
            names |= {*_names(part.row), *aliases}
            stored_aliases.append((part, aliases))
        forms = {form for name in names for form in phone_forms(name)}
        self._changes |= {
            (canonical_phone(old), canonical_phone(new), at)
            for old, new, at in lookups.identity_changes(*self._context.account, forms)
        }
        for part, aliases in stored_aliases:
            for name in aliases:
                self._index.add_alias(name, part)
        return [contact for id_, contact in contacts.items() if id_ not in self._owners] + [
            *self._parts.values()
        ]

    def is_merged(self, contact_id: int) -> bool:
        """Check if a stored contact is made of parts."""
        return contact_id in self._owners

    def has(self, part_id: int) -> bool:
        return part_id in self._parts

    def contact_id(self, part_id: int) -> int:
        """Return the contact id of a part; any other id is a contact's own."""
        return self._contact_ids.get(part_id, part_id)

    def settle(self, moves: Iterable[IdentityChange]) -> None:
        """Add identity changes, and assign every part to a contact."""
        for move in moves:
            change = principal_name(move.old), principal_name(move.new), move.at
            if change not in self._changes:
                self._changes.add(change)
                self._unsaved.append(change)
        if not (self._changes or self._parts):
            return
        self._gather()
        self._contact_ids = {}
        for group in self._groups():
            home = min(group, key=self._precedence).id
            self._contact_ids |= dict.fromkeys((part.id for part in group), home)
        for part_id, home in self._contact_ids.items():
            if part_id != home and part_id not in self._index.stored:
                self._context.counts.discount("contacts")

    def moves(self) -> dict[int, list[PartMove]]:
        """Return what became of stored contacts that have several parts, by contact id."""
        moves: dict[int, list[PartMove]] = {}
        for id_ in sorted({*self._stored, *self._whole}):
            part = self._index.stored[id_].id
            contact_id, began = id_, None
            if id_ in self._stored:
                contact_id, packed = self._stored[id_]
                began = _began(json.loads(packed))
            moves.setdefault(contact_id, []).append(
                PartMove(id_, part, self.contact_id(part), began)
            )
        return moves

    def extend_back(self, part_id: int, channel_id: int, at: int) -> None:
        """Record that a part has had a conversation since `at` or earlier."""
        part = self._parts.get(part_id)
        if part is not None:
            part.began[channel_id] = min(at, part.began.get(channel_id, at))

    def contacts(self) -> list[ContactRow]:
        """Return changed contacts that are made of parts."""
        merged = (self._merged(home) for home in sorted(set(self._contact_ids.values())))
        return [contact for contact in merged if _differs(contact, self._owners.get(contact["id"]))]

    def save(self) -> None:
        """Write identity changes, parts and aliases, but not the contacts."""
        place = self._context.account
        if not self._parts:
            return
        encoded = {id_: self._encoded(part) for id_, part in sorted(self._parts.items())}
        changed: list[PartRow] = [
            {
                "account_id": self._context.account_id,
                "id": id_,
                "contact_id": self.contact_id(id_),
                "row_json": row,
            }
            for id_, row in encoded.items()
            if self._stored.get(id_) != (self.contact_id(id_), row)
        ]
        writes.delete_rows(
            *place, "contact_part", "id", sorted(self._stored.keys() - self._parts.keys())
        )
        writes.save(self._context.connection, "part", changed)
        writes.add(self._context.connection, _CHANGE, map(self._change_row, self._unsaved))
        if changed or self._unsaved:
            writes.delete_rows(
                *place, "contact_alias", "contact_id", sorted({*self._owners, *self._whole})
            )
            writes.save(self._context.connection, "alias", self._aliases())

    def removed_ids(self) -> set[int]:
        """Return stored contacts that no longer exist."""
        return {*self._owners, *self._whole} - set(self._contact_ids.values())

    def _gather(self) -> None:
        """Turn contacts named by identity changes into parts."""
        stored = self._index.stored
        parts = [stored[id_] for id_ in self._parts]
        for old, new, _ in self._changes:
            parts += filter(None, map(self._index.named, (old, new)))
        self._parts = {part.id: part for part in parts}
        self._whole = {
            id_
            for id_, contact in stored.items()
            if contact.id in self._parts and id_ not in self._stored
        }
        for row in lookups.aliases_of(*self._context.account, self._whole):
            self._index.add_alias(row["phone"], stored[row["contact_id"]])

    def _groups(self) -> list[list[BatchContact]]:
        """Group the parts of one person, connected by valid identity changes."""
        groups = {id_: [part] for id_, part in self._parts.items()}
        for old, new in self._valid_changes():
            if groups[old] is not groups[new]:
                groups[old] += groups[new]
                for part in groups[new]:
                    groups[part.id] = groups[old]
        return list({id(group): group for group in groups.values()}.values())

    def _valid_changes(self) -> Iterator[tuple[int, int]]:
        """Yield pairs of part ids joined by valid changes.

        A change is valid if the new name was unused before; of several changes to it, the earliest
        wins.
        """
        first: dict[int, tuple[int, str, str, int]] = {}
        for old, new, at in self._changes:
            source, target = self._index.named(old), self._index.named(new)
            if source is None or target is None or source is target:
                continue
            if at <= target.row["created_at"]:
                candidate = at, old, new, source.id
                first[target.id] = min(candidate, first.get(target.id, candidate))
        for target_id, (_, _, _, source_id) in sorted(first.items()):
            yield source_id, target_id

    def _precedence(self, part: BatchContact) -> tuple[bool, bool, int]:
        """Sort key of the part that gives a contact its id: stored, with a number, the oldest."""
        is_contact = part.id in self._owners or part.id in self._whole
        return not is_contact, part.row["phone"] is None, part.id

    def _merged(self, home: int) -> ContactRow:
        """Build a contact from its parts."""
        parts = [
            part for id_, part in sorted(self._parts.items()) if self._contact_ids[id_] == home
        ]
        whole = BatchContact(self._parts[home].row.copy(), dict(self._parts[home].facts))
        for part in parts:
            whole.merge(part)
        contact = whole.encoded()
        shown = self._owners.get(home)
        contact["search"] = "" if shown is None else shown.row["search"]
        contact["phone"], contact["phone_at"] = self._latest(parts, "phone", "phone_at")
        contact["wa_user_id"], contact["user_at"] = self._latest(parts, "wa_user_id", "user_at")
        line = canonical_phone(contact["phone"] or "")
        contact["wa_id"] = max(
            (
                part.row["wa_id"]
                for part in parts
                if canonical_phone(part.row["phone"] or "") == line and part.row["wa_id"]
            ),
            default=None,
        )
        contact["updated_at"] = self._context.now
        return contact

    def _latest(
        self,
        parts: Sequence[BatchContact],
        kind: Literal["phone", "wa_user_id"],
        at: Literal["phone_at", "user_at"],
    ) -> tuple[str | None, int]:
        """Return the current name of a person, and the time of its last mention."""
        mentions = [(part.row[at], part.row[kind]) for part in parts if part.row[kind]]
        ids = {part.id for part in parts}
        for old, new, moment in self._changes:
            source, target = self._index.named(old), self._index.named(new)
            within = source is not None and target is not None and {source.id, target.id} <= ids
            if within and new.startswith("+") == (kind == "phone"):
                spelling = None if target is None else target.row[kind]
                same = spelling is not None and canonical_phone(spelling) == new
                mentions.append((moment, spelling if spelling and same else new))
        since, name = max(mentions, default=(0, None))
        return name, since

    def _aliases(self) -> Iterator[AliasRow]:
        """Yield the aliases of contacts made of parts."""
        for home in sorted(set(self._contact_ids.values())):
            contact = self._merged(home)
            parts = [part for id_, part in self._parts.items() if self._contact_ids[id_] == home]
            names = {
                name for part in parts for name in self._index.aliases_of(part) | _names(part.row)
            }
            for name in sorted(names - _names(contact)):
                yield {"account_id": self._context.account_id, "phone": name, "contact_id": home}

    def _change_row(self, change: Change) -> IdentityChangeRow:
        old, new, at = change
        number = self._context.ids.next(_CHANGE)
        return {
            "account_id": self._context.account_id,
            "id": number,
            "old": old,
            "new": new,
            "at": at,
        }

    def _encoded(self, part: BatchContact) -> str:
        """Encode a part for storage."""
        row: Mapping[str, Any] = part.encoded()
        columns = {name: row[name] for name in _STORED if row[name] is not None}
        own = {canonical_phone(part.row["phone"] or ""), part.row["wa_user_id"]}
        aliases = sorted(self._index.aliases_of(part) - own)
        return compact_json(columns | {"aliases": aliases, "began": part.began}, sort_keys=True)

    def _decoded(self, row: PartRow) -> tuple[BatchContact, list[str]]:
        """Decode a stored part, with its aliases."""
        stored = json.loads(row["row_json"])
        columns = blank("contact") | {name: stored[name] for name in _STORED if name in stored}
        columns |= {"account_id": self._context.account_id, "id": row["id"], "search": ""}
        columns["updated_at"] = self._context.now
        return BatchContact.of(cast(ContactRow, columns), _began(stored)), stored["aliases"]


def _began(stored: Mapping[str, Any]) -> dict[int, int]:
    return {int(channel_id): at for channel_id, at in stored["began"].items()}


def _names(row: ContactRow) -> set[str]:
    """Return a contact's own names, numbers in their canonical form."""
    number = f"+{row['wa_id']}" if row["wa_id"] else None
    return {canonical_phone(name) for name in (row["phone"], number, row["wa_user_id"]) if name}


def _differs(row: ContactRow, contact: BatchContact | None) -> bool:
    """Check if a contact differs from the stored row."""
    if contact is None:
        return True
    columns: Mapping[str, Any] = row
    stored: Mapping[str, Any] = contact.row
    return any(columns[name] != stored[name] for name in ("id", *_STORED))
