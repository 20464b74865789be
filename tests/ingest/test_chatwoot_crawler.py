"""An export of Chatwoot: what is asked for, what is written, what is missing in the end."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.errors import Forbidden, NotFound, UnusableFile
from frontdesk.ingest.chatwoot.crawler import (
    MOST_PASSES,
    Crawler,
    CrawlOptions,
    Journal,
    rows_by_windows,
)
from frontdesk.ingest.json_reader import JsonObject, Malformed


def finder(
    ids: set[int], limit: int, *, last_first: bool = False, inclusive: bool = False
) -> tuple[Any, list[tuple[int, int]]]:
    """A list of messages of which an answer has so many at most, and what it was asked for."""
    asked: list[tuple[int, int]] = []

    async def ask(after: int, before: int) -> list[JsonObject]:
        asked.append((after, before))
        first = after if inclusive else after + 1
        found = sorted((id for id in ids if first <= id < before), reverse=last_first)
        return [JsonObject({"id": id}) for id in found[:limit]]

    return ask, asked


@given(
    ids=st.sets(st.integers(1, 500), max_size=130),
    limit=st.sampled_from((20, 100)),
    last_first=st.booleans(),
    inclusive=st.booleans(),
)
async def test_no_message_is_lost_whatever_an_answer_leaves_out(
    ids: set[int], limit: int, last_first: bool, inclusive: bool
) -> None:
    ask, _ = finder(ids, limit, last_first=last_first, inclusive=inclusive)
    assert [row.number("id") for row in await rows_by_windows(ask)] == sorted(ids)


@pytest.mark.parametrize(
    ("count", "limit", "whole"),
    [
        (0, 20, True),
        (1, 20, True),
        (19, 20, True),
        (20, 20, False),
        (21, 1000, True),
        (99, 1000, True),
        (100, 1000, False),
        (101, 1000, True),
        (999, 1000, True),
        (1000, 1000, False),
        (1001, 1001, False),
    ],
)
async def test_an_answer_of_a_full_page_may_have_been_cut_off(
    count: int, limit: int, whole: bool
) -> None:
    ask, asked = finder(set(range(1, count + 1)), limit)
    assert len(await rows_by_windows(ask)) == count
    assert asked[0] == (0, 10**15)
    assert (len(asked) == 1) == whole


async def test_a_server_that_does_not_know_ranges_is_refused() -> None:
    async def the_latest(after: int, before: int) -> list[JsonObject]:
        return [JsonObject({"id": id}) for id in range(31, 51)]

    async def before_them_all(after: int, before: int) -> list[JsonObject]:
        return [JsonObject({"id": -1})]

    for ask in (the_latest, before_them_all):
        with pytest.raises(Malformed, match="update Chatwoot first"):
            await rows_by_windows(ask)


SOURCE = {"url": "https://chat.example", "account": "3"}


def lines_in(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_an_export_goes_on_after_its_last_complete_step(tmp_path: Path) -> None:
    path = tmp_path / "lines.ndjson"
    first = Journal(path, SOURCE)
    assert first.resumed == 0
    first.add("a", [{"n": 1}, {"n": 2}], {"x": 2})
    first.add("b", [{"n": "é"}])
    first.close()
    with path.open("ab") as file:
        file.write(b'{"n": 4}\n{"n"')
    second = Journal(path, dict(reversed(SOURCE.items())))
    assert second.resumed == 2
    assert [second.has(step) for step in ("a", "b", "c")] == [True, True, False]
    assert [second.counts(step) for step in ("a", "b", "c")] == [{"x": 2}, {}, {}]
    second.add("c", [{"n": 5}])
    second.close()
    assert path.read_text() == '{"n": 1}\n{"n": 2}\n{"n": "é"}\n{"n": 5}\n'
    third = Journal(path, SOURCE)
    assert third.resumed == 3
    third.finish()
    assert [entry.name for entry in tmp_path.iterdir()] == ["lines.ndjson"]
    assert len(lines_in(path)) == 4


def test_a_step_that_was_not_noted_whole_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "lines.ndjson"
    first = Journal(path, SOURCE)
    first.add("a", [{"n": 1}])
    first.add("b", [{"n": 2}])
    first.close()
    noted = tmp_path / "lines.ndjson.progress"
    noted.write_bytes(noted.read_bytes()[:-4])
    second = Journal(path, SOURCE)
    assert (second.resumed, second.has("a"), second.has("b")) == (1, True, False)
    second.close()
    assert lines_in(path) == [{"n": 1}]


def test_another_export_into_the_same_file_starts_over(tmp_path: Path) -> None:
    path = tmp_path / "lines.ndjson"
    first = Journal(path, SOURCE)
    first.add("a", [{"n": 1}])
    first.close()
    second = Journal(path, {**SOURCE, "account": "4"})
    assert (second.resumed, second.has("a")) == (0, False)
    second.add("b", [{"n": 2}])
    second.close()
    assert lines_in(path) == [{"n": 2}]
    with closing(Journal(path, {**SOURCE, "account": "4"})) as third:
        assert third.has("b")


def test_an_export_is_for_its_owner_alone(tmp_path: Path) -> None:
    Journal(tmp_path / "lines.ndjson", SOURCE).close()
    assert {entry.stat().st_mode & 0o777 for entry in tmp_path.iterdir()} == {0o600}


def test_an_export_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match=r"Cannot write .*: No such file"):
        Journal(tmp_path / "missing" / "lines.ndjson", SOURCE)


START = 1_700_000_000
KIM = {"id": 70, "name": "Kim", "phone_number": "+16505550001"}
ANA = {"id": 7, "name": "Ana", "email": "ana@shop.example", "type": "user"}
INBOX = {
    "id": 1,
    "name": "Support",
    "channel_type": "Channel::Whatsapp",
    "provider_config": {"phone_number_id": "101"},
}


def message(id: int, **members: Any) -> dict[str, Any]:
    usual = {"message_type": 0, "content": f"Message {id}", "created_at": START + id}
    return {"id": id, "source_id": f"wamid.{id}", **usual, **members}


def chat(id: int, **members: Any) -> dict[str, Any]:
    times = {"created_at": START, "last_activity_at": START + 10}
    return {"id": id, "status": "open", **times, "meta": {"sender": KIM}, **members}


Query = Mapping[str, str]


class FakeChatwoot:
    """Answers by path, and what it was asked for."""

    def __init__(self, **answers: Any) -> None:
        self.asked: list[tuple[str, Query]] = []
        self.answers: dict[str, Any] = {
            **dict.fromkeys(("agents", "labels", "canned_responses", "teams"), ()),
            "custom_attribute_definitions": (),
            "inboxes": (INBOX,),
            "contacts": (),
            "conversations": (),
            "reports/summary": {},
            **{name.replace("__", "/"): value for name, value in answers.items()},
        }

    async def get(self, path: str, parameters: Mapping[str, str] | None = None) -> Any:
        query = parameters or {}
        _, _, _, _, call = path.split("/", 4)
        self.asked.append((path, query))
        answer = self.answers.get(call)
        if callable(answer):
            answer = answer(query)
        if answer is None:
            answer = []
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, tuple):
            page = int(query.get("page", 1))
            return list(answer) if page == 1 else []
        return answer


@pytest.fixture
def export(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Runs an export and returns the crawler, its lines and its stages."""
    journals: list[Journal] = []

    async def run(api: FakeChatwoot, **options: Any) -> tuple[Crawler, list[Any], list[Any]]:
        journal = Journal(tmp_path / "lines.ndjson", SOURCE)
        journals.append(journal)
        stages: list[Any] = []
        crawler = Crawler(
            api,
            CrawlOptions("3", **options),
            journal,
            lambda *stage: stages.append(stage),
            lambda: (START + 1_000) * 1000,
        )
        await crawler.walk()
        return crawler, lines_in(journal.path), stages

    yield run
    for journal in journals:
        journal.close()


