"""Facts of a contact, and their layout."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from frontdesk.inbox.rows import FixedRows
from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets.contact_panel import (
    ContactPanel,
    Fact,
    FactContext,
    contact_facts,
    fact_lines,
)
from frontdesk.wire import Contact, Conversation, CustomField, Note
from tests.tui.compared_drawings import Drawing
from tests.tui.texts import drawn_text

NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)
CLOCK = Clock(UTC, lambda: NOW)
CONTEXT = FactContext(CLOCK)


def conversation(**members: Any) -> Conversation:
    base = {
        "id": "1042",
        "status": "open",
        "channel": {"id": "106540352242922", "name": "Support EU"},
        "contact": {"id": "88", "name": "Sheena Nelson", "phone": "+16505551234"},
        "last_activity_at": "2026-03-14T09:48:00Z",
    }
    return Conversation.model_validate({**base, **members})


def facts(
    of: Conversation | None = None,
    contact: dict[str, Any] | None = None,
    fields: tuple[CustomField, ...] = (),
    notes: tuple[Note, ...] | None = (),
    others: tuple[Conversation, ...] = (),
    context: FactContext = CONTEXT,
    head: str = "Conversations",
) -> list[Fact]:
    known = Contact.model_validate({"id": "88", **contact}) if contact is not None else None
    return contact_facts(of or conversation(), known, fields, notes, others, context, head=head)


def named(facts: list[Fact]) -> dict[str, str]:
    return {fact.label: fact.value for fact in facts if fact.label}


def drawn(fact: Fact, width: int) -> list[str]:
    panel = ContactPanel()
    panel.rows = FixedRows([("0", fact)])
    lines = ["".join(text for _, text in line) for line in panel.draw(0, width)]
    assert lines
    assert [cell_len(line) for line in lines] == [width] * len(lines)
    assert not any("\n" in line or "\t" in line for line in lines)
    return lines


def test_the_panel_goes_from_group_to_group() -> None:
    panel = ContactPanel()
    note = Note(id="1", text="x", created_at="some day")
    panel.show_facts(facts(contact={}, notes=(note,)), keep_place=False)
    headings = []
    for step in (1, 1, 1, 1, -1, -1, -1, -1):
        panel.step_group(step)
        headings.append(panel.row.label if panel.row else None)
    down = ["Conversation", "Notes (1)", "Notes (1)", "Notes (1)"]
    assert headings == [*down, "Conversation", "", "", ""]


def test_a_panel_without_facts_has_no_groups_to_go_to() -> None:
    panel = ContactPanel()
    panel.show_facts([], keep_place=False)
    panel.step_group(1)
    assert panel.row is None


def test_before_the_contact_is_known_the_conversation_says_who_it_is() -> None:
    first, second = facts()[:2]
    assert first == Fact("", "Sheena Nelson", "strong")
    assert second == Fact("", "+1 650-555-1234", copied="+16505551234")


def test_a_contact_says_all_that_is_known() -> None:
    values = [
        (fact.value, fact.part)
        for fact in facts(
            contact={
                "name": "Sheena\nN",
                "phone": "+16505550000",
                "profile_name": "sheena ✨",
                "email": "sheena@example.com",
                "username": "sheena",
                "blocked": True,
                "marketing_opt_out_at": "2026-03-14T09:26:53.000Z",
            }
        )
        if not fact.label
    ]
    assert values == [
        ("Sheena N", "strong"),
        ("~sheena ✨", "dim"),
        ("+1 650-555-0000", "text"),
        ("sheena@example.com", "text"),
        ("@sheena", "text"),
        ("blocked", "error"),
        ("no marketing messages", "warning"),
    ]


def test_a_profile_name_that_is_the_name_is_not_said_twice() -> None:
    shown = facts(contact={"name": "Sheena", "profile_name": "Sheena"})
    assert [fact.value for fact in shown].count("Sheena") == 1


def test_a_number_that_is_hidden_is_said_to_be() -> None:
    shown = facts(conversation(contact={"id": "88"}))
    assert [fact.value for fact in shown[:2]] == ["contact 88", "number not shared"]


@pytest.mark.parametrize("name", [None, "+447700900002", "+44 7700 900002"])
def test_a_contact_without_a_name_has_its_number_once(name: str | None) -> None:
    nameless = conversation(contact={"id": "88", "name": name, "phone": "+447700900002"})
    shown = [fact for fact in facts(nameless, contact={}) if "900002" in fact.value]
    assert [(fact.value, fact.part, fact.copied) for fact in shown] == [
        ("+44 7700 900002", "strong", "+447700900002")
    ]


def test_the_conversation_is_named() -> None:
    facts_shown = named(
        facts(
            conversation(
                status="snoozed",
                snoozed_until="2026-03-16T08:30:00Z",
                awaiting_human=True,
                assignee={"id": "7", "name": "Ana Souza"},
                labels=("billing", "vip"),
                waiting_since="2026-03-14T09:00:00Z",
                service_window_expires_at="2026-03-15T07:40:00Z",
                created_at="2026-01-02T00:00:00Z",
            )
        )
    )
    assert facts_shown == {
        "Conversation": "",
        "status": "snoozed",
        "until": "16 Mar 08:30",
        "needs": "a human",
        "assigned": "Ana Souza",
        "channel": "Support EU",
        "labels": "billing, vip",
        "waiting": "1h 0m",
        "reply window": "21h 40m left",
        "began": "2 Jan 2026",
        "Notes (0)": "",
    }


def test_missing_facts_are_omitted_or_shown_as_empty() -> None:
    facts_shown = named(facts(conversation(service_window_expires_at="2026-03-14T09:00:00Z")))
    assert facts_shown["assigned"] == "unassigned"
    assert facts_shown["labels"] == "–"
    assert facts_shown["reply window"] == "closed"
    assert "waiting" not in facts_shown
    assert "until" not in facts_shown


def test_an_agents_own_conversations_are_assigned_to_you() -> None:
    own = conversation(assignee={"id": "7", "name": "Ana Souza"})
    assert named(facts(own, context=FactContext(CLOCK, me="7")))["assigned"] == "you"
    assert named(facts(own, context=FactContext(CLOCK, me="8")))["assigned"] == "Ana Souza"


def test_labels_are_chips_in_their_colours_in_as_many_lines_as_they_need() -> None:
    labelled = conversation(labels=["billing", "vip", "shipping"])
    context = FactContext(CLOCK, colours={"billing": "#aa0000"})
    labels = next(one for one in facts(labelled, context=context) if one.label == "labels")
    assert [line.split() for line in drawn(labels, 32)] == [
        ["labels", "billing", "vip"],
        ["shipping"],
    ]
    pieces = [piece for line in fact_lines(labels, 32) for piece in line]
    assert ("#aa0000", " billing ") in pieces
    plain = "".join(text for line in fact_lines(labels, 32, plain=True) for _, text in line)
    assert plain.split() == ["labels", "#billing", "#vip", "#shipping"]
    assert labels.value == "billing, vip, shipping"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (True, "yes"),
        (False, "no"),
        (0, "0"),
        (12.5, "12.5"),
        ("two\nlines", "two lines"),
        (["a", "b"], "['a', 'b']"),
    ],
)
def test_custom_fields_have_words_for_every_value(value: Any, shown: str) -> None:
    field = CustomField(id="1", key="tier", name="Tier")
    facts_shown = named(facts(contact={"custom_fields": {"tier": value}}, fields=(field,)))
    assert facts_shown["Tier"] == shown


@pytest.mark.parametrize("value", [None, "", " \n"])
def test_empty_custom_fields_fold_into_one_line(value: Any) -> None:
    fields = tuple(CustomField(id=key, key=key, name=key) for key in ("tier", "city", "size"))
    contact = {"custom_fields": {"tier": value, "city": "Porto"}}
    facts_shown = facts(contact=contact, fields=fields)
    at = facts_shown.index(Fact("Custom fields"))
    assert facts_shown[at + 1 : at + 3] == [
        Fact("city", "Porto"),
        Fact("", "2 empty fields", "dim italic"),
    ]


def test_custom_fields_of_a_contact_that_is_not_known_are_not_called_empty() -> None:
    fields = (CustomField(id="1", key="tier", name="Tier"),)
    facts_shown = facts(fields=fields)
    at = facts_shown.index(Fact("Custom fields"))
    assert facts_shown[at + 1] == Fact("", "not loaded yet", "dim")
    refused = contact_facts(
        conversation(), None, fields, None, (), CONTEXT, no_contact="This key may not read contacts"
    )
    assert Fact("Custom fields") not in refused


def test_custom_fields_come_in_their_order_and_undefined_ones_last() -> None:
    fields = (
        CustomField(id="1", key="tier", name="Tier"),
        CustomField(id="2", key="city", name="City"),
    )
    facts_shown = facts(
        contact={"custom_fields": {"legacy": 1, "city": "Porto", "tier": "gold"}}, fields=fields
    )
    labels = [fact.label for fact in facts_shown]
    at = labels.index("Custom fields")
    assert labels[at : at + 4] == ["Custom fields", "Tier", "City", "legacy"]


def test_without_custom_fields_there_is_no_heading_for_them() -> None:
    assert "Custom fields" not in named(facts(contact={}))


def test_notes_that_were_not_read_yet_are_not_counted_as_none() -> None:
    assert facts(notes=None)[-2:] == [Fact("Notes"), Fact("", "not loaded yet", "dim")]
    assert facts(notes=())[-1:] == [Fact("Notes (0)")]


def test_notes_say_who_wrote_them_and_when() -> None:
    note = Note(
        id="1",
        text="Call\nback",
        author_ref={"name": "Ana"},
        created_at="2026-03-14T07:00:00Z",
    )
    nobodys = Note(id="2", text="x", created_at="some day")
    assert facts(notes=(note, nobodys))[-5:] == [
        Fact("Notes (2)"),
        Fact("", "Ana · 3h", "note"),
        Fact("", "Call back"),
        Fact("", "", "note"),
        Fact("", "x"),
    ]


def test_a_heading_stands_under_an_empty_line() -> None:
    assert [line.strip() for line in drawn(Fact("Conversation"), 30)] == ["", "Conversation"]


def test_a_long_value_is_wrapped_beside_its_name() -> None:
    first, second = drawn(Fact("labels", "billing, vip, refund"), 28)
    assert first.split() == ["labels", "billing,", "vip,"]
    assert second.split() == ["refund"]
    assert second.index("refund") == first.index("billing")


def test_a_long_name_is_cut_unless_the_value_fits_beside_it() -> None:
    (line,) = drawn(Fact("a name that is too long", "a short value"), 30)
    assert re.fullmatch("a name[ a-z]*… +a short value +", line)
    (line,) = drawn(Fact("a-name-that-is-too-long", "a short value"), 30)
    assert re.fullmatch("a-name[-a-z]*… a short value +", line)
    (line,) = drawn(Fact("Orders so far", "27"), 30)
    assert line.split() == ["Orders", "so", "far", "27"]


def test_a_narrow_pane_is_shared_by_name_and_value() -> None:
    assert drawn(Fact("labels", "billing"), 16) == ["labels  billing "]


@given(drawn_text(), drawn_text(), st.integers(8, 80))
def test_every_line_of_every_fact_is_exactly_as_wide_as_the_pane(
    label: str, value: str, width: int
) -> None:
    drawn(Fact(label, value), width)


def test_other_conversations_are_those_seen_and_lead_there() -> None:
    other = conversation(id="2", channel={"id": "9", "name": "Sales\nBR"}, status="resolved")
    found = facts(others=(conversation(), other), head="Conversations on this computer")
    heading = next(at for at, fact in enumerate(found) if fact.label.startswith("Conversations"))
    shown, seen = found[heading + 1 :]
    assert (shown.conversation_id, shown.part) == (conversation().id, "strong")
    assert (seen.label, seen.value, seen.conversation_id) == ("Sales BR", "resolved · 12m", "2")
    assert facts(others=(conversation(),)) == facts()


@pytest.mark.parametrize(
    ("type", "value", "words"),
    [
        ("percent", 12, "12 %"),
        ("percent", "12%", "12%"),
        ("date", "1990-05-17", "17 May 1990"),
        ("date", "someday", "someday"),
        ("checkbox", True, "yes"),
        ("link", "https://shop.example/1", "https://shop.example/1"),
    ],
)
def test_custom_fields_are_shown_by_their_type(type: str, value: object, words: str) -> None:
    field = CustomField(id="1", key="it", name="It", type=type)
    shown = named(facts(contact={"custom_fields": {"it": value}}, fields=(field,)))
    assert shown["It"] == words


def test_facts_are_drawn_in_the_room_that_there_is(pytestconfig: pytest.Config) -> None:
    drawing = Drawing()
    shown = [
        Fact("Conversation"),
        Fact("", "Sheena Nelson", "strong"),
        Fact("", "A value without a name that needs more than one line"),
        Fact("status", "open"),
        Fact("reply window", "21h 40m left", "warning"),
        Fact("a name that is long", "a value of several words that is wrapped beside it"),
        Fact(
            "labels", "x", chips=(("billing", "#d93f3f"), ("vip", None), ("complaint", "#2e9e5b"))
        ),
    ]
    for width in (12, 20, 24, 36, 60):
        drawing.add(f"{width} cells", [line for fact in shown for line in fact_lines(fact, width)])
    plain = fact_lines(shown[-1], 36, plain=True)
    drawing.add("without grounds", plain)
    drawing.compare(pytestconfig, "facts")
