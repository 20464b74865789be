"""Catalogues in files: what each value may be, and how differences are told."""

from typing import Any

import pytest

from frontdesk.ingest.catalogue_file import References, differences, events, parse_file
from frontdesk.ingest.events import (
    CustomFieldUpsert,
    DomainEvent,
    LabelUpsert,
    TeamUpsert,
    UserUpsert,
)

AT = 1_773_480_413_000
KNOWN = References({"101": "101", "Sales": "101"}, frozenset({"ana@shop.example"}))


def read(references: References = KNOWN, **contents: Any) -> list[DomainEvent]:
    found, problems = events(contents, references, AT)
    assert problems == []
    return found


def problem(references: References = KNOWN, **contents: Any) -> str:
    """The only problem of a file, of which nothing is applied."""
    found, (fault,) = events(contents, references, AT)
    assert found == []
    return str(fault)


@pytest.mark.parametrize("length", [1, 2, 3, 100])
def test_a_title_has_up_to_a_hundred_characters(length: int) -> None:
    (label,) = read(labels=[{"title": "A" * length}])
    assert label == LabelUpsert("a" * length, AT)


@pytest.mark.parametrize("title", ["A" * 101, " a", "a ", "a\tb", " "])
def test_another_title_is_not_allowed(title: str) -> None:
    assert problem(labels=[{"title": title}]).endswith(
        "is not allowed; a title has one to 100 characters on a line"
    )


@pytest.mark.parametrize(
    ("position", "taken"), [(0, True), (999_999, True), (-1, False), (1_000_000, False)]
)
def test_a_position_has_up_to_six_digits(position: int, taken: bool) -> None:
    contents = {"custom_fields": [{"key": "plan", "position": position}]}
    if taken:
        (field,) = read(**contents)
        assert isinstance(field, CustomFieldUpsert)
        assert field.position == position
    else:
        assert problem(**contents) == (
            "custom_fields[0].position: not a whole number from 0 to 999999"
        )


@pytest.mark.parametrize(("length", "taken"), [(64, True), (65, False)])
def test_a_key_has_up_to_64_characters(length: int, taken: bool) -> None:
    contents = {"custom_fields": [{"key": "k" * length}]}
    if taken:
        assert len(read(**contents)) == 1
    else:
        assert "a key has letters, digits, _ . and -" in problem(**contents)


def test_a_list_has_options_and_other_fields_need_none() -> None:
    missing = "custom_fields[0].options: missing; a list is chosen from them"
    assert problem(custom_fields=[{"key": "plan", "type": "list", "options": []}]) == missing
    (field,) = read(custom_fields=[{"key": "plan", "type": "list", "options": ["a"]}])
    assert isinstance(field, CustomFieldUpsert)
    assert field.options == ("a",)
    assert len(read(custom_fields=[{"key": "plan", "type": "text"}])) == 1


@pytest.mark.parametrize(
    ("user", "key"),
    [
        ({"email": "ana@shop.example"}, "ana@shop.example"),
        ({"external_id": "7"}, "7"),
        ({"external_id": "7", "email": "ana@shop.example"}, "7"),
    ],
)
def test_a_user_is_known_by_id_else_by_address(user: dict[str, str], key: str) -> None:
    (found,) = read(users=[user])
    assert isinstance(found, UserUpsert)
    assert (found.key, found.at) == (key, AT)
    assert problem(users=[user, user]) == f"users[1]: '{key}' is there before"


def test_a_team_refers_to_what_is_known_or_in_the_file() -> None:
    channels = [{"id": "102", "alias": "New"}]
    users = [{"external_id": "bo"}]
    members = ["ana@shop.example", "bo"]
    team = {"name": "Night", "channels": ["Sales", "New", "102"], "members": members}
    *_, found = read(channels=channels, users=users, teams=[team])
    assert found == TeamUpsert("Night", AT, None, ("101", "102", "102"), tuple(members))


def test_an_unknown_name_is_told_with_up_to_twelve_known_ones() -> None:
    def told(count: int) -> str:
        names = References(users=frozenset(f"u{number:02}" for number in range(count)))
        return problem(names, teams=[{"name": "x", "members": ["who"]}])

    assert told(0) == "teams[0].members[0]: no user 'who'; known: none yet"
    listed = ", ".join(f"u{number:02}" for number in range(12))
    assert told(12) == f"teams[0].members[0]: no user 'who'; known: {listed}"
    assert told(13) == f"teams[0].members[0]: no user 'who'; known: {listed}, and 1 more"
    assert problem(References(), teams=[{"name": "x", "channels": ["c"]}]) == (
        "teams[0].channels[0]: no channel 'c'; known: none yet"
    )


@pytest.mark.parametrize(("length", "shown"), [(60, "x" * 60), (61, "x" * 60 + "…")])
def test_a_wrong_value_is_repeated_up_to_sixty_characters(length: int, shown: str) -> None:
    assert problem(labels=[{"title": "a", "color": "x" * length}]) == (
        f"labels[0].color: '{shown}' is not a colour such as #1f93ff"
    )


def test_a_text_may_be_emptied_but_not_a_name_in_a_list() -> None:
    (user,) = read(users=[{"external_id": "7", "availability": "", "avatar_url": ""}])
    assert isinstance(user, UserUpsert)
    assert (user.availability, user.avatar_url) == ("", "")
    assert problem(teams=[{"name": "x", "members": [""]}]) == "teams[0].members[0]: not a text"
    assert problem(teams=[{"name": ""}]) == "teams[0].name: missing"
    assert problem(teams=[{"name": "a\0b"}]) == "teams[0].name: not a text"


def test_a_file_is_an_object() -> None:
    assert parse_file('labels = [{title = "a"}]', is_json=False) == {"labels": [{"title": "a"}]}
    assert parse_file('{"labels": []}', is_json=True) == {"labels": []}
    with pytest.raises(ValueError, match="it is not an object"):
        parse_file("[]", is_json=True)


def test_differences_are_told_by_kind_and_name() -> None:
    before = {
        ("label", "vip"): {"color": "#1f93ff", "description": None},
        ("user", "ana"): {"name": "Ana"},
    }
    after = {
        ("label", "vip"): {"color": "#ff0000", "description": "First"},
        ("user", "ana"): {"name": "Ana"},
        ("custom_field", "plan"): {"options_json": ["a", "b"], "pattern": "", "name": None},
        ("template", "5"): {"components_json": [{"type": "BODY"}]},
        ("team", "night"): {"channels": [], "members": None},
    }
    assert list(differences(before, after)) == [
        "~ label vip: color #1f93ff → #ff0000, description nothing → First",
        "+ custom field plan: options [a, b]",
        '+ template 5: components [{"type": "BODY"}]',
        "+ team night",
    ]
    assert list(differences(after, after)) == []


@pytest.mark.parametrize(("length", "shown"), [(120, "x" * 120), (121, "x" * 120 + "…")])
def test_a_long_value_is_told_up_to_120_characters(length: int, shown: str) -> None:
    after = {("canned_response", "hi"): {"text": "x" * length}}
    assert list(differences({}, after)) == [f"+ canned response hi: text {shown}"]
