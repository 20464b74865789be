"""One row of several reports of a message: what a copy, an edit or a delivery step changes."""

import json
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from tests.ingest.event_helpers import ANA, CHANNEL, CONTACT, NOW, delivery, inbound, outbound

from frontdesk.ingest.apply import message_row
from frontdesk.ingest.events import (
    CONTENTS,
    HISTORY_PLACEHOLDER,
    PLACEHOLDER,
    Author,
    MessageEdit,
    MessagePricing,
    MessageUpsert,
)
from frontdesk.store.rows import MessageRow

AT = NOW - 9_000


def row(event: MessageUpsert, author_id: int | None = None, name: str | None = None) -> MessageRow:
    return message_row.message_row(event, author_id, name)


def sent(**members: Any) -> MessageRow:
    return row(outbound(AT, "m", **members))


def received(**members: Any) -> MessageRow:
    return row(inbound(AT, "m", **members))


@pytest.mark.parametrize(
    ("status", "sent_at"),
    [
        (None, None),
        ("pending", None),
        ("failed", None),
        ("sent", AT),
        ("delivered", AT),
        ("read", AT),
        ("played", AT),
    ],
)
def test_a_message_was_sent_at_its_time_if_its_status_says_that_it_was(
    status: str | None, sent_at: int | None
) -> None:
    message = sent(status=status)
    assert (message["delivery_status"], message["sent_at"]) == (status, sent_at)


def test_a_message_of_a_customer_has_no_delivery_and_no_price() -> None:
    message = received(status="sent", pricing=MessagePricing(AT, "utility", True))
    assert (message["direction"], message["delivery_status"], message["sent_at"]) == (0, None, None)
    assert (message["priced_at"], message["category"]) == (None, None)


def test_a_message_keeps_who_wrote_it_and_what_it_was_charged_as() -> None:
    pricing = MessagePricing(AT + 5, "utility", False, "PMP", "regular")
    message = row(outbound(AT, "m", author=ANA, pricing=pricing, forwarded="often"), 7, "Ana")
    assert (message["author"], message["author_id"], message["author_name"]) == ("user", "7", "Ana")
    assert (message["priced_at"], message["category"], message["billable"]) == (
        AT + 5,
        "utility",
        0,
    )
    assert (message["pricing_model"], message["pricing_type"]) == ("PMP", "regular")
    assert (message["direction"], message["live"], message["forwarded"]) == (1, 1, "often")


STEPS = ("pending", "sent", "failed", "delivered", "read", "played")


@pytest.mark.parametrize(("lower", "higher"), list(combinations((None, *STEPS), 2)))
def test_of_two_statuses_the_further_one_holds_whichever_comes_first(
    lower: str | None, higher: str
) -> None:
    for first, second in ((lower, higher), (higher, lower)):
        message = sent(status=first)
        message_row.merge_copy(message, sent(status=second))
        assert message["delivery_status"] == higher


@pytest.mark.parametrize("step", STEPS[1:])
def test_the_earliest_report_of_a_step_is_its_time(step: str) -> None:
    message = sent()
    assert message_row.deliver(message, delivery("m", step, AT + 50))
    assert message_row.deliver(message, delivery("m", step, AT + 40))
    assert not message_row.deliver(message, delivery("m", step, AT + 60))
    assert message[f"{step}_at"] == AT + 40  # type: ignore[literal-required]
    assert message["created_at"] == AT


def test_a_placeholder_is_as_old_as_its_first_report_and_live_if_one_of_them_was() -> None:
    message = message_row.placeholder_row(delivery("m", "read", AT, live=False))
    assert (message["richness"], message["live"], message["author"]) == (PLACEHOLDER, 0, "api")
    message_row.deliver(message, delivery("m", "sent", AT - 50, live=False))
    assert (message["created_at"], message["live"]) == (AT - 50, 0)
    message_row.deliver(message, delivery("m", "delivered", AT + 50, live=True))
    assert (message["created_at"], message["live"]) == (AT - 50, 1)


def test_a_live_report_of_a_back_filled_message_does_not_make_it_live() -> None:
    message = sent(live=False)
    message_row.deliver(message, delivery("m", "read", AT - 50, live=True))
    assert (message["live"], message["created_at"]) == (0, AT)


def test_of_two_errors_the_same_holds_in_both_orders() -> None:
    first, second = {"code": 1}, {"code": 2}
    for errors in ((first, second), (second, first)):
        message = sent()
        for error in errors:
            message_row.deliver(message, delivery("m", "failed", AT, error=error))
        assert json.loads(message["error_json"] or "") == first
    assert not message_row.deliver(message, delivery("m", "failed", AT))
    assert json.loads(message["error_json"] or "") == first


