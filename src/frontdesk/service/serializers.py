"""Serializers: database rows to wire models. Every member is set, null where unknown."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, TypeVar

import orjson

from frontdesk.business_hours import WEEKDAYS, BusinessHours, plainly
from frontdesk.service.endpoint import JsonBody
from frontdesk.store.conversations import TEXT_LIMIT, shortened
from frontdesk.store.database import Row
from frontdesk.store.media import STORED
from frontdesk.store.message_search import text_of
from frontdesk.text.clean import folded, one_line
from frontdesk.text.search import Terms
from frontdesk.wire import (
    Changes,
    Channel,
    Contact,
    Conversation,
    ConversationPage,
    CustomField,
    Delivery,
    Media,
    MediaText,
    Message,
    Note,
    Pricing,
    ProviderError,
    Reaction,
    Ref,
    ReplyTo,
    Team,
    Template,
    UserRef,
    WeeklyHours,
    Wire,
    timestamp,
)
from frontdesk.wire.base import may_be_absent
from frontdesk.wire.reports import AdFigures, Metrics, PersonFigures, sums_of
from frontdesk.wire.values import (
    DIRECTIONS,
    MEDIA_PATH,
    MESSAGE_KINDS,
    REFERRED_PRODUCT,
    STATUSES,
)

W = TypeVar("W", bound=Wire)
F = TypeVar("F", Metrics, PersonFigures, AdFigures)

# Means of reports, with the metrics that they are of.
REPORT_MEANS: Mapping[str, str] = MappingProxyType(
    {member: mark.name for member, mark in sums_of(Metrics).items() if mark.mean}
)

# Metrics that are not counted of persons.
_NOT_BY_PERSONS = tuple(name for name in sums_of(Metrics) if name not in PersonFigures.model_fields)

EXCERPT_LENGTH = 160
_EXCERPT_STEP = 32
SERVICE_WINDOW = 24 * 60 * 60 * 1000

_NO_TEXTS: Mapping[int, str] = MappingProxyType({})
_REFERRAL = MappingProxyType(
    dict.fromkeys(
        (
            *("source_type", "source_id", "source_url", "headline", "body"),
            *("media_type", "image_url", "video_url", "thumbnail_url"),
            *("ctwa_clid", "welcome_message"),
        )
    )
)


def conversation_page(
    rows: Sequence[Row],
    labels: Mapping[int, Sequence[Row]],
    next_cursor: str | None,
    members: Mapping[str, Any],
    *,
    with_preview: bool,
    file_texts: Mapping[int, str] = _NO_TEXTS,
) -> JsonBody[ConversationPage]:
    """Serialize a page of conversations.

    labels: rows by conversation id. members: of a page of a search or a query. Without
    `with_preview`, `last_message` is omitted. file_texts: what begins the words of the last
    message's file, by conversation id. Written without models, which would double the time
    of the page that is asked for most.
    """
    data = [
        _conversation(row, labels[row["id"]], file_texts, with_preview=with_preview) for row in rows
    ]
    has_more = next_cursor is not None
    page = {"data": data, "next_cursor": next_cursor, "has_more": has_more, **members}
    return JsonBody(orjson.dumps(page), next_cursor)


def conversation_body(
    row: Row,
    labels: Sequence[Row],
    *,
    with_preview: bool,
    file_texts: Mapping[int, str] = _NO_TEXTS,
) -> JsonBody[Conversation]:
    """Serialize one conversation, as a page has it."""
    body = _conversation(row, labels, file_texts, with_preview=with_preview)
    return JsonBody(orjson.dumps(body))


def changes_body(
    rows: Sequence[Row],
    labels: Mapping[int, Sequence[Row]],
    members: Mapping[str, Any],
    *,
    with_preview: bool,
    file_texts: Mapping[int, str] = _NO_TEXTS,
    is_news: bool,
) -> JsonBody[Changes]:
    """Serialize changed conversations, with the other members of `Changes`."""
    data = [
        _conversation(row, labels[row["id"]], file_texts, with_preview=with_preview) for row in rows
    ]
    return JsonBody(orjson.dumps({"data": data, **members}), is_news=is_news)


def message_match(
    conversation_id: int, message: Row, said: Sequence[str], terms: Terms, cursor: str
) -> dict[str, Any]:
    """Return the members of a MessageMatch. message: as of `matching_messages`, which says this."""
    in_file = message["file_text"] is not None and not terms.match_text(text_of(message))
    pieces = (message["file_text"],) if in_file else said
    return {
        "conversation_id": str(conversation_id),
        "message_id": str(message["id"]),
        "created_at": timestamp(message["created_at"]),
        "direction": DIRECTIONS[message["direction"]],
        "excerpt": excerpt(pieces, terms),
        **({"in_file": _file_kind(message)} if in_file else {}),
        "cursor": cursor,
    }


def _file_kind(message: Row) -> str:
    media = _contents(message["media_json"]) or {}
    return "voice" if message["type"] == "audio" and media.get("voice") else message["type"]


def excerpt(pieces: Sequence[str], terms: Terms) -> str:
    """Shorten the piece with the most terms to one line around the first of them.

    >>> excerpt(["Good\nmorning, " + "a refund, " * 40], Terms.of("refund"))[:20]
    'Good morning, a refu'
    """
    line = terms.best_of(map(one_line, pieces))
    if len(line) <= EXCERPT_LENGTH:
        return line
    compared = folded(line)
    place = min(filter(lambda at: at >= 0, map(compared.find, terms.words)), default=0)
    start = 0
    # Letters may change in number as they are folded: find the place step by step.
    while (length := len(folded(line[start : start + _EXCERPT_STEP]))) <= place:
        start, place = start + _EXCERPT_STEP, place - length
    if start:
        start = line.rfind(" ", start - _EXCERPT_STEP, start) + 1 or start
    before = "…" if start else ""
    rest = line[start:]
    if len(before) + len(rest) <= EXCERPT_LENGTH:
        return before + rest
    return f"{before}{shortened(rest, EXCERPT_LENGTH - len(before) - 1)}…"


def _conversation(
    row: Row, labels: Sequence[Row], file_texts: Mapping[int, str], *, with_preview: bool
) -> dict[str, Any]:
    """Return the members of a Conversation, in the order of the model."""
    preview = row["last_message_json"]
    if file_text := file_texts.get(row["id"]):
        preview = f'{preview[:-1]},"media_text":{json.dumps(file_text)}}}'
    assigned = row["assignee_id"]
    last_inbound = row["last_inbound_at"]
    return {
        "id": str(row["id"]),
        "status": STATUSES[row["status"]],
        "awaiting_human": bool(row["awaiting_human"]),
        **_handed_over(row),
        "snoozed_until": _time(row["snoozed_until"]),
        "channel": {
            "id": row["phone_number_id"],
            "name": row["channel_name"],
            "phone": row["channel_phone"],
        },
        "contact": {
            "id": str(row["contact_id"]),
            "name": row["contact_name"],
            "phone": row["contact_phone"],
            **({} if row["contact_username"] is None else {"username": row["contact_username"]}),
        },
        "assignee": {"id": str(assigned), "name": row["assignee"] or ""} if assigned else None,
        "labels": [label["title"] for label in labels],
        "unread_count": row["unread_count"],
        "waiting_since": _time(row["waiting_since"]),
        "first_reply_at": _time(row["first_reply_at"]),
        "last_inbound_at": _time(last_inbound),
        "service_window_expires_at": _time(last_inbound and last_inbound + SERVICE_WINDOW),
        "last_activity_at": timestamp(row["last_activity_at"]),
        # The preview is stored in the format of the wire.
        **({"last_message": preview and orjson.Fragment(preview)} if with_preview else {}),
        "created_at": timestamp(row["created_at"]),
        "updated_at": timestamp(row["updated_at"]),
    }


def _handed_over(row: Row) -> dict[str, str]:
    """Return when a bot handed over a conversation that awaits a person, in this episode."""
    at = row["handed_over_at"] if row["awaiting_human"] else None
    return {} if at is None or at < (row["episode_at"] or 0) else {"handed_over_at": timestamp(at)}


@dataclass(frozen=True, slots=True)
class MessageFile:
    """File of a message: its row, None if it was never requested. may_fetch: the key may."""

    row: Row | None
    may_fetch: bool

    def members(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Members of `Media` that the file adds to what the provider said."""
        row = self.row
        if row is None:
            return {"status": "absent"}
        state = "available" if row["state"] == STORED else row["state"]
        known = {"size_bytes": row["size"], "mime_type": row["mime"]}
        # Of a file that is here the size is known; the provider's word on the type is kept.
        kept = {"size_bytes"} if state == "available" else set()
        return {
            **{name: value for name, value in known.items() if name in kept or said[name] is None},
            "url": f"{MEDIA_PATH}{row['key']}" if self.may_fetch else None,
            "status": state,
            "width": row["width"],
            "height": row["height"],
            "duration_ms": row["duration_ms"],
            **self._text(row),
        }

    def _text(self, row: Row) -> dict[str, Any]:
        if not self.may_fetch or row["text_state"] is None:
            return {}
        text = MediaText(
            status=row["text_state"],
            text=row["text"],
            language=row["text_language"],
            by=row["text_by"],
            at=_time(row["text_at"]),
        )
        return {"text": text}