def of(kind: str, lines: list[Any]) -> list[Any]:
    return [line for line in lines if line["kind"] == kind]


async def test_an_empty_account_is_its_channel_alone(export: Any) -> None:
    api = FakeChatwoot()
    crawler, lines, stages = await export(api)
    assert [line["kind"] for line in lines] == ["channel"]
    assert crawler.counts == {"channel": 1}
    assert crawler.skipped == {}
    assert stages == [("catalogues", 0, None), ("list of conversations", 0, None)]
    assert {path.split("/")[:4][-1] for path, _ in api.asked} == {"3"}
    versions = {path: path.split("/")[1] for path, _ in api.asked}
    assert versions.pop("api/v2/accounts/3/reports/summary") == "v2"
    assert set(versions.values()) == {"v1"}


async def test_lists_without_a_count_are_not_compared(export: Any) -> None:
    crawler, _, _ = await export(FakeChatwoot())
    assert crawler.differences == []
    assert crawler.unchecked == [
        "contacts: Chatwoot sends no count",
        "conversations of Support: Chatwoot sends no count",
        "messages of Support: Chatwoot sends no count",
    ]


async def test_lists_that_are_shorter_than_their_counts_are_reported(export: Any) -> None:
    def contacts(query: Query) -> Any:
        rows = [KIM] if query["page"] == "1" else []
        return {"meta": {"count": 3}, "payload": rows}

    def conversations(query: Query) -> Any:
        rows = [chat(1)] if query["page"] == "1" else []
        return {"data": {"meta": {"all_count": 2}, "payload": rows}}

    summary = {"incoming_messages_count": 1, "outgoing_messages_count": 2}
    api = FakeChatwoot(contacts=contacts, conversations=conversations, reports__summary=summary)
    api.answers["conversations/1/messages"] = (message(1), message(2, message_type=2))
    crawler, _, _ = await export(api)
    assert crawler.differences == [
        "3 contacts, of which 1 were read",
        "2 conversations of Support, of which 1 were read",
        "3 messages of Support, of which 1 were read",
    ]
    assert crawler.unchecked == []
    (period,) = [query for path, query in api.asked if path.endswith("reports/summary")]
    ends = {"since": "0", "until": str(START + 1_000)}
    assert period == {"type": "inbox", "id": "1", **ends}


