"""OpenAPI 3.1 document, generated from the route table and the wire models."""

import inspect
import json
import re
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Any, get_args, get_origin

from pydantic.json_schema import GenerateJsonSchema, models_json_schema
from pydantic_core import to_json

from frontdesk import __version__, wire
from frontdesk.ingest.media.facts import PREVIEW_SIDE
from frontdesk.query.terms import COUNTED_OVERVIEW, OVERVIEW
from frontdesk.service.api_keys import MASKED_SCOPE, SCOPE_WORDS
from frontdesk.service.cursors import MAX_LENGTH as MAX_CURSOR_LENGTH
from frontdesk.service.endpoint import ApiPath, Endpoint, JsonBody
from frontdesk.service.held_requests import LONGEST_SECONDS
from frontdesk.service.media.endpoint import AS_TEXT, MEDIA_ENDPOINT
from frontdesk.service.problems import CODES, MEDIA_TYPE
from frontdesk.service.routes import ENDPOINTS
from frontdesk.service.routes.filters import FLAGS, MAX_QUERY_LENGTH
from frontdesk.service.routes.report_parts import MAX_TARGET_SECONDS
from frontdesk.wire import ConversationPage, Problem, Wire, reports
from frontdesk.wire.base import EXTENSION, json_name, may_be_absent
from frontdesk.wire.members import OPEN
from frontdesk.wire.queries import (
    ASSIGNEE_WORDS,
    CLOCKS,
    COMPARISONS,
    CONVERSATION_ORDERS,
    COUNTS_BY,
    GRANULARITIES,
    MAX_LIMIT,
    MOST_QUERY_CHARACTERS,
    REPORT_PARTS,
)
from frontdesk.wire.values import STATUSES

Schema = dict[str, Any]

REFERENCE = "#/components/schemas/"

_PAGE = re.compile(r"^Page\[(\w+)\]$")

_TIMESTAMP: Schema = {
    "type": "string",
    "description": "ISO 8601 in UTC with milliseconds, so that the order of texts is that of time.",
    "format": "date-time",
    "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$",
    "examples": ["2026-03-14T09:26:53.000Z"],
}


class _Generator(GenerateJsonSchema):
    """JSON schema generator without titles and defaults: the service sends every member."""

    def normalize_name(self, name: str) -> str:
        return _PAGE.sub(r"\1Page", name)

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def default_schema(self, schema: Any) -> Schema:
        return self.generate_inner(schema["schema"])


def schemas_of(models: Iterable[type[Wire]]) -> dict[str, Schema]:
    """Generate schemas of models and those that they reference, sorted by name."""
    _, generated = models_json_schema(
        [(model, "serialization") for model in models],
        ref_template=REFERENCE + "{model}",
        schema_generator=_Generator,
    )
    schemas = {name: _strict(schema) for name, schema in generated["$defs"].items()}
    return dict(sorted({"Timestamp": _TIMESTAMP, **schemas}.items()))


def reference(model: type[Wire]) -> Schema:
    return {"$ref": REFERENCE + name_of(model)}


def name_of(model: type[Wire]) -> str:
    """Return a model's schema name; `Page[Contact]` is "ContactPage"."""
    return _PAGE.sub(r"\1Page", model.__name__)


def plain(text: str | None) -> str:
    """Turn a docstring into a one-line description, with null for None."""
    return re.sub(r"\bNone\b", "null", " ".join((text or "").split()))


def _strict(generated: Schema) -> Schema:
    """A model's schema; a member is required unless its own schema says that it is not."""
    properties = generated["properties"]
    absent = {name for name, kind in properties.items() if kind.pop("required", True) is False}
    return {
        "type": "object",
        "description": plain(generated.get("description")) or "One page, in the order of the list.",
        "properties": {name: _member(kind) for name, kind in properties.items()},
        "required": [name for name in properties if name not in absent],
    }


def _member(schema: Schema) -> Schema:
    """A member's schema, without null if it says so."""
    nullable = schema.pop("nullable", True)
    kinds = [_kind(kind) for kind in schema.pop("anyOf", [{}])]
    if not nullable:
        kinds = [kind for kind in kinds if kind != {"type": "null"}]
    return _kind(schema) | (kinds[0] if len(kinds) == 1 else {"anyOf": kinds})