@pytest.mark.parametrize(
    ("poorer", "richer"), list(combinations((PLACEHOLDER, HISTORY_PLACEHOLDER, CONTENTS), 2))
)
def test_a_richer_copy_replaces_a_poorer_one_and_never_the_reverse(
    poorer: int, richer: int
) -> None:
    poor = received(richness=poorer, text="poor", live=True, stamped_at=1)
    rich = row(
        inbound(AT + 5, "m", richness=richer, text="rich", live=False, stamped_at=2, source="x")
    )
    for first, second, changed in ((poor, rich, True), (rich, poor, False)):
        message = first.copy()
        assert message_row.merge_copy(message, second) == changed
        assert (message["text"], message["richness"], message["source"]) == ("rich", richer, "x")
        assert (message["created_at"], message["stamped_at"], message["live"]) == (AT + 5, 2, 0)


def test_of_two_equal_copies_the_earlier_time_holds_and_it_is_live_if_one_of_them_is() -> None:
    early = received(stamped_at=5, live=False)
    late = row(inbound(AT + 1, "m", text=early["text"], stamped_at=6))
    for first, second in ((early, late), (late, early)):
        message = first.copy()
        assert message_row.merge_copy(message, second)
        assert (message["created_at"], message["stamped_at"], message["live"]) == (AT, 5, 1)
        assert not message_row.merge_copy(message, second)


SOURCES = ("unheard_of", "chat_export", "chatwoot", "history", "archive", "echo", "webhook")


@pytest.mark.parametrize(("worse", "better"), list(combinations(SOURCES, 2)))
def test_the_contents_are_those_of_the_better_source(worse: str, better: str) -> None:
    members = {
        name: {"reply_wamid": name, "forwarded": name, "referral": {"from": name}, "text": name}
        for name in (worse, better)
    }
    for first, second in ((worse, better), (better, worse)):
        message = received(source=first, **members[first])
        message_row.merge_copy(message, received(source=second, **members[second]))
        assert (message["source"], message["text"]) == (better, better)
        assert (message["reply_wamid"], message["forwarded"]) == (better, better)
        assert json.loads(message["referral_json"] or "") == {"from": better}


@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        ((Author("api"), None), (Author("phone"), None)),
        ((Author("phone"), None), (Author("campaign"), None)),
        ((Author("api"), None), (ANA, 7)),
        ((Author("user"), None), (ANA, 7)),
        ((Author("automation"), None), (Author("campaign"), None)),
        ((Author("user", name="Ana"), None), (Author("user", name="Bo"), None)),
    ],
)
def test_the_author_is_the_one_that_says_most(
    weaker: tuple[Author, int | None], stronger: tuple[Author, int | None]
) -> None:
    for first, second in ((weaker, stronger), (stronger, weaker)):
        message = row(outbound(AT, "m", author=first[0]), first[1], first[0].name)
        copy = row(outbound(AT, "m", author=second[0]), second[1], second[0].name)
        message_row.merge_copy(message, copy)
        author_id = None if stronger[1] is None else str(stronger[1])
        assert (message["author"], message["author_id"]) == (stronger[0].kind, author_id)
        assert message["author_name"] == stronger[0].name


def test_a_richer_copy_from_the_other_side_takes_the_delivery_with_it() -> None:
    message = message_row.placeholder_row(delivery("m", "read", AT))
    message_row.deliver(message, delivery("m", "read", AT, category="utility"))
    message_row.merge_copy(message, received())
    assert (message["direction"], message["author"]) == (0, CONTACT.kind)
    assert not any(message[name] for name in ("delivery_status", "read_at", "priced_at"))


def test_a_better_copy_of_a_changed_message_brings_back_none_of_its_contents() -> None:
    better = received(text="said", raw={"a": 1}, media={"id": "7"}, type="image")
    edited, deleted = (received(source="history", text="old") for _ in range(2))
    message_row.edit(edited, MessageEdit(CHANNEL, "m", AT + 5, "text", "edited"))
    message_row.revoke(deleted, AT + 5)
    message_row.merge_copy(edited, better)
    message_row.merge_copy(deleted, better)
    assert (edited["text"], edited["type"], edited["source"]) == ("edited", "text", "webhook")
    assert json.loads(edited["raw_json"] or "") == {"a": 1}
    assert (deleted["text"], deleted["type"], deleted["source"]) == (None, "image", "webhook")
    assert (deleted["raw_json"], deleted["media_json"]) == (None, None)


def test_an_edit_keeps_the_product_that_the_message_asks_about() -> None:
    product = {"referred_product": {"catalog_id": "71", "product_retailer_id": "CUP-7"}}
    message = received(content=product)
    first = MessageEdit(CHANNEL, "m", AT + 5, "text", "edited")
    assert message_row.edit(message, first)
    assert not message_row.edit(message, first)
    assert json.loads(message["content_json"] or "") == product


def test_the_latest_edit_holds_and_of_two_at_once_the_same_in_both_orders() -> None:
    low, high = (MessageEdit(CHANNEL, "m", AT + 5, "text", text) for text in ("a", "b"))
    for first, second, changed in ((low, high, True), (high, low, False)):
        message = received(text="z")
        assert message_row.edit(message, first)
        assert message_row.edit(message, second) == changed
        assert (message["text"], message["edited_at"]) == ("b", AT + 5)
        assert not message_row.edit(message, replace(first, at=AT + 4, text="c"))
        assert not message_row.edit(message, high)


