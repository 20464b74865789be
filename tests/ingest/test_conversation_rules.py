"""The state rules, one by one."""

from itertools import permutations
from typing import Any

import pytest

from frontdesk.ingest.apply.conversation_rules import (
    OPEN,
    RESOLVED,
    SNOOZED,
    ConversationState,
    MetricEvent,
    StateEvent,
    continues,
    ends_with_questions,
    fold,
    initial_status,
)

DAY = 24 * 60 * 60 * 1000


def message(at: int, author: str = "contact", **members: Any) -> dict[str, Any]:
    return {
        "id": at,
        "created_at": at,
        "direction": int(author != "contact"),
        "author": author,
        "author_id": None,
        "type": "text",
        "live": 1,
        "category": None,
        "wamid": f"{at:09}",
        **members,
    }


def test_the_first_live_message_opens_the_conversation() -> None:
    standing = fold(ConversationState(), [message(10)], [])
    assert (standing.status, standing.waiting_since, standing.last_inbound_at) == (OPEN, 10, 10)
    assert not standing.awaiting_human


def test_the_wait_begins_with_the_oldest_unanswered_message() -> None:
    standing = fold(ConversationState(), [message(10), message(20)], [])
    assert standing.waiting_since == 10


@pytest.mark.parametrize("name", ["resolved", "snoozed"])
def test_a_live_inbound_message_reopens(name: str) -> None:
    standing = fold(
        ConversationState(), [message(10), message(30)], [StateEvent(20, 1, name, until=99)]
    )
    assert (standing.status, standing.snoozed_until) == (OPEN, None)
    assert standing.waiting_since == (30 if name == "resolved" else 10)


def test_back_fill_never_reopens() -> None:
    standing = fold(
        ConversationState(), [message(10), message(30, live=0)], [StateEvent(20, 1, "resolved")]
    )
    assert (standing.status, standing.waiting_since) == (RESOLVED, None)


@pytest.mark.parametrize("type_", ["reaction", "system"])
def test_reactions_and_system_rows_neither_reopen_nor_wait(type_: str) -> None:
    standing = fold(
        ConversationState(), [message(10), message(30, type=type_)], [StateEvent(20, 1, "resolved")]
    )
    assert (standing.status, standing.waiting_since) == (RESOLVED, None)
    assert (standing.newest_at, standing.last_inbound_at) == (10, 10)


@pytest.mark.parametrize("author", ["user", "phone"])
def test_a_persons_answer_ends_the_wait_and_marks_all_before_it_as_read(author: str) -> None:
    said = [message(10), message(20, author), message(30)]
    standing = fold(ConversationState(), said, [StateEvent(15, 1, "bot_handoff")])
    assert not standing.awaiting_human
    assert (standing.first_reply_at, standing.waiting_since) == (20, 30)
    assert (standing.read_marker, standing.unread_count) == (20, 1)


@pytest.mark.parametrize("author", ["ai_agent", "api"])
def test_a_machines_answer_ends_the_wait_but_is_no_first_reply(author: str) -> None:
    standing = fold(ConversationState(), [message(10), message(20, author)], [])
    assert (standing.waiting_since, standing.first_reply_at, standing.read_marker) == (
        None,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("author", "category"),
    [("campaign", None), ("automation", None), ("api", "marketing"), ("api", "utility")],
)
def test_bulk_and_automated_messages_do_not_count_as_replies(
    author: str, category: str | None
) -> None:
    standing = fold(ConversationState(), [message(10), message(20, author, category=category)], [])
    assert (standing.waiting_since, standing.newest_at) == (10, 20)


def call(at: int, status: str, author: str = "contact", **members: Any) -> dict[str, Any]:
    content = f'{{"status":"{status}"}}'
    return message(at, author, type="call", content_json=content, **members)


@pytest.mark.parametrize("status", ["missed", "declined", "ringing"])
def test_a_call_that_nobody_answers_waits_like_a_message(status: str) -> None:
    first = [call(10, status)]
    standing = fold(ConversationState(), first, [StateEvent(9, 1, "read_marker", until=9)])
    assert (standing.status, standing.waiting_since, standing.last_inbound_at) == (OPEN, 10, 10)
    assert standing.last_message == first[0]
    assert standing.unread_count == 1
    again = fold(standing, [call(30, status)], [StateEvent(20, 2, "resolved")])
    assert (again.status, again.waiting_since) == (OPEN, 30)


