"""Progress of imports: where each goes on, and for how long that is known."""

import pytest

from frontdesk.store.checkpoints import Checkpoint, checkpoint, forget, keep
from frontdesk.store.database import Database

DAY = 24 * 60 * 60 * 1000
NOW = 1_773_480_413_000


def test_an_import_goes_on_at_its_last_line_until_it_has_ended(database: Database) -> None:
    reached = [Checkpoint(10), Checkpoint(20, {"channel": "101"})]
    assert database.read(lambda c: checkpoint(c, "a")) is None
    for one in reached:
        database.write(lambda c, one=one: keep(c, "a", one, NOW))
        assert database.read(lambda c: checkpoint(c, "a")) == one
    assert database.read(lambda c: checkpoint(c, "b")) is None
    database.write(lambda c: forget(c, "a", NOW))
    assert database.read(lambda c: checkpoint(c, "a")) is None


@pytest.mark.parametrize(("age", "is_known"), [(90 * DAY, True), (90 * DAY + 1, False)])
def test_an_import_that_was_given_up_is_forgotten_after_ninety_days(
    database: Database, age: int, is_known: bool
) -> None:
    database.write(lambda c: keep(c, "old", Checkpoint(10), NOW - age))
    database.write(lambda c: forget(c, "other", NOW))
    assert (database.read(lambda c: checkpoint(c, "old")) is not None) is is_known
