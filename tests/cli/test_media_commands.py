"""`frontdesk media` and `frontdesk erase` on files, and `frontdesk serve` with a provider."""

import hashlib
import hmac
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import httpx
import pytest
from click.testing import CliRunner
from servers import Serve, wait_until
from tests import buckets
from tests.commands import run_command
from tests.fake_provider import TOKEN, FakeProvider, serving
from tests.pictures.drawn import encoded, photo
from tests.stores import PostgresServer

from frontdesk.cli.commands.serve import serve_command
from frontdesk.cli.media import (
    MediaOptions,
    media_files,
    media_options,
    named_files,
    provider_credentials,
    stored_words,
)
from frontdesk.client.files import ProviderCredentials
from frontdesk.errors import BadSettings
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import Author, MessageUpsert, Person
from frontdesk.service.media.upkeep import MediaLimits
from frontdesk.store import media
from frontdesk.store.database import Connection
from frontdesk.store.media import StoredFile
from frontdesk.store.media_directory import MediaDirectory
from frontdesk.store.sqlite import SQLiteDatabase

CHANNEL = "106540352242922"
ANA, BOB = "+16505551234", "+16505555678"
PHOTO, OTHER_PHOTO = encoded(photo()), encoded(photo(red=40))
DAY = 24 * 60 * 60 * 1000


