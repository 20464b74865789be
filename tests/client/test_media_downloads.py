"""Downloads of files of messages, over real connections."""

import io
from pathlib import Path

import pytest
from tests.client.faulty import ABORT, HANG_UP, Clock, client_at
from tests.client.sockets import Scripted, raw, serving

from frontdesk.errors import (
    BadResponse,
    FileTooLarge,
    FileUnavailable,
    Forbidden,
    InboxError,
    NotOffered,
    Unreachable,
)
from frontdesk.wire import Media

PHOTO = bytes(range(256)) * 1_000
TAGGED = {"ETag": '"abc"', "Content-Type": "image/jpeg"}


def head_of(request: bytes) -> dict[str, str]:
    lines = request.decode().split("\r\n")[1:]
    return {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}


def problem(status: str, code: str) -> bytes:
    body = f'{{"code": "{code or None}", "detail": "Says why."}}'.encode()
    return raw(body, status, Content_Type="application/problem+json")


async def saved(server: Scripted, *, most_bytes: int = 1 << 20, width: int | None = None) -> bytes:
    file = io.BytesIO()
    async with serving(server) as url, client_at(url) as client:
        received = await client.save_media("k-1", file, most_bytes=most_bytes, width=width)
    assert received.size == len(file.getvalue())
    return file.getvalue()


async def failure(server: Scripted, *, most_bytes: int = 1 << 20) -> InboxError:
    with pytest.raises(InboxError) as caught:
        await saved(server, most_bytes=most_bytes)
    return caught.value


async def test_a_file_is_written_with_what_the_server_says_of_it(tmp_path: Path) -> None:
    name = "attachment; filename*=utf-8''%D1%84%D0%BE%D1%82%D0%BE.jpg"
    server = Scripted((raw(PHOTO, **TAGGED, Content_Disposition=name), HANG_UP))
    steps: list[int] = []
    with (tmp_path / "photo").open("w+b") as file:
        async with serving(server) as url, client_at(url) as client:
            received = await client.save_media(
                "k-1", file, most_bytes=1 << 20, progress=steps.append
            )
    assert (tmp_path / "photo").read_bytes() == PHOTO
    assert (received.mime_type, received.filename, received.tag) == (
        "image/jpeg",
        "фото.jpg",
        '"abc"',
    )
    assert steps == sorted(steps)
    assert steps[-1] == len(PHOTO) == received.size
    assert server.requests[0].startswith(b"GET /v1/media/k-1 HTTP/1.1\r\n")
    assert head_of(server.requests[0])["accept-encoding"] == "identity"


async def test_a_preview_is_asked_for_by_its_width() -> None:
    server = Scripted((raw(PHOTO), HANG_UP))
    assert await saved(server, width=480) == PHOTO
    assert server.requests[0].startswith(b"GET /v1/media/k-1?width=480 HTTP/1.1\r\n")


async def test_a_broken_transfer_goes_on_where_it_ended() -> None:
    length = str(len(PHOTO))
    rest = raw(
        PHOTO[100_000:],
        "206 Partial Content",
        **TAGGED,
        Content_Range=f"bytes 100000-{len(PHOTO) - 1}/{length}",
    )
    server = Scripted(
        (raw(PHOTO[:100_000], content_length=length, **TAGGED), HANG_UP), (rest, HANG_UP)
    )
    assert await saved(server) == PHOTO
    again = head_of(server.requests[1])
    assert (again["range"], again["if-range"]) == ("bytes=100000-", '"abc"')


@pytest.mark.parametrize("tag", ['"abc"', 'W/"abc"', ""])
async def test_a_file_that_comes_whole_again_replaces_the_part(tag: str) -> None:
    length = str(len(PHOTO))
    server = Scripted(
        (raw(b"x" * 1_000, content_length=length, ETag=tag), ABORT), (raw(PHOTO), HANG_UP)
    )
    assert await saved(server) == PHOTO
    assert ("range" in head_of(server.requests[1])) == (tag == '"abc"')


async def test_half_a_file_three_times_is_an_error() -> None:
    server = Scripted((raw(PHOTO[:10], content_length="1000"), HANG_UP))
    assert isinstance(await failure(server), Unreachable)
    assert len(server.requests) == 3


async def test_another_part_than_was_asked_for_is_not_taken() -> None:
    wrong = raw(PHOTO[:9], "206 Partial Content", Content_Range="bytes 0-8/1000")
    server = Scripted((raw(PHOTO[:10], content_length="1000", **TAGGED), HANG_UP), (wrong, HANG_UP))
    assert isinstance(await failure(server), BadResponse)


async def test_a_file_over_the_limit_is_refused_before_it_is_read() -> None:
    error = await failure(Scripted((raw(b"", content_length="5000001"), HANG_UP)), most_bytes=5_000)
    assert isinstance(error, FileTooLarge)
    assert "5 KB" in str(error)


@pytest.mark.parametrize("says_length", [True, False])
async def test_a_file_may_be_as_large_as_the_limit(says_length: bool) -> None:
    """Without a length, the file ends with the connection."""
    whole = raw(b"x" * 5_000) if says_length else b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * 5_000
    assert await saved(Scripted((whole, HANG_UP)), most_bytes=5_000) == b"x" * 5_000
    error = await failure(Scripted((whole, HANG_UP)), most_bytes=4_999)
    assert str(error) == "The file is larger than 5 KB"


