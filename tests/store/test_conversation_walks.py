"""Pages by conditions: few matches are sorted, many are walked to, and both find the same."""

from itertools import product

import pytest
from tests.service.filter_inbox import AT, CONVERSATIONS, fill
from tests.service.small_inbox import HOUR, START, person

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.audit import differences
from frontdesk.ingest.erase import erase
from frontdesk.ingest.events import ContactUpsert, Person
from frontdesk.store import ads
from frontdesk.store.conversation_conditions import (
    FromAd,
    HasField,
    TimeSpan,
    WithoutLabels,
    WrittenBy,
)
from frontdesk.store.conversation_walks import WalkLimits, filtered_page
from frontdesk.store.conversations import ConversationSelection, FilterPlace, position_of, states_of
from frontdesk.store.database import Database
from frontdesk.store.query_conditions import Says
from frontdesk.text.custom_fields import compared, equal_to
from frontdesk.text.search import Terms

pytestmark = pytest.mark.both_engines

EVERY = states_of(range(3))
SORTING, WALKING = WalkLimits(), WalkLimits(few=-1, walked=5)
CONDITIONS = (
    (),
    (WrittenBy((1,)),),
    (WrittenBy((2,), ("ai", "phone")),),
    (WrittenBy((1, 2), negated=True),),
    (HasField("plan"),),
    (HasField("plan", equal_to("gold"), other=True),),
    (HasField("seats", compared(">", "3")), TimeSpan("created_at", START + 4 * HOUR)),
    (FromAd(("12021",)),),
    (WithoutLabels((1, 2)),),
    (TimeSpan("last_activity_at", START + 3 * HOUR, START + 11 * HOUR),),
    (TimeSpan("waiting_since", None, START + 9 * HOUR),),
)
PLACES = (
    (),
    (FilterPlace(1), FilterPlace(2)),
    (FilterPlace(0, 1, None, False), FilterPlace(0, 2), FilterPlace(3, None, 1)),
)


def walked(
    database: Database, selection: ConversationSelection, limits: WalkLimits, count: int
) -> tuple[list[int], int]:
    """Ids of all pages, and the number of pages."""
    ids: list[int] = []
    after, pages = None, 0
    while True:
        page = database.read(
            lambda c, at=after: filtered_page(c, 1, selection, at, count + 1, limits)
        )
        ids += [row["id"] for row in page.rows[:count]]
        pages += 1
        if len(page.rows) > count:
            after = position_of(page.rows[count - 1], selection)
        elif page.stopped is not None:
            after = page.stopped
        else:
            return ids, pages


@pytest.mark.parametrize("sort", ["activity", "created", "waiting", "window"])
def test_few_that_are_sorted_and_many_that_are_walked_are_the_same(database: Database, sort: str):
    fill(database)
    most_pages = 0
    for conditions, places in product(CONDITIONS, PLACES):
        selection = ConversationSelection(
            EVERY,
            sort=sort,
            conditions=conditions,
            places=places,
            awake_at=AT,
            closed_until=START + 6 * HOUR,
            began_at=AT,
        )
        (whole, _) = walked(database, selection, SORTING, CONVERSATIONS)
        assert len(whole) == len(set(whole))
        sorted_ids, _ = walked(database, selection, SORTING, 4)
        walked_ids, pages = walked(database, selection, WALKING, 4)
        assert sorted_ids == whole == walked_ids, selection
        most_pages = max(most_pages, pages)
    # Five candidates a page of all conversations.
    assert most_pages >= CONVERSATIONS // 5


def test_a_walk_goes_on_where_it_stopped_without_matches(database: Database):
    fill(database)
    selection = ConversationSelection(
        EVERY, conditions=(WrittenBy((1,)), WrittenBy((1,), negated=True))
    )
    ids, pages = walked(database, selection, WALKING, 4)
    assert ids == []
    assert pages == CONVERSATIONS // 5 + 1


