"""Keys: their shape, what is kept of them, and who is let in."""

import hashlib

import httpx
import pytest
from stored_keys import keep
from tests.stores import NeverAtOnce

from frontdesk.errors import Unreachable
from frontdesk.service.api_keys import (
    SCOPES,
    checksum,
    is_well_formed,
    key_id,
    new_ephemeral_key,
    new_key,
)
from frontdesk.service.app import Application, create_app
from frontdesk.service.endpoint import Endpoint
from frontdesk.service.media.endpoint import MEDIA_ENDPOINT
from frontdesk.service.routes import ENDPOINTS
from frontdesk.store.accounts import disable_account, find_key, revoke_key
from frontdesk.store.sqlite import SQLiteDatabase


def test_a_key_is_a_prefix_and_54_letters_and_digits():
    key = new_key()
    assert key.startswith("fd_live_")
    assert len(key) == 62
    assert key.removeprefix("fd_live_").isalnum()
    assert is_well_formed(key)


def test_no_two_keys_are_the_same():
    assert len({new_key() for _ in range(100)}) == 100


@pytest.mark.parametrize("position", [8, 20, 40, 61])
def test_a_mistyped_letter_is_found_by_the_checksum(position: int):
    key = new_key()
    other = "a" if key[position] != "a" else "b"
    assert not is_well_formed(key[:position] + other + key[position + 1 :])


@pytest.mark.parametrize("key", ["", "fd_live_", "fd_test_" + "a" * 54, "fd_live_" + "ä" * 54])
def test_keys_in_another_format_are_not_well_formed(key: str):
    assert not is_well_formed(key)


def test_only_the_hash_of_a_key_is_kept(database: SQLiteDatabase):
    key = keep(database)
    row = database.read(lambda connection: find_key(connection, key_id(key)))
    assert row is not None
    assert row["secret_hash"] == hashlib.sha256(key.encode()).digest()
    assert not [value for value in row.values() if key in str(value)]


def test_an_ephemeral_key_is_in_no_representation_of_it():
    key, guest = new_ephemeral_key(1)
    assert key not in repr(guest)
    assert guest.grant.scopes == frozenset(SCOPES)


async def test_a_kept_key_opens_its_scopes(clients, database):
    client = await clients.client_with(keep(database, scopes=("labels:read",)))
    assert (await client.get("/v1/labels")).status_code == 200


async def test_the_scheme_may_be_written_in_any_case(clients, database):
    client = await clients.client_with(None)
    header = {"Authorization": f"bEaReR  {keep(database)}"}
    assert (await client.get("/v1/labels", headers=header)).status_code == 200


async def test_without_a_key_there_is_nothing(clients, is_problem):
    response = await (await clients.client_with(None)).get("/v1/labels")
    is_problem(response, 401, "missing_credentials")
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="frontdesk"'


async def test_a_key_in_the_address_is_no_credential(clients, database, is_problem):
    client = await clients.client_with(None)
    response = await client.get("/v1/labels", params={"access_token": keep(database)})
    is_problem(response, 401, "missing_credentials")


@pytest.mark.parametrize("header", ["Basic YTpi", "Bearer", "Bearer ", "token abc"])
async def test_another_scheme_is_no_credential(clients, is_problem, header):
    client = await clients.client_with(None)
    response = await client.get("/v1/labels", headers={"Authorization": header})
    is_problem(response, 401, "missing_credentials")


@pytest.mark.parametrize(
    "key", ["xyz", "fd_live_" + "a" * 54, "two words", pytest.param(new_key(), id="unknown")]
)
async def test_a_malformed_and_an_unknown_key_are_refused_alike(clients, is_problem, key):
    response = await (await clients.client_with(key)).get("/v1/labels")
    is_problem(response, 401, "invalid_key")
    assert 'error="invalid_token"' in response.headers["WWW-Authenticate"]
    assert key not in response.text


async def test_the_right_key_id_with_another_secret_is_refused(clients, database, is_problem):
    genuine = keep(database)
    body = genuine[:16] + new_key()[16:56]
    forged = body + checksum(body)
    assert is_well_formed(forged)
    response = await (await clients.client_with(forged)).get("/v1/labels")
    is_problem(response, 401, "invalid_key")


