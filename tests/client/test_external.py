"""The client of third-party APIs waits as long as Retry-After says."""

import asyncio

import pytest
from tests.client.sockets import Talk, serving

from frontdesk.client.external import ForeignApi, RequestPolicy, RequestSpacing
from frontdesk.client.network import Network


def answers(*heads: str) -> Talk:
    """Answers one request after the other with these status lines and headers, and `{}`."""
    left = list(heads)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(
            f"HTTP/1.1 {left.pop(0)}Content-Type: application/json\r\n"
            "Content-Length: 2\r\nConnection: close\r\n\r\n{}".encode()
        )
        await writer.drain()

    return talk


@pytest.mark.parametrize(
    ("refusal", "least", "most"),
    [
        ("429 Too Many Requests\r\nRetry-After: 7\r\n", 7, 7),
        ("503 Service Unavailable\r\n", 0.1, 5),
    ],
    ids=["as long as the service says", "without a pause of its own"],
)
async def test_a_pause_is_made_before_the_next_try(refusal: str, least: float, most: float) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    policy = RequestPolicy(1_000_000, sleep=sleep, chance=lambda: 0.5)
    talk = answers(refusal, "200 OK\r\n")
    async with serving(talk) as url, ForeignApi(url, {}, policy, Network()) as api:
        assert await api.get("numbers") == {}
    (pause,) = (seconds for seconds in waited if seconds > 0.01)
    assert least <= pause <= most


async def test_requests_that_wait_at_the_same_time_go_one_after_the_other() -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        await asyncio.sleep(0)

    spacing = RequestSpacing(RequestPolicy(4, sleep=sleep, clock=lambda: 100.0))
    await asyncio.gather(*(spacing.turn() for _ in range(4)))
    assert waited == [0.25, 0.5, 0.75]