def test_an_answered_call_of_a_customer_is_a_reply_to_what_waited() -> None:
    standing = fold(ConversationState(), [message(10), call(30, "answered")], [])
    assert standing.metrics == [MetricEvent("first_response", 30, 10)]
    assert (standing.waiting_since, standing.first_reply_at) == (None, 30)
    assert (standing.last_inbound_at, standing.unread_count) == (30, 0)


@pytest.mark.parametrize(("live", "status"), [(1, OPEN), (0, RESOLVED)])
def test_an_answered_call_reopens_unless_it_is_back_fill(live: int, status: str) -> None:
    messages = [message(10), call(30, "answered", live=live)]
    standing = fold(ConversationState(), messages, [StateEvent(20, 1, "resolved")])
    assert (standing.status, standing.waiting_since) == (status, None)
    assert standing.last_inbound_at == 30


def test_an_answered_call_alone_is_no_reply_in_no_time() -> None:
    standing = fold(ConversationState(), [call(30, "answered")], [])
    assert standing.metrics == []
    assert (standing.status, standing.waiting_since, standing.first_reply_at) == (OPEN, None, 30)


@pytest.mark.parametrize(
    ("status", "author", "waiting_since", "first_reply_at"),
    [
        ("answered", "phone", None, 20),
        ("answered", "api", None, None),
        ("unanswered", "phone", 10, None),
        ("declined", "api", 10, None),
    ],
)
def test_a_call_of_the_business_ends_a_wait_only_if_it_is_answered(
    status: str, author: str, waiting_since: int | None, first_reply_at: int | None
) -> None:
    standing = fold(ConversationState(), [message(10), call(20, status, author)], [])
    assert (standing.waiting_since, standing.first_reply_at) == (waiting_since, first_reply_at)
    assert standing.newest_at == 20


def test_resolving_ends_wait_handover_and_snooze() -> None:
    events = [
        StateEvent(20, 1, "bot_handoff"),
        StateEvent(30, 2, "snoozed", until=500),
        StateEvent(40, 3, "resolved"),
    ]
    standing = fold(ConversationState(), [message(10)], events)
    assert standing.status == RESOLVED
    assert not standing.awaiting_human
    assert (standing.waiting_since, standing.snoozed_until) == (None, None)


def test_a_handover_opens_and_waits() -> None:
    events = [StateEvent(20, 1, "resolved"), StateEvent(30, 2, "bot_handoff")]
    standing = fold(ConversationState(), [message(10)], events)
    assert (standing.status, standing.awaiting_human, standing.waiting_since) == (OPEN, True, 30)


def test_a_new_episode_has_no_first_reply_yet() -> None:
    said = [message(10), message(20, "user"), message(40)]
    standing = fold(ConversationState(), said, [StateEvent(30, 1, "resolved")])
    assert standing.first_reply_at is None


def test_a_snooze_ends_no_episode() -> None:
    said = [message(10), message(20, "user"), message(40)]
    standing = fold(ConversationState(), said, [StateEvent(30, 1, "snoozed", until=90)])
    assert (standing.first_reply_at, standing.status) == (20, OPEN)


@pytest.mark.parametrize("type_", ["reaction", "system"])
def test_a_resolution_without_any_other_message_has_no_duration(type_: str) -> None:
    events = [StateEvent(20, 1, "resolved")]
    standing = fold(ConversationState(), [message(10, type=type_)], events)
    assert standing.metrics == [MetricEvent("resolved", 20)]


def test_a_snooze_of_a_resolved_conversation_counts_as_reopened() -> None:
    events = [StateEvent(20, 1, "resolved"), StateEvent(30, 2, "snoozed", until=90)]
    standing = fold(ConversationState(), [message(10)], events)
    assert standing.metrics == [MetricEvent("resolved", 20, 10), MetricEvent("episode_opened", 30)]
    assert (standing.status, standing.episode_at) == (SNOOZED, 30)


def test_a_snooze_keeps_its_end() -> None:
    standing = fold(ConversationState(), [message(10)], [StateEvent(20, 1, "snoozed", until=90)])
    assert (standing.status, standing.snoozed_until) == (SNOOZED, 90)


def test_labels_and_the_assignee_are_what_was_reported_last() -> None:
    events = [
        StateEvent(1, 1, "labelled", label_id=7, on=True),
        StateEvent(2, 2, "labelled", label_id=8, on=True),
        StateEvent(3, 3, "labelled", label_id=7, on=False),
        StateEvent(4, 4, "assigned", user_id=5),
        StateEvent(5, 5, "assigned", user_id=6),
    ]
    standing = fold(ConversationState(), [], events)
    assert (standing.labels, standing.assignee_id) == (frozenset({8}), 6)