class Inbox:
    """A database with messages that have files, beside it its directory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files = MediaDirectory(Path(f"{path}.media"), least_free_bytes=0)

    def message(
        self, phone: str, remote: str, *, age_days: float = 0.1, kind: str = "image"
    ) -> None:
        now = time.time_ns() // 1_000_000
        event = MessageUpsert(
            CHANNEL, Person(phone), f"wamid.{remote}", now - int(age_days * DAY), False,
            Author("contact"), kind, "webhook", media={"id": remote},
        )  # fmt: skip
        with self.opened() as database:
            database.write(lambda c: apply_events(c, 1, [event], now=now))

    def store(self, remote: str, content: bytes, preview: bytes | None = None) -> str:
        with self.files.receive(1, 1 << 20) as incoming:
            incoming.write(content)
            digest = incoming.keep()
        if preview is not None:
            self.files.save_preview(1, digest, preview)

        def settle(connection: Connection) -> None:
            columns = StoredFile(digest, len(content), "image/jpeg").columns()
            names = ", ".join(f"{name} = :{name}" for name in columns)
            connection.run(
                f"UPDATE media SET {names}, state = 'stored', stored_at = 1 WHERE remote = :remote",
                {**columns, "remote": remote},
            )

        with self.opened() as database:
            database.write(settle)
        return digest

    def opened(self) -> "Opened":
        return Opened(self.path)

    def states(self) -> dict[str, int]:
        with self.opened() as database:
            rows = database.read(lambda c: media.tallies(c, 1))
        return {row["state"]: row["n"] for row in rows}


class Opened:
    def __init__(self, path: Path) -> None:
        self._database = SQLiteDatabase(path, create=True, durable=False)

    def __enter__(self) -> SQLiteDatabase:
        return self._database

    def __exit__(self, *error: object) -> None:
        self._database.close()


@pytest.fixture
def inbox(tmp_path: Path) -> Inbox:
    return Inbox(tmp_path / "inbox.db")


def output(*arguments: str | Path, code: int = 0) -> str:
    ended = run_command(*arguments)
    assert ended.exit_code == code, ended.output
    return ended.output


def test_the_status_counts_files_and_says_what_will_be_lost(inbox: Inbox) -> None:
    inbox.message(ANA, "1")
    inbox.message(ANA, "2", age_days=3)
    inbox.message(ANA, "3")
    inbox.store("1", PHOTO)
    with inbox.opened() as database:
        sql = "UPDATE media SET state = 'failed', reason = 'no\x1b[2J answer' WHERE remote = '3'"
        database.write(lambda c: c.run(sql))
    text = output("media", "status", "--database", inbox.path)
    lines = {" ".join(line.split()[:2]) for line in text.splitlines()}
    assert {"stored 1", "pending 1", "failed 1", "expired 0"} <= lines
    assert "3.0 days ago (lost after 7 days)" in text
    assert "failed: 1 file: no" in text
    assert "\x1b" not in text
    assert f"{inbox.path}.media (" in text


def test_files_of_messages_that_are_stored_already_are_requested(inbox: Inbox) -> None:
    inbox.message(ANA, "1")
    inbox.message(ANA, "2", age_days=6)
    inbox.message(ANA, "3", age_days=9)
    with inbox.opened() as database:
        database.write(lambda c: c.run("DELETE FROM media"))
    arguments = ("media", "fetch", "--database", inbox.path)
    assert output(*arguments, "--days", "2") == "requested: 1 file; 1 pending\n"
    assert output(*arguments) == "requested: 1 file; 2 pending\n"
    assert output(*arguments) == "requested: 0 files; 2 pending\n"
    with inbox.opened() as database:
        database.write(lambda c: c.run("UPDATE media SET state = 'failed'"))
    assert output(*arguments, "--failed", "--conversation", "7").endswith("0 pending\n")
    words = "requested: 0 files, 2 to be tried again; 2 pending\n"
    assert output(*arguments, "--failed") == words


def test_files_are_marked_to_be_read(inbox: Inbox) -> None:
    for number in range(1, 5):
        inbox.message(ANA, f"{number}", age_days=1.5 * number)
        inbox.store(f"{number}", PHOTO)
    with inbox.opened() as database:
        states = ((2, "read"), (3, "failed"), (4, "none"))
        sql = "UPDATE media SET text_state = :state WHERE remote = :remote"
        rows = [{"remote": f"{remote}", "state": state} for remote, state in states]
        database.write(lambda c: c.run_many(sql, rows))
    arguments = ("media", "read", "--database", inbox.path)
    assert "Say which files" in output(*arguments, code=2)
    assert output(*arguments, "--days", "1") == "to be read: 0 files\n"
    assert output(*arguments, "--days", "2") == "to be read: 1 file\n"
    assert output(*arguments, "--failed", "--conversation", "9") == "to be read: 0 files\n"
    assert output(*arguments, "--failed") == "to be read: 1 file\n"
    assert output(*arguments, "--all", "--conversation", "1") == "to be read: 2 files\n"
    status = output("media", "status", "--database", inbox.path)
    assert "words of files: 4 due\n" in status


def test_texts_of_another_machine_come_to_the_files_that_are_here(
    inbox: Inbox, tmp_path: Path
) -> None:
    inbox.message(ANA, "1")
    inbox.message(BOB, "2")
    digest, _ = [inbox.store(remote, PHOTO) for remote in "12"]
    lines = [
        {"sha256": digest, "text": "Total\n\n 4 \x00", "by": "gpu@7", "language": "en"},
        {"sha256": "0" * 64, "text": "of another", "by": "gpu@7"},
        {"sha256": digest, "text": " ", "by": "gpu@8"},
    ]
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    arguments = ("media", "texts", "import", path, "--database", inbox.path)
    assert output(*arguments) == "stored: 2 texts, 1 line of files not here\n"
    exported = output("media", "texts", "export", "--database", inbox.path)
    assert json.loads(exported) == {
        "sha256": digest, "text": "Total\n4 \ufffd", "by": "gpu@7", "language": "en",
    }  # fmt: skip
    path.write_text(exported + '{"sha256": "x", "text": "y", "by": "z"}\n')
    assert "Line 2 is no text: write {" in output(*arguments, code=2)


def test_purging_removes_files_of_a_kind_or_an_age(inbox: Inbox) -> None:
    for remote, kind, age in (("1", "image", 0.1), ("2", "video", 0.1), ("3", "image", 5)):
        inbox.message(ANA, remote, kind=kind, age_days=age)
        inbox.store(remote, remote.encode() * 100)
    arguments = ("media", "purge", "--database", inbox.path, "--yes")
    assert output(*arguments, "--kind", "video") == "removed: 1 file\n"
    assert output(*arguments, "--days", "2") == "removed: 1 file\n"
    assert inbox.states() == {"stored": 1, "removed": 2}
    assert len(list(inbox.files.digests(1))) == 1
    assert "Say which files" in output(*arguments, code=2)
    allowed = "'x' is no whole number from 0 to 36500."
    assert allowed in output(*arguments, "--days", "x", code=2)
    assert "--yes" in output(*arguments[:-1], "--kind", "image", code=2)


def test_the_check_finds_what_is_missing_damaged_and_unused(inbox: Inbox) -> None:
    for remote in ("1", "2", "3"):
        inbox.message(ANA, remote)
    missing, damaged, changed = (
        inbox.store(remote, remote.encode() * 100) for remote in ("1", "2", "3")
    )
    arguments = ("media", "check", "--database", inbox.path)
    assert output(*arguments, "--deep") == "3 files checked, 0 missing or damaged, 0 unused\n"
    inbox.files.delete(1, missing)
    inbox.files.path(1, damaged).write_bytes(b"half")
    inbox.files.path(1, changed).write_bytes(b"x" * 100)
    with inbox.files.receive(1, 100) as incoming:
        incoming.write(b"stray")
        stray = incoming.keep()
    text = output(*arguments, code=1)
    assert f"missing: {missing}\n" in text
    assert f"damaged: {damaged} has 4 bytes, not 100\n" in text
    assert f"unused: {stray}\n" in text
    assert changed not in text
    assert f"damaged: {changed}\n" in output(*arguments, "--deep", code=1)


def test_files_that_are_stored_and_removed_during_the_check_are_all_right(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stored once the files are listed, and removed once the rows are read."""
    for remote in ("1", "2"):
        inbox.message(ANA, remote)
    removed = inbox.store("1", PHOTO)
    digests, size = MediaDirectory.digests, MediaDirectory.size

    def listed(files: MediaDirectory, account_id: int) -> list[str]:
        found = [*digests(files, account_id)]
        inbox.store("2", OTHER_PHOTO)
        return found

    def remove(files: MediaDirectory, account_id: int, digest: str) -> int | None:
        with inbox.opened() as database:
            message = "SELECT message_id FROM media WHERE digest = :digest"
            place = {"digest": removed}
            row = database.read(lambda c: c.row(message, place))
            if row is not None:
                database.write(lambda c: media.remove(c, account_id, [row["message_id"]]))
                files.delete(account_id, removed)
        return size(files, account_id, digest)

    monkeypatch.setattr(MediaDirectory, "digests", listed)
    monkeypatch.setattr(MediaDirectory, "size", remove)
    checked = output("media", "check", "--database", inbox.path)
    assert checked == "2 files checked, 0 missing or damaged, 0 unused\n"


