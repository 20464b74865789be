"""Writes after the response: seldom, and said in the log where the database takes none."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from frontdesk.errors import Unreachable
from frontdesk.service.executors import WriteBehind
from frontdesk.store.sqlite import SQLiteDatabase

NOW = 1_773_446_400_000
# A minute between two uses of a key, ten seconds between two attempts to end snoozes.
TOUCH_MILLISECONDS, WAKE_MILLISECONDS = 60_000, 10_000


class Counted(SQLiteDatabase):
    """Counts its writes; takes none while it is on standby."""

    writes, standby = 0, False

    def write(self, work: Callable[..., Any]) -> Any:
        if self.standby:
            raise Unreachable("The database takes no writes")
        self.writes += 1
        return super().write(work)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Counted]:
    database = Counted(tmp_path / "inbox.db", create=True, durable=False)
    database.writes = 0
    yield database
    database.close()


@pytest.mark.parametrize(
    ("moments", "writes"),
    [
        ((NOW,), 1),
        ((NOW, NOW + TOUCH_MILLISECONDS - 1), 1),
        ((NOW, NOW + TOUCH_MILLISECONDS), 2),
        ((NOW, NOW + TOUCH_MILLISECONDS, NOW + TOUCH_MILLISECONDS + 1), 2),
    ],
)
def test_the_use_of_a_key_is_written_seldom(
    database: Counted, moments: tuple[int, ...], writes: int
) -> None:
    behind = WriteBehind(database)
    for moment in moments:
        behind.touch_key("k", None, moment)
    behind.close()
    assert database.writes == writes


def test_a_use_that_another_worker_has_just_written_is_not_written_again(
    database: Counted,
) -> None:
    behind = WriteBehind(database)
    behind.touch_key("k", NOW - TOUCH_MILLISECONDS + 1, NOW)
    behind.touch_key("other", NOW - TOUCH_MILLISECONDS, NOW)
    behind.close()
    assert database.writes == 1


def test_snoozes_of_each_account_end_seldom(database: Counted) -> None:
    behind = WriteBehind(database)
    for account, moment in ((1, 0), (1, WAKE_MILLISECONDS - 1), (2, 0), (1, WAKE_MILLISECONDS)):
        behind.wake_snoozed(account, NOW, NOW + moment)
    behind.close()
    assert database.writes == 3


def test_a_snooze_that_ends_later_is_written_at_once(database: Counted) -> None:
    behind = WriteBehind(database)
    for last in (NOW - 2, NOW - 1, NOW - 1):
        behind.wake_snoozed(1, last, NOW)
    behind.close()
    assert database.writes == 2


def test_what_a_database_does_not_take_is_said_in_the_log(
    database: Counted, caplog: pytest.LogCaptureFixture
) -> None:
    database.standby = True
    behind = WriteBehind(database)
    with caplog.at_level(logging.INFO, "frontdesk"):
        behind.touch_key("k", None, NOW)
        behind.wake_snoozed(1, NOW, NOW)
        behind.close()
    words = [record.getMessage() for record in caplog.records]
    assert [text.partition(" is not written down")[0] for text in words] == [
        "The last use of key k",
        "The end of snoozes",
    ]