def _kind(schema: Schema) -> Schema:
    """A schema; a timestamp is a reference to that of all timestamps."""
    if schema.get("format") != _TIMESTAMP["format"]:
        return schema
    others = {name: value for name, value in schema.items() if name not in ("type", "format")}
    return others | {"$ref": f"{REFERENCE}Timestamp"}


_PARTS = "|".join(REPORT_PARTS)
_COUNTS_BY = "|".join(COUNTS_BY)
_TARGET = {"type": "integer", "minimum": 1, "maximum": MAX_TARGET_SECONDS}
KEY = "apiKey"

_ABOUT = """\
Reads an inbox of customer conversations held over WhatsApp numbers. The account is that of the \
API key. Lists come in pages: pass `next_cursor` back, unchanged, as `cursor`, with the same \
filters. Members and values may be added, so be ready for those that you do not know: values \
under `x-known-values` are what is known today. Every error is a problem document (RFC 9457) \
with a stable `code`. Every path also answers HEAD."""

# Operation tags with their descriptions and resources.
_TAGS: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "Conversations": ("The inbox as a list, and its counts.", ("conversations",)),
        "Messages": ("What was said in a conversation.", ("messages", "notes", "media")),
        "Contacts": ("The customers.", ("contacts",)),
        "Catalogues": (
            "Short lists that the other resources refer to.",
            (
                "labels",
                "custom_fields",
                "users",
                "teams",
                "channels",
                "canned_responses",
                "templates",
            ),
        ),
        "Reports": ("Figures of a period.", ("reports",)),
    }
)


def _whole(name: str, example: Mapping[str, Any]) -> dict[str, Any]:
    """An example in the order of its model, with the defaults of members that it leaves out."""
    model: type[Wire] = getattr(reports if name.endswith("Report") else wire, name)
    whole = {}
    for member, kind in model.model_fields.items():
        if (key := json_name(member)) in example:
            whole[key] = example[key]
        elif not may_be_absent(kind):
            default = kind.get_default(call_default_factory=True)
            whole[key] = list(default) if isinstance(default, tuple) else default
    return whole


# One example per schema name.
EXAMPLES: Mapping[str, Any] = MappingProxyType(
    {
        name: _whole(name, example)
        for name, example in json.loads(
            (files(__package__) / "examples.json").read_text(encoding="utf-8")
        ).items()
    }
)

_PATH_PARAMETERS: Mapping[str, Schema] = MappingProxyType(
    {
        "id": {"type": "string", "description": "A conversation's id."},
        "key": {"type": "string", "description": "The last part of `media.url` of a message."},
        "phone": {
            "type": "string",
            "pattern": r"^\+?[1-9][0-9]{6,14}$",
            "description": "An E.164 number; its plus may be left out. A number that the "
            "contact had before, or the other spelling of a mobile number of Argentina, "
            "Brazil or Mexico, leads to the contact too.",
            "examples": ["+16505551234"],
        },
    }
)

_TEXT: Schema = {"type": "string"}
# Parameter values must not contain control characters.
_WORDS: Schema = {"type": "string", "pattern": r"^[^\u0000-\u001F\u007F-\u009F]*$"}
_INSTANT: Schema = {
    "type": "string",
    "pattern": r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
    r"T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$",
    "examples": ["2026-11-01T00:00:00Z"],
}
_MOMENT: Schema = {
    "type": "string",
    "pattern": r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
    r"(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$",
    "examples": ["2026-03-01", "2026-03-01T09:30:00+02:00"],
}