def test_erasing_leaves_no_byte_of_a_persons_files(inbox: Inbox, tmp_path: Path) -> None:
    marker, preview = b"the face of Ana" * 9, b"a small face of Ana"
    inbox.message(ANA, "1")
    inbox.store("1", marker, preview)
    for phone, remote in ((ANA, "2"), (BOB, "3")):
        inbox.message(phone, remote)
        inbox.store(remote, b"a picture that both sent")
    text = output("erase", ANA, "--yes", "--database", inbox.path)
    assert "2 files" in text
    everything = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(mark in content for mark in (marker, preview) for content in everything)
    assert any(b"a picture that both sent" in content for content in everything)
    assert inbox.states() == {"stored": 1}


def test_an_export_with_files_brings_them_back(inbox: Inbox, tmp_path: Path) -> None:
    for remote, content in (("1", PHOTO), ("2", PHOTO), ("3", b"a document" * 9)):
        inbox.message(ANA, remote)
        inbox.store(remote, content)
    inbox.message(ANA, "4")
    folder, lines = tmp_path / "files", tmp_path / "inbox.ndjson"
    options = ("--database", inbox.path, "--with-files", folder)
    for _ in range(2):
        output("export", "events", *options, "-o", lines)
    assert len([path for path in folder.rglob("*") if path.is_file()]) == 2
    there = Inbox(tmp_path / "there" / "inbox.db")
    there.path.parent.mkdir()
    arguments = ("import", "events", lines, "--database", there.path, "--with-files", folder)
    assert output(*arguments).endswith("files: 3 stored\n")
    assert output(*arguments).endswith("files: none\n")
    # The last one is not stored, and requested as that of any new message.
    assert there.states() == {"pending": 1, "stored": 3}
    assert set(there.files.digests(1)) == set(inbox.files.digests(1))
    with there.opened() as database:
        rows = database.read(lambda c: c.rows("SELECT width FROM media WHERE size > 100"))
    assert [row["width"] for row in rows] == [320, 320]


