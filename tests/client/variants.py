"""Numbered variants of server responses, which are read like those of `/v1`.

An envelope changes how a page is wrapped, a row variant how rows are written.
"""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from tests.client.inbox_rows import Row
from tests.client.other_server import BASE, Headers, Slice, Variant


def _body(make: Callable[[Slice], Any]) -> Variant:
    return Variant(page=lambda cut: (make(cut), {}))


def _address(cut: Slice, origin: str = BASE, name: str = "cursor") -> str | None:
    return f"{origin}/v1/{cut.name}?limit=3&{name}={cut.next}" if cut.next else None


def _linked(cut: Slice) -> tuple[Any, Headers]:
    address = _address(cut)
    links = f'<{BASE}/v1/first>; rel="first"'
    return cut.rows, {"link": f'{links}, <{address}>; rel="next"' if address else links}


def _named(cut: Slice) -> dict[str, Any]:
    return {cut.name.replace("-", "_"): cut.rows, "next_cursor": cut.next}


def _as_json_api(cut: Slice) -> dict[str, Any]:
    """Rows as resources with attributes; people and numbers as relationships."""
    return {
        "data": [_resource(cut.name, row) for row in cut.rows],
        "links": {"self": BASE, "next": _address(cut, name="page[after]")},
    }


def _resource(name: str, row: Row) -> Row:
    if not isinstance(row, dict) or "id" not in row:
        return row
    related = ("contact", "channel", "assignee") if name == "conversations" else ()
    links = {
        part: {"data": _identifier(row[part])}
        for part in related
        # What another variant has wrapped stays an attribute.
        if part in row and (not isinstance(row[part], dict) or "id" in row[part] or not row[part])
    }
    attributes = {key: value for key, value in row.items() if key not in ("id", *links)}
    given = {"id": row["id"], "type": name, "attributes": attributes}
    return {**given, "relationships": links} if links else given


def _identifier(part: Any) -> Any:
    if isinstance(part, dict):
        return {"id": part["id"], "type": "thing"} if part else None
    return part if part is None else {"id": part, "type": "thing"}


ENVELOPES: Mapping[str, Variant] = {
    "V01": _body(
        lambda cut: {"data": cut.rows, "next_cursor": cut.next, "has_more": bool(cut.next)}
    ),
    "V02": _body(lambda cut: {"data": cut.rows, "meta": {"next_cursor": cut.next}}),
    "V03": _body(
        lambda cut: {
            "data": cut.rows,
            "pagination": {"next_cursor": cut.next or "stale", "has_more": bool(cut.next)},
        }
    ),
    "V04": _body(
        lambda cut: {
            "data": cut.rows,
            "pagination": {"cursor": cut.next, "hasMore": bool(cut.next), "total": 70},
        }
    ),
    "V05": _body(
        lambda cut: {
            "data": cut.rows,
            "meta": {"pagination": {"nextCursor": cut.next, "hasMore": bool(cut.next)}},
        }
    ),
    "V06": _body(lambda cut: {"items": cut.rows, **({"next": cut.next} if cut.next else {})}),
    "V07": _body(lambda cut: {"items": cut.rows, "next": _address(cut)}),
    "V08": _body(lambda cut: {"items": cut.rows, "next": _address(cut, "https://evil.example")}),
    "V09 results": _body(lambda cut: {"results": cut.rows, "next_cursor": cut.next, "count": 3}),
    "V09 named": _body(_named),
    "V10": _body(lambda cut: {"data": {"payload": cut.rows, "meta": {}}, "next_cursor": cut.next}),
    "V11": Variant(page=_linked),
    "V12": Variant(page=lambda cut: (cut.rows, {}), longest_page=100),
    "V13": _body(
        lambda cut: {
            "ok": True,
            cut.name: cut.rows,
            "response_metadata": {"next_cursor": cut.next or ""},
        }
    ),
    "V14": _body(
        lambda cut: {
            "data": cut.rows,
            "paging": {
                "cursors": {"before": "b", "after": cut.next or "the end"},
                **({"next": _address(cut, name="after")} if cut.next else {}),
            },
        }
    ),
    "V15": _body(
        lambda cut: {
            "data": cut.rows,
            "page_info": {"has_next_page": bool(cut.next), "end_cursor": cut.next or "the end"},
        }
    ),
    "V16": _body(lambda cut: {cut.name: cut.rows, "next_page_token": cut.next or ""}),
    "V17": _body(
        lambda cut: {
            "type": "list",
            "data": cut.rows,
            "pages": {"next": {"starting_after": cut.next}} if cut.next else {"next": None},
        }
    ),
    "a header": Variant(
        page=lambda cut: (cut.rows, {"x-next-cursor": cut.next} if cut.next else {})
    ),
    "the name of the parameter": _body(
        lambda cut: {"data": cut.rows, "cursor": cut.next or cut.asked}
    ),
    "V40": _body(_as_json_api),
    "a list within a result": _body(
        lambda cut: {"result": {"list": cut.rows, "next_cursor": cut.next}, "code": 0}
    ),
    "a connection of nodes": _body(
        lambda cut: {
            "edges": [{"cursor": "x", "node": row} for row in cut.rows],
            "pageInfo": {"hasNextPage": bool(cut.next), "endCursor": cut.next or "the end"},
        }
    ),
    "embedded": _body(
        lambda cut: {"_embedded": {cut.name: cut.rows}, "_links": {"next": {"href": _address(cut)}}}
    ),
    "rows under their own names": _body(
        lambda cut: {
            "data": [{cut.name.replace("-", "_").removesuffix("s"): row} for row in cut.rows],
            "next_cursor": cut.next,
        }
    ),
}


