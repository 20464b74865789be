"""The fetcher, over a provider that misbehaves: what becomes of each file."""

import asyncio
import hashlib
import stat
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pytest
from tests.fake_provider import TOKEN, FakeProvider, serving
from tests.patience import HANG_SECONDS
from tests.pictures.drawn import encoded, photo

from frontdesk.client.files import AccountFiles, ProviderCredentials
from frontdesk.client.network import Network
from frontdesk.pictures import PictureDecoder
from frontdesk.service.access_log import Telemetry
from frontdesk.service.media.fetcher import FetcherSettings, MediaFetcher
from frontdesk.store import media
from frontdesk.store.accounts import add_account
from frontdesk.store.database import Connection, Database, Row
from frontdesk.store.media import MediaRequest
from frontdesk.store.media_directory import MediaDirectory

ACCOUNT, MINUTE, HOUR = 1, 60_000, 3_600_000
BEGIN = 1_774_000_000_000
PHOTOS = [encoded(photo(red=10 * number)) for number in range(4)]


class Counts(Telemetry):
    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.stored = threading.Event()
        self.resting: list[str] = []

    def media(self, outcome: str, seconds: float) -> None:
        self.outcomes[outcome] += 1
        if outcome == media.STORED:
            self.stored.set()

    def media_resting(self, reasons: object) -> None:
        self.resting = list(reasons)  # type: ignore[call-overload]


class Bench:
    """A database, a directory, a provider and a clock that the test moves."""

    def __init__(self, database: Database, root: Path, provider: FakeProvider) -> None:
        self.database = database
        self.provider = provider
        self.files = MediaDirectory(root / "media", least_free_bytes=0)
        self.now = BEGIN
        self.counts = Counts()
        self.decoder = PictureDecoder(deadline_seconds=60)
        credentials = ProviderCredentials(TOKEN, provider.address, file_hosts=())
        self.sources = partial(AccountFiles, credentials, {}, Network.of({}))

    def request(
        self,
        remote: str,
        content: bytes,
        how: str = "",
        account_id: int = ACCOUNT,
        **changes: object,
    ) -> None:
        number = len(self.provider.files) + 1
        self.provider.files[remote] = content
        self.provider.behaviour[remote] = how
        digest = hashlib.sha256(content).hexdigest()
        request = MediaRequest(
            f"k-{remote}", number, 1, "image", media.WHATSAPP, remote, BEGIN + number, digest
        )
        request = replace(request, **changes)  # type: ignore[arg-type]
        self.database.write(lambda c: media.add(c, account_id, [request]))

    def fetcher(self, settings: FetcherSettings | None = None) -> MediaFetcher:
        return MediaFetcher(
            self.database,
            self.files,
            self.sources,
            lambda: self.now,
            settings or FetcherSettings(most_bytes=1_000_000),
            decoder=self.decoder,
            telemetry=self.counts,
            chance=lambda: 0.5,
        )

    def passes(self, fetcher: MediaFetcher, *moments: int) -> None:
        """Let the fetcher work at these milliseconds after the beginning."""

        async def work() -> None:
            self.now = BEGIN + moments[0]
            working = asyncio.create_task(fetcher.lanes.run())
            await asyncio.sleep(0)
            await fetcher.lanes.idle()
            for moment in moments[1:]:
                self.now = BEGIN + moment
                fetcher.lanes.look()
                await fetcher.lanes.idle()
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working

        asyncio.run(work())

    def row(self, remote: str) -> Row:
        def read(connection: Connection) -> Row | None:
            return connection.row("SELECT * FROM media WHERE remote = :remote", {"remote": remote})

        row = self.database.read(read)
        assert row is not None
        return row

    def state(self, remote: str) -> tuple[str, int]:
        row = self.row(remote)
        return row["state"], row["attempts"]

    def stored_paths(self) -> list[Path]:
        return [path for path in self.files.root.rglob("*") if path.is_file()]


@pytest.fixture
def bench(database: Database, tmp_path: Path) -> Iterator[Bench]:
    with serving(FakeProvider()) as provider:
        bench = Bench(database, tmp_path, provider)
        yield bench
        bench.decoder.close()


# Minutes at which a fetcher that polls has something to do.
LATER = [0, *(number * 10 * MINUTE for number in range(1, 7)), 8 * HOUR, 40 * HOUR, 70 * HOUR]