def test_without_a_marker_nothing_is_known_of_unread_messages() -> None:
    assert fold(ConversationState(), [message(10)], []).unread_count is None


def test_a_read_marker_never_moves_back() -> None:
    events = [
        StateEvent(40, 1, "read_marker", until=30),
        StateEvent(50, 2, "read_marker", until=10),
    ]
    standing = fold(ConversationState(), [message(20), message(35)], events)
    assert (standing.read_marker, standing.unread_count) == (30, 1)


def test_folding_in_two_steps_is_folding_at_once() -> None:
    said = [message(10), message(20, "user"), message(40), message(60)]
    events = [StateEvent(30, 1, "resolved"), StateEvent(70, 2, "read_marker", until=45)]
    first = fold(ConversationState(), said[:3], events[:1])
    assert continues(first, said[3:], events[1:])
    second = fold(first, said[3:], events[1:])
    whole = fold(ConversationState(), said, events)
    assert (second.status, second.unread_count, second.waiting_since) == (OPEN, 1, 40)
    assert (whole.status, whole.unread_count, whole.waiting_since) == (OPEN, 1, 40)


@pytest.mark.parametrize(
    ("said", "events"),
    [
        ([message(20)], []),
        ([], [StateEvent(15, 9, "resolved")]),
        ([], [StateEvent(50, 9, "read_marker", until=12)]),
    ],
    ids=["an older message", "an older event", "a marker in the past"],
)
def test_facts_about_the_past_cannot_be_folded_onto_the_state(
    said: list[dict[str, Any]], events: list[StateEvent]
) -> None:
    before = fold(ConversationState(), [message(10), message(20)], [])
    assert not continues(before, said, events)


@pytest.mark.parametrize(
    ("choice", "age", "status"),
    [
        ("auto", 7 * DAY, OPEN),
        ("auto", 7 * DAY + 1, RESOLVED),
        ("open", 90 * DAY, OPEN),
        ("resolved", 0, RESOLVED),
    ],
)
def test_back_fill_starts_by_its_age_or_as_it_was_asked(choice: Any, age: int, status: int) -> None:
    standing = fold(ConversationState(), [message(10, live=0)], [])
    assert initial_status(standing, choice, 10 + age, 10) == status


def test_a_reported_status_needs_no_choice() -> None:
    standing = fold(ConversationState(), [message(10, live=0)], [StateEvent(20, 1, "snoozed")])
    assert initial_status(standing, "resolved", 100 * DAY, 10) == SNOOZED


@pytest.mark.parametrize(
    ("author", "author_id", "user_id"),
    [
        ("user", "7", 7),
        ("user", None, 0),
        ("user", "U-7", 0),
        ("user", "7" * 30, 0),
        ("phone", "7", 0),
    ],
)
def test_a_reply_keeps_the_user_who_wrote_it(
    author: str, author_id: str | None, user_id: int
) -> None:
    said = [message(10), message(20, author, author_id=author_id)]
    metrics = fold(ConversationState(), said, []).metrics
    assert [(one.name, one.user_id) for one in metrics] == [("first_response", user_id)]


@pytest.mark.parametrize(("answerer", "user_id"), [("user", 3), ("ai_agent", 0)])
def test_a_resolution_keeps_the_assignee_unless_only_a_bot_answered(
    answerer: str, user_id: int
) -> None:
    said = [message(10), message(20, answerer)]
    events = [StateEvent(30, 1, "assigned", user_id=3), StateEvent(40, 2, "resolved")]
    metrics = fold(ConversationState(), said, events).metrics
    assert [one.user_id for one in metrics if one.name == "resolved"] == [user_id]


def measured(said: list[dict[str, Any]], events: list[StateEvent]) -> list[MetricEvent]:
    return fold(ConversationState(), said, events).metrics


def test_later_replies_are_timed_from_the_oldest_message_that_waits() -> None:
    said = [message(10), message(20, "user"), message(30), message(35), message(50, "user")]
    assert measured(said, []) == [
        MetricEvent("first_response", 20, 10),
        MetricEvent("reply", 50, 30),
    ]


def test_what_nobody_waits_for_is_no_reply() -> None:
    said = [message(10), message(20, "user"), message(21, "user")]
    assert measured(said, []) == [MetricEvent("first_response", 20, 10)]
    assert measured([message(10, "user"), message(20, "user")], []) == []