_PARAMETERS: Mapping[str, Schema] = MappingProxyType(
    {
        "status": {
            "description": "Only conversations of this status; all without it.",
            "schema": {"type": "string", "enum": list(STATUSES)},
        },
        "assignee": {
            "description": "Whose: the key's own user, nobody, anybody, or the user of an id.",
            "schema": {
                "anyOf": [
                    {"type": "string", "enum": list(ASSIGNEE_WORDS)},
                    {"type": "string", "pattern": "^[1-9][0-9]{0,17}$"},
                ]
            },
        },
        "channel": {
            "description": "The id of a channel.",
            "schema": {**_WORDS, "minLength": 1},
        },
        "label": {
            "description": "The title of a label, in any case.",
            "schema": {**_WORDS, "minLength": 1},
        },
        "contact": {
            "description": "The id of a contact.",
            "schema": {"type": "string", "pattern": "^[1-9][0-9]{0,17}$"},
            EXTENSION: True,
        },
        "awaiting_human": {
            "description": "Only conversations that a bot has handed to a person, or only others.",
            "schema": {"type": "string", "enum": list(FLAGS)},
            EXTENSION: True,
        },
        "unread": {
            "description": "Only conversations with unread messages, or only others. Where no read "
            "marker is known, all messages of the customer are unread.",
            "schema": {"type": "string", "enum": list(FLAGS)},
            EXTENSION: True,
        },
        "query": {
            "description": "Terms of the query language, all of which must match; a `-` before a "
            f"term negates it, and commas separate values of which one has to match: {OVERVIEW}. "
            "Words are looked for in messages, in names, usernames and numbers of customers and in "
            "labels. Names stand for what they mean in the catalogues, which the key has to be "
            "allowed to read, `id:` and an id for exactly one of them. Days without a time are "
            "those of the account's zone.",
            "schema": {
                **_WORDS,
                "minLength": 1,
                "maxLength": MOST_QUERY_CHARACTERS,
                "examples": ["waiting:>1h has:image -#spam refund"],
            },
            EXTENSION: True,
        },
        "counts.query": {
            "description": "Terms of the query language by which counters are kept: "
            f"{COUNTED_OVERVIEW}; of labels one that is not excluded. Others are refused: the "
            "first page of the list has their number.",
            "schema": {
                **_WORDS,
                "minLength": 1,
                "maxLength": MOST_QUERY_CHARACTERS,
                "examples": ["is:open,snoozed @me,unassigned"],
            },
            EXTENSION: True,
        },
        "conversations.q": {
            "description": "Words that must all be found in one message, anywhere in its text, "
            "caption, file name or other contents, whatever their case and accents. "
            "Words without three letters or digits in a row are looked for in 20,000 messages for "
            "a page, which may be empty and have a next one. "
            "The conversation with the newest such message comes first. Needs the scope "
            "`messages:read` too, and an index that a service need not have; not with `sort`.",
            "schema": {**_WORDS, "minLength": 1, "maxLength": MAX_QUERY_LENGTH},
            EXTENSION: True,
        },
        "by": {
            "description": "Adds the numbers by assignee, or by label, with a comma between; by "
            "label not with `label`.",
            "schema": {
                "type": "string",
                "pattern": f"^({_COUNTS_BY})(,({_COUNTS_BY}))*$",
                "examples": [",".join(COUNTS_BY)],
            },
            EXTENSION: True,
        },
        "sort": {
            "description": "The order. `activity`: the latest first, as without it. `waiting`: "
            "who waits longest first, then who does not wait, by activity. `window`: the reply "
            "window that closes first, then the closed ones, by activity. In these two, rows "
            "that move during a walk may be left out of its later pages; keep rows by id. "
            "`created`: those that began last first. `oldest`: the oldest activity first.",
            "schema": {"type": "string", "enum": list(CONVERSATION_ORDERS)},
            EXTENSION: True,
        },
        "q": {
            "description": "Words that must all be found, whatever their case and accents: in "
            "names, username or e-mail address, there at the beginning of a word if they have "
            "fewer than three letters and digits; three digits or more in the phone number, after "
            "a + at its beginning. Digits, blanks and ()+-./ alone are one number: of the contact "
            "who has the whole of it, else a part.",
            "schema": {**_WORDS, "maxLength": MAX_QUERY_LENGTH},
        },
        "cursor": {
            "description": "`next_cursor` of the page before.",
            "schema": {
                "type": "string",
                "pattern": "^[A-Za-z0-9_.-]+$",
                "maxLength": MAX_CURSOR_LENGTH,
            },
        },
        "after": {
            "description": "`next` of the answer before. Without it, only the position of now is "
            "answered.",
            "schema": {**_WORDS, "examples": ["9f3c12ab-40"]},
            EXTENSION: True,
        },
        "width": {
            "description": "A preview of a picture in WebP, at most so many pixels wide and high.",
            "schema": {"type": "string", "enum": [str(PREVIEW_SIDE)]},
            EXTENSION: True,
        },
        "as": {
            "description": "The words of the file as a program read them, as plain text. They may "
            "be wrong, and may change.",
            "schema": {"type": "string", "enum": [AS_TEXT]},
            EXTENSION: True,
        },
        "from": {
            "description": "Where the period begins: a time with its offset, or a date; without "
            "it, the period has seven days. It may have 366.",
            "schema": _MOMENT,
        },
        "to": {
            "description": "Where the period ends, itself not in it; now, if it is left out.",
            "schema": _MOMENT,
        },
        "timezone": {
            "description": "The IANA name of the zone of dates and buckets; the account's without.",
            "schema": {
                "type": "string",
                "pattern": r"^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*$",
                "examples": ["Europe/Madrid"],
            },
        },
        "user": {
            "description": "Only what this user did: the id, or `me` for the key's own user. At "
            "most one of user, team and label.",
            "schema": {
                "anyOf": [
                    {"type": "string", "enum": ["me"]},
                    {"type": "string", "pattern": "^[1-9][0-9]{0,17}$"},
                ]
            },
            EXTENSION: True,
        },
        "team": {
            "description": "Only what the members of this team did on its channels.",
            "schema": {"type": "string", "pattern": "^[1-9][0-9]{0,17}$"},
            EXTENSION: True,
        },
        "granularity": {
            "description": "Adds a series of buckets of this length, of which it may have 1000.",
            "schema": {"type": "string", "enum": list(GRANULARITIES)},
        },
        "compare": {
            "description": "How far back the previous period is: both ends move back by a week, "
            "a month or a year of the calendar, or by as many whole days as avoid an overlap.",
            "schema": {"type": "string", "enum": list(COMPARISONS), "default": COMPARISONS[0]},
            EXTENSION: True,
        },
        "clock": {
            "description": "Measures durations and waits in all time, or in the business hours of "
            "the account and its channels.",
            "schema": {"type": "string", "enum": list(CLOCKS), "default": CLOCKS[0]},
            EXTENSION: True,
        },
        "include": {
            "description": "Further parts of the report, with commas between: figures by user, "
            "team, label and ad, by weekday and hour, p50 and p90 beside each mean, and how long "
            "customers wait now.",
            "schema": {
                "type": "string",
                "pattern": f"^({_PARTS})(,({_PARTS}))*$",
                "examples": ["users,spread"],
            },
            EXTENSION: True,
        },
        "target_first_response": {
            "description": "Adds how many first responses took no more than so many seconds, and "
            "how many conversations wait longer for theirs now.",
            "schema": _TARGET,
            EXTENSION: True,
        },
        "target_reply": {
            "description": "Adds how many later replies took no more than so many seconds, and how "
            "many conversations wait longer for theirs now.",
            "schema": _TARGET,
            EXTENSION: True,
        },
    }
)