def test_a_picture_is_stored_with_its_size_and_a_preview(bench: Bench) -> None:
    bench.request("1", PHOTOS[0])
    bench.passes(bench.fetcher(), 0)
    row = bench.row("1")
    assert (row["state"], row["mime"], row["width"], row["height"], row["preview"]) == (
        "stored", "image/jpeg", 320, 240, 1,
    )  # fmt: skip
    assert bench.files.path(ACCOUNT, row["digest"]).read_bytes() == PHOTOS[0]
    preview = bench.decoder.facts(bench.files.preview_path(ACCOUNT, row["digest"]))
    assert (preview.format, preview.width) == ("WEBP", 320)
    assert {stat.S_IMODE(path.stat().st_mode) for path in bench.stored_paths()} == {0o600}


def test_a_damaged_picture_is_stored_without_a_size(bench: Bench) -> None:
    bench.request("1", PHOTOS[0][:100])
    bench.passes(bench.fetcher(), 0)
    row = bench.row("1")
    assert (row["state"], row["mime"], row["width"], row["preview"]) == (
        "stored",
        "image/jpeg",
        None,
        0,
    )


@pytest.mark.parametrize(
    ("how", "state", "attempts"),
    [
        ("", "stored", 1),
        ("404 once", "stored", 1),
        ("429", "stored", 1),
        ("500 twice", "stored", 3),
        ("gone", "expired", 1),
        ("404 always", "expired", 1),
        ("redirect", "failed", 7),
        ("foreign", "stored", 1),
        ("corrupt", "failed", 7),
        ("empty", "failed", 7),
        ("not json", "failed", 7),
        ("500", "failed", 7),
        ("cut", "failed", 7),
        ("lying length", "refused", 1),
    ],
)
def test_what_becomes_of_a_file(bench: Bench, how: str, state: str, attempts: int) -> None:
    bench.request("1", PHOTOS[0], how)
    bench.passes(bench.fetcher(), *LATER)
    assert bench.state("1") == (state, attempts)
    assert bench.provider.tokens == {f"Bearer {TOKEN}"}
    incoming = bench.files.root / "incoming"
    assert not incoming.exists() or list(incoming.iterdir()) == []


def test_a_file_over_the_limit_is_refused(bench: Bench) -> None:
    bench.request("1", b"x" * 5_000)
    bench.passes(bench.fetcher(FetcherSettings(most_bytes=1_000)), 0)
    assert bench.state("1") == ("refused", 1)
    assert "larger than 1 KB" in bench.row("1")["reason"]
    assert bench.stored_paths() == []


def test_kinds_that_are_not_kept_are_not_asked_for(bench: Bench) -> None:
    bench.request("1", b"a film", kind="video")
    bench.passes(bench.fetcher(FetcherSettings(kinds=frozenset({"image"}))), 0)
    assert bench.state("1") == ("refused", 1)
    assert bench.provider.resolved == []