def test_a_file_of_an_export_that_was_changed_is_not_taken(inbox: Inbox, tmp_path: Path) -> None:
    inbox.message(ANA, "1")
    digest = inbox.store("1", PHOTO)
    folder, lines = tmp_path / "files", tmp_path / "inbox.ndjson"
    output("export", "events", "--database", inbox.path, "--with-files", folder, "-o", lines)
    MediaDirectory(folder).path(1, digest).write_bytes(b"another picture")
    there = tmp_path / "there.db"
    arguments = ("import", "events", lines, "--database", there, "--with-files", folder)
    assert output(*arguments).endswith("files: 1 damaged\n")
    assert "is not a directory" in output(*arguments[:-1], tmp_path / "nowhere", code=2)


def test_without_a_directory_commands_say_what_is_missing() -> None:
    ended = run_command("media", "check", "--database", "postgresql://nowhere/inbox")
    assert ended.exit_code != 0
    assert "name it with --media" in ended.output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--media-kinds", "image,films"), "image, video, audio, document, sticker"),
        (("--media-max-file", "5 apples"), "such as 100MB"),
        (("--media-keep-days", "-1"), "range"),
    ],
)
def test_options_that_cannot_be_used_say_what_can(
    inbox: Inbox, options: tuple[str, str], words: str
) -> None:
    text = output("serve", "--database", inbox.path, "--port", "0", *options, code=2)
    assert words in " ".join(text.split())


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ('media_base = "http://example.com"', "https"),
        ("access_token = 5", "access_token must be a text"),
        ('access_token = "EAAG"\nmedia_base = 5', "media_base must be the address"),
    ],
)
def test_a_provider_that_cannot_be_used_is_refused_without_its_token(
    tmp_path: Path, more: str, words: str
) -> None:
    secrets = tmp_path / "secrets.toml"
    token = "" if "access_token" in more else 'access_token = "EAAG"\n'
    secrets.write_text(f'app_secret = "s"\nverify_token = "v"\n{token}{more}\n')
    secrets.chmod(0o600)
    options = ("--database", str(tmp_path / "x.db"), "--port", "0")
    result = CliRunner().invoke(serve_command, [*options, "--webhook-secrets", str(secrets)])
    assert isinstance(result.exception, BadSettings), result.output
    assert words in str(result.exception)
    assert "EAAG" not in str(result.exception)


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with serving(FakeProvider({"4490": PHOTO})) as provider:
        yield provider


def webhook(kind: str, **contents: object) -> bytes:
    metadata = {"display_phone_number": "15550783881", "phone_number_id": CHANNEL}
    message = {
        "from": ANA.removeprefix("+"), "id": f"wamid.{kind}",
        "timestamp": str(int(time.time()) - 60), "type": kind, kind: contents,
    }  # fmt: skip
    value = {"metadata": metadata, "messages": [message]}
    entry = {"id": "1", "changes": [{"field": "messages", "value": value}]}
    return json.dumps({"object": "whatsapp_business_account", "entry": [entry]}).encode()


def post(url: str, content: bytes) -> None:
    signature = "sha256=" + hmac.new(b"s3cret", content, hashlib.sha256).hexdigest()
    headers = {"Content-Type": "application/json", "X-Hub-Signature-256": signature}
    path = f"{url}/webhooks/whatsapp"
    assert httpx.post(path, content=content, headers=headers).status_code == 200


class ApiClient:
    """Reads with a key."""

    def __init__(self, address: str, token: str) -> None:
        self._address = address
        self._token = token

    def get(self, path: str, **headers: str) -> httpx.Response:
        headers["Authorization"] = f"Bearer {self._token}"
        return httpx.get(f"{self._address}{path}", headers=headers)

    def media(self) -> dict[str, object]:
        """File of the first message; nothing of none."""
        rows = self.get("/v1/conversations/1/messages").json().get("data") or [{"media": {}}]
        return dict(rows[0]["media"] or {})

    def text(self) -> dict[str, object]:
        """What was read in it."""
        text = self.media().get("text") or {}
        assert isinstance(text, dict)
        return text


