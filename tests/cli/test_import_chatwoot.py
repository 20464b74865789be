"""`frontdesk import chatwoot` from a fake of its API, pages included."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests import commands
from tests.fake_provider import FakeProvider, serving
from tests.fake_service import FakeService, Query, Reply, fake_service
from tests.pictures.drawn import encoded
from tests.pictures.drawn import photo as drawn_photo

from frontdesk.cli.commands.import_ import import_group
from frontdesk.client import external
from frontdesk.errors import BadResponse, BadSettings, NotFound, Unauthorised
from frontdesk.ingest.audit import differences
from frontdesk.ingest.chatwoot import crawler
from frontdesk.store.sqlite import SQLiteDatabase

TOKEN = "chatwootSecret42"
START = 1_700_000_000
ANA = {"id": 7, "name": "Ana Souza", "email": "ana@shop.example", "role": "agent", "type": "user"}
BO = {"id": 8, "name": "Bo", "email": "bo@shop.example", "role": "administrator"}
KIM = {"id": 70, "name": "Kim", "phone_number": "+16505550001", "email": "kim@mail.example"}


def message(number: int, **members: Any) -> dict[str, Any]:
    return {
        "id": number,
        "content": f"Message {number}",
        "message_type": 0,
        "private": False,
        "status": "sent",
        "content_attributes": {},
        "created_at": START + number,
        "source_id": f"wamid.{number}",
        "sender": {**KIM, "type": "contact"},
        **members,
    }


OUT = {"message_type": 1, "sender": ANA, "status": "read"}
FIRST = [
    *(message(number) for number in range(1, 46)),
    message(46, **OUT, content_attributes={"in_reply_to_external_id": "wamid.45"}),
    message(47, **OUT, private=True, source_id=None, content="Call back"),
    message(48, message_type=2, sender=None, source_id=None, content="Ana resolved this"),
    message(49, message_type=1, sender={"id": 3, "name": "Otto", "type": "captain_assistant"}),
    message(50, message_type=1, sender=None, content_attributes={"external_echo": True}),
    message(51, message_type=3, sender=None),
    message(52, message_type=1, sender={"id": 99, "name": "Gone", "type": "user"}),
    message(
        53,
        content=None,
        attachments=[
            {"file_type": "image", "data_url": "https://c.example/x/cat%20one.jpg", "file_size": 5},
            {"file_type": "location", "coordinates_lat": 1.5, "coordinates_long": 2.5},
        ],
    ),
    message(54, content_attributes={"deleted": True}, content="This message was deleted"),
    message(55, message_type=1, status="failed", content_attributes={"external_error": "131026"}),
]
SECOND = [
    message(60),
    message(61, source_id=None),
    message(62, source_id=None, content="Message 61"),
]


def conversation(number: int, **members: Any) -> dict[str, Any]:
    return {
        "id": number,
        "inbox_id": 1,
        "status": "open",
        "created_at": START,
        "last_activity_at": START + 55,
        "agent_last_seen_at": 0,
        "snoozed_until": None,
        "labels": [],
        "meta": {"sender": KIM, "assignee": None},
        **members,
    }


CONVERSATIONS = [
    conversation(
        2,
        status="pending",
        created_at=START + 60,
        last_activity_at=START + 62,
        agent_last_seen_at=START + 60,
        labels=["VIP", "billing"],
        meta={"sender": KIM, "assignee": ANA},
    ),
    conversation(1, status="resolved"),
    conversation(3, meta={"sender": {"id": 71, "name": "Mail only", "phone_number": None}}),
    *(
        conversation(
            number,
            created_at=START + 100 + number,
            last_activity_at=START + 100 + number,
            meta={"sender": {"id": number, "phone_number": f"+1650555{number:04}"}},
        )
        for number in range(10, 40)
    ),
]
CONTACTS = [
    {**KIM, "custom_attributes": {"plan": "gold", "empty": ""}, "created_at": START},
    {"id": 71, "name": "Mail only", "phone_number": None, "created_at": START},
    *({"id": n, "name": f"C{n}", "phone_number": f"+1650555{n:04}"} for n in range(10, 40)),
]
INBOXES = [
    {
        "id": 1,
        "name": "Support",
        "channel_type": "Channel::Whatsapp",
        "phone_number": "+15550783881",
        "provider_config": {"phone_number_id": "106540352242922", "business_account_id": "1022"},
        "message_templates": [
            {"id": "5", "name": "hello", "language": "en", "status": "APPROVED", "components": []}
        ],
    },
    {"id": 2, "name": "Website", "channel_type": "Channel::WebWidget"},
]
ONCE: dict[str, Any] = {
    "inboxes": {"payload": INBOXES},
    "agents": [ANA, BO],
    "teams": [{"id": 4, "name": "night", "description": "", "allow_auto_assign": False}],
    "teams/4/team_members": [ANA],
    "inbox_members/1": {"payload": [ANA, BO]},
    "labels": {"payload": [{"id": 1, "title": "vip", "color": "#FF0000", "description": "First"}]},
    "canned_responses": [{"id": 1, "short_code": "hi", "content": "Hello!"}],
    "custom_attribute_definitions": [
        {
            "id": 1,
            "attribute_key": "plan",
            "attribute_display_name": "Plan",
            "attribute_display_type": "list",
            "attribute_values": ["free", "gold"],
        }
    ],
    "conversations/1/reporting_events": [
        {"id": 1, "name": "first_response", "event_end_time": "2023-11-14T22:14:06.000Z"},
        {"id": 2, "name": "conversation_resolved", "event_end_time": START + 56},
    ],
}


def page_of_messages(rows: list[dict[str, Any]], query: Query) -> list[dict[str, Any]]:
    """As Chatwoot's finder of messages: bounds are ids, the order and the cut are by time."""
    after, before = query.get("after"), query.get("before")
    in_time = sorted(rows, key=lambda row: row["created_at"])
    if after and before:
        return [row for row in in_time if int(after) <= row["id"] < int(before)][:1000]
    if after:
        return [row for row in in_time if row["id"] > int(after)][:100]
    return [row for row in in_time if row["id"] < int(before or 10**9)][-20:]