def test_a_bots_answer_ends_the_wait_that_a_later_reply_would_be_timed_from() -> None:
    said = [message(10), message(20, "user"), message(30), message(40, "ai_agent")]
    assert measured([*said, message(50, "user")], []) == [MetricEvent("first_response", 20, 10)]


def test_a_first_response_is_timed_from_the_hand_over_to_a_person() -> None:
    said = [message(10), message(15, "ai_agent"), message(40, "user")]
    assert measured(said, [StateEvent(20, 1, "bot_handoff")]) == [
        MetricEvent("bot_handoff", 20),
        MetricEvent("first_response", 40, 20),
    ]


def test_a_hand_over_of_an_earlier_episode_is_no_start_of_a_response() -> None:
    said = [message(10), message(50), message(60, "user")]
    events = [StateEvent(20, 1, "bot_handoff"), StateEvent(30, 2, "resolved")]
    assert measured(said, events)[-1] == MetricEvent("first_response", 60, 50)


def test_an_episode_without_a_message_of_the_customer_has_no_first_response() -> None:
    said = [message(10), message(20, "user"), message(50, "user")]
    events = [StateEvent(30, 1, "resolved"), StateEvent(40, 2, "opened")]
    metrics = measured(said, events)
    assert [one.name for one in metrics] == ["first_response", "resolved", "episode_opened"]


def test_each_episode_is_timed_from_its_own_beginning() -> None:
    said = [message(10), message(20, "user"), message(40), message(50, "user")]
    assert measured(said, [StateEvent(30, 1, "resolved"), StateEvent(60, 2, "resolved")]) == [
        MetricEvent("first_response", 20, 10),
        MetricEvent("resolved", 30, 10),
        MetricEvent("episode_opened", 40),
        MetricEvent("first_response", 50, 40),
        MetricEvent("resolved", 60, 40),
    ]


def test_a_conversation_is_resolved_once_until_it_is_opened_again() -> None:
    events = [StateEvent(20, 1, "resolved"), StateEvent(30, 2, "resolved")]
    assert measured([message(10)], events) == [MetricEvent("resolved", 20, 10)]


def test_opening_what_is_open_begins_no_episode() -> None:
    standing = fold(ConversationState(), [message(10)], [StateEvent(20, 1, "opened")])
    assert (standing.metrics, standing.episode_at) == ([], 10)


@pytest.mark.parametrize(
    ("said", "by_bot"),
    [
        ([message(10), message(20, "ai_agent")], True),
        ([message(10)], False),
        ([message(10), message(20, "ai_agent"), message(25, "user")], False),
        ([message(20, "ai_agent")], True),
    ],
)
def test_a_bot_resolved_what_no_person_answered(said: list[dict[str, Any]], by_bot: bool) -> None:
    metrics = measured(said, [StateEvent(30, 1, "resolved")])
    names = [one.name for one in metrics if "resolved" in one.name]
    assert names == (["resolved", "bot_resolved"] if by_bot else ["resolved"])
    if by_bot:
        assert metrics[-1] == MetricEvent("bot_resolved", 30, said[0]["created_at"])


def test_a_bot_that_spoke_in_an_earlier_episode_did_not_resolve_this_one() -> None:
    said = [message(10), message(20, "ai_agent"), message(40)]
    metrics = measured(said, [StateEvent(30, 1, "resolved"), StateEvent(50, 2, "resolved")])
    assert [one.name for one in metrics].count("bot_resolved") == 1


def test_back_fill_of_a_resolved_conversation_begins_no_episode() -> None:
    said = [message(10), message(30, "user", live=0), message(35, live=0)]
    standing = fold(ConversationState(), said, [StateEvent(20, 1, "resolved")])
    assert (standing.status, standing.episode_at, standing.newest_at) == (RESOLVED, None, 35)


def test_reactions_begin_no_episode_and_are_not_shown() -> None:
    standing = fold(ConversationState(), [message(10, type="reaction")], [])
    assert (standing.status, standing.folded_at) == (OPEN, 10)
    assert (standing.episode_at, standing.newest_at, standing.last_message) == (None, None, None)


def test_what_happens_at_the_time_of_a_message_happens_after_it() -> None:
    events = [StateEvent(10, 1, "resolved")]
    assert fold(ConversationState(), [message(10)], events).status == RESOLVED
    events = [StateEvent(9, 1, "resolved")]
    assert fold(ConversationState(), [message(10)], events).status == OPEN