def readers_file(folder: Path) -> str:
    """A reader of pictures, whatever they show."""
    path = folder / "readers.toml"
    run = json.dumps([sys.executable, "-c", "print('Platform 9')", "{file}"])
    path.write_text(f'[readers.board]\nfor = ["image"]\ntypes = ["image/*"]\nrun = {run}\n')
    path.chmod(0o600)
    return str(path)


def secrets_file(folder: Path, provider: FakeProvider) -> Path:
    secrets = folder / "secrets.toml"
    secrets.write_text(
        'app_secret = "s3cret"\nverify_token = "v"\n'
        f'access_token = "{TOKEN}"\nmedia_base = "{provider.address}"\n'
    )
    secrets.chmod(0o600)
    return secrets


def test_a_photo_goes_from_the_webhook_to_the_key_and_goes_when_its_sender_deletes_it(
    tmp_path: Path, provider: FakeProvider, serve: Serve
) -> None:
    database = tmp_path / "inbox.db"
    key = output("db", "init", "--database", database).split()
    token = next(word for word in key if word.startswith("fd_live_"))
    secrets = secrets_file(tmp_path, provider)
    readers = readers_file(tmp_path)
    options = ("--webhook-secrets", str(secrets), "--media-least-free", "0")
    process, address = serve("--database", str(database), *options, "--media-readers", readers)
    client = ApiClient(address, token)
    post(address, webhook("image", id="4490", caption="broken"))
    wait_until(lambda: client.media().get("status") == "available")
    wait_until(lambda: client.text().get("status") == "read")
    assert (client.text()["text"], str(client.text()["by"])[:6]) == ("Platform 9", "board@")
    hit = client.get("/v1/conversations?q=platform").json()["matches"][0]
    assert (hit["excerpt"], hit["in_file"]) == ("Platform 9", "image")
    url = str(client.media()["url"])
    assert client.get(url).content == PHOTO
    assert client.get(f"{url}?width=480").headers["content-type"] == "image/webp"
    post(address, webhook("revoke", original_message_id="wamid.image"))
    wait_until(lambda: client.get(url).status_code == 410)
    assert client.get(url).json()["code"] == "media_removed"
    wait_until(lambda: not list(MediaDirectory(Path(f"{database}.media")).digests(1)))
    assert client.get("/v1/conversations?q=platform").json()["matches"] == []
    process.terminate()
    _, errors = process.communicate()
    assert f"Files of messages: {database}.media" in errors
    assert "Words of files are read by programs, at once at most: board 1" in errors
    assert TOKEN not in errors


