"""Whose webhooks come to which address, and by which secrets they are known."""

import httpx
import pytest
from tests.service.webhook_receivers import (
    BODY,
    NOW,
    PATH,
    SECRET,
    TOKEN,
    IsProblem,
    ReceiverHarness,
    handshake,
    kept,
    signed,
)

from frontdesk.service.app import create_app
from frontdesk.service.server import Dispatcher
from frontdesk.service.webhooks.receiver import WebhookSecret, WebhookSecrets
from frontdesk.store.accounts import add_account, disable_account
from frontdesk.store.database import Connection, Database


def add(database: Database, *slugs: str) -> list[int]:
    def write(connection: Connection) -> list[int]:
        return [add_account(connection, slug, slug, NOW) for slug in slugs]

    return database.write(write)


async def test_an_account_has_its_own_address(harness: ReceiverHarness, database: Database):
    (shop,) = add(database, "shop")
    assert (await harness.client.post(f"{PATH}/shop", **signed(BODY))).status_code == 200
    assert (kept(database, 1), kept(database, shop)) == ([], [BODY])
    assert (await harness.client.get(f"{PATH}/shop", params=handshake())).status_code == 200


async def test_unsigned_requests_do_not_reveal_which_accounts_exist(
    database: Database, is_problem: IsProblem
):
    closed = add(database, "shop", "closed")[1]
    database.write(lambda connection: disable_account(connection, closed))
    harness = ReceiverHarness(database, WebhookSecrets(WebhookSecret(SECRET, TOKEN)))
    for slug in ("shop", "none", "closed", "sh%6Fp", "%00", ""):
        path = f"{PATH}/{slug}"
        is_problem(await harness.client.post(path, **signed(BODY, "x")), 401, "invalid_signature")
        refused = await harness.client.get(path, params=handshake("x"))
        is_problem(refused, 403, "verify_token_mismatch")
    for slug in ("none", "closed", "%00"):
        path = f"{PATH}/{slug}"
        is_problem(await harness.client.post(path, **signed(BODY)), 404, "route_not_found")
        is_problem(await harness.client.get(path, params=handshake()), 404, "route_not_found")
    await harness.close()


async def test_an_account_may_have_secrets_of_its_own(database: Database, is_problem: IsProblem):
    add(database, "shop")
    harness = ReceiverHarness(
        database, WebhookSecrets(None, {"shop": WebhookSecret("its secret", "its token")})
    )
    path = f"{PATH}/shop"
    assert (await harness.client.post(path, **signed(BODY, "its secret"))).status_code == 200
    assert (await harness.client.get(path, params=handshake("its token"))).status_code == 200
    for other in (PATH, f"{PATH}/default", f"{PATH}/none"):
        refused = await harness.client.post(other, **signed(BODY, "its secret"))
        is_problem(refused, 401, "invalid_signature")
        refused = await harness.client.get(other, params=handshake("its token"))
        is_problem(refused, 403, "verify_token_mismatch")
    await harness.close()


async def test_empty_secrets_fit_nothing(database: Database, is_problem: IsProblem):
    harness = ReceiverHarness(database, WebhookSecrets(WebhookSecret("", "")))
    is_problem(await harness.client.post(PATH, **signed(BODY, "")), 401, "invalid_signature")
    refused = await harness.client.get(PATH, params=handshake(""))
    is_problem(refused, 403, "verify_token_mismatch")
    await harness.close()


async def test_without_a_secret_anything_is_taken(database: Database):
    harness = ReceiverHarness(database, WebhookSecrets(WebhookSecret(None)))
    headers = {"Content-Type": "application/json"}
    response = await harness.client.post(PATH, content=BODY, headers=headers)
    assert response.status_code == 200
    assert kept(database) == [BODY]
    await harness.close()


def test_secrets_are_shown_nowhere():
    agreements = WebhookSecrets(
        WebhookSecret(SECRET, TOKEN), {"shop": WebhookSecret(SECRET, TOKEN)}
    )
    assert SECRET not in repr(agreements)
    assert TOKEN not in repr(agreements)


@pytest.mark.parametrize(
    ("receives", "at_the_receiver", "at_the_interface"),
    [
        (True, [PATH, "/webhooks"], ["/v1/labels", "/healthz", "/webhooksx"]),
        (False, [], [PATH, "/v1/labels", "/healthz"]),
    ],
)
async def test_webhooks_have_a_path_of_their_own(
    harness: ReceiverHarness,
    database: Database,
    receives: bool,
    at_the_receiver: list[str],
    at_the_interface: list[str],
):
    interface = create_app(database)
    doors = Dispatcher(interface, harness.receiver if receives else None)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(doors), base_url="http://inbox:8080"
    ) as client:
        for path in at_the_receiver:
            before = harness.log.tell()
            await client.get(path)
            assert harness.log.tell() > before
        for path in at_the_interface:
            before = harness.log.tell()
            response = await client.get(path)
            assert harness.log.tell() == before
            assert response.status_code in (200, 401, 404)
    interface.close()
