"""Wire values: parsed, validated, serialized unchanged, and immutable."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from frontdesk import wire
from frontdesk.wire import Conversation, Label, Page, PartialPage, PhoneRef, ReportQuery, Wire
from frontdesk.wire.base import nested_model
from frontdesk.wire.reports import Period

WHO = {"id": "7", "name": None, "phone": "+447700900001"}
MESSAGE = {"id": "2", "type": "text", "created_at": "x", "text": "Hello"}
BARE = {"id": "1", "status": "open", "channel": WHO, "contact": WHO, "last_activity_at": "x"}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inside: st.lists(inside) | st.dictionaries(st.text(), inside),
    max_leaves=5,
)


def test_the_package_lists_and_has_every_name_that_it_offers() -> None:
    assert {*wire.__all__} <= {*dir(wire)}
    assert all(hasattr(wire, name) for name in wire.__all__)
    assert not hasattr(wire, "Envelope")


def test_a_value_that_was_sent_differs_from_a_default() -> None:
    label = Label.model_validate_json('{"id": "1", "title": "vip", "description": null}')
    assert label.model_fields_set == {"id", "title", "description"}
    assert label.color == Label.model_fields["color"].default
    assert label.model_dump(mode="json", exclude_unset=True) == {
        "id": "1",
        "title": "vip",
        "description": None,
    }
    assert label.model_dump(mode="json", exclude_none=True) == {
        "id": "1",
        "title": "vip",
        "color": label.color,
    }


@given(st.dictionaries(st.sampled_from([*Label.model_fields, "unknown"]), st.text()))
def test_a_label_round_trips_through_json(members: dict[str, str]) -> None:
    members = {"id": "1", "title": "vip", **members}
    label = Label.model_validate_json(json.dumps(members))
    members.pop("unknown", None)
    assert json.loads(label.model_dump_json(exclude_unset=True)) == members
    assert Label(**members) == Label.model_validate(members) == label
    assert hash(Label(**members)) == hash(label)


@given(st.sampled_from(sorted(BARE)), json_values)
def test_a_member_of_another_kind_is_refused(name: str, value: Any) -> None:
    wanted = dict if isinstance(BARE[name], dict) else str
    given = {**BARE, name: value}
    if isinstance(value, wanted) and (wanted is str or {"id"} <= value.keys()):
        return
    with pytest.raises(ValidationError):
        Conversation.model_validate_json(json.dumps(given))


@pytest.mark.parametrize("missing", sorted(BARE))
def test_a_value_without_a_member_that_must_be_there_is_none(missing: str) -> None:
    with pytest.raises(ValueError, match=missing):
        Conversation(**{name: value for name, value in BARE.items() if name != missing})


def test_values_are_equal_by_their_members_and_kind_alone() -> None:
    ref = PhoneRef(id="1", name=None)
    assert ref == PhoneRef(id="1")
    assert ref != PhoneRef(id="2")
    assert ref != Label(id="1", title="")
    assert len({ref, PhoneRef(id="1")}) == 1


def test_a_value_is_never_changed_and_a_copy_is_another() -> None:
    before = Conversation.model_validate(BARE)
    with pytest.raises(ValidationError, match="frozen"):
        before.status = "resolved"  # type: ignore[misc]
    after = before.model_copy(update={"status": "resolved"})
    assert (before.status, after.status) == ("open", "resolved")
    assert after.model_fields_set == BARE.keys()
    assert after.model_copy(update={"labels": ("vip",)}).model_fields_set == {*BARE, "labels"}


def test_a_default_is_not_shared_where_it_could_be_changed() -> None:
    class Bag(Wire):
        things: dict[str, int] = {}

    Bag().things["a"] = 1
    assert Bag().things == {}


def test_a_name_that_python_keeps_for_itself_is_the_plain_one_in_json() -> None:
    period = Period.model_validate_json('{"from": "2026-03-01", "to": "2026-03-02"}')
    assert period == Period(from_="2026-03-01", to="2026-03-02")
    assert period.model_dump(mode="json") == {"from": "2026-03-01", "to": "2026-03-02"}
    assert ReportQuery(from_="2026-03-01").parameters() == {"from": "2026-03-01"}


def test_the_rows_of_a_page_are_checked() -> None:
    page = Page[Label].model_validate_json('{"data": [{"id": "1", "title": "vip"}]}')
    assert page == Page[Label](data=(Label(id="1", title="vip"),))
    assert isinstance(page, Page)
    assert Page[Label] is Page[Label]
    for rows in ('[{"title": "vip"}]', '["vip"]', "null", "{}"):
        with pytest.raises(ValidationError):
            Page[Label].model_validate_json(f'{{"data": {rows}}}')


@pytest.mark.parametrize(
    ("members", "unread"),
    [
        ({"unread_count": 2}, True),
        ({"unread_count": 0, "last_inbound_at": "x"}, False),
        ({"unread_count": None, "last_inbound_at": "x"}, True),
        # Nobody has written.
        ({"unread_count": None, "last_inbound_at": None, "last_message": None}, False),
        # Of servers that do not say when the customer wrote last.
        ({}, True),
        ({"last_message": {**MESSAGE, "direction": "inbound"}}, True),
        ({"last_message": {**MESSAGE, "direction": "outbound"}}, False),
    ],
)
def test_without_a_read_marker_what_the_customer_wrote_is_unread(
    members: dict[str, Any], unread: bool
) -> None:
    assert Conversation.model_validate({**BARE, **members}).is_unread == unread


def test_a_partial_page_is_a_page() -> None:
    partial = PartialPage[Label](data=(), unreadable=2)
    assert isinstance(partial, Page)
    assert partial.ended
    assert partial.unreadable == 2


@pytest.mark.parametrize(
    ("annotation", "held"),
    [(str, None), (Label, Label), (Label | None, Label), (tuple[Label, ...] | None, Label)],
)
def test_the_nested_model_of_an_annotation_is_found(
    annotation: Any, held: type[Wire] | None
) -> None:
    assert nested_model(annotation) is held


def _models(base: type[Wire]) -> Iterator[type[Wire]]:
    for model in base.__subclasses__():
        yield model
        yield from _models(model)


def _defaults() -> dict[str, Any]:
    """What a client assumes of each member that another server leaves out, by its name."""
    return {
        f"{model.__name__}.{name}": member.default
        for model in _models(Wire)
        if model.__module__.startswith("frontdesk.wire.")
        for name, member in model.model_fields.items()
        if not member.is_required()
    }


def test_a_number_that_a_server_leaves_out_is_zero_and_a_mark_is_not_set() -> None:
    numbers = {name: one for name, one in _defaults().items() if isinstance(one, int)}
    assert {name for name, one in numbers.items() if one} == {"User.active"}
    assert len(numbers) > 40