def answer(path: str, query: Query) -> Any:
    """Chatwoot's answers, in pages of its sizes."""
    prefix = "/api/v1/accounts/3/"
    if not path.startswith(prefix):
        return None
    call = path.removeprefix(prefix)
    page = int(query.get("page", "1")) - 1
    if call == "contacts":
        return {"meta": {"count": 32}, "payload": CONTACTS[15 * page : 15 * page + 15]}
    if call == "conversations":
        assert (query["status"], query["assignee_type"], query["inbox_id"]) == ("all", "all", "1")
        return {"data": {"meta": {}, "payload": CONVERSATIONS[25 * page : 25 * page + 25]}}
    if call.endswith("/messages"):
        number = call.split("/")[1]
        rows = {"1": FIRST, "2": SECOND}.get(number, [message(1000 + int(number))])
        return {"meta": {}, "payload": page_of_messages(rows, query)}
    return ONCE.get(call)


@pytest.fixture(autouse=True)
def in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawler, "PER_SECOND", 100_000.0)
    monkeypatch.setattr(external, "FIRST_PAUSE_SECONDS", 0.001)


def run(tmp_path: Path, double: FakeService, *more: str) -> Result:
    where = ("--url", double.url, "--account-id", "3", "--token-env", "CHATWOOT_TOKEN")
    files = ("--lines", str(tmp_path / "lines.ndjson"), "--database", str(tmp_path / "inbox.db"))
    return CliRunner(env={"CHATWOOT_TOKEN": TOKEN}).invoke(
        import_group, ["chatwoot", *where, *files, *more]
    )


def stored(tmp_path: Path, sql: str) -> list[tuple[Any, ...]]:
    """Rows of the database, whose counters are right."""
    with closing(SQLiteDatabase(tmp_path / "inbox.db")) as database:
        assert not database.read(lambda connection: list(differences(connection, 1)))
    return commands.stored(tmp_path, sql)


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result, FakeService]:
    """One whole import."""
    path = tmp_path_factory.mktemp("chatwoot")
    with pytest.MonkeyPatch.context() as patched, fake_service(answer) as double:
        patched.setattr(crawler, "PER_SECOND", 100_000.0)
        return path, run(path, double), double


def test_it_says_what_it_read_and_what_it_passed_over(
    imported: tuple[Path, Result, FakeService],
) -> None:
    _, result, _ = imported
    assert result.exit_code == 0
    printed = result.stdout.splitlines()
    assert printed[0].startswith("read from Chatwoot: 1 canned_response, 1 channel, 31 contact, ")
    assert "skipped: 1 contact without a number" in printed
    assert "skipped: 1 conversation with somebody without a number" in printed
    assert "skipped: 31 conversation without its reporting events" in printed
    assert "rejected: 0 lines" in printed