@pytest.mark.slow
@pytest.mark.postgres
def test_two_machines_share_files_in_a_bucket(
    tmp_path: Path,
    provider: FakeProvider,
    serve: Serve,
    postgres: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One fetches; the other serves, removes and checks."""
    with buckets.bucket_server() as bucket, postgres.database() as database:
        buckets.use(monkeypatch, bucket)
        place = ("--media", f"s3://{buckets.BUCKET}/shop")
        key = output("db", "init", "--database", database).split()
        token = next(word for word in key if word.startswith("fd_live_"))
        secrets = secrets_file(tmp_path, provider)
        hooks = ("--webhook-secrets", str(secrets), "--media-least-free", "0")
        first = serve("--database", database, *place, *hooks)[1]
        client = ApiClient(serve("--database", database, *place)[1], token)
        post(first, webhook("image", id="4490", caption="broken"))
        wait_until(lambda: client.media().get("status") == "available")
        url = str(client.media()["url"])
        assert client.get(url).content == PHOTO
        part = client.get(url, Range="bytes=100-199")
        assert (part.status_code, part.content) == (206, PHOTO[100:200])
        assert client.get(f"{url}?width=480").headers["content-type"] == "image/webp"
        checked = output("media", "check", "--deep", "--database", database, *place)
        assert checked == "1 file checked, 0 missing or damaged, 0 unused\n"
        assert output("media", "status", "--database", database, *place).endswith(f"{place[1]}\n")
        erased = output("erase", ANA, "--yes", "--database", database, *place)
        assert "version" in erased
        assert client.get(url).status_code in (404, 410)
        listed = httpx.get(f"{bucket}/{buckets.BUCKET}?list-type=2").text
        assert "<Key>" not in listed


def test_a_bucket_needs_an_address_that_names_one(inbox: Inbox) -> None:
    inbox.message(ANA, "1")
    text = output("media", "status", "--database", inbox.path, "--media", "s3://", code=2)
    assert "'s3://' is no bucket: give s3://BUCKET or s3://BUCKET/PREFIX" in " ".join(text.split())


def media_settings(*arguments: str) -> MediaOptions:
    """The options of a command that has them."""

    @media_options
    def show(**options: Any) -> MediaOptions:
        return MediaOptions.taken_from(options)

    taken: MediaOptions = click.command()(show).main([*arguments], standalone_mode=False)
    return taken


def test_files_have_these_limits_unless_others_are_given() -> None:
    plain = media_settings()
    assert plain == MediaOptions(
        media=None,
        media_max_file=100_000_000,
        media_kinds=frozenset(("image", "video", "audio", "document", "sticker")),
        media_keep_days=0,
        media_max_total=0,
        media_least_free=1_000_000_000,
        media_readers=None,
    )
    assert plain.limits() == MediaLimits(keep_days=0, total_bytes=0)
    assert [plain.fetching(workers).error_budget for workers in (1, 3, 4, 5, 6, 40)] == [
        *(10, 3, 2, 2, 2, 2),
    ]
    given = media_settings("--media-keep-days=30", "--media-max-total=2TB", "--media-kinds= image,")
    assert given.limits() == MediaLimits(keep_days=30, total_bytes=2_000_000_000_000)
    assert given.fetching(1).kinds == {"image"}
    assert given.fetching(1).most_bytes == 100_000_000


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("17", 17),
        ("5KB", 5_000),
        (" 5 mb ", 5_000_000),
        ("999999999999", 999_999_999_999),
        ("3gb", 3_000_000_000),
    ],
)
def test_a_size_is_a_number_of_bytes_or_has_a_unit(text: str, size: int) -> None:
    assert media_settings(f"--media-max-file={text}").media_max_file == size


@pytest.mark.parametrize("text", ["", "-1", "1.5MB", "1000000000000", "5B", "5  MB", "MB"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is no size: give a number with KB, MB, GB or TB"):
        media_settings(f"--media-max-file={text}")


def test_files_are_beside_a_database_file_or_where_it_is_said(tmp_path: Path) -> None:
    path = str(tmp_path / "inbox.db")
    for place, root in ((None, f"{path}.media"), (str(tmp_path / "x"), str(tmp_path / "x"))):
        files = media_files(place, path)
        assert files is not None
        assert files.place == root
    assert media_files("off", path) is None
    assert media_files(None, "postgresql://db/inbox") is None
    assert media_files(str(tmp_path / "x"), "postgresql://db/inbox") is not None
    with pytest.raises(BadSettings, match="name it with --media"):
        named_files("off", path)


@pytest.mark.parametrize(
    "address", ["s3://", "s3://B/x", "s3://a", "s3://bucket/a b", "s3://b/x?y"]
)
def test_the_address_of_a_bucket_has_a_name(address: str) -> None:
    with pytest.raises(BadSettings, match="is no bucket: give s3://BUCKET or s3://BUCKET/PREFIX"):
        media_files(address, "inbox.db")


def test_outcomes_that_did_not_happen_are_not_told() -> None:
    assert stored_words({"stored": 1_200, "damaged": 0, "missing": 1}) == "1,200 stored, 1 missing"
    assert stored_words({}) == ""


def test_a_provider_has_a_token_and_perhaps_an_address_of_its_own() -> None:
    assert provider_credentials(None, None, "secrets") is None
    meta = provider_credentials(" EAAG ", None, "secrets")
    assert meta == ProviderCredentials("EAAG")
    other = provider_credentials("EAAG", "https://waba.example.com", "secrets")
    assert other == ProviderCredentials("EAAG", "https://waba.example.com", file_hosts=())
    for token, address in ((None, "https://a"), (" ", None), (5, None)):
        with pytest.raises(BadSettings, match="secrets: access_token must be a text"):
            provider_credentials(token, address, "secrets")
