"""Files over HTTP: states, ranges, validators, names, and whose they are."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.pictures.drawn import encoded, photo

from frontdesk.file_types import OCTETS
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import Author, MessageRevoke, MessageUpsert, Person
from frontdesk.service.api_keys import SCOPES, new_ephemeral_key
from frontdesk.service.app import Application, create_app
from frontdesk.service.media import responses
from frontdesk.service.media.endpoint import MOST_OF_A_KEY
from frontdesk.service.media.responses import ByteRange, NotSatisfiable, byte_range, file_headers
from frontdesk.store import media
from frontdesk.store.database import Connection, Database
from frontdesk.store.media import MediaRequest, StoredFile
from frontdesk.store.media_directory import MediaDirectory
from frontdesk.store.media_texts import FileText, set_text

PHOTO = encoded(photo())
NOW = 1_773_480_600_000
IsProblem = Callable[[httpx.Response, int, str], dict[str, Any]]


class Inbox:
    """A database with files, and clients of it."""

    def __init__(self, database: Database, files: MediaDirectory, clients: Any) -> None:
        self.database = database
        self.files = files
        self.clients = clients
        self.count = 0

    def add(
        self,
        content: bytes = PHOTO,
        *,
        mime: str = "image/jpeg",
        name: str | None = "mirror.jpg",
        state: str = media.STORED,
        preview: bytes | None = None,
        account_id: int = 1,
    ) -> str:
        """Add a file in a state; return its path below /v1."""
        self.count += 1
        key = f"key_-{self.count}"
        request = MediaRequest(key, self.count, 1, "image", media.WHATSAPP, "1", NOW, name=name)
        with self.files.receive(account_id, 1 << 30) as incoming:
            incoming.write(content)
            digest = incoming.keep()
        if preview is not None:
            self.files.save_preview(account_id, digest, preview)
        file = StoredFile(digest, len(content), mime, 320, 240, preview=preview is not None)

        def work(connection: Connection) -> None:
            media.add_stored(connection, account_id, request, file, NOW, lambda: True)
            connection.run("UPDATE media SET state = :s WHERE key = :k", {"s": state, "k": key})

        self.database.write(work)
        return f"/v1/media/{key}"

    def read_words(self, path: str, words: str) -> None:
        """A program reads words in a file."""

        def work(connection: Connection) -> None:
            row = media.by_key(connection, 1, path.rpartition("/")[2])
            assert row is not None
            assert set_text(connection, 1, row["message_id"], FileText(words, "v@1"), NOW)

        self.database.write(work)

    async def client(self, **options: Any) -> httpx.AsyncClient:
        client: httpx.AsyncClient = await self.clients.client(media_files=self.files, **options)
        return client


@pytest.fixture
def inbox(database: Database, tmp_path: Path, clients: Any) -> Inbox:
    return Inbox(database, MediaDirectory(tmp_path / "media", least_free_bytes=0), clients)


async def test_a_file_is_answered_as_it_was_sent(inbox: Inbox) -> None:
    path, client = inbox.add(), await inbox.client()
    response = await client.get(path)
    assert (response.status_code, response.content) == (200, PHOTO)
    headers = response.headers
    assert headers["content-type"] == "image/jpeg"
    assert headers["content-length"] == str(len(PHOTO))
    assert headers["content-disposition"] == "attachment; filename*=utf-8''mirror.jpg"
    assert headers["cache-control"] == "private, max-age=86400, immutable"
    assert headers["vary"] == "Authorization"
    assert headers["accept-ranges"] == "bytes"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert headers["etag"].startswith('"')


class Reader:
    """A client that takes the head of an answer, and nothing more until it is told to."""

    def __init__(self, app: Application, key: str, path: str) -> None:
        self.status: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.goes_on = asyncio.Event()
        self.ended = False
        headers = [(b"authorization", f"Bearer {key}".encode()), (b"host", b"inbox")]
        scope = {
            **{"type": "http", "method": "GET", "http_version": "1.1", "scheme": "http"},
            **{"path": path, "raw_path": path.encode(), "query_string": b"", "root_path": ""},
            **{"headers": headers, "client": ("192.0.2.1", 1), "server": ("inbox", 80)},
        }
        self.task = asyncio.create_task(app(scope, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def _send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status.set_result(message["status"])
            return
        await self.goes_on.wait()
        self.ended = not message.get("more_body", False)


async def test_a_key_has_a_share_of_the_files_that_are_sent_at_once(inbox: Inbox) -> None:
    one, other = new_ephemeral_key(1, None), new_ephemeral_key(1, None)
    app = create_app(inbox.database, media_files=inbox.files, ephemeral_keys=[one[1], other[1]])
    path = inbox.add()
    slow = [Reader(app, one[0], path) for _ in range(MOST_OF_A_KEY)]
    assert {await reader.status for reader in slow} == {200}
    refused, taken = Reader(app, one[0], path), Reader(app, other[0], path)
    assert (await refused.status, await taken.status) == (503, 200)
    for reader in (refused, taken, *slow):
        reader.goes_on.set()
    for reader in slow:
        await reader.task
        assert reader.ended
    again = Reader(app, one[0], path)
    assert await again.status == 200
    again.goes_on.set()
    await asyncio.gather(refused.task, taken.task, again.task)
    app.close()


async def test_a_reader_that_takes_nothing_is_left(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(responses, "WRITE_SECONDS", 0.01)
    key, known = new_ephemeral_key(1, None)
    app = create_app(inbox.database, media_files=inbox.files, ephemeral_keys=[known])
    reader = Reader(app, key, inbox.add())
    await reader.task
    assert (await reader.status, reader.ended) == (200, False)
    app.close()


async def test_a_head_has_the_headers_alone(inbox: Inbox) -> None:
    path, client = inbox.add(), await inbox.client()
    whole, head = await client.get(path), await client.head(path)
    assert head.content == b""
    unlike = ("x-request-id",)
    assert {n: v for n, v in head.headers.items() if n not in unlike} == {
        n: v for n, v in whole.headers.items() if n not in unlike
    }


async def test_a_file_that_is_known_is_not_sent_again(inbox: Inbox) -> None:
    path, client = inbox.add(), await inbox.client()
    tag = (await client.get(path)).headers["etag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}'):
        response = await client.get(path, headers={"If-None-Match": known})
        assert (response.status_code, response.content) == (304, b"")
        assert response.headers["etag"] == tag
    assert (await client.get(path, headers={"If-None-Match": '"other"'})).status_code == 200


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("bytes=5-9", 5, 9),
        ("bytes=-10", -10, -1),
        ("bytes=100-", 100, -1),
        ("bytes=5-99999999", 5, -1),
    ],
)
async def test_a_range_is_answered_alone(inbox: Inbox, asked: str, first: int, last: int) -> None:
    path, client = inbox.add(), await inbox.client()
    response = await client.get(path, headers={"Range": asked})
    size = len(PHOTO)
    start, stop = first % size, last % size + 1
    assert (response.status_code, response.content) == (206, PHOTO[start:stop])
    assert response.headers["content-range"] == f"bytes {start}-{stop - 1}/{size}"


@pytest.mark.parametrize(
    "asked", ["bytes=0-1,5-6", "lines=1-2", "bytes=", "bytes=9-5", "bytes=a-b", "nonsense"]
)
async def test_what_is_no_single_range_gets_the_whole_file(inbox: Inbox, asked: str) -> None:
    path, client = inbox.add(), await inbox.client()
    response = await client.get(path, headers={"Range": asked})
    assert (response.status_code, response.content) == (200, PHOTO)


async def test_a_range_behind_the_end_is_a_problem(inbox: Inbox, is_problem: IsProblem) -> None:
    path, client = inbox.add(), await inbox.client()
    response = await client.get(path, headers={"Range": "bytes=999999999-"})
    is_problem(response, 416, "range_not_satisfiable")
    assert response.headers["content-range"] == f"bytes */{len(PHOTO)}"


async def test_a_range_of_another_file_gets_this_one_whole(inbox: Inbox) -> None:
    path, client = inbox.add(), await inbox.client()
    tag = (await client.get(path)).headers["etag"]
    for condition, status in ((tag, 206), ('"other"', 200), (f"W/{tag}", 200)):
        headers = {"Range": "bytes=5-9", "If-Range": condition}
        assert (await client.get(path, headers=headers)).status_code == status


async def test_a_preview_is_another_file_of_the_same_key(inbox: Inbox) -> None:
    path, client = inbox.add(preview=b"RIFFxxxxWEBP"), await inbox.client()
    whole, small = await client.get(path), await client.get(f"{path}?width=480")
    assert small.content == b"RIFFxxxxWEBP"
    assert small.headers["content-type"] == "image/webp"
    assert small.headers["content-disposition"].endswith("mirror.webp")
    assert small.headers["etag"] != whole.headers["etag"]


async def test_the_words_of_a_file_are_another_form_of_it_that_may_change(
    inbox: Inbox, is_problem: IsProblem
) -> None:
    path, client = inbox.add(b"OggS\0\2", mime="audio/ogg", name=None), await inbox.client()
    is_problem(await client.get(f"{path}?as=text"), 404, "text_unavailable")
    is_problem(await client.get(f"{path}?as=words"), 400, "invalid_parameter")
    inbox.read_words(path, "una factura\npor favor")
    words = await client.get(f"{path}?as=text")
    assert words.text == "una factura\npor favor"
    assert words.headers["content-type"] == "text/plain; charset=utf-8"
    assert words.headers["cache-control"] == "private, no-cache"
    assert words.headers["x-content-type-options"] == "nosniff"
    known = {"If-None-Match": words.headers["etag"]}
    assert (await client.get(f"{path}?as=text", headers=known)).status_code == 304
    inbox.read_words(path, "dos facturas")
    assert (await client.get(f"{path}?as=text", headers=known)).text == "dos facturas"


async def test_only_one_width_is_possible(inbox: Inbox, is_problem: IsProblem) -> None:
    path, client = inbox.add(preview=b"small"), await inbox.client()
    for query in ("width=481", "width=", "width=480&width=480", "size=3"):
        is_problem(await client.get(f"{path}?{query}"), 400, "invalid_parameter")
    bare = inbox.add(b"%PDF-1.7", mime="application/pdf", name=None)
    is_problem(await client.get(f"{bare}?width=480"), 404, "preview_unavailable")


@pytest.mark.parametrize(
    ("state", "status", "code"),
    [
        ("pending", 404, "media_pending"),
        ("expired", 410, "media_expired"),
        ("failed", 410, "media_failed"),
        ("refused", 410, "media_refused"),
        ("removed", 410, "media_removed"),
    ],
)
async def test_a_file_that_is_not_stored_says_its_state(
    inbox: Inbox, is_problem: IsProblem, state: str, status: int, code: str
) -> None:
    path, client = inbox.add(state=state), await inbox.client()
    response = await client.get(path)
    is_problem(response, status, code)
    assert response.headers.get("retry-after") == ("5" if state == "pending" else None)


@pytest.mark.parametrize("state", media.STATES)
async def test_another_accounts_file_is_none(
    inbox: Inbox, is_problem: IsProblem, state: str
) -> None:
    def second(connection: Connection) -> None:
        connection.run("INSERT INTO account(id, slug, name, created_at) VALUES (2, 'b', 'B', 1)")

    inbox.database.write(second)
    path = inbox.add(state=state)
    stranger, nobody = await inbox.client(account_id=2), await inbox.client()
    known = is_problem(await stranger.get(path), 404, "media_not_found")
    unknown = is_problem(await nobody.get("/v1/media/unknown"), 404, "media_not_found")
    unlike = {"instance", "request_id"}
    assert {n: v for n, v in known.items() if n not in unlike} == {
        n: v for n, v in unknown.items() if n not in unlike
    }


async def test_a_key_without_the_scope_is_refused(inbox: Inbox, is_problem: IsProblem) -> None:
    path = inbox.add()
    scopes = tuple(scope for scope in SCOPES if scope != "media:read")
    client = await inbox.client(scopes=scopes)
    assert is_problem(await client.get(path), 403, "insufficient_scope")["required_scope"] == (
        "media:read"
    )
    bare = await inbox.clients.client_with(None, media_files=inbox.files)
    is_problem(await bare.get(path), 401, "missing_credentials")


@pytest.mark.parametrize(
    "key", ["..%2F..%2Fetc%2Fpasswd", "%2e%2e", "x" * 4_000, "%00", "", "key_-1%20", "%D0%BA"]
)
async def test_what_is_no_key_is_not_found(inbox: Inbox, is_problem: IsProblem, key: str) -> None:
    inbox.add()
    client = await inbox.client()
    is_problem(await client.get(f"/v1/media/{key}"), 404, "media_not_found")


async def test_other_methods_are_refused(inbox: Inbox, is_problem: IsProblem) -> None:
    path, client = inbox.add(), await inbox.client()
    for method in ("POST", "PUT", "DELETE"):
        is_problem(await client.request(method, path), 405, "method_not_allowed")


@pytest.mark.parametrize(
    ("content", "name"),
    [(b"<html><script>alert(1)</script>", "a.html"), (b"<svg onload='x()'/>", "x.svg")],
)
async def test_what_a_browser_would_run_is_octets(inbox: Inbox, content: bytes, name: str) -> None:
    path, client = inbox.add(content, mime=OCTETS, name=name), await inbox.client()
    assert (await client.get(path)).headers["content-type"] == OCTETS


@given(st.text(max_size=200))
def test_the_name_is_one_header_whatever_the_sender_called_it(name: str) -> None:
    value = file_headers('"t"', name, "image/jpeg", "image")["Content-Disposition"]
    assert value.isascii()
    assert value.isprintable()
    saved = unquote(value.partition("''")[2])
    assert not {"/", "\\", "\r", "\n", "\0"} & set(saved)
    assert saved.lower().endswith((".jpg", ".jpeg", ".jpe"))


async def test_a_lost_file_is_removed_and_a_lost_directory_is_an_outage(
    inbox: Inbox, is_problem: IsProblem
) -> None:
    path, client = inbox.add(), await inbox.client()
    (digest,) = inbox.files.digests(1)
    inbox.files.delete(1, digest)
    is_problem(await client.get(path), 410, "media_removed")
    inbox.files.root.rename(inbox.files.root.with_name("elsewhere"))
    response = await client.get(path)
    is_problem(response, 503, "service_unavailable")
    assert "retry-after" in response.headers


async def test_a_service_without_files_has_none(
    inbox: Inbox, is_problem: IsProblem, clients: Any
) -> None:
    path, client = inbox.add(), await clients.client()
    is_problem(await client.get(path), 404, "media_not_found")


CHANNEL, ANA = "106540352242922", Person("+34600000002")


async def listed(client: httpx.AsyncClient) -> dict[str, Any]:
    conversation = (await client.get("/v1/conversations")).json()["data"][0]["id"]
    (message,) = (await client.get(f"/v1/conversations/{conversation}/messages")).json()["data"]
    media: dict[str, Any] = message["media"]
    return media


async def test_a_message_says_where_its_file_is_and_what_is_known_of_it(inbox: Inbox) -> None:
    event = MessageUpsert(
        CHANNEL, ANA, "wamid.1", NOW - 1_000, False, Author("contact"), "image", "webhook",
        media={"id": "449", "mime_type": "image/jpeg"},
    )  # fmt: skip
    inbox.database.write(lambda c: apply_events(c, 1, [event], now=NOW))
    client = await inbox.client()
    pending = await listed(client)
    assert (pending["status"], pending["width"], pending["size_bytes"]) == ("pending", None, None)

    def store(connection: Connection) -> None:
        (row,) = media.claim(connection, 1, media.Claim("t", NOW, NOW + 1), 9)
        file = StoredFile("0" * 64, 1_234, "image/jpeg", 320, 240)
        media.settle_stored(connection, 1, row["key"], "t", file, NOW, lambda: True)
        connection.run("UPDATE account SET revision = revision + 1")

    inbox.database.write(store)
    stored = await listed(client)
    assert stored == {
        **pending, "status": "available", "size_bytes": 1_234, "width": 320, "height": 240,
    }  # fmt: skip
    assert stored["url"].startswith("/v1/media/")
    scopes = tuple(scope for scope in SCOPES if scope != "media:read")
    narrow = await inbox.client(scopes=scopes)
    assert await listed(narrow) == {**stored, "url": None}
    without = await inbox.clients.client()
    unknown = {"url": None, "status": None, "width": None, "height": None, "size_bytes": None}
    assert await listed(without) == {**stored, **unknown}


async def test_a_file_that_was_never_requested_is_absent(inbox: Inbox) -> None:
    event = MessageUpsert(
        CHANNEL, ANA, "wamid.1", NOW - 8 * 24 * 3_600_000, False, Author("contact"), "image",
        "webhook", media={"id": "449", "mime_type": "image/jpeg"},
    )  # fmt: skip
    inbox.database.write(lambda c: apply_events(c, 1, [event], now=NOW))
    message = await listed(await inbox.client())
    assert (message["status"], message["url"]) == ("absent", None)


async def test_a_deleted_message_has_no_file_and_its_key_says_removed(
    inbox: Inbox, is_problem: IsProblem
) -> None:
    event = MessageUpsert(
        CHANNEL, ANA, "wamid.1", NOW - 1_000, False, Author("contact"), "image", "webhook",
        media={"id": "449"},
    )  # fmt: skip
    inbox.database.write(lambda c: apply_events(c, 1, [event], now=NOW))
    client = await inbox.client()
    url = (await listed(client))["url"]
    revoked = MessageRevoke(CHANNEL, "wamid.1", NOW)
    inbox.database.write(lambda c: apply_events(c, 1, [revoked], now=NOW))
    assert await listed(client) is None
    is_problem(await client.get(url), 410, "media_removed")


@given(st.integers(0, 50), st.integers(0, 60), st.integers(0, 60), st.booleans(), st.booleans())
def test_a_range_lies_within_the_file(
    size: int, first: int, last: int, has_first: bool, has_last: bool
) -> None:
    header = f"bytes={first if has_first else ''}-{last if has_last else ''}"
    try:
        part = byte_range(header, size)
    except NotSatisfiable:
        assert first >= size or not has_first
        return
    assert part is None or 0 <= part.start < part.stop <= size
    if part is not None and has_first and has_last:
        assert part == ByteRange(first, min(last + 1, size))


async def test_a_file_that_waits_is_worth_asking_for_in_five_seconds(inbox: Inbox) -> None:
    path, client = inbox.add(state=media.PENDING), await inbox.client()
    response = await client.get(path)
    assert (response.status_code, response.headers["Retry-After"]) == (404, "5")


async def test_a_file_is_kept_for_a_day_by_its_key_and_runs_nowhere(inbox: Inbox) -> None:
    path, client = inbox.add(), await inbox.client()
    response = await client.get(path)
    assert response.headers["Cache-Control"] == "private, max-age=86400, immutable"
    assert response.headers["Vary"] == "Authorization"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert response.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert len(response.headers["ETag"]) == 34


@pytest.mark.parametrize(
    ("header", "size", "found"),
    [
        (None, 10, None),
        ("bytes=0-", 10, ByteRange(0, 10)),
        ("bytes=0-0", 10, ByteRange(0, 1)),
        ("Bytes=9-9 ", 10, ByteRange(9, 10)),
        ("bytes=9-99", 10, ByteRange(9, 10)),
        ("bytes=5-4", 10, None),
        ("bytes=-1", 10, ByteRange(9, 10)),
        ("bytes=-10", 10, ByteRange(0, 10)),
        ("bytes=-99", 10, ByteRange(0, 10)),
        ("bytes=" + "9" * 19 + "-", 10, None),
    ],
)
def test_a_range_is_that_of_its_first_and_last_byte(
    header: str | None, size: int, found: ByteRange | None
) -> None:
    assert byte_range(header, size) == found


@pytest.mark.parametrize(
    ("header", "size"), [("bytes=10-", 10), ("bytes=-0", 10), ("bytes=-1", 0), ("bytes=0-", 0)]
)
def test_a_range_behind_the_end_cannot_be_had(header: str, size: int) -> None:
    with pytest.raises(NotSatisfiable):
        byte_range(header, size)


def test_the_range_of_an_answer_names_its_last_byte() -> None:
    assert ByteRange(2, 5).content_range(10) == "bytes 2-4/10"