def each(change: Callable[[str, Any], Any]) -> Callable[[str, Row], Any]:
    """A row with every member changed, also those of objects in it."""

    def changed(name: str, value: Any) -> Any:
        if isinstance(value, dict) and name not in ("custom_fields", "components"):
            return {member: changed(member, inner) for member, inner in value.items()}
        if isinstance(value, list) and name not in ("components",):
            return [changed("", inner) if isinstance(inner, dict) else inner for inner in value]
        return change(name, value)

    return lambda name, row: changed(name, row)


def _ids(write: Callable[[str], Any]) -> Variant:
    def change(name: str, value: Any) -> Any:
        named = name == "id" or name in ("conversation_id",)
        return write(value) if named and isinstance(value, str) else value

    return Variant(row=each(change))


def _times(write: Callable[[str], Any]) -> Variant:
    def change(name: str, value: Any) -> Any:
        is_time = isinstance(value, str) and value.endswith(".000Z")
        return write(value) if is_time else value

    return Variant(row=each(change))


def epoch(text: str) -> int:
    """Seconds, of a time of that day."""
    hours, minutes, seconds = (int(part) for part in text[11:19].split(":"))
    return 1773446400 + hours * 3600 + minutes * 60 + seconds


def _later(text: str, hours: int) -> str:
    return f"{text[:11]}{int(text[11:13]) + hours:02d}{text[13:19]}"


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _in_camel_case(name: str, row: Any) -> Any:
    if not isinstance(row, dict):
        return row
    return {
        _camel(member): value
        if member in ("custom_fields", "content") or not isinstance(value, dict)
        else _in_camel_case(member, value)
        for member, value in row.items()
    }


def of(name: str, change: Callable[[Row], Row]) -> Variant:
    """Rows of one list written otherwise; one thing is done to its single value too."""

    def row(listed: str, value: Row) -> Row:
        return change(dict(value)) if listed == name and isinstance(value, dict) else value

    return Variant(row=row)


def renamed(listed: str, /, **names: str) -> Variant:
    """Members of one list's rows under other names."""
    return of(
        listed, lambda row: {names.get(member, member): value for member, value in row.items()}
    )


def _moved(member: str, make: Callable[[Any], Row]) -> Callable[[Row], Row]:
    def change(row: Row) -> Row:
        value = row.pop(member)
        return {**row, **make(value)}

    return change


def _sender(row: Row) -> Row:
    person = row.pop("author_ref")
    return {**row, "author": {"type": row["author"], **person}}


def _wrapped_people(name: str, row: Row) -> Row:
    """Contact, channel, assignee and author within objects that are named for what they hold."""
    wrappers = {"contact": "customer", "channel": "inbox", "assignee": "user", "author_ref": "user"}
    people = {
        member: {wrapper: row[member]}
        for member, wrapper in wrappers.items()
        if isinstance(row.get(member), dict)
    }
    return {**row, **people}


def _extra(name: str, row: Any) -> Any:
    return {**row, "priority": 3, "x_new": {"a": [1]}} if isinstance(row, dict) else row


