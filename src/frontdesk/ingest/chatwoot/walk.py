"""A walk through everything of an account of Chatwoot, written down as native lines."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from frontdesk.errors import Forbidden, NotFound, Unauthorised
from frontdesk.ingest.chatwoot import catalogue
from frontdesk.ingest.chatwoot.catalogue import Inbox, Line, rows_in
from frontdesk.ingest.chatwoot.conversations import Summary, event_lines, summary
from frontdesk.ingest.chatwoot.journal import Journal
from frontdesk.ingest.chatwoot.messages import Place, message_lines
from frontdesk.ingest.chatwoot.moments import milliseconds
from frontdesk.ingest.shapes import Malformed, Part

# A list whose rows move is read until a pass brings nothing new, but not for ever.
MOST_PASSES = 5


class Api(Protocol):
    """What answers a GET with JSON."""

    async def get(self, path: str, parameters: Mapping[str, str] | None = None) -> Any: ...


@dataclass(frozen=True, slots=True)
class Order:
    """What to read. inboxes: ids, none for all. since: epoch milliseconds. mapped: the
    phone_number_id of inboxes that do not tell it."""

    account: str
    inboxes: frozenset[str] = frozenset()
    since: int | None = None
    mapped: Mapping[str, str] = field(default_factory=dict)
    keep_urls: bool = False


@dataclass(slots=True)
class Walk:
    """One walk. told: lines by kind; skipped: what has no place here, by the reason.

    stage is told what is read, and how much of it is done.
    """

    api: Api
    order: Order
    journal: Journal
    stage: Callable[[str, int, int | None], object]
    told: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    _users: dict[str, str] = field(default_factory=dict)

    async def walk(self) -> None:
        """Read everything that the journal does not have yet.

        Raises: Malformed: an answer has another shape than it must. InboxError: there is none.
        """
        inboxes = await self._inboxes()
        await self._catalogue(inboxes)
        await self._contacts()
        chats = await self._chats([inbox for inbox, _ in inboxes])
        following = _following(chats)
        for number, one in enumerate(chats, start=1):
            self.stage("conversations", number, len(chats))
            await self._chat(one, following.get(one.id))

    async def _get(self, path: str, **parameters: object) -> Any:
        told = {name: str(value) for name, value in parameters.items()}
        return await self.api.get(f"api/v1/accounts/{self.order.account}/{path}", told)

    async def _rows(self, path: str, **parameters: object) -> list[Part]:
        return Part({path: rows_in(await self._get(path, **parameters))}).parts(path)

    async def _inboxes(self) -> list[tuple[Inbox, Part]]:
        rows = rows_in(await self._get("inboxes"))
        wanted = self.order.inboxes
        chosen = [row for row in rows if not wanted or str(row.get("id")) in wanted]
        return catalogue.whatsapp(chosen, self.order.mapped)

    async def _catalogue(self, inboxes: Sequence[tuple[Inbox, Part]]) -> None:
        """Numbers, users, teams and the lists; small, and read anew by every run."""
        self.stage("catalogues", 0, None)
        agents = await self._rows("agents")
        self._users = {agent.text("id"): catalogue.user_key(agent) for agent in agents}
        lines: list[Line] = []
        for inbox, row in inboxes:
            lines += catalogue.channel_lines(inbox, row)
        lines += [catalogue.user_line(agent) for agent in agents]
        lines += [catalogue.label_line(row) for row in await self._rows("labels")]
        lines += [
            catalogue.canned_response_line(row) for row in await self._rows("canned_responses")
        ]
        fields = await self._rows("custom_attribute_definitions", attribute_model=1)
        lines += [catalogue.custom_field_line(row) for row in fields]
        lines += [line async for line in self._teams([inbox for inbox, _ in inboxes])]
        self._write("catalogues", lines)

    async def _teams(self, inboxes: Sequence[Inbox]) -> AsyncIterator[Line]:
        teams = await self._rows("teams")
        members: dict[str, list[str]] = {}
        for inbox in inboxes if teams else ():
            rows = await self._rows(f"inbox_members/{inbox.id}")
            members[inbox.channel] = [catalogue.user_key(row) for row in rows]
        for team in teams:
            rows = await self._rows(f"teams/{team.text('id')}/team_members")
            yield catalogue.team_line(team, [catalogue.user_key(row) for row in rows], members)

    async def _contacts(self) -> None:
        page, count = 1, 0
        while self.journal.done(f"contacts {page}"):
            page += 1
        while not self.journal.done("contacts"):
            rows = await self._rows("contacts", page=page, sort="created_at")
            if not rows:
                self._write("contacts", ())
                return
            count += len(rows)
            self.stage("contacts", count, None)
            lines = [catalogue.contact_line(row) for row in rows]
            self.skipped["contact without a number"] += lines.count(None)
            self._write(f"contacts {page}", [line for line in lines if line is not None])
            page += 1

    async def _chats(self, inboxes: Sequence[Inbox]) -> list[Summary]:
        """Every conversation, oldest first."""
        found: dict[str, Summary] = {}
        for inbox in inboxes:
            for _ in range(MOST_PASSES):
                before = len(found)
                async for one in self._pass(inbox):
                    found[one.id] = one
                    self.stage("list of conversations", len(found), None)
                if len(found) == before:
                    break
        return sorted(found.values(), key=lambda one: (one.created_at, int(one.id)))

    async def _pass(self, inbox: Inbox) -> AsyncIterator[Summary]:
        """The list once, latest activity first; rows move up in it while it is read."""
        page = 1
        while rows := await self._rows(
            "conversations", status="all", assignee_type="all", inbox_id=inbox.id, page=page
        ):
            for row in rows:
                one = summary(row, inbox)
                if self.order.since is not None and one.active_at < self.order.since:
                    return
                yield one
            page += 1

    async def _chat(self, one: Summary, followed_at: int | None) -> None:
        """A conversation with all that was said in it; done once it is written, until it moves."""
        step = f"conversation {one.id} {one.active_at} {followed_at}"
        if self.journal.done(step):
            return
        if one.phone is None:
            self.skipped["conversation with somebody without a number"] += 1
            return
        place = Place(self.order.account, one.inbox.channel, one.phone, self.order.keep_urls)
        lines: list[Line] = []
        async for row in self._messages(one):
            lines += self._lines(row, place)
        lines += event_lines(one, await self._events(one), place, followed_at)
        self._write(step, lines)

    def _lines(self, row: Part, place: Place) -> Iterator[Line]:
        at = milliseconds(row.members.get("created_at"))
        if at is not None and self.order.since is not None and at < self.order.since:
            return
        try:
            yield from self._stranger(row)
            yield from message_lines(row, place, self._users)
        except Malformed as error:
            self.skipped[f"message that cannot be read: {error}"] += 1

    def _stranger(self, row: Part) -> Iterator[Line]:
        """A user who wrote the message and is no agent any more."""
        sender = row.optional_part("sender") or Part({})
        number = sender.optional_id("id")
        if sender.optional_text("type") == "user" and number and number not in self._users:
            key = self._users[number] = catalogue.user_key(sender)
            name = sender.optional_text("name") or key
            yield {"kind": "user", "v": 1, "external_id": key, "name": name, "active": False}

    async def _messages(self, one: Summary) -> AsyncIterator[Part]:
        """The messages of a conversation, page by page from the newest."""
        path = f"conversations/{one.id}/messages"
        before: int | None = None
        while True:
            rows = await self._rows(path, **({} if before is None else {"before": before}))
            oldest = min((row.number("id") for row in rows), default=0)
            if not rows or (before is not None and oldest >= before):
                return
            for row in rows:
                yield row
            before = oldest

    async def _events(self, one: Summary) -> list[Part]:
        """What reports count of a conversation; older versions, and agents, do not have it."""
        try:
            return await self._rows(f"conversations/{one.id}/reporting_events")
        except (NotFound, Forbidden, Unauthorised):
            self.skipped["conversation without its reporting events"] += 1
            return []

    def _write(self, step: str, lines: Sequence[Line]) -> None:
        if not self.journal.done(step):
            self.journal.add(step, lines)
            self.told.update(line["kind"] for line in lines)


def _following(chats: Sequence[Summary]) -> dict[str, int]:
    """When the next conversation with the same person began, by the id of the one before."""
    last: dict[tuple[str, str | None], str] = {}
    found: dict[str, int] = {}
    for one in chats:
        before = last.get((one.inbox.id, one.phone))
        if before is not None:
            found[before] = one.created_at
        last[one.inbox.id, one.phone] = one.id
    return found