def test_it_only_reads_with_the_token_in_its_header(
    imported: tuple[Path, Result, FakeService],
) -> None:
    _, result, double = imported
    assert double.methods == {"GET"}
    assert all(headers["api_access_token"] == TOKEN for headers in double.headers)
    assert TOKEN not in result.output
    assert not any(TOKEN in str(asked) for asked in double.asked)


def test_several_conversations_with_a_person_are_one(
    imported: tuple[Path, Result, FakeService],
) -> None:
    path, _, _ = imported
    (row,) = stored(
        path,
        """
        SELECT c.status, c.awaiting_human, u.name, c.read_marker FROM conversation c
        JOIN contact p ON p.id = c.contact_id JOIN app_user u ON u.id = c.assignee_id
        WHERE p.phone = '+16505550001'
        """,
    )
    assert row == (0, 1, "Ana Souza", (START + 60) * 1000)
    labels = "SELECT title FROM label l JOIN entry e ON e.label_id = l.id ORDER BY title"
    assert stored(path, labels) == [("billing",), ("vip",)]
    events = "SELECT name FROM conversation_event WHERE conversation_id = 1 ORDER BY created_at, id"
    names = [name for (name,) in stored(path, events)]
    assert names[:3] == ["opened", "resolved", "opened"]
    measured = "SELECT name FROM metric_event WHERE name IN ('resolved', 'episode_opened')"
    assert sorted(stored(path, measured)) == [("episode_opened",), ("resolved",)]


def test_messages_have_their_authors_their_kinds_and_their_ends(
    imported: tuple[Path, Result, FakeService],
) -> None:
    path, _, _ = imported
    sql = "SELECT author, author_name, type, delivery_status FROM message WHERE wamid = 'wamid.{}'"
    found = {number: stored(path, sql.format(number))[0] for number in (1, 46, 49, 50, 51, 52, 55)}
    assert found == {
        1: ("contact", None, "text", None),
        46: ("user", "Ana Souza", "text", "read"),
        49: ("ai_agent", "Otto", "text", "sent"),
        50: ("phone", None, "text", "sent"),
        51: ("automation", None, "text", "sent"),
        52: ("user", "Gone", "text", "sent"),
        55: ("automation", None, "text", "failed"),
    }
    assert stored(path, "SELECT reply_wamid FROM message WHERE wamid = 'wamid.46'") == [
        ("wamid.45",)
    ]
    assert stored(path, "SELECT text FROM message WHERE type = 'system'") == [
        ("Ana resolved this",)
    ]
    assert stored(path, "SELECT text, author_name FROM note") == [("Call back", "Ana Souza")]
    assert stored(path, "SELECT name, active FROM app_user WHERE key LIKE 'chatwoot%'") == [
        ("Gone", 0)
    ]
    deleted = "SELECT deleted_at IS NOT NULL, text FROM message WHERE wamid = 'wamid.54'"
    assert stored(path, deleted) == [(1, None)]


def test_every_message_of_every_page_is_there_once(
    imported: tuple[Path, Result, FakeService],
) -> None:
    path, _, _ = imported
    # One is a note; one has two files, and so is two.
    expected = len(FIRST) - 1 + 1 + len(SECOND) + 30
    assert stored(path, "SELECT count(*) FROM message") == [(expected,)]


def test_files_are_described_and_their_addresses_left_out(
    imported: tuple[Path, Result, FakeService],
) -> None:
    path, _, _ = imported
    sql = "SELECT media_json FROM message WHERE wamid = 'wamid.53'"
    ((text,),) = stored(path, sql)
    media = json.loads(text)
    assert (media["filename"], media["size_bytes"], media["url"]) == ("cat one.jpg", 5, None)
    assert stored(path, "SELECT count(*) FROM message WHERE type = 'location'") == [(1,)]


def test_named_things_come_too(imported: tuple[Path, Result, FakeService]) -> None:
    path, _, _ = imported
    assert stored(path, "SELECT phone_number_id, alias, phone, waba_id FROM channel") == [
        ("106540352242922", "Support", "+15550783881", "1022")
    ]
    assert stored(path, "SELECT name, distribution FROM team") == [("night", "off")]
    assert stored(path, "SELECT count(*) FROM team_channel, team_member") == [(1,)]
    assert stored(path, "SELECT title, color FROM label WHERE title = 'vip'") == [
        ("vip", "#ff0000")
    ]
    contact = "SELECT name, email, custom_json FROM contact WHERE phone = '+16505550001'"
    assert stored(path, contact) == [("Kim", "kim@mail.example", '{"plan": "gold"}')]
    assert stored(path, "SELECT id, name, waba_id FROM template") == [("5", "hello", "1022")]