def message_body(
    row: Row,
    author: Ref | None,
    quoted: Row | None,
    reactions: Sequence[Row],
    file: MessageFile | None = None,
) -> Message:
    """Serialize a message. file: its file, if this service serves files.

    A deleted one has no text, content or media. `pricing` and `expired_at` are omitted if empty.
    """
    pricing = _pricing(row)
    deleted = row["deleted_at"] is not None
    outbound = row["direction"] == 1
    return from_row(
        Message,
        row,
        conversation_id=str(row["conversation_id"]),
        direction=DIRECTIONS[row["direction"]],
        author_ref=author,
        text=None if deleted else row["text"],
        content=None if deleted else _content(row),
        media=None if deleted else _media(row["media_json"], file),
        reply_to=None if _asks_only(row, quoted) else _reply_to(row["reply_wamid"], quoted),
        referral=_filled(_REFERRAL, row["referral_json"]),
        reactions=tuple(_reaction(reaction) for reaction in reactions),
        delivery_status=row["delivery_status"] if outbound else None,
        delivery=from_row(Delivery, row) if outbound else None,
        error=_error(row["error_json"]),
        **({"pricing": pricing} if pricing else {}),
    )


def note_body(row: Row, author: Ref | None) -> Note:
    return from_row(Note, row, conversation_id=str(row["conversation_id"]), author_ref=author)


