"""Merges contacts after identity changes, reversibly, from parts.

A part is a contact by itself: all facts about identifiers that certainly belong to one person. An
identity change merges two parts into one contact, unless the new identifier belonged to somebody
before. As an older fact that arrives later may prove this, parts are stored, and messages refer to
theirs. A contact is thus computed from its parts and the changes, independently of the order of
arrival.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from frontdesk.ingest import portraits
from frontdesk.ingest.applied import Counted
from frontdesk.ingest.directory import Directory, principal_name
from frontdesk.ingest.events import IdentityChange
from frontdesk.ingest.portraits import Contact
from frontdesk.store import changes, known
from frontdesk.store.database import Connection
from frontdesk.store.ids import Ids

# Identity change (old, new, at): the person with the name `old` has had `new` since `at`.
News = tuple[str, str, int]

_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
_CHANGE = "identity_change"
# Columns that are no facts about a part.
_NOT_KEPT = frozenset(("account_id", "id", "search", "updated_at"))
_KEPT = tuple(name for name in changes.blank("contact") if name not in _NOT_KEPT)


class Share(NamedTuple):
    """Result for a stored part: the part that it merged into (usually itself) and its contact.

    began: start of its conversation by channel id; None: it was the whole contact.
    """

    id: int
    part: int
    contact: int
    began: Mapping[int, int] | None


class Parts:
    """Parts and identity changes of a batch's contacts."""

    def __init__(
        self,
        connection: Connection,
        account_id: int,
        now: int,
        ids: Ids,
        counted: Counted,
        directory: Directory,
    ) -> None:
        self._connection = connection
        self._account_id = account_id
        self._now = now
        self._ids = ids
        self._counted = counted
        self._directory = directory
        self._news: set[News] = set()
        self._unsaved: list[News] = []
        # Parts as read: {id: (contact id, row_json)}, and the contacts made of them.
        self._stored: dict[int, tuple[int, str]] = {}
        self._shown: dict[int, Contact] = {}
        self._parts: dict[int, Contact] = {}
        self._homes: dict[int, int] = {}
        self._whole: set[int] = set()

    def load(self, contacts: Mapping[int, Contact]) -> list[Contact]:
        """Return the contacts, with those made of parts replaced by the parts."""
        if not (contacts and self._ids.any(_CHANGE)):
            return list(contacts.values())
        names: set[str] = set()
        for row in known.parts_of(self._connection, self._account_id, contacts.keys()):
            part = self._unpacked(row["id"], row["row_json"])
            self._stored[part["id"]] = row["contact_id"], row["row_json"]
            self._shown[row["contact_id"]] = contacts[row["contact_id"]]
            self._parts[part["id"]] = part
            names |= {*_names(part), *part["aliases"]}
        self._news |= known.identity_changes(self._connection, self._account_id, names)
        for part in self._parts.values():
            for name in part["aliases"]:
                self._directory.lead(name, part)
        return [one for id_, one in contacts.items() if id_ not in self._shown] + [
            *self._parts.values()
        ]

    def consists(self, contact_id: int) -> bool:
        """Check if a stored contact is made of parts."""
        return contact_id in self._shown

    def has(self, part_id: int) -> bool:
        return part_id in self._parts

    def home(self, part_id: int) -> int:
        """Return the contact id of a part; any other id is a contact's own."""
        return self._homes.get(part_id, part_id)

    def settle(self, moves: Iterable[IdentityChange]) -> None:
        """Add identity changes, and assign every part to a contact."""
        for move in moves:
            news = principal_name(move.old), principal_name(move.new), move.at
            if news not in self._news:
                self._news.add(news)
                self._unsaved.append(news)
        if not (self._news or self._parts):
            return
        self._gather()
        self._homes = {}
        for group in self._groups():
            home = min(group, key=self._precedence)["id"]
            self._homes |= dict.fromkeys((part["id"] for part in group), home)
        for part_id, home in self._homes.items():
            if part_id != home and part_id not in self._directory.stored:
                self._counted.unmake("contacts")

    def shares(self) -> dict[int, list[Share]]:
        """Return what became of stored contacts that have several parts, by contact id."""
        found: dict[int, list[Share]] = {}
        for id_ in sorted({*self._stored, *self._whole}):
            part = self._directory.stored[id_]["id"]
            contact_id, began = id_, None
            if id_ in self._stored:
                contact_id, packed = self._stored[id_]
                began = _began(json.loads(packed))
            found.setdefault(contact_id, []).append(Share(id_, part, self.home(part), began))
        return found

    def reach(self, part_id: int, channel_id: int, at: int) -> None:
        """Record that a part has had a conversation since `at` or earlier."""
        part = self._parts.get(part_id)
        if part is not None:
            part["began"][channel_id] = min(at, part["began"].get(channel_id, at))

    def contacts(self) -> list[Contact]:
        """Return changed contacts that are made of parts."""
        made = (self._made(home) for home in sorted(set(self._homes.values())))
        return [contact for contact in made if _shows(contact, self._shown.get(contact["id"]))]

    def save(self) -> None:
        """Write identity changes, parts and aliases, but not the contacts."""
        place = self._connection, self._account_id
        if not self._parts:
            return
        packed = {id_: self._packed(part) for id_, part in sorted(self._parts.items())}
        changed = [
            {
                "account_id": self._account_id,
                "id": id_,
                "contact_id": self.home(id_),
                "row_json": row,
            }
            for id_, row in packed.items()
            if self._stored.get(id_) != (self.home(id_), row)
        ]
        changes.drop_parts(*place, sorted(self._stored.keys() - self._parts.keys()))
        changes.save(self._connection, "part", changed)
        changes.add(self._connection, _CHANGE, map(self._news_row, self._unsaved))
        if changed or self._unsaved:
            changes.drop_aliases_of(*place, sorted({*self._shown, *self._whole}))
            changes.save(self._connection, "alias", self._aliases())

    def gone(self) -> set[int]:
        """Return stored contacts that no longer exist."""
        return {*self._shown, *self._whole} - set(self._homes.values())

    def _gather(self) -> None:
        """Turn contacts named by identity changes into parts."""
        stored = self._directory.stored
        parts = [stored[id_] for id_ in self._parts]
        for old, new, _ in self._news:
            parts += filter(None, map(self._directory.called, (old, new)))
        self._parts = {part["id"]: part for part in parts}
        self._whole = {
            id_
            for id_, contact in stored.items()
            if contact["id"] in self._parts and id_ not in self._stored
        }
        for row in known.aliases_of(self._connection, self._account_id, self._whole):
            self._directory.lead(row["phone"], stored[row["contact_id"]])
        for part in self._parts.values():
            part.setdefault("began", {})

    def _groups(self) -> list[list[Contact]]:
        """Group the parts of one person, connected by valid identity changes."""
        groups = {id_: [part] for id_, part in self._parts.items()}
        for old, new in self._believed():
            if groups[old] is not groups[new]:
                groups[old] += groups[new]
                for part in groups[new]:
                    groups[part["id"]] = groups[old]
        return list({id(group): group for group in groups.values()}.values())

    def _believed(self) -> Iterator[tuple[int, int]]:
        """Yield pairs of part ids joined by valid changes.

        A change is valid if the new name was unused before; of several changes to it, the earliest
        wins.
        """
        first: dict[int, tuple[int, str, str, int]] = {}
        for old, new, at in self._news:
            source, target = self._directory.called(old), self._directory.called(new)
            if source is None or target is None or source is target:
                continue
            if at <= target["created_at"]:
                told = at, old, new, source["id"]
                first[target["id"]] = min(told, first.get(target["id"], told))
        for target_id, (_, _, _, source_id) in sorted(first.items()):
            yield source_id, target_id

    def _precedence(self, part: Contact) -> tuple[bool, bool, int]:
        """Sort key of the part that gives a contact its id: stored, with a number, the oldest."""
        is_contact = part["id"] in self._shown or part["id"] in self._whole
        return not is_contact, part["phone"] is None, part["id"]

    def _made(self, home: int) -> Contact:
        """Build a contact from its parts."""
        parts = [part for id_, part in sorted(self._parts.items()) if self._homes[id_] == home]
        contact = portraits.joined(self._parts[home], parts)
        shown = self._shown.get(home)
        contact["search"] = "" if shown is None else shown["search"]
        contact["phone"], contact["phone_at"] = self._latest(parts, "phone", "phone_at")
        contact["wa_user_id"], contact["user_at"] = self._latest(parts, "wa_user_id", "user_at")
        contact["wa_id"] = max(
            (
                part["wa_id"]
                for part in parts
                if part["phone"] == contact["phone"] and part["wa_id"]
            ),
            default=None,
        )
        contact["updated_at"] = self._now
        return contact

    def _latest(self, parts: Sequence[Contact], name: str, at: str) -> tuple[str | None, int]:
        """Return the current name of a person, and the time of its last mention."""
        told = [(part[at], part[name]) for part in parts if part[name]]
        ids = {part["id"] for part in parts}
        for old, new, moment in self._news:
            ends = self._directory.called(old), self._directory.called(new)
            within = all(end is not None and end["id"] in ids for end in ends)
            if within and new.startswith("+") == (name == "phone"):
                told.append((moment, new))
        since, called = max(told, default=(0, None))
        return called, since

    def _aliases(self) -> Iterator[dict[str, Any]]:
        """Yield the aliases of contacts made of parts."""
        for home in sorted(set(self._homes.values())):
            contact = self._made(home)
            parts = [part for id_, part in self._parts.items() if self._homes[id_] == home]
            names = {name for part in parts for name in self._all_names(part)}
            for name in sorted(names - _names(contact)):
                yield {"account_id": self._account_id, "phone": name, "contact_id": home}

    def _all_names(self, part: Contact) -> set[str]:
        return self._directory.other_names(part) | _names(part)

    def _news_row(self, news: News) -> dict[str, Any]:
        old, new, at = news
        number = self._ids.next(_CHANGE)
        return {"account_id": self._account_id, "id": number, "old": old, "new": new, "at": at}

    def _packed(self, part: Contact) -> str:
        """Encode a part for storage."""
        portraits.sealed(part)
        told = {name: part[name] for name in _KEPT if part[name] is not None}
        aliases = sorted(self._directory.other_names(part) - {part["phone"], part["wa_user_id"]})
        return _ENCODER.encode(told | {"aliases": aliases, "began": part["began"]})

    def _unpacked(self, id_: int, packed: str) -> Contact:
        told = json.loads(packed)
        part: Contact = changes.blank("contact") | told
        part.update(account_id=self._account_id, id=id_, search="", updated_at=self._now)
        part["began"] = _began(told)
        return part


def _began(told: Mapping[str, Any]) -> dict[int, int]:
    return {int(channel_id): at for channel_id, at in told["began"].items()}


def _names(part: Contact) -> set[str]:
    number = f"+{part['wa_id']}" if part["wa_id"] else None
    return {name for name in (part["phone"], number, part["wa_user_id"]) if name}


def _shows(contact: Contact, shown: Contact | None) -> bool:
    """Check if a contact differs from the stored row."""
    return shown is None or any(contact[name] != shown[name] for name in ("id", *_KEPT))
