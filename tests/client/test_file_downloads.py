"""Files of the Cloud API by their ids: addresses, hosts, tokens, failures."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from tests.fake_provider import TOKEN, FakeProvider, serving

from frontdesk.client.files import AccountFiles, ProviderCredentials, ProviderFiles
from frontdesk.client.network import Network
from frontdesk.errors import (
    BadResponse,
    BadSettings,
    FileTooLarge,
    InboxError,
    NotFound,
    Unauthorised,
    Unreachable,
)

PHOTO = bytes(range(256)) * 100


class Received:
    """A file in memory."""

    most_bytes = 1_000_000

    def __init__(self) -> None:
        self.content = b""

    def write(self, chunk: bytes) -> None:
        self.content += chunk

    def restart(self) -> None:
        self.content = b""


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with serving(FakeProvider({"1": PHOTO})) as provider:
        yield provider


async def saved(provider: FakeProvider, remote: str = "1", **options: tuple[str, ...]) -> bytes:
    credentials = ProviderCredentials(TOKEN, provider.address, **{"file_hosts": (), **options})
    file = Received()
    async with ProviderFiles(credentials, Network.of({})) as files:
        await files.save(remote, file)
    return file.content


async def failure(provider: FakeProvider, how: str, **options: tuple[str, ...]) -> InboxError:
    provider.behaviour["1"] = how
    with pytest.raises(InboxError) as caught:
        await saved(provider, **options)
    assert TOKEN not in str(caught.value)
    return caught.value


async def test_a_file_is_fetched_from_the_address_that_its_id_has(provider: FakeProvider) -> None:
    assert await saved(provider) == PHOTO
    assert (provider.resolved, provider.tokens) == (["1"], {f"Bearer {TOKEN}"})


async def test_an_address_that_has_expired_is_asked_for_again_once(provider: FakeProvider) -> None:
    provider.behaviour["1"] = "404 once"
    assert await saved(provider) == PHOTO
    assert len(provider.resolved) == 2


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        ("gone", NotFound),
        ("404 always", NotFound),
        ("401", Unauthorised),
        ("500", Unreachable),
        ("cut", Unreachable),
        ("redirect", BadResponse),
        ("not json", BadResponse),
        ("not a dictionary", BadResponse),
        ("lying length", FileTooLarge),
    ],
)
async def test_a_failure_says_what_it_means(
    provider: FakeProvider, how: str, kind: type[InboxError]
) -> None:
    error = await failure(provider, how)
    assert type(error) is kind
    assert getattr(error, "retry_after", None) is None


async def test_too_many_requests_say_how_long_to_wait(provider: FakeProvider) -> None:
    error = await failure(provider, "429")
    assert isinstance(error, Unreachable)
    assert error.retry_after == 30


@pytest.mark.parametrize("hosts", [("lookaside.fbsbx.com",), ("127.0.0.1",)])
async def test_the_token_goes_to_no_other_host_and_not_without_tls(
    provider: FakeProvider, hosts: tuple[str, ...]
) -> None:
    """The second is a host that would be allowed, over http."""
    error = await failure(provider, "", file_hosts=hosts)
    assert isinstance(error, BadResponse)
    assert not provider.downloaded


async def test_an_id_is_one_segment_of_a_path(provider: FakeProvider) -> None:
    await saved(provider, "../../me?fields=x")
    assert provider.resolved == ["..%2F..%2Fme%3Ffields%3Dx"]


@dataclass
class Answering(FakeProvider):
    """A provider that gives one answer to all that is asked for."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: object = None

    def answer(self, path: str, token: str | None) -> tuple[int, dict[str, str], bytes]:
        return self.status, self.headers, json.dumps(self.body).encode()


async def refusal(
    status: int = 200, body: object = None, *hosts: str, **headers: str
) -> InboxError:
    with serving(Answering(status=status, body=body, headers=headers)) as provider:
        return await failure(provider, "", file_hosts=hosts)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (300, None, BadResponse),
        (399, None, BadResponse),
        (400, None, NotFound),
        (400, 100, NotFound),
        (400, "190", NotFound),
        (400, 190, Unauthorised),
        (401, None, Unauthorised),
        (401, 100, Unauthorised),
        (402, 190, Unreachable),
        (403, None, Unauthorised),
        (404, None, NotFound),
        (410, None, NotFound),
        (500, 190, Unreachable),
    ],
)
async def test_a_refusal_is_known_by_its_status_and_its_code(
    status: int, code: object, kind: type[InboxError]
) -> None:
    error = await refusal(status, {"error": {"code": code}})
    assert type(error) is kind
    assert getattr(error, "retry_after", None) is None


