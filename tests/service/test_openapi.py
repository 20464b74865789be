"""The OpenAPI document: served, printed, true to the table of endpoints, and nothing else in it."""

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from click.testing import CliRunner
from small_inbox import catalogue, conversations, thread

import frontdesk.wire
import frontdesk.wire.reports
from frontdesk.cli.commands.openapi import openapi_command
from frontdesk.service.api_keys import SCOPES
from frontdesk.service.endpoint import Endpoint
from frontdesk.service.media.endpoint import MEDIA_ENDPOINT
from frontdesk.service.openapi import EXAMPLES, document, path_of
from frontdesk.service.problems import CODES
from frontdesk.service.routes import ENDPOINTS

# What the interface says it does not have: anywhere, and on a conversation.
NOWHERE = {
    "priority",
    "typing",
    "contact_inbox",
    "contact_inbox_id",
    "custom_attributes",
    "account_id",
    "private",
}
NOT_ON_A_CONVERSATION = {"team", "team_id", "custom_fields", "pending"}


@pytest.fixture(scope="module")
def openapi() -> dict[str, Any]:
    return json.loads(json.dumps(document()))


def operations(openapi: dict[str, Any]) -> list[dict[str, Any]]:
    return [path["get"] for path in openapi["paths"].values()]


def answered_with_json(openapi: dict[str, Any]) -> list[dict[str, Any]]:
    """Operations but for those that answer with a file, which `test_media_endpoint.py` asks."""
    return [one for one in operations(openapi) if one["operationId"] != MEDIA_ENDPOINT.name]


def members(value: Any) -> Iterator[str]:
    """Every member's name, at any depth."""
    if isinstance(value, dict):
        for name, inside in value.items():
            yield name
            yield from members(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from members(inside)


def checker(openapi: dict[str, Any], name: str) -> jsonschema_rs.Draft202012Validator:
    """Checks values against a component; a member that the component does not know is refused."""
    closed = {
        name: {**schema, "additionalProperties": False} if "properties" in schema else schema
        for name, schema in openapi["components"]["schemas"].items()
    }
    return jsonschema_rs.Draft202012Validator(
        {"$ref": f"#/components/schemas/{name}", "components": {"schemas": closed}},
        validate_formats=True,
    )


async def test_it_is_served_without_a_key_and_only_read(clients, is_problem):
    client = await clients.client_with(None)
    response = await client.get("/openapi.json")
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json"
    assert response.json() == json.loads(json.dumps(document()))
    head = await client.head("/openapi.json")
    assert (head.status_code, head.content) == (200, b"")
    is_problem(await client.post("/openapi.json"), 405, "method_not_allowed")


async def test_a_reader_who_has_it_is_notified(client):
    tag = (await client.get("/openapi.json")).headers["ETag"]
    response = await client.get("/openapi.json", headers={"If-None-Match": tag})
    assert (response.status_code, response.content) == (304, b"")


def test_it_is_printed_by_the_program(openapi):
    printed = CliRunner().invoke(openapi_command, [])
    assert printed.exit_code == 0
    assert json.loads(printed.output) == openapi


def test_every_reference_leads_somewhere(openapi):
    references = re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(openapi))
    assert references
    for reference in references:
        place = openapi
        for step in reference.split("/"):
            place = place[step]


def test_every_component_is_a_schema(openapi):
    for schema in openapi["components"]["schemas"].values():
        jsonschema_rs.meta.validate({**schema, "$schema": jsonschema_rs_dialect()})


def jsonschema_rs_dialect() -> str:
    return "https://json-schema.org/draft/2020-12/schema"


def test_each_endpoint_has_its_scope_and_parameters(openapi):
    endpoints = [*ENDPOINTS, MEDIA_ENDPOINT]
    assert list(openapi["paths"]) == [path_of(endpoint) for endpoint in endpoints]
    for endpoint, operation in zip(endpoints, operations(openapi), strict=True):
        assert operation["operationId"] == endpoint.name
        assert operation["security"] == [{"apiKey": [endpoint.scope]}]
        assert operation["summary"].endswith(".")
        asked = [one["name"] for one in operation["parameters"] if one["in"] == "query"]
        assert asked == list(endpoint.parameters)
        limits = [one["schema"] for one in operation["parameters"] if one["name"] == "limit"]
        for limit in limits:
            assert isinstance(endpoint, Endpoint)
            assert limit["default"] == endpoint.page_length
            assert (limit["minimum"], limit["maximum"]) == (1, 100)


def test_every_scope_is_described(openapi):
    described = openapi["components"]["securitySchemes"]["apiKey"]["description"]
    assert re.findall(r"`(\w+:read)`", described) == list(SCOPES)


