"""Stored webhook bodies: kept once, claimed once, deleted in time."""

import json
import threading
from functools import partial

import pytest
from tests.patience import HANG_SECONDS
from tests.stores import sqlite_store

from frontdesk.errors import Unreachable
from frontdesk.store import raw_events
from frontdesk.store.database import Database
from frontdesk.store.raw_events import BodyPosition, ReceivedBody

pytestmark = pytest.mark.both_engines

ACCOUNT = 1


def arrive(database: Database, *bodies: bytes, at: int = 1000) -> list[str]:
    """Bodies that came one millisecond after another; returns their digests."""
    arrivals = [ReceivedBody(ACCOUNT, body, at + number) for number, body in enumerate(bodies)]
    database.write(lambda connection: [raw_events.keep(connection, one) for one in arrivals])
    return [one.digest for one in arrivals]


def waiting(database: Database, count: int = 50, size: int = 1_000_000) -> list[bytes]:
    rows = database.read(lambda connection: raw_events.waiting(connection, ACCOUNT, count, size))
    return [bytes(row["body"]) for row in rows]


def settle(database: Database, digest: str, state: str, reason: str | None = None) -> None:
    database.write(
        lambda connection: raw_events.set_final_state(
            connection, ACCOUNT, digest, state, reason=reason, done=0
        )
    )


def states(database: Database) -> dict[str, int]:
    rows = database.read(lambda connection: raw_events.tallies(connection, ACCOUNT))
    return {row["state"]: row["n"] for row in rows}


def test_the_same_bytes_are_kept_once_in_an_account(database: Database):
    first, again = ReceivedBody(ACCOUNT, b"{}\x00\xff", 5), ReceivedBody(ACCOUNT, b"{}\x00\xff", 6)
    elsewhere = ReceivedBody(2, b"{}\x00\xff", 7)
    kept = database.write(
        lambda connection: [raw_events.keep(connection, one) for one in (first, again, elsewhere)]
    )
    assert kept == [True, False, True]
    assert waiting(database) == [b"{}\x00\xff"]


def test_pending_bodies_come_in_order_within_the_count_and_size_limits(database: Database):
    arrive(database, b"a" * 10, b"b" * 10, b"c" * 10)
    assert waiting(database) == [b"a" * 10, b"b" * 10, b"c" * 10]
    assert waiting(database, count=2) == [b"a" * 10, b"b" * 10]
    assert waiting(database, size=25) == [b"a" * 10, b"b" * 10]
    assert waiting(database, size=1) == [b"a" * 10]


def test_bodies_of_one_millisecond_come_in_the_order_in_which_they_were_stored(
    database: Database,
):
    bodies = [f"{number}".encode() for number in range(9)]
    for body in bodies:
        arrive(database, body)
    assert waiting(database) == bodies


def test_a_clock_that_was_put_back_gives_its_own_times(database: Database):
    arrive(database, b"before", at=9_000_000)
    (digest,) = arrive(database, b"after", at=8_000)
    places = database.read(lambda connection: raw_events.positions_after(connection, 1, None, 9))
    assert places[0] == BodyPosition(8_000, digest)


def test_finished_bodies_are_not_pending_until_they_are_replayed(database: Database):
    applied, failed, ignored, _ = arrive(database, b"a", b"f", b"i", b"s")
    settle(database, applied, "applied")
    settle(database, failed, "failed", "it is odd")
    settle(database, ignored, "ignored")
    assert states(database) == {"applied": 1, "failed": 1, "ignored": 1, "stored": 1}
    failures_read = database.read(lambda connection: raw_events.failures(connection, ACCOUNT, 5))
    assert [(row["digest"], row["reason"]) for row in failures_read] == [(failed, "it is odd")]
    database.write(lambda connection: raw_events.wait_again(connection, ACCOUNT, [failed]))
    assert waiting(database) == [b"f", b"s"]
    assert states(database) == {"applied": 1, "ignored": 1, "stored": 2}