def test_ads_are_found_by_their_id_or_a_part_of_their_headline(database: Database):
    fill(database)
    found = database.read(
        lambda c: [
            ads.ad_ids(c, 1, names)
            for names in (["12022"], ["SUMMER"], ["ete a", "12021"], ["12"], ["nothing"])
        ]
    )
    assert found == [("12022",), ("12021",), ("12021", "12022"), (), ()]


def found_by(database: Database, condition: HasField) -> list[int]:
    selection = ConversationSelection(EVERY, conditions=(condition,), sort="created")
    return walked(database, selection, SORTING, 100)[0]


def test_custom_fields_follow_changes_merges_and_erasure(database: Database):
    fill(database)
    gold = HasField("plan", equal_to("gold"))
    before = found_by(database, gold)

    def change(*events) -> None:
        database.write(lambda c: apply_events(c, 1, list(events), now=AT + HOUR))

    change(ContactUpsert(person(1), AT + 1, custom_fields={"plan": "silver"}))
    assert found_by(database, HasField("plan", equal_to("SILVER")))
    change(ContactUpsert(person(1), AT + 2, custom_fields={"plan": "gold"}))
    assert len(found_by(database, gold)) >= len(before)
    # Two contacts turn out to be one person.
    other = Person(phone=person(3).phone, wa_user_id="US.merged")
    change(
        ContactUpsert(Person(wa_user_id="US.merged"), AT + 3, custom_fields={"plan": "merged"}),
        ContactUpsert(other, AT + 4, "Merged"),
    )
    assert len(found_by(database, HasField("plan", equal_to("merged")))) == 2
    phone = person(4).phone
    assert phone is not None
    kept = database.read(lambda c: c.rows("SELECT DISTINCT contact_id FROM contact_field"))
    erase(database, 1, phone, lambda done: None)
    left = database.read(lambda c: c.rows("SELECT DISTINCT contact_id FROM contact_field"))
    assert len(left) == len(kept) - 1
    lines = database.read(lambda c: [*differences(c, 1)])
    assert lines == []


def test_the_check_names_custom_fields_that_are_wrong(database: Database):
    fill(database)
    database.write(
        lambda c: c.run("UPDATE contact_field SET value = 'tother' WHERE value = 'tgold'")
    )
    lines = database.read(lambda c: [*differences(c, 1)])
    sides = {line.partition(":")[0] for line in lines}
    assert sides == {"custom field stored", "custom field missing"}


@pytest.mark.parametrize(("most", "capped"), [(CONVERSATIONS - 1, True), (CONVERSATIONS, False)])
def test_a_count_says_if_it_has_not_looked_at_all(database: Database, most: int, capped: bool):
    fill(database)
    selection = ConversationSelection(EVERY, conditions=(WrittenBy((1,), negated=True),))
    limits = WalkLimits(few=-1, walked=most)
    page = database.read(lambda c: filtered_page(c, 1, selection, None, 1, limits, counted=True))
    count = page.total
    assert count is not None
    ids, _ = walked(database, selection, SORTING, CONVERSATIONS)
    assert (count.capped, count.number <= len(ids)) == (capped, True)
    assert capped or count.number == len(ids)


@pytest.mark.parametrize(("most", "capped"), [(20, True), (CONVERSATIONS + 1, False)])
def test_words_are_counted_among_as_many_as_are_looked_at_for_a_page(
    database: Database, most: int, capped: bool
):
    fill(database)
    selection = ConversationSelection(EVERY, conditions=(Says(Terms.of("4")),))
    limits = WalkLimits(few=-1, slowly=most)
    short, full = (
        database.read(lambda c, n=n: filtered_page(c, 1, selection, None, n, limits, counted=True))
        for n in (CONVERSATIONS, 1)
    )
    assert 1 < len(short.rows) < CONVERSATIONS
    assert short.total == full.total == (len(short.rows), capped)