async def test_lists_as_long_as_their_counts_are_complete(export: Any) -> None:
    def contacts(query: Query) -> Any:
        return {"meta": {"count": 1}, "payload": [KIM] if query["page"] == "1" else []}

    summary = {"incoming_messages_count": 1, "outgoing_messages_count": 0}
    api = FakeChatwoot(contacts=contacts, reports__summary=summary, conversations=(chat(1),))
    api.answers["conversations/1/messages"] = (message(1),)
    crawler, _, stages = await export(api)
    assert crawler.differences == []
    assert crawler.unchecked == ["conversations of Support: Chatwoot sends no count"]
    assert ("contacts", 1, 1) in stages
    assert ("conversations", 1, 1) in stages


async def test_a_report_that_may_not_be_read_leaves_messages_uncompared(export: Any) -> None:
    summary = {"incoming_messages_count": 1, "outgoing_messages_count": True}
    crawler, _, _ = await export(FakeChatwoot(reports__summary=summary))
    assert crawler.unchecked[-1] == "messages of Support: Chatwoot sends no count"
    crawler, _, _ = await export(FakeChatwoot(reports__summary=Forbidden("Not for agents")))
    assert crawler.unchecked[-1] == "messages of Support: Not for agents"


async def test_a_list_that_changes_is_read_until_nothing_is_new(export: Any) -> None:
    seen: list[int] = []

    def conversations(query: Query) -> Any:
        if query["page"] != "1":
            return []
        seen.append(1)
        return [chat(min(len(seen), 3))]

    _, lines, _ = await export(FakeChatwoot(conversations=conversations))
    assert len(seen) == 4
    ids = {line["external_id"].split()[3] for line in of("conversation_event", lines)}
    assert ids == {"1", "2", "3"}


async def test_a_list_that_always_changes_is_read_five_times(export: Any) -> None:
    seen: list[int] = []

    def conversations(query: Query) -> Any:
        if query["page"] != "1":
            return []
        seen.append(1)
        return [chat(len(seen))]

    await export(FakeChatwoot(conversations=conversations))
    assert len(seen) == MOST_PASSES == 5


async def test_pages_are_read_up_to_an_empty_one(export: Any) -> None:
    def conversations(query: Query) -> Any:
        page = int(query["page"])
        return [chat(page)] if page <= 3 else []

    api = FakeChatwoot(conversations=conversations)
    _, lines, _ = await export(api)
    pages = [query for path, query in api.asked if path.endswith("/conversations")]
    assert [query["page"] for query in pages] == ["1", "2", "3", "4"] * 2
    asked = {"status": "all", "assignee_type": "all", "inbox_id": "1"}
    assert all(query.items() >= asked.items() for query in pages)
    assert len(of("conversation", lines)) == 1


async def test_conversations_and_messages_before_a_time_are_left_out(export: Any) -> None:
    def conversations(query: Query) -> Any:
        recent = chat(1, last_activity_at=START + 100)
        old = chat(2, last_activity_at=START + 99)
        return {"1": [recent, old], "2": [chat(3)]}.get(query["page"], [])

    api = FakeChatwoot(conversations=conversations)
    api.answers["conversations/1/messages"] = (message(99), message(100), message(101))
    crawler, lines, _ = await export(api, since=(START + 100) * 1000)
    assert [line["wamid"] for line in of("message", lines)] == ["wamid.100", "wamid.101"]
    pages = [query["page"] for path, query in api.asked if path.endswith("/conversations")]
    assert pages == ["1", "1"]
    assert not any("conversations of" in words for words in crawler.unchecked)
    (period,) = [query for path, query in api.asked if path.endswith("reports/summary")]
    assert period["since"] == str(START + 100)


