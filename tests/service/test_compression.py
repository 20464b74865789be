"""Responses are compressed for clients that accept it, and are the same otherwise."""

import gzip

import httpx
import pytest
from starlette.responses import Response

from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.app import Options, create_app
from frontdesk.service.middleware import CompressionMiddleware

# The longest answer that every inbox has.
PATH = "/openapi.json"


@pytest.fixture
async def compressing(clients, database):
    key, guest = new_ephemeral_key(1)
    app = create_app(database, ephemeral_keys=[guest], options=Options(compress=True))
    return await clients.client_of(app, key)


async def raw(client, path, method="GET", **headers) -> tuple[httpx.Response, bytes]:
    """A response with its body as it was sent."""
    request = client.build_request(method, path, headers=headers)
    response = await client.send(request, stream=True)
    return response, b"".join([part async for part in response.aiter_raw()])


@pytest.mark.parametrize("accepted", ["gzip", "br, gzip;q=0.5", "deflate , gzip ; q=1"])
async def test_a_page_is_compressed_where_the_client_accepts_it(compressing, accepted):
    plain, whole = await raw(compressing, PATH, **{"Accept-Encoding": "identity"})
    response, body = await raw(compressing, PATH, **{"Accept-Encoding": accepted})
    assert response.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(body) == whole
    assert len(body) * 2 < len(whole)
    assert response.headers["Content-Length"] == str(len(body))
    assert response.headers["ETag"] == plain.headers["ETag"]
    assert response.headers["Vary"] == plain.headers["Vary"] == "Authorization, Accept-Encoding"


@pytest.mark.parametrize("accepted", ["identity", "gzip;q=0", "gzip;q=0.000", "br", "gzippy", ""])
async def test_a_page_is_not_compressed_where_the_client_does_not(compressing, accepted):
    response, body = await raw(compressing, PATH, **{"Accept-Encoding": accepted})
    assert "Content-Encoding" not in response.headers
    assert body.startswith(b"{")


async def test_a_short_answer_is_not_compressed(compressing):
    response, _ = await raw(compressing, "/healthz", **{"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in response.headers


async def test_a_compressed_page_that_is_unchanged_is_not_sent_again(compressing):
    first, _ = await raw(compressing, PATH, **{"Accept-Encoding": "gzip"})
    tag = {"Accept-Encoding": "gzip", "If-None-Match": first.headers["ETag"]}
    again, body = await raw(compressing, PATH, **tag)
    assert (again.status_code, body) == (304, b"")


async def test_an_app_in_this_process_compresses_nothing(client):
    response, _ = await raw(client, PATH, **{"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in response.headers


@pytest.mark.parametrize(("size", "is_compressed"), [(1_023, False), (1_024, True)])
async def test_an_answer_of_a_kibibyte_or_more_is_compressed(size: int, is_compressed: bool):
    app = CompressionMiddleware(Response(b"x" * size))
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://inbox"
    ) as client:
        response = await client.get("/", headers={"Accept-Encoding": "gzip"})
    assert ("Content-Encoding" in response.headers) == is_compressed
    assert response.content == b"x" * size