def contact_body(row: Row) -> Contact:
    return from_row(Contact, row, custom_fields=custom_fields(row["custom_json"]))


def custom_field_body(row: Row) -> CustomField:
    options = tuple(_contents(row["options_json"]) or ())
    return from_row(CustomField, row, scope="contact", options=options)


def team_body(row: Row, channels: Sequence[str], members: Sequence[Row]) -> Team:
    """Serialize a team. channels: provider phone number ids."""
    users = tuple(UserRef(id=str(user["id"]), name=user["name"]) for user in members)
    return from_row(Team, row, channels=tuple(channels), members=users)


def channel_body(row: Row, hours: BusinessHours, timezone: str) -> Channel:
    """Serialize a channel; its `id` is the provider's phone number id.

    hours, timezone: of its account.
    """
    calendar = hours.of(row["phone_number_id"])
    own = None
    if calendar is not None:
        own = WeeklyHours.model_validate({**dict.fromkeys(WEEKDAYS, ()), **plainly(calendar)})
    members = {"business_hours": own, "timezone": timezone}
    return from_row(Channel, row, id=row["phone_number_id"], **members)


def template_body(row: Row, channels: Sequence[str]) -> Template:
    """Serialize a template. channels: phone number ids of its business account."""
    components = tuple(_contents(row["components_json"]) or ())
    return from_row(Template, row, components=components, channels=tuple(channels))


def from_row(model: type[W], row: Row, **members: object) -> W:
    """Fill a model from the columns of the same names, besides `members`.

    A member that may be absent is, where there is no such column or it is null.
    """
    columns = {
        name: _member(name, row[name])
        for name, optional in _members_of(model)
        if name not in members and not (optional and row.get(name) is None)
    }
    return model(**columns, **members)


@cache
def _members_of(model: type[Wire]) -> tuple[tuple[str, bool], ...]:
    return tuple((name, may_be_absent(member)) for name, member in model.model_fields.items())


def _member(name: str, value: Any) -> Any:
    """Convert a column to the wire: ids to text, times to timestamps."""
    if name == "id":
        return str(value)
    return _time(value) if name.endswith("_at") else value


def figures_of(model: type[F], rows: Iterable[Row]) -> F:
    """The figures that rows of (name, n, samples, total) sum up to; totals are in milliseconds.

    Means are in seconds, rounded to a tenth.
    """
    counts, samples, totals = Counter[str](), Counter[str](), Counter[str]()
    for row in rows:
        name = row["name"]
        counts[name] += row["n"]
        samples[name] += row["samples"]
        totals[name] += row["total"]
    means = {
        name: round(totals[name] / samples[name] / 1000, 1) if samples[name] else None
        for name in REPORT_MEANS.values()
    }
    figures: dict[str, Any] = {
        member: means[mark.name] if mark.mean else counts[mark.name]
        for member, mark in _sums_of(model).items()
    }
    return model(
        **figures,
        samples={mean: samples[name] for mean, name in REPORT_MEANS.items()},
    )