async def test_the_rest_of_a_file_counts_with_what_is_there() -> None:
    rest = raw(b"x" * 10, "206 Partial Content", Content_Range="bytes 10-19/20")
    begun = (raw(b"x" * 10, content_length="20", **TAGGED), HANG_UP)
    assert await saved(Scripted(begun, (rest, HANG_UP)), most_bytes=20) == b"x" * 20
    grown = raw(b"x" * 10, "206 Partial Content", Content_Range="bytes 10-19/21")
    error = await failure(Scripted(begun, (grown, HANG_UP)), most_bytes=20)
    assert isinstance(error, FileTooLarge)


@pytest.mark.parametrize("place", ["bytes 9-18/20", "bytes 11-20/20", "bytes 10-19/*", ""])
async def test_a_part_that_does_not_begin_where_the_last_one_ended_is_refused(place: str) -> None:
    begun = (raw(b"x" * 10, content_length="20", **TAGGED), HANG_UP)
    part = raw(b"x" * 10, "206 Partial Content", Content_Range=place)
    assert isinstance(await failure(Scripted(begun, (part, HANG_UP))), BadResponse)


@pytest.mark.parametrize(
    ("encoding", "is_plain"),
    [("identity", True), (" Identity ", True), ("", True), ("gzip", False), ("br", False)],
)
async def test_only_a_file_that_is_not_packed_is_taken(encoding: str, is_plain: bool) -> None:
    server = Scripted((raw(PHOTO, Content_Encoding=encoding), HANG_UP))
    if is_plain:
        assert await saved(server) == PHOTO
    else:
        assert "packs the file" in str(await failure(server))


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ('attachment; filename="a b.pdf"', "a b.pdf"),
        ('attachment; filename="../../etc/passwd"', "passwd"),
        ('attachment; filename="C:\\\\x\\\\y.txt"', "y.txt"),
        ("attachment", ""),
        ("", ""),
        ("attachment; filename*=utf-8''a%1B%5B31mb.txt", "a\ufffd[31mb.txt"),
    ],
)
async def test_a_name_is_the_last_part_of_a_path_without_controls(header: str, name: str) -> None:
    server = Scripted((raw(PHOTO, Content_Disposition=header), HANG_UP))
    async with serving(server) as url, client_at(url) as client:
        received = await client.save_media("k-1", io.BytesIO(), most_bytes=1 << 20)
    assert received.filename == name


async def test_a_type_has_at_most_a_hundred_characters() -> None:
    server = Scripted((raw(PHOTO, Content_Type="x" * 101), HANG_UP))
    async with serving(server) as url, client_at(url) as client:
        received = await client.save_media("k-1", io.BytesIO(), most_bytes=1 << 20)
    assert received.mime_type == "x" * 100


async def test_a_file_that_says_no_length_ends_at_the_limit() -> None:
    endless = b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * 100_000
    assert isinstance(await failure(Scripted((endless, HANG_UP)), most_bytes=5_000), FileTooLarge)


@pytest.mark.parametrize(
    ("status", "code", "reason"),
    [
        ("404 Not Found", "media_pending", "pending"),
        ("410 Gone", "media_expired", "expired"),
        ("410 Gone", "media_removed", "removed"),
        ("404 Not Found", "media_not_found", "not_found"),
        ("404 Not Found", "preview_unavailable", "preview"),
        ("404 Not Found", "text_unavailable", "text"),
    ],
)
async def test_a_file_that_is_not_there_says_why(status: str, code: str, reason: str) -> None:
    error = await failure(Scripted((problem(status, code), HANG_UP)))
    assert isinstance(error, FileUnavailable)
    assert (error.status, str(error)) == (reason, "Says why.")


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        ("404 Not Found", "route_not_found", NotOffered),
        ("404 Not Found", "", NotOffered),
        ("403 Forbidden", "insufficient_scope", Forbidden),
    ],
)
async def test_other_refusals_are_those_of_every_request(
    status: str, code: str, kind: type[InboxError]
) -> None:
    error = await failure(Scripted((problem(status, code), HANG_UP)))
    assert type(error) is kind


async def test_a_server_that_fails_is_asked_again_after_a_pause() -> None:
    clock = Clock()
    server = Scripted((raw(b"", "500 Oops"), HANG_UP), (raw(PHOTO), HANG_UP))
    file = io.BytesIO()
    async with serving(server) as url, client_at(url, clock) as client:
        await client.save_media("k-1", file, most_bytes=1 << 20)
    assert file.getvalue() == PHOTO
    assert len(clock.slept) == 1


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("/v1/media/abc_-9", "abc_-9"),
        ("/v1/media/", None),
        ("/v1/media/a/b", None),
        ("https://files.example.com/v1/media/abc", None),
        (None, None),
    ],
)
def test_the_key_of_a_file_is_taken_from_an_address_of_this_service_alone(
    url: str | None, key: str | None
) -> None:
    assert Media(url=url).key == key
