"""Admission options of the import, the replay and the service."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result
from servers import Serve, wait_until

from frontdesk.cli.main import frontdesk
from frontdesk.store import raw_events
from frontdesk.store.raw_events import ReceivedBody
from frontdesk.store.sqlite import SQLiteDatabase

NUMBER, OTHER, ANA = "106540352242922", "106540352242923", "16505551234"
NO_CHANNELS, NO_PLACEHOLDERS = "--no-auto-create-channels", "--no-placeholders"
CATALOGUE = f'[[channels]]\nid = "{NUMBER}"\nalias = "Support"\n'
Command = Callable[..., Result]


def body(number: str, **members: Any) -> bytes:
    metadata = {"display_phone_number": "15550001111", "phone_number_id": number}
    changes = [{"field": "messages", "value": {"metadata": metadata, **members}}]
    entry = [{"id": "1", "changes": changes}]
    return json.dumps({"object": "whatsapp_business_account", "entry": entry}).encode()


def said(wamid: str, number: str = NUMBER) -> bytes:
    message = {"from": ANA, "id": wamid, "timestamp": "1773480000", "type": "text"}
    return body(number, messages=[{**message, "text": {"body": "hello"}}])


READ = body(
    NUMBER,
    statuses=[{"id": "sent", "timestamp": "1773480000", "status": "read", "recipient_id": ANA}],
)


@pytest.fixture
def command(path: Path) -> Command:
    def run(*arguments: str) -> Result:
        return CliRunner().invoke(frontdesk, [*arguments, "--database", str(path)])

    return run


def rows(path: Path, sql: str) -> list[str]:
    database = SQLiteDatabase(path)
    found = database.read(lambda connection: connection.rows(sql))
    database.close()
    return [str(row["id"]) for row in found]


def messages(path: Path) -> list[str]:
    return rows(path, "SELECT wamid AS id FROM message ORDER BY wamid")


def channels(path: Path) -> list[str]:
    return rows(path, "SELECT phone_number_id AS id FROM channel")


def keep(path: Path, *bodies: bytes) -> None:
    database = SQLiteDatabase(path)
    for one in bodies:
        arrival = ReceivedBody(1, one, time.time_ns() // 1_000_000)
        database.write(lambda connection, arrival=arrival: raw_events.keep(connection, arrival))
    database.close()


def catalogue(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "desk.toml"
    file.write_text(CATALOGUE)
    assert command("import", "catalogue", str(file)).exit_code == 0


def test_an_import_says_what_it_passes_over_and_takes_it_in_another_time(
    command: Command, path: Path, tmp_path: Path
):
    archive = tmp_path / "events.ndjson"
    archive.write_bytes(b"\n".join([said("w1"), said("w2"), said("w3", OTHER)]))
    first = command("import", "events", str(archive), NO_CHANNELS)
    assert f"ignored_unknown_channel: 2 of {NUMBER}, which is no channel" in first.stdout
    assert f"ignored_unknown_channel: 1 of {OTHER}, which is no channel" in first.stdout
    assert "rejected: 0 lines" in first.stdout
    assert (messages(path), channels(path)) == ([], [])
    catalogue(command, tmp_path)
    second = command("import", "events", str(archive), NO_CHANNELS)
    assert "messages: 2 new" in second.stdout
    assert f"ignored_unknown_channel: 1 of {OTHER}" in second.stdout
    assert (messages(path), channels(path)) == (["w1", "w2"], [NUMBER])


def test_a_native_line_of_a_channel_lets_in_what_stands_beside_it(
    command: Command, path: Path, tmp_path: Path
):
    contact = {"phone": f"+{ANA}"}
    at = "2026-03-14T10:00:00Z"
    native = [
        {"kind": "message", "v": 1, "channel": number, "contact": contact, "wamid": number}
        | {"created_at": at, "direction": "inbound", "text": "hello"}
        for number in (NUMBER, OTHER)
    ]
    archive = tmp_path / "events.ndjson"
    lines = [*native, {"kind": "channel", "v": 1, "id": NUMBER}]
    archive.write_text("\n".join(map(json.dumps, lines)))
    output = command("import", "events", str(archive), NO_CHANNELS).stdout
    assert f"ignored_unknown_channel: 1 of {OTHER}" in output
    assert (messages(path), channels(path)) == ([NUMBER], [NUMBER])


def test_a_replay_says_what_it_passes_over_and_a_catalogue_has_it_wait_again(
    command: Command, path: Path, tmp_path: Path
):
    keep(path, said("w1"), said("w2", OTHER))
    first = command("ingest", "replay", NO_CHANNELS).stdout.splitlines()
    assert first == [
        "replayed: 0 applied, 2 ignored, 0 failed",
        f"ignored_unknown_channel: 1 of {NUMBER}, which is no channel",
        f"ignored_unknown_channel: 1 of {OTHER}, which is no channel",
    ]
    output = command("ingest", "status").stdout
    assert f"ignored_unknown_channel: 1 of {NUMBER}, which is no channel\n" in output
    catalogue(command, tmp_path)
    assert command("ingest", "replay", NO_CHANNELS).stdout.startswith("replayed: 1 applied")
    assert (messages(path), channels(path)) == (["w1"], [NUMBER])
    assert command("ingest", "replay", "--all").stdout.startswith("replayed: 2 applied")
    assert messages(path) == ["w1", "w2"]


@pytest.mark.parametrize("door", ["import", "replay"])
def test_without_placeholders_a_delivery_alone_shows_nothing(
    command: Command, path: Path, tmp_path: Path, door: str
):
    archive = tmp_path / "events.ndjson"
    archive.write_bytes(READ)
    keep(path, READ)
    arguments = (
        ("import", "events", str(archive)) if door == "import" else ("ingest", "replay", "--all")
    )
    assert command(*arguments, NO_PLACEHOLDERS).exit_code == 0
    assert messages(path) == []
    assert command(*arguments).exit_code == 0
    assert messages(path) == ["sent"]


def test_the_service_takes_in_what_came_once_its_number_is_listed(
    command: Command, path: Path, tmp_path: Path, serve: Serve, key: str
):
    catalogue(command, tmp_path)
    process, url = serve("--insecure-no-signature", NO_CHANNELS, NO_PLACEHOLDERS)
    headers = {"Content-Type": "application/json"}
    with httpx.Client(headers={"Authorization": f"Bearer {key}"}) as client:
        for one in (said("w1", OTHER), READ, said("w2")):
            posted = client.post(f"{url}/webhooks/whatsapp", content=one, headers=headers)
            assert posted.status_code == 200
        assert process.stderr is not None
        assert f"ignored_unknown_channel {OTHER}" in process.stderr.readline()
        wait_until(lambda: messages(path) == ["w2"])
        (tmp_path / "desk.toml").write_text(CATALOGUE.replace(NUMBER, OTHER))
        assert command("import", "catalogue", str(tmp_path / "desk.toml")).exit_code == 0
        wait_until(lambda: messages(path) == ["w1", "w2"])