# Codes of some endpoints only, with a predicate of these; all other codes apply to every one.
_ONLY: Mapping[str, Callable[[ApiPath], bool]] = MappingProxyType(
    {
        "invalid_filter": lambda endpoint: bool(
            {"status", "assignee", "channel", "label", "team", "user"} & {*endpoint.parameters}
        ),
        "assignee_me_unavailable": lambda endpoint: bool(
            {"assignee", "query", "user"} & {*endpoint.parameters}
        ),
        "message_search_unavailable": lambda endpoint: endpoint.name == "conversations",
        "invalid_limit": lambda endpoint: "limit" in endpoint.parameters,
        "invalid_cursor": lambda endpoint: "cursor" in endpoint.parameters,
        "cursor_mismatch": lambda endpoint: "cursor" in endpoint.parameters,
        "invalid_period": lambda endpoint: "from" in endpoint.parameters,
        "invalid_phone": lambda endpoint: endpoint.path_parameter == "phone",
        "contact_not_found": lambda endpoint: endpoint.path_parameter == "phone",
        "contacts_masked": lambda endpoint: endpoint.path_parameter == "phone",
        "conversation_not_found": lambda endpoint: endpoint.path_parameter == "id",
        **dict.fromkeys(
            (code for code in CODES if code.startswith("media_")),
            lambda endpoint: endpoint.name == "media",
        ),
        "preview_unavailable": lambda endpoint: endpoint.name == "media",
        "text_unavailable": lambda endpoint: endpoint.name == "media",
        "range_not_satisfiable": lambda endpoint: endpoint.name == "media",
        "route_not_found": lambda endpoint: False,
        "method_not_allowed": lambda endpoint: False,
    }
)

