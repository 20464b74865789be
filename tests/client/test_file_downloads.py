"""Files of the Cloud API by their ids: addresses, hosts, tokens, failures."""

from collections.abc import Iterator

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


def test_360dialog_gets_its_own_header() -> None:
    credentials = ProviderCredentials(TOKEN, "https://waba-v2.360dialog.io", ())
    assert credentials.headers() == {"D360-API-KEY": TOKEN}
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
