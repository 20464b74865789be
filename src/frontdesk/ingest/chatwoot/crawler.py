"""Exports a Chatwoot account through its API to native lines.

The output file is only appended to; a record of finished steps lets an interrupted export resume.
"""

import json
import os
from collections import Counter
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

from frontdesk.errors import Forbidden, InboxError, NotFound, Unauthorised, UnusableFile
from frontdesk.ingest.chatwoot import catalogue
from frontdesk.ingest.chatwoot.catalogue import Line, WhatsAppInbox, milliseconds, rows_in
from frontdesk.ingest.chatwoot.conversations import Summary, event_lines, summary
from frontdesk.ingest.chatwoot.messages import ChatContext, message_lines, with_own_moments
from frontdesk.ingest.json_reader import JsonObject, Malformed
from frontdesk.system import private_files
from frontdesk.text.clean import clean

Window = tuple[int, int]

# Chatwoot limits clients to 50 requests per second and address.
PER_SECOND = 10.0

# Greater than any Chatwoot id.
_END = 10**15
# Chatwoot returns at most 1,000 rows of a range, other versions 20 or 100: a response of such a
# length may be truncated, any other is complete.
_LIMITS = (20, 100)
_MOST = 1000


async def rows_by_windows(
    ask: Callable[[int, int], Awaitable[list[JsonObject]]],
) -> list[JsonObject]:
    """Return all rows by id. ask: returns rows after one id and before another, maybe truncated.

    A range whose response may be truncated is halved and requested again, so that no row is lost
    whatever the sort order. Versions differ in including the first id. Raises: Malformed: a row is
    out of range.
    """
    by_id: dict[int, JsonObject] = {}
    windows: list[Window] = [(1, _END)]
    while windows:
        first, end = windows.pop()
        rows = {row.number("id"): row for row in await ask(first - 1, end)}
        if any(not first - 1 <= id < end for id in rows):
            raise Malformed(
                "it does not answer ranges of message ids (after= with before=): it is too old to "
                "be read without losing messages, so update Chatwoot first"
            )
        if len(rows) < _MOST and len(rows) not in _LIMITS:
            by_id |= rows
            continue
        middle = sorted(rows)[len(rows) // 2]
        windows += [(middle, end), (first, middle)]
    return [by_id[id] for id in sorted(by_id)]


_PROGRESS = ".progress"


class Journal:
    """File of native lines, and next to it a record of finished steps.

    Each step is recorded with the resulting file length; on resume, anything after the last
    complete step is truncated. source: identifies the input; a different one starts over. resumed:
    number of steps finished by earlier runs.
    """

    def __init__(self, path: Path, source: Mapping[str, Any]) -> None:
        """Raises: UnusableFile: the files cannot be created, or belong to something else."""
        self.path = path
        self._steps: dict[str, Mapping[str, int]] = {}
        self._beside = path.with_name(path.name + _PROGRESS)
        try:
            self._lines: IO[bytes] = open(path, "ab", opener=private_files.opener)  # noqa: SIM115
            self._progress: IO[bytes] = open(self._beside, "ab+", opener=private_files.opener)  # noqa: SIM115
            self._go_on(json.dumps(dict(source), sort_keys=True))
        except OSError as error:
            raise UnusableFile(clean(f"Cannot write {path}: {error.strerror}")) from error

    def has(self, step: str) -> bool:
        return step in self._steps

    def counts(self, step: str) -> Mapping[str, int]:
        """Return the counts recorded with a finished step."""
        return self._steps.get(step, {})

    def add(
        self,
        step: str,
        lines: Iterable[Mapping[str, Any]],
        counts: Mapping[str, int] = {},
    ) -> None:
        """Append a step's lines atomically, with its counts."""
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        self._lines.write(text.encode())
        self._lines.flush()
        self._progress.write(json.dumps([step, self._lines.tell(), dict(counts)]).encode() + b"\n")
        self._progress.flush()
        self._steps[step] = dict(counts)

    def close(self) -> None:
        """Close the files, keeping the progress for the next run."""
        self._lines.close()
        self._progress.close()

    def finish(self) -> None:
        """Close the files and delete the progress: the output is complete."""
        self.close()
        self._beside.unlink(missing_ok=True)

    def _go_on(self, source: str) -> None:
        self._progress.seek(0)
        lines = [line for line in self._progress.read().split(b"\n") if line]
        steps = [json.loads(line) for line in lines[1:] if line.endswith(b"]")]
        if lines and lines[0].decode() == source:
            self._steps = {step: counts[0] if counts else {} for step, _, *counts in steps}
            self._lines.truncate(steps[-1][1] if steps else 0)
        else:
            self._lines.truncate(0)
            self._progress.truncate(0)
            self._progress.write(source.encode() + b"\n")
        self._lines.seek(0, os.SEEK_END)
        self.resumed = len(self._steps)


# A list that changes while it is read is read again until nothing is new, with this limit.
MOST_PASSES = 5

# Counts of a step share one mapping; these prefixes separate them.
_LINES, _SKIPPED, _CONTACTS, _MESSAGES = "line ", "skipped ", "contacts", "messages of "
# Message types that Chatwoot's reports count.
_COUNTED_TYPES = (0, 1)


class ChatwootApi(Protocol):
    """HTTP client that returns decoded JSON."""

    async def get(self, path: str, parameters: Mapping[str, str] | None = None) -> Any: ...


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """Export options.

    inboxes: ids, empty for all. since: epoch milliseconds. mapped: phone_number_ids of inboxes for
    which Chatwoot returns none.
    """

    account: str
    inboxes: frozenset[str] = frozenset()
    since: int | None = None
    mapped: Mapping[str, str] = field(default_factory=dict)
    keep_urls: bool = False


@dataclass(slots=True)
class Crawler:
    """Export of one account.

    stage is called with a description, the number done and the total. clock: epoch milliseconds.
    differences: lists shorter than Chatwoot's own count; unchecked: those without a count.
    """

    api: ChatwootApi
    order: CrawlOptions
    journal: Journal
    stage: Callable[[str, int, int | None], object]
    clock: Callable[[], int]
    differences: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    _counts: Counter[str] = field(default_factory=Counter)
    _users: dict[str, str] = field(default_factory=dict)

    @property
    def counts(self) -> Mapping[str, int]:
        """Lines by kind, including those of interrupted runs."""
        return self._counted(_LINES)

    @property
    def skipped(self) -> Mapping[str, int]:
        """Skipped elements by reason."""
        return self._counted(_SKIPPED)

    async def walk(self) -> None:
        """Export everything that the journal does not have yet.

        Raises: Malformed: unexpected response. InboxError: a request failed.
        """
        started = self.clock()
        inboxes = await self._inboxes()
        await self._catalogue(inboxes)
        await self._contacts()
        chats = await self._chats([inbox for inbox, _ in inboxes])
        following = _following(chats)
        for number, chat in enumerate(chats, start=1):
            self.stage("conversations", number, len(chats))
            await self._chat(chat, following.get(chat.id))
        for inbox, _ in inboxes:
            await self._compare_messages(inbox, started)

    async def _get(self, path: str, **parameters: object) -> Any:
        return await self._ask("v1", path, parameters)

    async def _ask(self, version: str, path: str, parameters: Mapping[str, object]) -> Any:
        query = {name: str(value) for name, value in parameters.items()}
        return await self.api.get(f"api/{version}/accounts/{self.order.account}/{path}", query)

    async def _rows(self, path: str, **parameters: object) -> list[JsonObject]:
        return JsonObject({path: rows_in(await self._get(path, **parameters))}).parts(path)

    async def _inboxes(self) -> list[tuple[WhatsAppInbox, JsonObject]]:
        rows = rows_in(await self._get("inboxes"))
        ids = self.order.inboxes
        chosen = [row for row in rows if not ids or str(row.get("id")) in ids]
        numbers = catalogue.whatsapp(chosen, self.order.mapped)
        self._skip("inbox that is no WhatsApp number", len(chosen) - len(numbers))
        return numbers

    async def _catalogue(self, inboxes: Sequence[tuple[WhatsAppInbox, JsonObject]]) -> None:
        """Export channels, users, teams and other lists; small, so every run reads them again."""
        self.stage("catalogues", 0, None)
        agents = await self._rows("agents")
        self._users = {agent.text("id"): catalogue.user_key(agent) for agent in agents}
        lines: list[Line] = []
        for inbox, row in inboxes:
            lines += catalogue.channel_lines(inbox, row)
            self._skip("template without id, name or language", catalogue.nameless_templates(row))
        lines += [catalogue.user_line(agent) for agent in agents]
        lines += [catalogue.label_line(row) for row in await self._rows("labels")]
        lines += [
            catalogue.canned_response_line(row) for row in await self._rows("canned_responses")
        ]
        fields = await self._rows("custom_attribute_definitions", attribute_model=1)
        lines += [catalogue.custom_field_line(row) for row in fields]
        lines += [line async for line in self._teams([inbox for inbox, _ in inboxes])]
        self._write("catalogues", lines)

    async def _teams(self, inboxes: Sequence[WhatsAppInbox]) -> AsyncIterator[Line]:
        teams = await self._rows("teams")
        members: dict[str, list[str]] = {}
        for inbox in inboxes if teams else ():
            rows = await self._rows(f"inbox_members/{inbox.id}")
            members[inbox.channel] = [catalogue.user_key(row) for row in rows]
        for team in teams:
            rows = await self._rows(f"teams/{team.text('id')}/team_members")
            yield catalogue.team_line(team, [catalogue.user_key(row) for row in rows], members)

    async def _contacts(self) -> None:
        page, read, count = 1, 0, None
        while self.journal.has(f"contacts {page}"):
            read += self._recall(f"contacts {page}")[_CONTACTS]
            page += 1
        while not self.journal.has("contacts"):
            answer = await self._get("contacts", page=page, sort="created_at")
            rows = JsonObject({"contacts": rows_in(answer)}).parts("contacts")
            count = _count_in(answer, "count") if count is None else count
            if not rows:
                self._write("contacts", ())
                break
            read += len(rows)
            self.stage("contacts", read, count)
            lines = [catalogue.contact_line(row) for row in rows]
            counts = Counter(
                f"{_SKIPPED}{words}"
                for row, line in zip(rows, lines, strict=True)
                for words in (
                    ["contact without a number"]
                    if line is None
                    else catalogue.left_out_of_contact(row)
                )
            )
            counts[_CONTACTS] = len(rows)
            self._write(f"contacts {page}", [line for line in lines if line is not None], counts)
            page += 1
        self._compare("contacts", read, count)

    async def _chats(self, inboxes: Sequence[WhatsAppInbox]) -> list[Summary]:
        """Return all conversations, oldest first."""
        summaries: dict[str, Summary] = {}
        for inbox in inboxes:
            in_inbox: dict[str, Summary] = {}
            count: int | None = 0
            for _ in range(MOST_PASSES):
                before = len(in_inbox)
                async for rows, total in self._pass(inbox):
                    in_inbox |= {row.id: row for row in rows}
                    count = total
                    self.stage("list of conversations", len(summaries) + len(in_inbox), None)
                if len(in_inbox) == before:
                    break
            if self.order.since is None:
                self._compare(f"conversations of {inbox.name}", len(in_inbox), count)
            summaries |= in_inbox
        return sorted(summaries.values(), key=lambda row: (row.created_at, int(row.id)))

    async def _pass(self, inbox: WhatsAppInbox) -> AsyncIterator[tuple[list[Summary], int | None]]:
        """Yield the list's pages once, latest activity first, with Chatwoot's total.

        Rows move up while the list is read.
        """
        page, since = 1, self.order.since
        while True:
            answer = await self._get(
                "conversations", status="all", assignee_type="all", inbox_id=inbox.id, page=page
            )
            parts = JsonObject({"conversations": rows_in(answer)}).parts("conversations")
            rows = [summary(part, inbox) for part in parts]
            recent = [row for row in rows if since is None or row.active_at >= since]
            yield recent, _count_in(answer, "all_count")
            if not rows or len(recent) < len(rows):
                return
            page += 1

    async def _chat(self, chat: Summary, followed_at: int | None) -> None:
        """Export a conversation with its messages; later runs repeat it only after new activity."""
        step = f"conversation {chat.id} {chat.active_at} {followed_at}"
        if self.journal.has(step):
            self._recall(step)
            return
        rows = [row for row in await self._messages(chat) if self._is_wanted(row)]
        counts = Counter(f"{_SKIPPED}{words}" for words in chat.left_out)
        counts[f"{_MESSAGES}{chat.inbox.id}"] = sum(
            row.members.get("message_type") in _COUNTED_TYPES for row in rows
        )
        if chat.phone is None:
            counts[f"{_SKIPPED}conversation with somebody without a number"] += 1
            counts[f"{_SKIPPED}message with somebody without a number"] += len(rows)
            self._write(step, (), counts)
            return
        place = ChatContext(
            self.order.account, chat.inbox.channel, chat.phone, self.order.keep_urls
        )
        wamids = {row.text("id"): row.optional_id("source_id") or "" for row in rows}
        lines: list[Line] = []
        for row in rows:
            lines += self._lines(row, place, wamids, counts)
        lines = list(with_own_moments(lines))
        lines += event_lines(chat, await self._events(chat, counts), place, followed_at)
        self._write(step, lines, counts)

    def _is_wanted(self, row: JsonObject) -> bool:
        at = milliseconds(row.members.get("created_at"))
        return at is None or self.order.since is None or at >= self.order.since

    def _lines(
        self,
        row: JsonObject,
        place: ChatContext,
        wamids: Mapping[str, str],
        counts: Counter[str],
    ) -> list[Line]:
        try:
            lines = list(message_lines(row, place, self._users, wamids))
            return [*self._stranger(row), *lines]
        except Malformed as error:
            counts[f"{_SKIPPED}message that cannot be read: {error}"] += 1
            return []

    def _stranger(self, row: JsonObject) -> Iterator[Line]:
        """Yield a line for a message's author who is no longer an agent."""
        sender = row.part_or_empty("sender")
        number = sender.optional_id("id")
        if sender.optional_text("type") == "user" and number and number not in self._users:
            key = self._users[number] = catalogue.user_key(sender)
            name = sender.optional_text("name") or key
            yield {"kind": "user", "v": 1, "external_id": key, "name": name, "active": False}

    async def _messages(self, chat: Summary) -> list[JsonObject]:
        """Return the messages of a conversation by id.

        Chatwoot sorts by time and truncates silently, but pages by id: paging would lose messages
        whose ids are not in the order of their times.
        """
        path = f"conversations/{chat.id}/messages"

        async def ask(after: int, before: int) -> list[JsonObject]:
            return await self._rows(path, after=after, before=before)

        return await rows_by_windows(ask)

    async def _events(self, chat: Summary, counts: Counter[str]) -> list[JsonObject]:
        """Return reporting events; older versions lack them, and agents may not read them."""
        try:
            return await self._rows(f"conversations/{chat.id}/reporting_events")
        except (NotFound, Forbidden, Unauthorised):
            counts[f"{_SKIPPED}conversation without its reporting events"] += 1
            return []

    async def _compare_messages(self, inbox: WhatsAppInbox, until: int) -> None:
        """Compare the number of messages with Chatwoot's reports, which need an administrator."""
        period = {"since": (self.order.since or 0) // 1000, "until": until // 1000}
        try:
            report = await self._ask(
                "v2", "reports/summary", {"type": "inbox", "id": inbox.id, **period}
            )
        except InboxError as error:
            self.unchecked.append(f"messages of {inbox.name}: {error}")
            return
        counts = [_count_in(report, f"{way}_messages_count") for way in ("incoming", "outgoing")]
        count = None if None in counts else sum(number or 0 for number in counts)
        self._compare(f"messages of {inbox.name}", self._counts[f"{_MESSAGES}{inbox.id}"], count)

    def _compare(self, what: str, read: int, count: int | None) -> None:
        if count is None:
            self.unchecked.append(f"{what}: Chatwoot sends no count")
        elif read < count:
            self.differences.append(f"{count:,} {what}, of which {read:,} were read")

    def _skip(self, reason: str, count: int) -> None:
        self._counts[f"{_SKIPPED}{reason}"] += count

    def _counted(self, group: str) -> Mapping[str, int]:
        return {
            name.removeprefix(group): count
            for name, count in self._counts.items()
            if count and name.startswith(group)
        }

    def _recall(self, step: str) -> Counter[str]:
        """Add the counts of a step that an earlier run finished."""
        counts = Counter(self.journal.counts(step))
        self._counts += counts
        return counts

    def _write(
        self,
        step: str,
        lines: Sequence[Line],
        counts: Mapping[str, int] = {},
    ) -> None:
        if not self.journal.has(step):
            kinds = Counter(f"{_LINES}{line['kind']}" for line in lines)
            self.journal.add(step, lines, {**counts, **kinds})
        self._recall(step)


def _count_in(answer: Any, name: str) -> int | None:
    """Return a count from a response or its `meta`, possibly inside `data`."""
    for _ in range(3):
        if not isinstance(answer, dict):
            break
        count = answer.get(name)
        if isinstance(count, int) and not isinstance(count, bool):
            return count
        answer = answer.get("meta", answer.get("data"))
    return None


def _following(chats: Sequence[Summary]) -> dict[str, int]:
    """Return the start of the next conversation with the same contact, by conversation id."""
    last: dict[tuple[str, str | None], str] = {}
    starts: dict[str, int] = {}
    for chat in chats:
        before = last.get((chat.inbox.id, chat.phone))
        if before is not None:
            starts[before] = chat.created_at
        last[chat.inbox.id, chat.phone] = chat.id
    return starts
