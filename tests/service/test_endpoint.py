"""What every request and answer has in common, whatever is asked."""

import asyncio
import logging

import httpx
import pytest
from tests.stores import NeverAtOnce

from frontdesk.errors import Unreachable
from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.app import create_app
from frontdesk.service.middleware import next_link


class Failing(NeverAtOnce):
    """A database that raises what it is given."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def read(self, work):
        raise self._error

    def write(self, work):
        raise self._error

    def close(self) -> None:
        pass


UNKNOWN_PATHS = [
    "/v1",
    "/v1/",
    "/v1/nope",
    "/v1/labels/",
    "/v1//labels",
    "/v1/conversations/1/nothing",
    "/v1/labels%2F1",
    "/v1/reports",
    "/V1/labels",
    "/v2/labels",
    "/",
    "/labels",
]


async def test_an_unknown_path_is_a_problem_document(client, is_problem):
    for path in UNKNOWN_PATHS:
        is_problem(await client.get(path), 404, "route_not_found")


async def test_an_encoded_slash_is_a_part_of_an_id(client, is_problem):
    response = await client.get("/v1/conversations/1%2Fmessages")
    is_problem(response, 404, "conversation_not_found")


async def test_the_key_is_asked_for_before_the_path(clients, is_problem):
    stranger = await clients.client_with(None)
    is_problem(await stranger.get("/v1/nope"), 401, "missing_credentials")
    is_problem(await stranger.post("/v1/labels"), 401, "missing_credentials")
    is_problem(await stranger.get("/v2/labels"), 404, "route_not_found")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"])
async def test_only_get_and_head_exist(client, is_problem, method):
    response = await client.request(method, "/v1/labels")
    document = is_problem(response, 405, "method_not_allowed")
    assert response.headers["Allow"] == "GET, HEAD"
    assert document["allow"] == ["GET", "HEAD"]


async def test_the_path_is_looked_for_before_the_method_and_the_method_before_the_scope(
    clients, is_problem
):
    client = await clients.client(())
    is_problem(await client.post("/v1/nope"), 404, "route_not_found")
    is_problem(await client.post("/v1/labels"), 405, "method_not_allowed")
    is_problem(await client.get("/v1/labels?limit=0"), 403, "insufficient_scope")


async def test_head_is_get_without_a_body(client):
    got = await client.get("/v1/labels")
    asked = await client.head("/v1/labels")
    assert asked.status_code == 200
    assert asked.content == b""
    assert asked.headers["ETag"] == got.headers["ETag"]
    assert asked.headers["Content-Length"] == str(len(got.content))


async def test_an_answer_may_be_kept_but_must_be_asked_for_again(client):
    response = await client.get("/v1/labels")
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Cache-Control"] == "private, no-cache"
    assert response.headers["Vary"] == "Authorization, Accept-Encoding"
    assert response.headers["ETag"].startswith('W/"')


async def test_every_answer_has_a_request_id_of_its_own(client):
    ids = {(await client.get("/v1/labels")).headers["X-Request-Id"] for _ in range(3)}
    assert len(ids) == 3


@pytest.mark.parametrize("given", ["abc-1", "Root=1-67891233-abcdef012345678912345678", "x" * 128])
async def test_the_id_that_a_client_gives_a_request_is_taken_over(client, given):
    response = await client.get("/v1/labels?nope=1", headers={"X-Request-Id": given})
    assert response.headers["X-Request-Id"] == response.json()["request_id"] == given
    assert response.json()["instance"] == (
        f"tag:inbox.invalid,2026:request/{given.replace('=', '%3D')}"
    )


@pytest.mark.parametrize("given", ["", "a b", '"', "a\tb", "x" * 129, "-a", "é".encode()])
async def test_an_id_that_is_no_word_is_replaced_by_one_of_its_own(client, given):
    response = await client.get("/v1/labels", headers={"X-Request-Id": given})
    assert len(response.headers["X-Request-Id"]) == 36


@pytest.mark.parametrize("form", ["{}", '"other", {}', '{},W/"x"'])
async def test_an_unchanged_answer_is_not_sent_again(client, form):
    tag = (await client.get("/v1/labels")).headers["ETag"]
    again = await client.get("/v1/labels", headers={"If-None-Match": form.format(tag)})
    assert again.status_code == 304
    assert again.content == b""
    assert again.headers["ETag"] == tag
    assert again.headers["Cache-Control"] == "private, no-cache"


async def test_a_tag_is_good_for_one_query_and_one_set_of_scopes(clients, client):
    tag = {"If-None-Match": (await client.get("/v1/labels")).headers["ETag"]}
    assert (await client.get("/v1/labels?limit=7", headers=tag)).status_code == 200
    assert (await client.get("/v1/users", headers=tag)).status_code == 200
    fewer = await clients.client(("labels:read",))
    assert (await fewer.get("/v1/labels", headers=tag)).status_code == 200
    bound = await clients.client(user_id=7)
    assert (await bound.get("/v1/labels", headers=tag)).status_code == 200


UNUSABLE = [
    ("nope=1", "nope", "unknown"),
    ("Limit=1", "Limit", "unknown"),
    ("limit[]=1", "limit[]", "unknown"),
    ("limit=1&limit=1", "limit", "repeated"),
    ("cursor=%zz", "cursor", "malformed"),
    ("cursor=%ff", "cursor", "malformed"),
    ("cursor=a%00", "cursor", "malformed"),
    ("cursor=a%0a", "cursor", "malformed"),
    ("%ff=1", "?", "malformed"),
]


async def test_a_parameter_that_cannot_be_used_is_named(client, is_problem):
    for query, parameter, reason in UNUSABLE:
        document = is_problem(await client.get(f"/v1/labels?{query}"), 400, "invalid_parameter")
        assert [(error["parameter"], error["reason"]) for error in document["errors"]] == [
            (parameter, reason)
        ], query


NO_LIMITS = ["0", "-1", "101", "1000000000", "1e3", "", "٣", "1.0", "+5", "x"]


async def test_a_limit_is_a_whole_number_from_1_to_100(client, is_problem):
    for limit in NO_LIMITS:
        response = await client.get("/v1/labels", params={"limit": limit})
        document = is_problem(response, 400, "invalid_limit")
        assert [(error["min"], error["max"]) for error in document["errors"]] == [(1, 100)], limit


@pytest.mark.parametrize("cursor", ["", "x", "v1.x.x", "x" * 513])
async def test_a_cursor_that_is_none_is_refused(client, is_problem, cursor):
    response = await client.get("/v1/labels", params={"cursor": cursor})
    is_problem(response, 400, "invalid_cursor")


async def test_all_bad_parameters_are_reported_at_once_under_the_first_code(client, is_problem):
    query = "status=pending&limit=0&nope=1&cursor=x&channel="
    document = is_problem(await client.get(f"/v1/conversations?{query}"), 400, "invalid_parameter")
    assert {error["parameter"] for error in document["errors"]} == {
        "status",
        "limit",
        "nope",
        "cursor",
        "channel",
    }


async def test_an_address_and_headers_have_a_longest_length(client, is_problem):
    is_problem(await client.get("/v1/labels?x=" + "x" * 9000), 414, "uri_too_long")
    response = await client.get("/v1/labels", headers={"X-Long": "x" * 9000})
    is_problem(response, 431, "headers_too_large")


async def test_a_busy_database_is_said_to_be_so(clients, is_problem):
    key, guest = new_ephemeral_key(1)
    app = create_app(Failing(Unreachable("busy", retry_after=3.2)), ephemeral_keys=[guest])
    response = await (await clients.client_of(app, key)).get("/v1/labels")
    document = is_problem(response, 503, "service_unavailable")
    assert response.headers["Retry-After"] == "3"
    assert document["retry_after"] == 3


async def test_a_bug_is_hidden_from_the_caller_and_logged_without_the_key(
    clients, is_problem, caplog
):
    key, guest = new_ephemeral_key(1)
    app = create_app(Failing(ZeroDivisionError("a secret of the code")), ephemeral_keys=[guest])
    client = await clients.client_of(app, key)
    with caplog.at_level(logging.DEBUG):
        response = await client.get("/v1/labels")
    document = is_problem(response, 500, "internal_error")
    assert "secret" not in response.text
    assert document["request_id"] in caplog.text
    assert "ZeroDivisionError" in caplog.text
    assert key not in caplog.text


async def test_a_key_sent_where_it_does_not_belong_is_not_sent_back(client, is_problem):
    key, _ = new_ephemeral_key(1)
    for query in (f"{key}=1", f"limit={key}", f"status={key}", f"assignee={key}"):
        response = await client.get(f"/v1/conversations?{query}")
        assert response.status_code == 400
        assert key[:20] not in response.text


async def test_the_application_lives_and_ends_as_its_server_says(database):
    app = create_app(database)
    incoming = iter([{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}])
    sent: list[str] = []

    async def receive():
        return next(incoming)

    async def send(message):
        sent.append(message["type"])

    await app({"type": "lifespan"}, receive, send)
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


async def test_many_requests_at_once_are_all_answered(client: httpx.AsyncClient):
    responses = await asyncio.gather(*(client.get("/v1/labels") for _ in range(40)))
    assert {response.status_code for response in responses} == {200}


@pytest.mark.parametrize(("size", "status"), [(8_192, 200), (8_193, 414)])
async def test_an_address_has_at_most_8_kibibytes(client, size, status):
    query = "limit=1" + "&" * (size - len("v1/labels") - len("limit=1"))
    response = await client.get(f"/v1/labels?{query}")
    assert response.status_code == status
    if status == 414:
        assert response.json()["detail"] == "The address may have 8192 bytes."


@pytest.mark.parametrize(("size", "status"), [(8_192, 200), (8_193, 431)])
async def test_headers_have_at_most_8_kibibytes_with_their_marks(client, size, status):
    request = client.build_request("GET", "/v1/labels", headers={"X-Pad": ""})
    used = sum(len(name) + len(value) + len(": \r\n") for name, value in request.headers.raw)
    request.headers["X-Pad"] = "x" * (size - used)
    response = await client.send(request)
    assert response.status_code == status
    if status == 431:
        assert response.json()["detail"] == "The headers may have 8192 bytes."


@pytest.mark.parametrize(
    ("query", "link"),
    [
        (b"", "/v1/labels?cursor=c"),
        (b"limit=1", "/v1/labels?limit=1&cursor=c"),
        (b"cursor=b&limit=1&&q=a%20b", "/v1/labels?limit=1&q=a%20b&cursor=c"),
        (b"curs%6Fr=b", "/v1/labels?cursor=c"),
        (b'q=<"\xff>', "/v1/labels?q=%3C%22%C3%BF%3E&cursor=c"),
    ],
)
def test_the_next_page_is_the_same_request_with_another_cursor(query: bytes, link: str):
    scope = {"query_string": query, "path": "/v1/labels"}
    assert next_link(scope, "c") == f'<{link}>; rel="next"'
