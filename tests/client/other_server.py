"""A server that conforms to the specification, and differs wherever that is open.

Without variants it answers as the contract has it; each variant changes one thing.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, unquote

from tests.client import inbox_rows
from tests.client.inbox_rows import Row

Scope: TypeAlias = dict[str, Any]
Headers: TypeAlias = dict[str, str]
Reply: TypeAlias = tuple[int, Headers, bytes]

BASE = "http://localhost"
# No page is longer, so that every list has several.
LONGEST_PAGE = 3
JSON = {"content-type": "application/json"}
PROBLEM = {"content-type": "application/problem+json"}


@dataclass(frozen=True)
class Question:
    """One request: "conversations", "messages", "contacts/by-phone" … and what follows."""

    name: str
    id: str
    query: Mapping[str, str]
    headers: Mapping[str, str]

    @property
    def cursor(self) -> str | None:
        return self.query.get("cursor")


@dataclass(frozen=True)
class Slice:
    """A part of a list, before it becomes a body. `next` is the cursor behind it."""

    name: str
    rows: list[Row]
    next: str | None
    asked: str | None


@dataclass(frozen=True)
class Variant:
    """What a server does otherwise; what is None stays as the contract has it.

    before: a whole reply, or None to go on. rows: the list a page is cut from.
    row: one row, by the name of its list. page: body and headers of a page. body: any other body.
    """

    before: Callable[["OtherServer", Question], Reply | None] | None = None
    rows: Callable[[str, list[Row]], list[Row]] | None = None
    row: Callable[[str, Row], Any] | None = None
    page: Callable[[Slice], tuple[Any, Headers]] | None = None
    body: Callable[[str, Any], Any] | None = None
    longest_page: int = 0


@dataclass
class OtherServer:
    """An ASGI application over the small inbox, with variants that are applied in their order."""

    variants: tuple[Variant, ...] = ()
    asked: list[Question] = field(default_factory=list)

    async def __call__(
        self,
        scope: Scope,
        receive: Callable[[], Awaitable[Scope]],
        send: Callable[[Scope], Awaitable[None]],
    ) -> None:
        question = _question(scope)
        self.asked.append(question)
        status, headers, body = self._reply(question)
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": pairs})
        await send({"type": "http.response.body", "body": body})

    def times_asked(self, name: str) -> int:
        """How often a list or value was asked for."""
        return sum(question.name == name for question in self.asked)

    def _reply(self, question: Question) -> Reply:
        for variant in self.variants:
            reply = variant.before(self, question) if variant.before else None
            if reply is not None:
                return reply
        name = question.name
        if name == "contacts/by-phone":
            return self._contact(question)
        if name == "conversation":
            return problem(404, "route_not_found")
        if name in ("conversations/counts", "reports/inbox"):
            return self._value(
                name, inbox_rows.counts() if "counts" in name else inbox_rows.report()
            )
        if name not in inbox_rows.inbox() and not question.name.startswith("conversations"):
            return problem(404, "route_not_found")
        return self._page(question)

    def _contact(self, question: Question) -> Reply:
        for row in self.list_of("contacts"):
            if row["phone"] == question.id:
                return self._value("contacts/by-phone", self._spelt("contacts", row))
        return problem(404, "contact_not_found")

    def _value(self, name: str, body: Any) -> Reply:
        for variant in self.variants:
            body = variant.body(name, body) if variant.body else body
        return reply(body)

    def _page(self, question: Question) -> Reply:
        rows = [row for row in self.list_of(question.name) if _matches(row, question)]
        longest = max((variant.longest_page for variant in self.variants), default=0)
        longest = longest or LONGEST_PAGE
        limit = min(int(question.query.get("limit", longest)), longest)
        start = int((question.cursor or "at-0").removeprefix("at-"))
        following = f"at-{start + limit}" if start + limit < len(rows) else None
        shown = [self._spelt(question.name, row) for row in rows[start : start + limit]]
        cut = Slice(question.name, shown, following, question.cursor)
        pages = [variant.page for variant in self.variants if variant.page]
        body, headers = pages[-1](cut) if pages else canonical(cut)
        return 200, {**JSON, **headers}, encoded(body)

    def list_of(self, name: str) -> list[Row]:
        """A list in its order, as the contract spells it."""
        rows = inbox_rows.inbox()[name]
        for variant in self.variants:
            rows = variant.rows(name, rows) if variant.rows else rows
        return rows

    def _spelt(self, name: str, row: Row) -> Any:
        for variant in self.variants:
            row = variant.row(name, row) if variant.row else row
        return row


def canonical(cut: Slice) -> tuple[Any, Headers]:
    """The envelope of the contract."""
    return {"data": cut.rows, "next_cursor": cut.next, "has_more": cut.next is not None}, {}


def encoded(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def reply(body: Any, status: int = 200, **headers: str) -> Reply:
    return status, {**JSON, **headers}, encoded(body)


def problem(status: int, code: str, **members: Any) -> Reply:
    document = {"type": f"tag:{code}", "title": "A title", "status": status, "code": code}
    return status, PROBLEM, encoded({**document, **members})


def _question(scope: Scope) -> Question:
    path = scope["raw_path"].decode().removeprefix("/v1/")
    parts = path.split("/")
    name, id = path, ""
    if parts[0] == "conversations" and len(parts) == 3:
        name, id = parts[2], unquote(parts[1])
    elif parts[0] == "conversations" and len(parts) == 2 and parts[1] != "counts":
        name, id = "conversation", unquote(parts[1])
    elif path.startswith("contacts/by-phone/"):
        name, id = "contacts/by-phone", unquote(parts[2])
    headers = {key.decode(): value.decode() for key, value in scope["headers"]}
    return Question(name, id, dict(parse_qsl(scope["query_string"].decode())), headers)


def _matches(row: Row, question: Question) -> bool:
    query = question.query
    if question.name == "contacts":
        words = query.get("q", "").casefold().split()
        text = f"{row['name']} {row['email']} {row['phone']}".casefold()
        return all(word in text for word in words)
    if question.name in ("messages", "notes"):
        return bool(row["conversation_id"] == question.id)
    if question.name != "conversations":
        return True
    return (
        query.get("status", row["status"]) == row["status"]
        and query.get("channel", row["channel"]["id"]) == row["channel"]["id"]
        and query.get("label", "") in ("", *row["labels"])
        and _is_assigned(row, query.get("assignee"))
    )


def _is_assigned(row: Row, wanted: str | None) -> bool:
    assignee = row["assignee"]
    if wanted is None:
        return True
    if wanted in ("assigned", "unassigned"):
        return (assignee is None) == (wanted == "unassigned")
    return assignee is not None and assignee["id"] == ("7" if wanted == "me" else wanted)