@pytest.mark.parametrize(
    ("status", "code", "header", "seconds"),
    [
        (400, 4, None, 300),
        (400, 80007, None, 300),
        (403, 130429, None, 300),
        (401, 4, None, 300),
        (429, None, None, 300),
        (429, 190, "30", 30),
        (400, 4, "0", 0),
    ],
)
async def test_a_limit_of_requests_is_a_pause_of_five_minutes_or_what_the_provider_says(
    status: int, code: int | None, header: str | None, seconds: float
) -> None:
    headers = {} if header is None else {"Retry-After": header}
    error = await refusal(status, {"error": {"code": code}}, **headers)
    assert isinstance(error, Unreachable)
    assert error.retry_after == seconds


@pytest.mark.parametrize("body", [{}, {"url": 5}, {"url": None}, "http://127.0.0.1/x", None])
async def test_an_answer_without_an_address_is_none(body: object) -> None:
    assert "does not say where the file is" in str(await refusal(200, body))


@pytest.mark.parametrize(
    "address",
    [
        "https://files.example:8443/x",
        "https://files.example:80/x",
        "http://files.example/x",
        "https://other.example/x",
        "https://files.example.other.example/x",
        "https://[files.example/x",
        "https://files.example:x/x",
        "files.example/x",
    ],
)
async def test_the_token_goes_to_the_usual_port_of_hosts_that_are_listed(address: str) -> None:
    error = await refusal(200, {"url": address}, "files.example")
    assert str(error) == "The provider sends to a host that is not its own"


@pytest.mark.parametrize("address", ["https://127.0.0.1/x", "https://127.0.0.1:443/x"])
async def test_an_address_of_a_listed_host_is_requested(address: str) -> None:
    """Nobody listens there."""
    error = await refusal(200, {"url": address}, "127.0.0.1")
    assert isinstance(error, Unreachable)


@pytest.mark.parametrize("size", [Received.most_bytes, Received.most_bytes + 1])
async def test_a_file_may_be_as_large_as_the_limit(provider: FakeProvider, size: int) -> None:
    provider.files["1"] = bytes(size)
    if size == Received.most_bytes:
        assert await saved(provider) == bytes(size)
    else:
        assert str(await failure(provider, "")) == "The file is larger than 1.0 MB"


@pytest.mark.parametrize(
    ("address", "has_own_header"),
    [
        ("https://waba-v2.360dialog.io", True),
        ("https://360dialog.io", True),
        ("https://evil360dialog.io", False),
        ("https://360dialog.io.example", False),
        ("https://graph.facebook.com/v23.0", False),
    ],
)
def test_360dialog_gets_its_own_header(address: str, has_own_header: bool) -> None:
    credentials = ProviderCredentials(TOKEN, address, ())
    expected = {"D360-API-KEY": TOKEN} if has_own_header else {"Authorization": f"Bearer {TOKEN}"}
    assert credentials.headers() == expected
    assert TOKEN not in repr(credentials)


@pytest.mark.parametrize(
    ("token", "address"),
    [("with blank", "https://example.com"), (TOKEN, "http://example.com"), (TOKEN, "nonsense")],
)
def test_credentials_that_cannot_be_used_are_refused(token: str, address: str) -> None:
    with pytest.raises(BadSettings):
        ProviderFiles(ProviderCredentials(token, address), Network.of({}))


async def test_an_account_has_its_own_provider_or_the_common_one() -> None:
    common, own = ProviderCredentials("common"), ProviderCredentials("own")
    async with AccountFiles(common, {"shop": own, "same": common}, Network.of({})) as files:
        assert files.of_account("shop") is not files.of_account("other")
        assert files.of_account("same") is files.of_account("other")
    async with AccountFiles(None, {"shop": own}, Network.of({})) as files:
        assert files.of_account("other") is None
        assert files.of_account("shop") is files.of_account("shop")