_sums_of = cache(sums_of)


def report_metrics(rows: Iterable[Row]) -> Metrics:
    return figures_of(Metrics, rows)


def person_metrics(rows: Iterable[Row]) -> Metrics:
    """Sum rows of what persons did; None stands for what they do not do."""
    metrics = report_metrics(rows)
    return metrics.model_copy(update=dict.fromkeys(_NOT_BY_PERSONS))


def grouped(rows: Sequence[Row], by: str) -> Mapping[Any, list[Row]]:
    """Group rows by a column; a missing key gives an empty list."""
    groups: defaultdict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row[by]].append(row)
    return groups


def _content(row: Row) -> dict[str, Any] | None:
    """Decode a message's payload, with every member of its type present."""
    kind = MESSAGE_KINDS.get(row["type"])
    members = {} if kind is None else kind.members(DIRECTIONS[row["direction"]])
    return _filled(members, row["content_json"])


def _asks_only(row: Row, quoted: Row | None) -> bool:
    """Check for an enquiry about a product, which names an unknown message beside the product."""
    return quoted is None and REFERRED_PRODUCT in (_contents(row["content_json"]) or {})


def _filled(members: Mapping[str, Any], text: str | None) -> dict[str, Any] | None:
    stored = _contents(text)
    return None if stored is None else {**members, **stored}


def custom_fields(text: str) -> dict[str, Any]:
    """Decode custom fields, without nulls. Lists and objects become JSON text."""
    stored: dict[str, Any] = _contents(text) or {}
    return {
        key: json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
        for key, value in stored.items()
        if value is not None
    }


def _pricing(row: Row) -> Pricing | None:
    """Return the pricing that the provider reported, None without any member."""
    billable = row["billable"]
    members = {
        "billable": None if billable is None else bool(billable),
        "model": row["pricing_model"],
        "category": row["category"],
        "type": row["pricing_type"],
    }
    known = {name: value for name, value in members.items() if value is not None}
    return Pricing(**known) if known else None


def _media(text: str | None, file: MessageFile | None) -> Media | None:
    if text is None:
        return None
    members = _members(Media, text)
    return Media(**members if file is None else members | file.members(members))


def _error(text: str | None) -> ProviderError | None:
    return None if text is None else ProviderError(**_members(ProviderError, text))


def _members(kind: Any, text: str) -> dict[str, Any]:
    """Decode stored members, with None for those missing that are always sent."""
    return {**_nulls(kind), **_contents(text)}


@cache
def _nulls(kind: Any) -> dict[str, Any]:
    return dict.fromkeys(name for name, one in kind.model_fields.items() if not may_be_absent(one))


def _reply_to(wamid: str | None, quoted: Row | None) -> ReplyTo | None:
    if wamid is None:
        return None
    if quoted is None:
        return ReplyTo(
            message_id=None, wamid=wamid, direction=None, author=None, type=None, text=None
        )
    deleted = quoted["deleted_at"] is not None
    text = None if deleted else quoted["text"]
    media = None if deleted or quoted["media_json"] is None else _contents(quoted["media_json"])
    optional = {"voice": True} if media and media.get("voice") else {}
    return ReplyTo(
        message_id=str(quoted["id"]),
        wamid=wamid,
        direction=DIRECTIONS[quoted["direction"]],
        author=quoted["author"],
        type=quoted["type"],
        text=text and shortened(text, TEXT_LIMIT),
        **optional,
    )


def _reaction(row: Row) -> Reaction:
    return from_row(Reaction, row, direction=DIRECTIONS[row["direction"]])


def _time(milliseconds: int | None) -> str | None:
    return None if milliseconds is None else timestamp(milliseconds)


def _contents(text: str | None) -> Any:
    """Decode stored JSON, replacing lone surrogates, NaN and Infinity."""
    if text is None:
        return None
    if "\\ud" in text.lower():
        # An escape may encode a lone surrogate, which is not valid in UTF-8.
        whole = json.dumps(json.loads(text), ensure_ascii=False)
        text = whole.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return json.loads(text, parse_constant=lambda name: None)