async def test_a_conversation_ends_where_the_next_of_the_customer_begins(export: Any) -> None:
    chats = (
        chat(1, created_at=START + 50, last_activity_at=START + 70),
        chat(2, created_at=START + 5),
        chat(3, created_at=START, last_activity_at=START + 20),
        chat(4, created_at=START + 1, meta={"sender": {"phone_number": "+16505550002"}}),
    )
    _, lines, _ = await export(FakeChatwoot(conversations=chats))
    ends = {
        line["external_id"].split()[3]: line["created_at"]
        for line in of("conversation_event", lines)
        if line["name"] == "resolved"
    }
    assert ends == {"3": "2023-11-14T22:13:24.999Z", "2": "2023-11-14T22:13:30.000Z"}
    assert len(of("conversation", lines)) == 2


async def test_who_is_no_agent_any_more_is_a_user_who_is_not_active(export: Any) -> None:
    gone = {"id": 99, "name": "Gone", "type": "user"}
    api = FakeChatwoot(agents=(ANA,), conversations=(chat(1),))
    sent = {"message_type": 1}
    api.answers["conversations/1/messages"] = (
        message(1, **sent, sender=ANA),
        message(2, **sent, sender=gone),
        message(3, **sent, sender=gone),
        message(4, sender={"id": 100, "type": "contact"}),
    )
    _, lines, _ = await export(api)
    users = [(line["external_id"], line.get("active")) for line in of("user", lines)]
    assert users == [("ana@shop.example", None), ("chatwoot user 99", False)]
    authors = [line.get("author_ref", {}).get("external_id") for line in of("message", lines)]
    assert authors == ["ana@shop.example", "chatwoot user 99", "chatwoot user 99", None]


async def test_what_is_passed_over_is_counted_by_its_reason(export: Any) -> None:
    inboxes = ({**INBOX, "message_templates": [{"id": 1}]}, {"id": 2, "channel_type": "Email"})
    nobody = {"sender": {"name": "Mail only"}}
    api = FakeChatwoot(
        inboxes=inboxes,
        contacts=(KIM, {"id": 71}, {**KIM, "additional_attributes": {"city": "Porto"}}),
        conversations=(chat(1, priority="high"), chat(2, meta=nobody)),
    )
    api.answers["conversations/1/messages"] = (message(1, message_type=9), message(2))
    api.answers["conversations/2/messages"] = (message(3), message(4))
    api.answers["conversations/1/reporting_events"] = NotFound("no such path")
    crawler, lines, _ = await export(api)
    assert crawler.skipped == {
        "inbox that is no WhatsApp number": 1,
        "template without id, name or language": 1,
        "contact without a number": 1,
        "attribute city of a contact": 1,
        "priority of a conversation": 1,
        "message that cannot be read: its message_type 9 is none of 0 to 3": 1,
        "conversation without its reporting events": 1,
        "conversation with somebody without a number": 1,
        "message with somebody without a number": 2,
    }
    assert crawler.counts == {
        "channel": 1,
        "contact": 2,
        "message": 1,
        "conversation_event": 1,
        "conversation": 1,
    }
    assert len(lines) == 6


async def test_only_the_inboxes_that_are_chosen_are_read(export: Any) -> None:
    api = FakeChatwoot(inboxes=(INBOX, {**INBOX, "id": 2, "name": "Other"}))
    crawler, lines, _ = await export(api, inboxes=frozenset({"2"}), mapped={"2": "202"})
    assert [line["id"] for line in of("channel", lines)] == ["202"]
    assert crawler.skipped == {}


async def test_a_team_is_asked_for_its_members_and_those_of_each_inbox(export: Any) -> None:
    api = FakeChatwoot(agents=(ANA,), teams=({"id": 4, "name": "night"},))
    api.answers["teams/4/team_members"] = api.answers["inbox_members/1"] = (ANA,)
    _, lines, _ = await export(api)
    (team,) = of("team", lines)
    assert (team["members"], team["channels"]) == (["ana@shop.example"], ["101"])
    quiet = FakeChatwoot()
    await export(quiet)
    assert not any("inbox_members" in path for path, _ in quiet.asked)


async def test_what_was_read_is_not_read_again(export: Any) -> None:
    api = FakeChatwoot(contacts=(KIM,), conversations=(chat(1),))
    api.answers["conversations/1/messages"] = (message(1),)
    first, lines, _ = await export(api)
    api.asked.clear()
    second, again, _ = await export(api)
    assert again == lines
    assert (second.counts, second.skipped) == (first.counts, first.skipped)
    paths = {path.rpartition("/3/")[2] for path, _ in api.asked}
    assert paths & {"contacts", "conversations/1/messages"} == set()
    api.answers["conversations"] = (chat(1, last_activity_at=START + 11),)
    await export(api)
    assert any(path.endswith("conversations/1/messages") for path, _ in api.asked)