_HEADERS: Mapping[str, Schema] = MappingProxyType(
    {
        "X-Request-Id": {"description": "Names this request in the log.", "schema": _TEXT},
        "ETag": {"description": "For If-None-Match.", "schema": _TEXT},
        "Link": {"description": 'The next page, as `<…>; rel="next"`.', "schema": _TEXT},
        "Preference-Applied": {
            "description": "`wait=N` if the request could be held for N seconds.",
            "schema": _TEXT,
        },
        "RateLimit-Policy": {"description": "How often this key may ask.", "schema": _TEXT},
        "RateLimit": {"description": "What is left of it.", "schema": _TEXT},
        "Retry-After": {
            "description": "Seconds until it is worth asking again.",
            "schema": {"type": "integer", "minimum": 1},
        },
        "WWW-Authenticate": {"description": "What is wrong with the key.", "schema": _TEXT},
    }
)
_LIMITS = ("RateLimit-Policy", "RateLimit")
_OPTIONAL = (*_LIMITS, "Link", "Preference-Applied")
_PREFER: Mapping[str, Any] = MappingProxyType(
    {
        "name": "Prefer",
        "in": "header",
        "description": "`wait=N` (RFC 7240): an answer without news waits for some, up to N "
        f"seconds, {LONGEST_SECONDS} at most.",
        "schema": {"type": "string", "examples": [f"wait={LONGEST_SECONDS}"]},
        EXTENSION: True,
    }
)
_HEADERS_OF: Mapping[int, tuple[str, ...]] = MappingProxyType(
    {401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}
)


def document_bytes() -> bytes:
    """Serialize the document as indented JSON."""
    return to_json(document(), indent=2) + b"\n"


def document() -> Schema:
    return {
        "openapi": "3.1.0",
        "info": {"title": "Conversation inbox", "version": __version__, "description": _ABOUT},
        "servers": [{"url": "/"}],
        "tags": [{"name": name, "description": text} for name, (text, _) in _TAGS.items()],
        "paths": {
            **{path_of(endpoint): {"get": _operation(endpoint)} for endpoint in ENDPOINTS},
            path_of(MEDIA_ENDPOINT): {"get": _file_operation(MEDIA_ENDPOINT)},
        },
        "components": {
            "schemas": schemas_of([Problem, *map(body_of, ENDPOINTS)]),
            "headers": {
                name: {**header, "required": name not in _OPTIONAL}
                for name, header in _HEADERS.items()
            },
            "responses": {
                _shared_name(status): _problem(status, codes)
                for endpoint in ENDPOINTS
                for status, codes in codes_of(endpoint).items()
                if _is_shared(codes)
            },
            "securitySchemes": {
                KEY: {"type": "http", "scheme": "bearer", "description": _scopes()}
            },
        },
    }


def path_of(endpoint: ApiPath) -> str:
    """Return an endpoint's path template with named parameters."""
    return f"/v1{endpoint.path}"


def body_of(endpoint: Endpoint) -> type[Wire]:
    """Return the response model, from the return annotation of the handler."""
    annotation: Any = inspect.get_annotations(endpoint.handler)["return"]
    body: type[Wire] = get_args(annotation)[0] if get_origin(annotation) is JsonBody else annotation
    return body


def codes_of(endpoint: ApiPath) -> dict[int, list[str]]:
    """Group the problem codes of an endpoint by status."""
    codes: dict[int, list[str]] = {}
    for code, (status, _) in CODES.items():
        if code not in _ONLY or _ONLY[code](endpoint):
            codes.setdefault(status, []).append(code)
    return codes


def _operation(endpoint: Endpoint) -> Schema:
    body = body_of(endpoint)
    return {
        **_heading(endpoint, plain(inspect.getdoc(endpoint.handler))),
        **({EXTENSION: True} if endpoint.extension else {}),
        "parameters": [
            *_path_parameters(endpoint),
            *(_parameter(endpoint, name) for name in endpoint.parameters),
            *([{**_PREFER}] if endpoint.awaits_news else []),
        ],
        "responses": {
            "200": {
                "description": "What was asked for.",
                "headers": _headers("X-Request-Id", "ETag", *_LIMITS, *_more_headers(endpoint)),
                "content": {
                    "application/json": {"schema": reference(body), "example": _example(body)}
                },
            },
            "304": {
                "description": "Nothing has changed since the ETag in If-None-Match, nor while the "
                "request was held by `Prefer: wait=N`.",
                "headers": _headers("X-Request-Id", "ETag", "Preference-Applied", *_LIMITS),
            },
            **_problems(endpoint),
        },
    }