def test_the_newest_file_is_fetched_first(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    # Several at once reach the provider in any order.
    monkeypatch.setattr("frontdesk.service.media.fetcher.AT_ONCE", 1)
    for number in range(6):
        bench.request(str(number), PHOTOS[0], channel_id=number)
    asked: list[str] = []
    bench.provider.resolved = asked
    bench.passes(bench.fetcher(), 0)
    assert asked == ["5", "4", "3", "2", "1", "0"]


def test_the_same_photo_of_two_messages_is_one_file(bench: Bench) -> None:
    bench.request("1", PHOTOS[0])
    bench.request("2", PHOTOS[0])
    bench.passes(bench.fetcher(), 0)
    assert bench.state("1") == bench.state("2") == ("stored", 1)
    assert len(bench.stored_paths()) == 2  # The photo and its preview.


def test_a_bad_token_stops_the_number_and_costs_no_attempts(bench: Bench) -> None:
    for number in range(9):
        bench.request(str(number), PHOTOS[0], "401")
    fetcher = bench.fetcher()
    bench.passes(fetcher, 0, 5 * MINUTE, 14 * MINUTE)
    # Two of a number at once may be under way when the first is refused.
    assert len(bench.provider.resolved) <= 2
    assert {bench.state(str(number)) for number in range(9)} == {("pending", 0)}
    assert bench.counts.resting == ["token"]
    for remote in list(bench.provider.behaviour):
        bench.provider.behaviour[remote] = ""
    bench.passes(fetcher, 16 * MINUTE)
    assert {bench.state(str(number)) for number in range(9)} == {("stored", 1)}


def test_errors_of_a_number_are_budgeted(bench: Bench) -> None:
    for number in range(40):
        bench.request(str(number), PHOTOS[0], "gone", channel_id=number % 2)
    bench.passes(bench.fetcher(), 0, MINUTE, 20 * MINUTE)
    assert len(bench.provider.resolved) <= 2 * (10 + 1)
    assert bench.counts.resting == ["budget", "budget"]


def test_without_room_nothing_is_asked_for_and_nothing_is_lost(bench: Bench) -> None:
    bench.files = MediaDirectory(bench.files.root, least_free_bytes=1 << 62)
    bench.request("1", PHOTOS[0])
    bench.passes(bench.fetcher(), 0, MINUTE // 2)
    assert bench.provider.resolved == []
    assert bench.state("1") == ("pending", 0)
    bench.files = MediaDirectory(bench.files.root, least_free_bytes=0)
    bench.passes(bench.fetcher(), 2 * MINUTE)
    assert bench.state("1") == ("stored", 1)


def test_a_message_that_is_deleted_while_its_file_is_fetched_leaves_no_byte(bench: Bench) -> None:
    bench.request("1", PHOTOS[0])
    answer = bench.provider.answer

    def delete_meanwhile(path: str, token: str | None) -> tuple[int, dict[str, str], bytes]:
        bench.database.write(lambda c: media.remove(c, ACCOUNT, [1]))
        return answer(path, token)

    bench.provider.answer = delete_meanwhile  # type: ignore[method-assign]
    bench.passes(bench.fetcher(), 0)
    assert bench.counts.outcomes == {"lost": 1}
    assert bench.stored_paths() == []


def test_clients_read_again_once_for_many_files(bench: Bench) -> None:
    for number in range(6):
        bench.request(str(number), PHOTOS[0])

    def revision() -> int:
        sql = "SELECT revision FROM account WHERE id = 1"
        row = bench.database.read(lambda c: c.row(sql))
        assert row is not None
        return int(row["revision"])

    before = revision()
    bench.passes(bench.fetcher(), 0)
    assert revision() == before + 1
    bench.passes(bench.fetcher(), MINUTE)
    assert revision() == before + 1


def test_an_account_without_a_token_waits(bench: Bench) -> None:
    bench.request("1", PHOTOS[0])
    bench.sources = partial(AccountFiles, None, {}, Network.of({}))
    bench.passes(bench.fetcher(), 0)
    assert bench.state("1") == ("pending", 0)


def test_the_thread_fetches_what_is_requested_and_gives_claims_back_when_it_ends(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It does not look by itself meanwhile.
    monkeypatch.setattr("frontdesk.service.media.lanes.TICK_SECONDS", 3_600.0)
    fetcher = bench.fetcher()
    fetcher.lanes.start()
    bench.request("1", PHOTOS[0])
    fetcher.lanes.notify()
    assert bench.counts.stored.wait(HANG_SECONDS)
    reached, release = threading.Event(), threading.Event()
    answer = bench.provider.answer

    def hang(path: str, token: str | None) -> tuple[int, dict[str, str], bytes]:
        reached.set()
        release.wait(HANG_SECONDS)
        return answer(path, token)

    bench.provider.answer = hang  # type: ignore[method-assign]
    bench.request("2", PHOTOS[1])
    fetcher.lanes.notify()
    assert reached.wait(HANG_SECONDS)
    # The claim of a killed worker ends soon after the deadline of ten minutes.
    assert bench.row("2")["claimed_until"] == bench.now + 11 * MINUTE
    fetcher.lanes.close()
    release.set()
    row = bench.row("2")
    assert (row["state"], row["attempts"], row["claim"], row["claimed_until"]) == (
        "pending", 0, None, 0,
    )  # fmt: skip


def test_the_thread_looks_by_itself_too(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frontdesk.service.media.lanes.TICK_SECONDS", 0.01)
    fetcher = bench.fetcher()
    fetcher.lanes.start()
    bench.request("1", PHOTOS[0])
    assert bench.counts.stored.wait(HANG_SECONDS)
    fetcher.lanes.close()


def test_a_fetcher_that_does_not_run_is_not_woken(bench: Bench) -> None:
    fetcher = bench.fetcher()
    fetcher.lanes.notify()
    fetcher.lanes.start()
    fetcher.lanes.close()
    fetcher.lanes.notify()
    bench.fetcher().lanes.close()


@pytest.mark.parametrize(("channels", "at_once"), [(1, 2), (2, 4), (9, 8)])
def test_eight_files_are_fetched_at_once_and_two_of_a_number(
    bench: Bench, channels: int, at_once: int
) -> None:
    for number in range(9):
        bench.request(str(number), PHOTOS[0], channel_id=number % channels)
    under_way: list[int] = []
    lock, full = threading.Lock(), threading.Event()
    answer = bench.provider.answer

    def count(path: str, token: str | None) -> tuple[int, dict[str, str], bytes]:
        with lock:
            under_way.append(under_way[-1] + 1 if under_way else 1)
            if under_way[-1] == at_once:
                full.set()
        assert full.wait(HANG_SECONDS)
        try:
            return answer(path, token)
        finally:
            with lock:
                under_way.append(under_way[-1] - 1)

    bench.provider.answer = count  # type: ignore[method-assign]
    bench.passes(bench.fetcher(), 0)
    assert max(under_way) == at_once
    assert {bench.state(str(number)) for number in range(9)} == {("stored", 1)}


def test_slow_files_of_one_account_hold_up_no_other_account_and_no_other_number(
    bench: Bench,
) -> None:
    other = bench.database.write(lambda c: add_account(c, "other", "Other", BEGIN))
    # More slow files than there are slots, of several numbers.
    for number in range(12):
        bench.request(f"slow{number}", PHOTOS[0], channel_id=number % 6)
    for number in range(6):
        bench.request(str(number), PHOTOS[1], account_id=other)
    release, fetched = threading.Event(), threading.Semaphore(0)
    answer = bench.provider.answer

    def hang(path: str, token: str | None) -> tuple[int, dict[str, str], bytes]:
        if "slow" in path:
            assert release.wait(HANG_SECONDS)
        return answer(path, token)

    bench.provider.answer = hang  # type: ignore[method-assign]
    bench.counts.media = lambda outcome, seconds: fetched.release()  # type: ignore[method-assign]
    fetcher = bench.fetcher()
    fetcher.lanes.start()
    for _ in range(6):
        assert fetched.acquire(timeout=HANG_SECONDS)
    assert {bench.state(str(number)) for number in range(6)} == {("stored", 1)}
    assert {bench.state(f"slow{number}")[0] for number in range(12)} == {"pending"}
    release.set()
    fetcher.lanes.close()


def test_two_services_fetch_each_file_once(bench: Bench) -> None:
    for number in range(30):
        bench.request(str(number), PHOTOS[number % 4], channel_id=number % 3)
    threads = [threading.Thread(target=bench.passes, args=(bench.fetcher(), 0)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bench.provider.downloaded == Counter({str(number): 1 for number in range(30)})
    assert {bench.state(str(number)) for number in range(30)} == {("stored", 1)}


HABITS = ("", "", "", "", "404 once", "500 twice", "429", "gone", "redirect", "cut", "empty")


def test_a_provider_that_misbehaves_for_days_loses_no_file_and_is_spared(bench: Bench) -> None:
    """Every ten minutes: what can be had is there in the end, and nothing is asked for in vain."""
    chance = Random(7)
    habits = {str(number): chance.choice(HABITS) for number in range(60)}
    for remote, how in habits.items():
        bench.request(remote, PHOTOS[int(remote) % 4], how, channel_id=int(remote) % 3)
    bench.passes(bench.fetcher(), *range(0, 72 * HOUR, 10 * MINUTE))
    states = {remote: bench.state(remote)[0] for remote in habits}
    ends = {"gone": "expired", "redirect": "failed", "cut": "failed", "empty": "failed"}
    assert states == {remote: ends.get(how, "stored") for remote, how in habits.items()}
    used = bench.database.read(lambda c: media.stored_digests(c, ACCOUNT))
    assert set(bench.files.digests(ACCOUNT)) == used.keys()
    # No file is asked for more often than its attempts allow, with a second look at each.
    assert max(Counter(bench.provider.resolved).values()) <= 2 * 7