def test_a_second_import_adds_nothing(tmp_path: Path) -> None:
    with fake_service(answer) as double:
        run(tmp_path, double)
        sql = "SELECT count(*) FROM message UNION ALL SELECT count(*) FROM conversation_event"
        before = stored(tmp_path, sql)
        result = run(tmp_path, double)
    assert "messages: 0 new" in result.stdout
    assert stored(tmp_path, sql) == before


def test_an_interrupted_import_resumes_where_it_stopped(tmp_path: Path) -> None:
    def broken(path: str, query: Query) -> Any:
        if path.endswith("conversations/20/messages"):
            return Reply(404, {"error": "Resource could not be found"})
        return answer(path, query)

    with fake_service(broken) as double:
        assert isinstance(run(tmp_path, double).exception, NotFound)
        first = len(double.asked)
        # As if it had been killed in the middle of a line.
        with (tmp_path / "lines.ndjson").open("ab") as file:
            file.write(b'{"kind": "mess')
        double.answer = answer
        result = run(tmp_path, double)
        again = [path for path, _ in double.asked[first:]]
    assert "continuing after" in result.stdout
    assert "rejected: 0 lines" in result.stdout
    assert not any(path.endswith("conversations/1/messages") for path in again)
    assert not any(path.endswith("contacts") for path in again)
    assert stored(tmp_path, "SELECT count(*) FROM conversation") == [(31,)]
    assert not (tmp_path / "lines.ndjson.progress").exists()


def test_only_what_is_asked_for_is_read(tmp_path: Path) -> None:
    with fake_service(answer) as double:
        assert run(tmp_path, double, "--fetch-only", "--since", "2023-11-15").exit_code == 0
        assert not (tmp_path / "inbox.db").exists()
        recent = (tmp_path / "lines.ndjson").read_text()
        assert run(tmp_path, double, "--inbox", "2", "--fetch-only").exit_code == 0
    assert '"kind": "message"' not in recent
    assert '"kind": "channel"' in recent
    assert '"kind": "channel"' not in (tmp_path / "lines.ndjson").read_text()


def test_an_inbox_that_hides_its_number_is_asked_for(tmp_path: Path) -> None:
    def reserved(path: str, query: Query) -> Any:
        if path.endswith("/inboxes"):
            return {"payload": [{**INBOXES[0], "provider_config": None}]}
        return answer(path, query)

    with fake_service(reserved) as double:
        error = run(tmp_path, double).exception
        assert isinstance(error, BadResponse)
        assert "use --map 1=<phone_number_id>" in str(error)
        assert run(tmp_path, double, "--map", "1=777").exit_code == 0
        assert isinstance(run(tmp_path, double, "--map", "x").exception, BadSettings)
    assert stored(tmp_path, "SELECT phone_number_id FROM channel") == [("777",)]


def test_a_token_that_is_refused_is_reported(tmp_path: Path) -> None:
    refusal = Reply(401, {"error": "Invalid Access Token"})
    with fake_service(lambda path, query: refusal) as double:
        error = run(tmp_path, double).exception
    assert isinstance(error, Unauthorised)
    assert str(error) == "Invalid Access Token"


def test_files_are_fetched_without_the_token_from_allowed_servers_alone(tmp_path: Path) -> None:
    photo = encoded(drawn_photo())
    with serving(FakeProvider({"cat.png": photo})) as files:
        url = f"{files.address}/whatsapp_business/attachments/cat.png"

        def leading_there(path: str, query: Query) -> Any:
            text = json.dumps(answer(path, query))
            return json.loads(text.replace("https://c.example/x/cat%20one.jpg", url))

        with fake_service(leading_there) as double:
            refused = run(tmp_path, double, "--files")
            assert "files: 1 not reached" in refused.stdout.splitlines(), refused.output
            assert not files.downloaded
            result = run(tmp_path, double, "--files", "--files-host", files.address)
    assert "files: 1 stored" in result.stdout.splitlines()
    assert files.tokens == {None}
    (row,) = stored(tmp_path, "SELECT name, state, width, digest FROM media")
    assert row[:3] == ("cat.png", "stored", 320)
    (path,) = (tmp_path / "inbox.db.media").glob(f"1/*/*/{row[3]}")
    assert path.read_bytes() == photo