def test_a_step_is_taken_by_one_of_two_at_once(database: Database):
    (digest,) = arrive(database, b"a")
    together = threading.Barrier(2, timeout=HANG_SECONDS)
    won: list[bool] = []

    def take() -> None:
        together.wait()
        won.append(
            database.write(
                lambda connection: raw_events.advance(connection, ACCOUNT, digest, 0, 200, size=1)
            )
        )

    threads = [threading.Thread(target=take) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == [False, True]
    (row,) = database.read(lambda connection: raw_events.waiting(connection, ACCOUNT, 1, 1))
    assert row["done"] == 200


def test_a_body_that_was_cut_is_claimed_anew_from_its_first_event(database: Database):
    (digest,) = arrive(database, b"abc")

    def take(done: int, size: int) -> bool:
        return database.write(
            lambda connection: raw_events.advance(
                connection, ACCOUNT, digest, done, done + 1, size=size
            )
        )

    assert take(0, 3)
    database.write(
        lambda connection: raw_events.rewrite(connection, ACCOUNT, digest, b"a", fewer_events=True)
    )
    assert not take(1, 3)
    assert not take(0, 3)
    assert take(0, 1)


def test_places_are_walked_in_order_from_a_moment_on(database: Database):
    digests = arrive(database, *(b"%d" % number for number in range(5)), at=100)
    settle(database, digests[3], "applied")

    def walk(state: str | None = None, since: int = 0) -> list[BodyPosition]:
        found: list[BodyPosition] = []
        while True:
            last = found[-1] if found else None
            page = database.read(
                partial(
                    raw_events.positions_after,
                    account_id=ACCOUNT,
                    after=last,
                    count=2,
                    state=state,
                    since=since,
                )
            )
            if not page:
                return found
            found += page

    assert walk() == [BodyPosition(100 + number, digest) for number, digest in enumerate(digests)]
    assert [place.digest for place in walk(since=102)] == digests[2:]
    assert [place.digest for place in walk(state="stored", since=101)] == [
        digests[1],
        digests[2],
        digests[4],
    ]


def test_bodies_are_found_by_their_bytes(database: Database):
    one, other, _ = arrive(database, b'{"id":"w:1%_\\/x"}', b"\x00w2", b"w", at=10)

    def naming(since: int, *needles: bytes) -> list[str]:
        return database.read(
            lambda connection: raw_events.digests_containing(connection, ACCOUNT, since, needles)
        )

    assert naming(0, b"w:1%_\\/x") == [one]
    assert naming(0, b"w:1", b"\x00w2") == sorted([one, other])
    assert naming(11, b"w:1", b"w2") == [other]


def test_a_changed_body_is_still_known_by_what_came(database: Database):
    (digest,) = arrive(database, b"whole")
    database.write(lambda connection: raw_events.rewrite(connection, ACCOUNT, digest, b"part"))
    assert waiting(database) == [b"part"]
    assert not database.write(
        lambda connection: raw_events.keep(connection, ReceivedBody(ACCOUNT, b"whole", 9))
    )


def test_old_bodies_are_deleted_in_batches_but_pending_ones_are_kept(database: Database):
    digests = arrive(database, *(b"%d" % number for number in range(6)), at=0)
    for digest in digests[1:]:
        settle(database, digest, "applied")

    def drop() -> int:
        return database.write(
            lambda connection: raw_events.drop_older(connection, ACCOUNT, before=5, count=3)
        )

    assert [drop(), drop(), drop()] == [3, 1, 0]
    assert waiting(database) == [b"0"]
    assert states(database) == {"applied": 1, "stored": 1}


def test_a_full_file_takes_nothing_and_says_to_try_again():
    with sqlite_store() as database:
        database.write(lambda connection: connection.run("PRAGMA max_page_count=1"))
        with pytest.raises(Unreachable) as refused:
            arrive(database, b"x" * 1_000_000)
        assert refused.value.retry_after
        assert waiting(database) == []


def test_ignored_bodies_become_pending_again_by_the_exact_name_of_their_kind(database: Database):
    kinds = ("of 10", "of 101", 'of "1%', "of é_1")
    digests = arrive(database, *(kind.encode() for kind in kinds))
    for digest, kind in zip(digests, kinds, strict=True):
        ignored = json.dumps({"group message": 2, kind: 1})
        database.write(
            partial(
                raw_events.set_final_state,
                account_id=ACCOUNT,
                digest=digest,
                state="ignored",
                ignored_json=ignored,
                done=0,
            )
        )
    for kind in kinds:
        database.write(partial(raw_events.wait_for, account_id=ACCOUNT, kinds=[kind]))
        assert waiting(database)[-1:] == [kind.encode()]
    assert len(waiting(database)) == len(kinds)
    assert database.read(partial(raw_events.ignored, account_id=ACCOUNT)) == []


def test_a_body_reset_while_it_is_applied_stays_pending(database: Database):
    (digest,) = arrive(database, b"a")
    database.write(lambda connection: raw_events.advance(connection, ACCOUNT, digest, 0, 7, size=1))
    database.write(
        lambda connection: raw_events.pass_over(connection, ACCOUNT, digest, '{"of 10": 1}')
    )
    database.write(partial(raw_events.wait_for, account_id=ACCOUNT, kinds=["of 10"]))
    settled = database.write(
        lambda connection: raw_events.set_final_state(
            connection, ACCOUNT, digest, "applied", done=7
        )
    )
    assert not settled
    assert waiting(database) == [b"a"]