def test_every_error_code_is_documented_at_its_status(openapi):
    found: dict[str, int] = {}
    for operation in operations(openapi):
        for status, response in operation["responses"].items():
            if "$ref" in response:
                response = openapi["components"]["responses"][response["$ref"].split("/")[-1]]
            content = response.get("content", {}).get("application/problem+json")
            if content:
                codes = content["schema"]["properties"]["code"]["x-known-values"]
                found |= dict.fromkeys(codes, int(status))
    elsewhere = {"route_not_found", "method_not_allowed"}
    assert found == {code: CODES[code][0] for code in CODES if code not in elsewhere}


EXTENSION = "x-frontdesk-extension"
PAGED = {"limit", "cursor"}
# The parameters of the interface that the service is modelled on, by operation.
MODELLED_ON: dict[str, set[str]] = {
    "/v1/conversations": {"status", "assignee", "channel", "label", *PAGED},
    "/v1/conversations/counts": {"status", "channel", "label"},
    "/v1/conversations/{id}/messages": {"id", *PAGED},
    "/v1/conversations/{id}/notes": {"id", *PAGED},
    "/v1/contacts": {"q", *PAGED},
    "/v1/contacts/by-phone/{phone}": {"phone"},
    "/v1/labels": PAGED,
    "/v1/custom-fields": PAGED,
    "/v1/users": PAGED,
    "/v1/teams": PAGED,
    "/v1/channels": PAGED,
    "/v1/canned-responses": PAGED,
    "/v1/templates": PAGED,
    "/v1/reports/inbox": {"from", "to", "timezone", "channel", "label", "granularity"},
}


def test_operations_and_parameters_beyond_the_interface_are_marked_as_extensions(openapi):
    unmarked = {
        path: {one["name"] for one in path_item["get"]["parameters"] if EXTENSION not in one}
        for path, path_item in openapi["paths"].items()
        if EXTENSION not in path_item["get"]
    }
    assert unmarked == MODELLED_ON


def test_members_beyond_the_interface_are_marked_as_extensions(openapi):
    marked = {
        name: {member for member, kind in schema["properties"].items() if EXTENSION in kind}
        for name, schema in openapi["components"]["schemas"].items()
        if "properties" in schema
    }
    assert {name: found for name, found in marked.items() if found} == {
        "Channel": {"business_hours", "timezone"},
        "ChannelCounts": {"snoozed", "resolved", "awaiting_human"},
        "Contact": {"marketing_opt_out_at"},
        "Conversation": {"handed_over_at"},
        "ConversationPage": {"matches", "total", "total_capped", "searched_since", "remark"},
        "Counts": {"by_assignee", "by_label", "query"},
        "LiveCounts": {"over_first_response", "over_reply", "waits"},
        "Media": {"status", "width", "height", "duration_ms", "text"},
        "Message": {"pricing", "expired_at"},
        "MessageMatch": {"in_file"},
        "MessagePreview": {"deleted_at", "media_text"},
        "PhoneRef": {"username"},
        "ReplyTo": {"voice"},
        "Metrics": {
            *("answered_conversations_count", "open_at_end_count", "samples", "spread", "targets")
        },
        "PersonFigures": {"samples"},
        "AdFigures": {"samples"},
        "Report": {
            *("clock", "user", "team", "label", "pricing", "previous_series"),
            *("users", "everyone", "teams", "labels", "ads", "hours"),
        },
    }


def test_the_mark_of_an_extension_is_true(openapi):
    marks = re.findall(rf'"{EXTENSION}": (\w+)', json.dumps(openapi))
    assert set(marks) == {"true"}


def test_headers_are_always_there_but_those_of_limits_and_of_a_next_page(openapi):
    headers = openapi["components"]["headers"]
    optional = {name for name, header in headers.items() if not header["required"]}
    assert optional == {"RateLimit-Policy", "RateLimit", "Link", "Preference-Applied"}
    assert headers["Retry-After"]["schema"] == {"type": "integer", "minimum": 1}


def test_each_answer_has_the_headers_of_its_status(openapi):
    for operation in answered_with_json(openapi):
        asked = {one["name"] for one in operation["parameters"]}
        for status, response in operation["responses"].items():
            if "$ref" in response:
                response = openapi["components"]["responses"][response["$ref"].split("/")[-1]]
            own = set(response["headers"]) - {"X-Request-Id", "RateLimit-Policy", "RateLimit"}
            by_parameter = {"cursor": "Link", "Prefer": "Preference-Applied"}
            more = [header for name, header in by_parameter.items() if name in asked]
            assert own == {
                "200": {"ETag", *more},
                "304": {"ETag", "Preference-Applied"},
                "401": {"WWW-Authenticate"},
                "429": {"Retry-After"},
                "503": {"Retry-After"},
            }.get(status, set())