ROWS: Mapping[str, Variant] = {
    "V24 numbers": _ids(int),
    "V25 offset": _times(lambda text: f"{_later(text, 2)}+02:00"),
    "V25 offset without a colon": _times(lambda text: f"{_later(text, 2)},000+0200"),
    "V25 no zone": _times(lambda text: text[:19]),
    "V25 a space": _times(lambda text: f"{text[:10]} {text[11:19]}Z"),
    "V25 microseconds": _times(lambda text: f"{text[:19]}.000400Z"),
    "V25 seconds": _times(epoch),
    "V25 milliseconds": _times(lambda text: epoch(text) * 1000),
    "V25 seconds as text": _times(lambda text: str(epoch(text))),
    "V26 digits": Variant(
        row=each(lambda name, value: value[1:] if name == "phone" and value else value)
    ),
    "V26 spaces": Variant(
        row=each(
            lambda name, value: (
                f"{value[:5]} {value[5:8]}-{value[8:]}" if name == "phone" else value
            )
        )
    ),
    "V27 id": of("conversations", lambda row: {**row, "channel": row["channel"]["id"]}),
    "V27 phone_number_id": of(
        "conversations", _moved("channel", lambda value: {"phone_number_id": value["id"]})
    ),
    "V27 inbox_id": of(
        "conversations", _moved("channel", lambda value: {"inbox_id": int(value["id"])})
    ),
    "V28 id": of(
        "conversations", lambda row: {**row, "assignee": (row["assignee"] or {}).get("id")}
    ),
    "V28 number": of(
        "conversations",
        _moved("assignee", lambda value: {"assignee_id": int(value["id"]) if value else None}),
    ),
    "V28 empty": of("conversations", lambda row: {**row, "assignee": row["assignee"] or {}}),
    "V28 absent": of(
        "conversations", _moved("assignee", lambda value: {"assignee": value} if value else {})
    ),
    "V29": of("conversations", lambda row: {**row, "contact": row["contact"]["id"]}),
    "V29 contact_id": of(
        "conversations", _moved("contact", lambda value: {"contact_id": value["id"]})
    ),
    "V29 spread": of(
        "conversations",
        _moved(
            "contact",
            lambda value: {
                "contact_id": value["id"],
                "contact_name": value["name"],
                "phone": value["phone"],
            },
        ),
    ),
    "people in objects of their own": Variant(row=lambda name, row: _wrapped_people(name, row)),
    "an assignee that is nobody": of(
        "conversations", lambda row: {**row, "assignee": {"user": row["assignee"]}}
    ),
    "an assignee without an id": of(
        "conversations", lambda row: {**row, "assignee": row["assignee"] or {"id": None}}
    ),
    "V31": of("messages", _sender),
    "V37": Variant(row=_extra),
    "V39": Variant(row=_in_camel_case),
    "V41": of(
        "contacts",
        lambda row: {
            **row,
            "custom_fields": [
                {"key": key, "value": value} for key, value in row["custom_fields"].items()
            ],
        },
    ),
    "V42 objects": of(
        "conversations",
        lambda row: {**row, "labels": [{"id": 1, "title": title} for title in row["labels"]]},
    ),
    "V42 text": of("conversations", lambda row: {**row, "labels": ", ".join(row["labels"])}),
    "V43 text.body": of("messages", lambda row: {**row, "text": {"body": row["text"]}}),
    "labels in a list of their own": of(
        "conversations", lambda row: {**row, "labels": {"data": row["labels"]}}
    ),
    "labels within objects": of(
        "conversations",
        lambda row: {**row, "labels": [{"label": {"title": title}} for title in row["labels"]]},
    ),
    "body.text": of("messages", _moved("text", lambda value: {"body": {"text": value}})),
    "content.body": of("messages", _moved("text", lambda value: {"content": {"body": value}})),
    "texts of notes": of("notes", _moved("text", lambda value: {"body": {"plain": value}})),
    "texts of canned responses": of(
        "canned-responses", _moved("text", lambda value: {"content": {"text": value}})
    ),
    "V43 content": of("messages", _moved("text", lambda value: {"content": value})),
    "V43 body": of("messages", _moved("text", lambda value: {"body": value})),
    "the names of another platform": of(
        "messages",
        lambda row: {
            "id": int(row["id"]),
            "conversation_id": int(row["conversation_id"]),
            "content": row["text"],
            "content_type": "text",
            "message_type": 0 if row["direction"] == "inbound" else 1,
            "created_at": epoch(row["created_at"]),
            "sender_type": "Contact" if row["author"] == "contact" else "agent",
            "sender": row["author_ref"],
            "status": row["delivery_status"],
            "source_id": row["wamid"],
            "source": row["source"],
        },
    ),
    "aliases of contacts": renamed(
        "contacts", phone="phone_number", custom_fields="custom_attributes"
    ),
    "aliases of labels": renamed("labels", title="name"),
    "colours without a sign": of("labels", lambda row: {**row, "color": "AABBCC"}),
    "colours in short": of("labels", lambda row: {**row, "color": "#abc"}),
    "aliases of custom fields": renamed(
        "custom-fields",
        key="attribute_key",
        name="attribute_display_name",
        type="attribute_display_type",
        options="attribute_values",
        description="attribute_description",
    ),
    "aliases of teams": renamed("teams", channels="phone_number_ids", members="agents"),
    "aliases of channels": renamed("channels", id="phone_number_id", phone="phone_number"),
    "aliases of canned responses": renamed(
        "canned-responses", text="content", short_code="shortcut"
    ),
    "aliases of templates": of("templates", lambda row: {**row, "language": {"code": "en_US"}}),
    "direction in other words": of(
        "messages",
        lambda row: {**row, "direction": "in" if row["direction"] == "inbound" else "outgoing"},
    ),
    "no direction": of("messages", _moved("direction", lambda value: {})),
}


def as_uuid(id: str) -> str:
    return str(UUID(int=int(id)))


def awkward(id: str) -> str:
    return f"a/{id}+b c.."


IDS: Mapping[str, Callable[[str], str]] = {"V24 uuid": as_uuid, "V24 awkward": awkward}
