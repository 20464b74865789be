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