def test_an_operation_is_documented_with_the_errors_that_it_can_have(openapi):
    """Of the codes that only some have: those of their parameters, paths and resources."""

    def only(path: str) -> set[str]:
        found: set[str] = set()
        for response in openapi["paths"][path]["get"]["responses"].values():
            content = response.get("content", {}).get("application/problem+json")
            if content:
                found |= set(content["schema"]["properties"]["code"]["x-known-values"])
        return found - {"invalid_parameter", "malformed_request"}

    paged = {"invalid_limit", "invalid_cursor", "cursor_mismatch"}
    filtered = {"invalid_filter", "assignee_me_unavailable"}
    assert only("/v1/labels") == paged
    assert only("/v1/contacts") == paged
    assert only("/v1/contacts/by-phone/{phone}") == {
        *("invalid_phone", "contact_not_found"),
        *("contacts_masked", "insufficient_scope", "account_disabled"),
    }
    assert only("/v1/conversations") == {*paged, *filtered, "message_search_unavailable"}
    assert only("/v1/conversations/counts") == filtered
    assert only("/v1/conversations/{id}") == {"conversation_not_found"}
    assert only("/v1/conversations/{id}/messages") == {*paged, "conversation_not_found"}
    assert only("/v1/reports/inbox") == {*filtered, "invalid_period"}
    assert only("/v1/reports/conversations") == {*paged, "invalid_filter", "invalid_period"}
    assert only("/v1/media/{key}") == {
        *("media_not_found", "media_pending", "media_expired", "media_failed"),
        *("media_refused", "media_removed", "preview_unavailable", "range_not_satisfiable"),
        "text_unavailable",
    }


def test_members_are_always_there_but_those_that_may_be_absent(openapi):
    absent = {
        (name, member)
        for name, schema in openapi["components"]["schemas"].items()
        for member in schema.get("properties", ())
        if member not in schema["required"]
    }
    assert {pair for pair in absent if not pair[0].endswith("Problem")} == {
        ("Conversation", "last_message"),
        ("Conversation", "handed_over_at"),
        ("Media", "text"),
        ("MessageMatch", "in_file"),
        ("MessagePreview", "media_text"),
        ("Counts", "by_assignee"),
        ("Counts", "by_label"),
        ("Counts", "query"),
        *(
            ("ConversationPage", member)
            for member in ("matches", "total", "total_capped", "searched_since", "remark")
        ),
        ("Message", "expired_at"),
        ("Message", "pricing"),
        ("MessagePreview", "deleted_at"),
        ("PhoneRef", "username"),
        ("ReplyTo", "voice"),
        ("Report", "pricing"),
        ("Report", "previous_series"),
        *(("Report", part) for part in ("users", "teams", "labels", "ads", "hours")),
        *(("Report", member) for member in ("everyone", "clock", "user", "team", "label")),
        ("Metrics", "answered_conversations_count"),
        ("Metrics", "open_at_end_count"),
        ("PersonFigures", "reopened_in_7_days_count"),
        *((f"{who}Report", "series") for who in ("User", "Team", "Everyone")),
        ("LiveCounts", "waits"),
        *(("ConversationReport", member) for member in ("contact", "custom_fields")),
        *(
            ("ConversationReport", f"{what}_business_seconds")
            for what in ("first_response", "reply", "resolution")
        ),
        *(("ConversationReport", f"{what}_in_time") for what in ("first_responses", "replies")),
        *(("PersonNow", f"over_{what}") for what in ("first_response", "reply")),
        *((model, "samples") for model in ("Metrics", "PersonFigures", "AdFigures")),
        *((model, "spread") for model in ("Metrics", "PersonFigures")),
        *((model, "targets") for model in ("Metrics", "PersonFigures")),
        *(("LiveCounts", f"over_{what}") for what in ("first_response", "reply")),
        *(("Pricing", member) for member in ("billable", "model", "category", "type")),
    }