def test_an_edit_at_the_beginning_of_time_is_one() -> None:
    message = received()
    assert message_row.edit(message, MessageEdit(CHANNEL, "m", 0, "text", "a"))
    assert message["edited_at"] == 0


def test_an_edit_of_a_deleted_message_says_its_type_alone() -> None:
    message = received()
    message_row.revoke(message, AT + 5)
    edit = MessageEdit(CHANNEL, "m", AT + 4, "image", "words", {"a": 1}, {"id": "7"})
    assert message_row.edit(message, edit)
    assert (message["type"], message["edited_at"]) == ("image", AT + 4)
    assert not any(message[name] for name in ("text", "content_json", "media_json"))


def test_the_earliest_deletion_is_its_time() -> None:
    message = received(raw={"a": 1}, content={"b": 1})
    assert message_row.revoke(message, AT + 5)
    assert not message_row.revoke(message, AT + 6)
    assert message_row.revoke(message, AT + 4)
    assert message["deleted_at"] == AT + 4
    assert not any(message[name] for name in ("text", "content_json", "media_json", "raw_json"))


_EXPORTED = replace(inbound(AT, source="chat_export", live=False), wamid=None)


def test_a_message_of_a_chat_export_has_the_provider_s_time_and_keeps_its_own() -> None:
    message = row(replace(_EXPORTED, edited_at=AT + 1, deleted_at=AT + 2))
    message_row.identify(message, row(inbound(AT + 30_000, "m")))
    assert (message["wamid"], message["created_at"]) == ("m", AT + 30_000)
    assert (message["stamped_at"], message["source"]) == (AT, "webhook")
    assert (message["edited_at"], message["deleted_at"]) == (AT + 30_000, AT + 30_000)
    again = row(replace(_EXPORTED, stamped_at=AT - 5, edited_at=AT + 90_000))
    message_row.identify(again, row(inbound(AT + 30_000, "m")))
    assert (again["stamped_at"], again["edited_at"]) == (AT - 5, AT + 90_000)
    assert again["deleted_at"] is None


def test_what_a_chat_export_said_is_taken_out_of_a_message_that_it_is_not() -> None:
    message = row(replace(_EXPORTED, text="of the export"))
    message_row.identify(message, row(inbound(AT + 30_000, "m", richness=PLACEHOLDER)))
    displaced = message_row.exported(message)
    assert (displaced["wamid"], displaced["created_at"], displaced["live"]) == (None, AT, 0)
    assert (displaced["text"], displaced["source"]) == ("of the export", "chat_export")
    assert displaced["stamped_at"] is None
    other = row(replace(_EXPORTED, at=AT + 60_000, text="another"))
    message_row.restore_export(other, displaced)
    assert (other["text"], other["created_at"]) == ("of the export", AT)


def test_a_message_of_an_export_without_another_time_has_that_of_its_own() -> None:
    assert message_row.exported(row(_EXPORTED))["created_at"] == AT


def test_the_latest_price_holds_and_of_two_at_once_the_same_in_both_orders() -> None:
    low, high = ({"category": name, "billable": True} for name in ("authentication", "utility"))
    for first, second in ((low, high), (high, low)):
        message = sent()
        for members in (first, second):
            message_row.deliver(message, delivery("m", "sent", AT, **members))
        assert (message["category"], message["priced_at"]) == ("utility", AT)
    assert message_row.deliver(message, delivery("m", "read", AT + 1, **low))
    assert (message["category"], message["priced_at"], message["billable"]) == (
        "authentication",
        AT + 1,
        1,
    )
    message_row.deliver(message, delivery("m", "played", AT + 2))
    assert (message["category"], message["priced_at"]) == ("authentication", AT + 1)


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("category", "utility"),
        ("billable", False),
        ("pricing_model", "PMP"),
        ("pricing_type", "regular"),
    ],
)
def test_any_part_of_a_price_is_one(member: str, value: object) -> None:
    message = sent()
    message_row.deliver(message, delivery("m", "sent", AT + 1, **{member: value}))
    assert message["priced_at"] == AT + 1
    message_row.deliver(message, delivery("m", "sent", AT + 1, **{member: value}, priced_at=AT + 9))
    assert message["priced_at"] == AT + 9


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("created_at", 1),
        ("author", "phone"),
        ("author_id", "7"),
        ("type", "image"),
        ("live", 0),
        ("category", "utility"),
    ],
)
def test_what_the_state_rules_depend_on_is_known(column: str, value: object) -> None:
    message = received()
    before = message_row.folded_columns(message)
    assert message_row.folded_columns(received(text="other")) == before
    message[column] = value  # type: ignore[literal-required]
    assert message_row.folded_columns(message) != before