def _heading(endpoint: ApiPath, summary: str) -> Schema:
    return {
        "operationId": endpoint.name,
        "tags": [_tag(endpoint)],
        "summary": summary,
        "description": f"Needs the scope `{endpoint.scope}`.",
        "security": [{KEY: [endpoint.scope]}],
    }


def _problems(endpoint: ApiPath) -> Schema:
    """Return the problem responses of an operation by status."""
    return {
        str(status): {"$ref": f"#/components/responses/{_shared_name(status)}"}
        if _is_shared(codes)
        else _problem(status, codes)
        for status, codes in codes_of(endpoint).items()
    }


def _file_operation(endpoint: ApiPath) -> Schema:
    """Describe an operation that answers with a file."""
    headers = _headers("X-Request-Id", "ETag", *_LIMITS)
    content = {"*/*": {"schema": {"type": "string", "format": "binary"}}}
    return {
        **_heading(endpoint, "The file of a message as it was sent, a preview, or its words."),
        EXTENSION: True,
        "parameters": [
            *_path_parameters(endpoint),
            *({"name": name, "in": "query", **_PARAMETERS[name]} for name in endpoint.parameters),
        ],
        "responses": {
            "200": {"description": "The file.", "headers": headers, "content": content},
            "206": {"description": "A range of it.", "headers": headers, "content": content},
            "304": {"description": "It is the file of the ETag in If-None-Match."},
            **_problems(endpoint),
        },
    }


def _tag(endpoint: ApiPath) -> str:
    """Return the tag that contains an endpoint's resource."""
    resource = endpoint.scope.partition(":")[0]
    return next(tag for tag, (_, resources) in _TAGS.items() if resource in resources)


def _example(body: type[Wire]) -> Any:
    """Return an example of an endpoint's response; a page has a single row."""
    name = name_of(body)
    if name in EXAMPLES:
        return EXAMPLES[name]
    page: dict[str, Any] = {
        "data": [EXAMPLES[name.removesuffix("Page")]],
        "next_cursor": None,
        "has_more": False,
    }
    if body is ConversationPage:
        page |= {"matches": [EXAMPLES["MessageMatch"]], "total": 1, "total_capped": False}
    return page


def _path_parameters(endpoint: ApiPath) -> list[Schema]:
    name = endpoint.path_parameter
    schema = _PATH_PARAMETERS.get(name)
    return [{"name": name, "in": "path", "required": True, "schema": schema}] if schema else []


def _parameter(endpoint: Endpoint, name: str) -> Schema:
    if name != "limit":
        described = _PARAMETERS.get(f"{endpoint.name}.{name}") or _PARAMETERS[name]
        return {"name": name, "in": "query", **described}
    bounds: dict[str, Any] = {"minimum": 1, "maximum": MAX_LIMIT}
    return {
        "name": name,
        "in": "query",
        "description": "How many rows a page may have.",
        "schema": {"type": "integer", **bounds, "default": endpoint.page_length},
    }


def _is_shared(codes: list[str]) -> bool:
    """Check that every endpoint has exactly these codes for their status."""
    return not any(code in _ONLY or code == "invalid_parameter" for code in codes)


def _shared_name(status: int) -> str:
    return f"Problem{status}"


def _problem(status: int, codes: list[str]) -> Schema:
    return {
        "description": "; ".join(f"`{code}`: {CODES[code][1]}" for code in codes) + ".",
        "headers": _headers("X-Request-Id", *_HEADERS_OF.get(status, ()), *_LIMITS),
        "content": {
            MEDIA_TYPE: {
                "schema": {
                    "allOf": [reference(Problem)],
                    "properties": {
                        "status": {"const": status},
                        "code": {"type": "string", OPEN: codes},
                    },
                }
            }
        },
    }


def _more_headers(endpoint: Endpoint) -> tuple[str, ...]:
    """Return the headers of a 200 that only some endpoints have."""
    if endpoint.awaits_news:
        return ("Preference-Applied",)
    return ("Link",) if "cursor" in endpoint.parameters else ()


def _headers(*names: str) -> Schema:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _scopes() -> str:
    lines = (f"- `{scope}`: {words}" for scope, words in SCOPE_WORDS.items())
    return (
        "An API key. It opens what its scopes name:\n"
        + "\n".join(lines)
        + f"\n\nWith `{MASKED_SCOPE}`, which opens contacts too, names, numbers, addresses and "
        "custom fields of customers are stand-ins in all answers, and files are left out."
    )