@pytest.mark.parametrize(
    "events",
    [
        [StateEvent(20, 2, "resolved", key="a"), StateEvent(20, 1, "snoozed", key="b")],
        [StateEvent(20, 1, "resolved"), StateEvent(20, 2, "snoozed")],
    ],
    ids=["by the id at the source", "by id"],
)
def test_events_of_one_time_have_an_order(events: list[StateEvent]) -> None:
    for given in (events, events[::-1]):
        assert fold(ConversationState(), [message(10)], given).status == SNOOZED


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (message(10, wamid="z"), message(10, wamid="b", id=11)),
        (message(10, wamid=None), message(10, wamid=None, id=11)),
        (message(10, wamid="z"), message(10, "user", wamid="a", id=1)),
    ],
    ids=["as stored", "without a wamid", "the answer"],
)
def test_the_last_message_of_one_time_is_that_of_the_thread(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    for given in ([first, second], [second, first]):
        assert fold(ConversationState(), given, []).last_message == second


ANSWERED = {"type": "call", "content_json": '{"status": "answered"}'}


@pytest.mark.parametrize(
    "answer",
    [message(10, author, wamid="a", id=1) for author in ("user", "phone", "ai_agent", "api")]
    + [message(10, wamid="a", id=1, **ANSWERED)],
    ids=["user", "phone", "ai_agent", "api", "answered call"],
)
def test_an_answer_in_the_second_of_its_question_ends_the_wait(answer: dict[str, Any]) -> None:
    question = message(10, wamid="z")
    for given in ([question, answer], [answer, question]):
        assert fold(ConversationState(), given, []).waiting_since is None


def test_of_answers_of_one_time_the_same_is_measured_in_any_order_of_arrival() -> None:
    question = message(10, "contact", wamid="z")
    writers = [message(10, "user", author_id=str(id), wamid=f"w{id}") for id in (5, 3, 4)]
    figures = [
        fold(ConversationState(), [{**one, "id": at} for at, one in enumerate(said)], []).metrics
        for said in permutations([question, *writers])
    ]
    assert figures == [[MetricEvent("first_response", 10, 10, 3)]] * 24


def test_a_marker_counts_what_came_after_it_alone() -> None:
    said = [message(10), message(20), message(30)]
    standing = fold(ConversationState(), said, [StateEvent(40, 1, "read_marker", until=20)])
    assert (standing.read_marker, standing.unread_count) == (20, 1)
    later = fold(standing, [message(50), message(51)], [])
    assert later.unread_count == 3
    again = fold(standing, [], [StateEvent(60, 3, "read_marker", until=20)])
    assert (again.read_marker, again.unread_count) == (20, 1)
    beyond = fold(standing, [message(50)], [StateEvent(45, 2, "read_marker", until=50)])
    assert beyond.unread_count == 0


def test_a_marker_without_a_time_marks_nothing() -> None:
    standing = fold(ConversationState(), [message(10)], [StateEvent(40, 1, "read_marker")])
    assert (standing.read_marker, standing.unread_count) == (None, None)
    assert continues(standing, [], [StateEvent(50, 2, "read_marker")])


@pytest.mark.parametrize(
    ("until", "whole"), [(9, True), (10, True), (11, False), (19, False), (20, True), (25, True)]
)
def test_a_marker_among_earlier_messages_cannot_be_folded_onto_the_state(
    until: int, whole: bool
) -> None:
    events = [StateEvent(20, 1, "read_marker", until=10)]
    before = fold(ConversationState(), [message(10), message(20)], events)
    assert continues(before, [], [StateEvent(30, 2, "read_marker", until=until)]) == whole


def test_questions_of_the_second_of_unanswered_questions_can_be_folded_onto_the_state() -> None:
    asked = fold(ConversationState(), [message(10), message(20)], [])
    assert ends_with_questions(asked)
    more = [message(20, id=21), message(20, "user", id=22)]
    assert continues(asked, more, [], in_last_moment=True)
    assert not continues(asked, [message(19)], [], in_last_moment=True)
    assert not continues(asked, more, [StateEvent(20, 1, "opened")], in_last_moment=True)
    whole = fold(ConversationState(), [message(10), message(20), *more], [])
    added = fold(asked, more, [])
    for name in ("waiting_since", "first_reply_at", "last_inbound_at", "last_message", "metrics"):
        assert getattr(added, name) == getattr(whole, name)


@pytest.mark.parametrize(
    ("said", "events"),
    [
        ([message(10), message(10, "user", id=11)], []),
        ([message(10), message(10, id=11, **ANSWERED)], []),
        ([message(10), message(20, "campaign")], []),
        ([message(10)], [StateEvent(20, 1, "resolved")]),
    ],
    ids=["answer", "answered call", "campaign", "event"],
)
def test_a_state_whose_newest_fact_is_another_does_not_end_with_questions(
    said: list[dict[str, Any]], events: list[StateEvent]
) -> None:
    assert not ends_with_questions(fold(ConversationState(), said, events))


def test_only_what_is_newer_can_be_folded_onto_the_state() -> None:
    before = fold(ConversationState(), [message(10)], [StateEvent(20, 1, "opened")])
    assert not continues(before, [message(20)], [])
    assert not continues(before, [], [StateEvent(20, 2, "resolved")])
    assert continues(before, [message(21)], [StateEvent(21, 2, "resolved")])
    assert continues(ConversationState(), [message(0)], [StateEvent(0, 2, "resolved")])


@pytest.mark.parametrize(
    ("name", "on", "awaits"),
    [
        ("bot_handoff", False, True),
        ("awaiting_human", True, True),
        ("awaiting_human", False, False),
    ],
)
def test_a_human_is_awaited_from_a_hand_over_or_as_is_reported(
    name: str, on: bool, awaits: bool
) -> None:
    standing = fold(ConversationState(), [message(10)], [StateEvent(20, 1, name, on=on)])
    assert standing.awaiting_human == awaits
    assert standing.waiting_since == 10
    hand_overs = [one for one in standing.metrics if one.name == "bot_handoff"]
    assert len(hand_overs) == (name == "bot_handoff")


def test_a_resolved_conversation_awaits_nobody_by_a_report_alone() -> None:
    events = [StateEvent(20, 1, "resolved"), StateEvent(30, 2, "awaiting_human", on=True)]
    standing = fold(ConversationState(), [message(10)], events)
    assert (standing.status, standing.awaiting_human) == (RESOLVED, False)


def test_a_hand_over_without_a_customer_waits_since_then() -> None:
    standing = fold(ConversationState(), [message(10, "user")], [StateEvent(20, 1, "bot_handoff")])
    assert (standing.waiting_since, standing.handed_over_at) == (20, 20)


@pytest.mark.parametrize(
    ("said", "phone", "bot"),
    [
        (message(20, "phone"), 20, None),
        (message(20, "ai_agent"), None, 20),
        (message(20, "user"), None, None),
        (message(20, "api"), None, None),
        (call(20, "answered", "phone"), None, None),
        (message(20, "campaign"), None, None),
    ],
)
def test_it_is_known_when_the_phone_and_when_a_bot_last_wrote(
    said: dict[str, Any], phone: int | None, bot: int | None
) -> None:
    standing = fold(ConversationState(), [message(10), said], [])
    assert (standing.phone_spoke_at, standing.bot_spoke_at) == (phone, bot)


def test_a_call_without_contents_is_not_answered() -> None:
    said = message(20, "phone", type="call", content_json=None)
    assert fold(ConversationState(), [message(10), said], []).waiting_since == 10


def test_opening_ends_a_snooze() -> None:
    events = [StateEvent(20, 1, "snoozed", until=90), StateEvent(30, 2, "opened")]
    standing = fold(ConversationState(), [message(10)], events)
    assert (standing.status, standing.snoozed_until) == (OPEN, None)


def test_unknown_events_and_labels_change_nothing() -> None:
    events = [StateEvent(20, 1, "unheard_of"), StateEvent(30, 2, "labelled", on=True)]
    standing = fold(ConversationState(), [message(10)], events)
    assert (standing.status, standing.labels, standing.folded_at) == (OPEN, frozenset(), 30)


def test_an_id_of_a_user_has_at_most_eighteen_digits() -> None:
    for digits, user_id in ((18, int("9" * 18)), (19, 0)):
        said = [message(10), message(20, "user", author_id="9" * digits)]
        assert measured(said, []) == [MetricEvent("first_response", 20, 10, user_id)]


@pytest.mark.parametrize("author", ["user", "phone", "contact"])
def test_authentication_is_bulk_of_a_program_alone(author: str) -> None:
    said = [message(10), message(20, "api", category="authentication")]
    assert fold(ConversationState(), said, []).waiting_since == 10
    said = [message(10), message(20, author, category="authentication")]
    assert fold(ConversationState(), said, []).waiting_since == (
        10 if author == "contact" else None
    )