def test_open_enumerations_are_no_enumerations(openapi):
    message = openapi["components"]["schemas"]["Message"]["properties"]
    assert "enum" not in message["author"]
    assert "ai_agent" in message["author"]["x-known-values"]
    assert message["direction"]["enum"] == ["inbound", "outbound"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_what_the_document_says_and_what_the_client_reads(openapi, name):
    checker(openapi, name).validate(EXAMPLES[name])
    module = frontdesk.wire.reports if name.endswith("Report") else frontdesk.wire
    model = getattr(module, name)
    assert model(**EXAMPLES[name]).model_dump(mode="json", exclude_unset=True) == EXAMPLES[name]


def test_every_operation_has_a_group_and_an_example_of_its_answer(openapi):
    groups = {tag["name"] for tag in openapi["tags"]}
    for operation in answered_with_json(openapi):
        answer = operation["responses"]["200"]["content"]["application/json"]
        checker(openapi, answer["schema"]["$ref"].split("/")[-1]).validate(answer["example"])
        assert set(operation["tags"]) <= groups


def test_every_member_is_described(openapi):
    for name, schema in openapi["components"]["schemas"].items():
        for member, kind in schema.get("properties", {}).items():
            assert kind.get("description"), f"{name}.{member}"


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_without_one_of_its_members_is_refused(openapi, name):
    check = checker(openapi, name)
    for member in openapi["components"]["schemas"][name]["required"]:
        assert not check.is_valid({k: v for k, v in EXAMPLES[name].items() if k != member}), member


def test_a_conversation_without_its_last_message_is_one(openapi):
    bare = {
        name: value for name, value in EXAMPLES["Conversation"].items() if name != "last_message"
    }
    checker(openapi, "Conversation").validate(bare)


async def test_everything_served_is_what_the_document_says_to_the_member(
    client, clients, filled_with
):
    newest = (await client.get("/v1/conversations?limit=1")).json()["data"][0]["id"]
    text = json.loads(json.dumps(document()))
    del text["paths"][path_of(MEDIA_ENDPOINT)]
    for path, operation in text["paths"].items():
        address = path.replace("{id}", newest).replace("{phone}", "+5511987654321")
        response = await client.get(address)
        assert response.status_code == 200, address
        schema = operation["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        checker(text, schema["$ref"].split("/")[-1]).validate(response.json())


def edges(schema: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Values at the bounds of a parameter's schema, and whether they are taken."""
    if "minimum" in schema:
        least, most = schema["minimum"], schema["maximum"]
        yield from ((str(least), True), (str(least - 1), False))
        yield from ((str(most), True), (str(most + 1), False))
    if "maxLength" in schema:
        yield from (("a" * schema["maxLength"], True), ("a" * (schema["maxLength"] + 1), False))
    if "minLength" in schema:
        # Nothing else is too short: a letter may be unknown, but is not refused for its length.
        assert schema["minLength"] == 1
        yield "", False
    for word in schema.get("enum", ()):
        yield from ((word, True), (f"{word}s", False))


async def test_parameters_are_taken_within_the_bounds_that_are_described(
    client, filled_with, openapi
):
    newest = (await client.get("/v1/conversations?limit=1")).json()["data"][0]["id"]
    for path, operation in openapi["paths"].items():
        if path == path_of(MEDIA_ENDPOINT):
            continue
        address = path.replace("{id}", newest).replace("{phone}", "+5511987654321")
        for parameter in operation["get"]["parameters"]:
            # A cursor is none by its length alone.
            described = () if parameter["name"] == "cursor" else edges(parameter["schema"])
            for value, taken in described:
                response = await client.get(address, params={parameter["name"]: value})
                reasons = {error["reason"] for error in response.json().get("errors", ())}
                # Words are not searched here.
                is_taken = response.status_code == 200 or reasons == {"unavailable"}
                assert is_taken == taken, (path, parameter["name"], value, reasons)


def test_unsupported_fields_are_absent_from_the_document(openapi):
    names = set(members(openapi["components"]["schemas"]))
    asked = {one["name"] for operation in operations(openapi) for one in operation["parameters"]}
    assert not (names | asked) & NOWHERE
    assert not asked & {"team_id", "custom_fields", "inbox", "private"}
    conversation = openapi["components"]["schemas"]["Conversation"]["properties"]
    assert not conversation.keys() & NOT_ON_A_CONVERSATION
    words = json.dumps([openapi["paths"], openapi["components"]]).lower()
    for word in ("priority", "typing", "contact_inbox", "custom attribute", "custom_attribute"):
        assert word not in words


async def test_unsupported_fields_are_absent_from_every_response_body(client, filled_with):
    newest = (await client.get("/v1/conversations?limit=1")).json()["data"][0]["id"]
    for endpoint in ENDPOINTS:
        path = path_of(endpoint).replace("{id}", newest).replace("{phone}", "+5511987654321")
        assert not {*members((await client.get(path)).json())} & NOWHERE, path
    for conversation in (await client.get("/v1/conversations?limit=100")).json()["data"]:
        assert not {*members(conversation)} & NOT_ON_A_CONVERSATION


async def test_unsupported_fields_are_refused_as_parameters(client, is_problem):
    for name in sorted(NOWHERE | NOT_ON_A_CONVERSATION | {"inbox", "labels[]"}):
        response = await client.get("/v1/conversations", params={name: "1"})
        document = is_problem(response, 400, "invalid_parameter")
        assert document["errors"][0]["reason"] == "unknown", name


@pytest.fixture
def filled_with(database):
    """The small inbox, applied to the database."""
    from frontdesk.ingest.apply.batch import apply_events

    for events in (catalogue(), conversations(45), thread()):
        database.write(lambda c, events=events: apply_events(c, 1, events, now=1_773_480_600_000))