async def test_two_authorization_headers_are_refused(clients, database, is_problem):
    client = await clients.client_with(None)
    key = keep(database)
    pair = [("Authorization", f"Bearer {key}"), ("Authorization", f"Bearer {key}")]
    is_problem(await client.get("/v1/labels", headers=pair), 401, "invalid_key")


async def test_a_revoked_key_is_refused_at_once(clients, database, now, is_problem):
    key = keep(database)
    client = await clients.client_with(key)
    assert (await client.get("/v1/labels")).status_code == 200
    database.write(lambda connection: revoke_key(connection, key_id(key), now))
    is_problem(await client.get("/v1/labels"), 401, "key_revoked")


async def test_a_key_ends_at_its_time(clients, database, now, is_problem):
    ended = await clients.client_with(keep(database, expires_at=now))
    is_problem(await ended.get("/v1/labels"), 401, "key_expired")
    lasting = await clients.client_with(keep(database, expires_at=now + 1))
    assert (await lasting.get("/v1/labels")).status_code == 200


VALUES = {"contact_by_phone": "+16505551234"}


def path_of(endpoint: Endpoint) -> str:
    """A path that leads to an endpoint."""
    return endpoint.log_route.replace("{}", VALUES.get(endpoint.name, "1"))


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
async def test_an_endpoint_opens_to_its_own_scope_alone(clients, is_problem, endpoint):
    own = await clients.client((endpoint.scope,))
    assert (await own.get(path_of(endpoint))).status_code in (200, 404)
    others = tuple(scope for scope in SCOPES if scope != endpoint.scope)
    for scopes in (others[:1], others):
        response = await (await clients.client(scopes)).get(path_of(endpoint))
        document = is_problem(response, 403, "insufficient_scope")
        assert document["required_scope"] == endpoint.scope
        assert document["key_scopes"] == sorted(scopes)
        challenge = f'Bearer error="insufficient_scope", scope="{endpoint.scope}"'
        assert response.headers["WWW-Authenticate"] == challenge


def test_every_scope_opens_an_endpoint():
    assert {endpoint.scope for endpoint in (*ENDPOINTS, MEDIA_ENDPOINT)} == set(SCOPES)


async def test_the_keys_of_a_disabled_account_open_nothing(clients, database, is_problem):
    client = await clients.client_with(keep(database))
    assert (await client.get("/v1/labels")).status_code == 200
    database.write(lambda connection: disable_account(connection, 1))
    is_problem(await client.get("/v1/labels"), 403, "account_disabled")
    is_problem(await client.get("/v1/nope"), 403, "account_disabled")


async def test_ephemeral_keys_of_a_disabled_account_are_refused(
    clients, client, database, is_problem
):
    database.write(lambda connection: disable_account(connection, 1))
    is_problem(await client.get("/v1/labels"), 403, "account_disabled")


async def test_the_use_of_a_key_is_noted_at_most_once_a_minute(database):
    key = keep(database)
    moments = iter([100_000, 130_000, 159_999, 160_000, 161_000])
    noted = []
    for _ in range(5):
        moment = next(moments)
        app = create_app(database, clock=lambda moment=moment: moment)
        await _ask(app, key)
        row = database.read(lambda connection: find_key(connection, key_id(key)))
        noted.append(row["last_used_at"])
    assert noted == [100_000, 100_000, 100_000, 160_000, 160_000]


async def test_a_busy_database_keeps_no_reader_waiting(database):
    class Busy(NeverAtOnce, SQLiteDatabase):
        def __init__(self) -> None:
            pass

        def read(self, work):
            return database.read(work)

        def write(self, work):
            raise Unreachable("The database is busy")

    assert await _ask(create_app(Busy()), keep(database)) == 200


async def _ask(app: Application, key: str) -> int:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://inbox") as client:
        response = await client.get("/v1/labels", headers={"Authorization": f"Bearer {key}"})
    app.close()
    return response.status_code
