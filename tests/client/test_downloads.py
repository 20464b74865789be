"""Downloads of linked files: allowed hosts, redirects, limits."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from tests.client.faulty import ABORT, HANG_UP, Clock
from tests.client.sockets import Scripted, raw, serving
from tests.client.test_file_downloads import Received

from frontdesk.client.downloads import LinkedFiles
from frontdesk.client.external import RequestPolicy
from frontdesk.client.network import Network
from frontdesk.errors import BadResponse, FileTooLarge, InboxError, NotFound, Unreachable

PHOTO = bytes(range(256)) * 100


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


async def saved(url: str, *origins: str) -> bytes:
    clock, file = Clock(), Received()
    policy = RequestPolicy(10.0, sleep=clock.sleep, clock=clock)
    async with LinkedFiles(origins, policy, Network.of({})) as links:
        await links.save(url, file)
    return file.content


async def failure(url: str, *origins: str) -> InboxError:
    with pytest.raises(InboxError) as caught:
        await saved(url, *origins)
    return caught.value


async def test_a_file_is_fetched_where_its_address_leads(stack: AsyncExitStack) -> None:
    bucket = Scripted((raw(PHOTO), HANG_UP))
    there = await stack.enter_async_context(serving(bucket))
    chat = Scripted((raw(status="302 Found", Location=f"{there}/signed?x=1"), HANG_UP))
    here = await stack.enter_async_context(serving(chat))
    assert await saved(f"{here}/rails/blob/1", here, there) == PHOTO
    assert bucket.requests[0].startswith(b"GET /signed?x=1 ")
    assert not any(b"authorization" in head.lower() for head in chat.requests + bucket.requests)


async def test_a_host_that_is_not_allowed_is_not_asked(stack: AsyncExitStack) -> None:
    inside = Scripted((raw(PHOTO), HANG_UP))
    there = await stack.enter_async_context(serving(inside))
    chat = Scripted((raw(status="302 Found", Location=f"{there}/latest/meta-data"), HANG_UP))
    here = await stack.enter_async_context(serving(chat))
    for url in (
        f"{here}/x",
        f"{there}/x",
        here.replace("http://", "http://user@"),
        "file:///etc/x",
    ):
        assert isinstance(await failure(url, here), BadResponse)
    assert inside.requests == []


async def test_an_address_that_leads_in_a_circle_is_given_up(stack: AsyncExitStack) -> None:
    chat = Scripted((raw(status="302 Found", Location="/again"), HANG_UP))
    here = await stack.enter_async_context(serving(chat))
    assert isinstance(await failure(f"{here}/x", here), BadResponse)
    # The address itself, and three to which it leads.
    assert len(chat.requests) == 4


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ((raw(status="404 Not Found"), HANG_UP), NotFound),
        ((raw(status="401 Unauthorized"), HANG_UP), NotFound),
        ((raw(status="403 Forbidden"), HANG_UP), NotFound),
        ((raw(status="410 Gone"), HANG_UP), NotFound),
        ((raw(status="405 Odd"), HANG_UP), Unreachable),
        ((raw(status="206 Partial Content"), HANG_UP), Unreachable),
        ((raw(status="302 Found"), HANG_UP), Unreachable),
        ((raw(status="400 Bad Request", Location="/x"), HANG_UP), Unreachable),
        ((raw(status="500 Oops"), HANG_UP), Unreachable),
        ((raw(content_length="9999999999"), HANG_UP), FileTooLarge),
        ((raw(PHOTO, Content_Encoding="gzip"), HANG_UP), BadResponse),
        ((raw(PHOTO[:10], content_length="1000"), ABORT), Unreachable),
    ],
)
async def test_a_failure_says_what_it_means(
    stack: AsyncExitStack, reply: tuple[bytes, str], kind: type[InboxError]
) -> None:
    here = await stack.enter_async_context(serving(Scripted(reply)))
    assert type(await failure(f"{here}/x", here)) is kind


async def test_requests_keep_their_pace(stack: AsyncExitStack) -> None:
    here = await stack.enter_async_context(serving(Scripted((raw(PHOTO), HANG_UP))))
    clock = Clock()
    policy = RequestPolicy(10.0, sleep=clock.sleep, clock=clock)
    async with LinkedFiles([here], policy, Network.of({})) as links:
        for _ in range(3):
            await links.save(f"{here}/x", Received())
    assert clock.slept == pytest.approx([0.1, 0.1])


@pytest.mark.parametrize("beyond", [0, 1])
async def test_a_file_may_be_as_large_as_there_is_room_for(
    stack: AsyncExitStack, beyond: int
) -> None:
    here = await stack.enter_async_context(serving(Scripted((raw(PHOTO), HANG_UP))))
    file = Received()
    file.most_bytes = len(PHOTO) - beyond
    policy = RequestPolicy(10.0, sleep=Clock().sleep, clock=Clock())
    async with LinkedFiles([here], policy, Network.of({})) as links:
        if beyond:
            with pytest.raises(FileTooLarge, match="The file is larger than 26 KB"):
                await links.save(f"{here}/x", file)
        else:
            await links.save(f"{here}/x", file)
    assert file.content == (b"" if beyond else PHOTO)
