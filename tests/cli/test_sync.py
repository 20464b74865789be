"""`frontdesk sync meta`: channels and templates from a fake of the Graph API."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.commands import stored
from tests.fake_service import FakeService, Query, Reply, fake_service

from frontdesk.cli.commands.sync import sync_group
from frontdesk.client import external
from frontdesk.errors import BadResponse, BadSettings, Forbidden, InboxError, Unauthorised

TOKEN = "EAAsecret0123456789"
NUMBER = {
    "id": "106540352242922",
    "display_phone_number": "+1 555-078-3881",
    "verified_name": "Lucky Shrub",
    "quality_rating": "GREEN",
    "status": "CONNECTED",
    "name_status": "APPROVED",
    "throughput": {"level": "STANDARD"},
    "platform_type": "CLOUD_API",
    "is_on_biz_app": True,
    "messaging_limit_tier": "TIER_2K",
}


def template(number: int, **members: Any) -> dict[str, Any]:
    return {
        "id": str(number),
        "name": f"hello_{number}",
        "language": "en",
        "status": "APPROVED",
        "category": "UTILITY",
        "components": [{"type": "BODY", "text": "Hi {{1}}"}],
        "quality_score": {"score": "GREEN", "date": 1_700_000_000},
        "rejected_reason": "NONE",
        **members,
    }


def graph(path: str, query: Query) -> Any:
    """Meta's two lists; that of templates has three pages, of which the last names no next one."""
    if path == "/v23.0/1022/phone_numbers":
        return {"data": [NUMBER], "paging": {"cursors": {"before": "a", "after": "z"}}}
    if path == "/v23.0/1022/message_templates":
        page = int(query.get("after", "0"))
        paging: dict[str, Any] = {"cursors": {"after": str(page + 1)}}
        if page < 2:
            paging["next"] = "https://elsewhere.example/steal?after=9"
        return {"data": [template(page)], "paging": paging}
    return None


def run(tmp_path: Path, double: FakeService, *more: str) -> Result:
    where = ("--graph-url", f"{double.url}/v23.0", "--database", str(tmp_path / "inbox.db"))
    arguments = ["meta", "--waba", "1022", "--token-env", "META_TOKEN", *where, *more]
    return CliRunner(env={"META_TOKEN": TOKEN}).invoke(sync_group, arguments)


def test_channels_and_templates_are_filled_in(tmp_path: Path) -> None:
    with fake_service(graph) as double:
        result = run(tmp_path, double)
    assert result.stdout.splitlines()[-1] == "1 channel and 3 templates read, 4 changed"
    columns = (
        "phone, verified_name, throughput, platform, on_business_app, messaging_limit, waba_id"
    )
    assert stored(tmp_path, f"SELECT {columns} FROM channel") == [
        ("+15550783881", "Lucky Shrub", "STANDARD", "CLOUD_API", 1, "TIER_2K", "1022")
    ]
    columns = "id, name, quality_score, rejected_reason, waba_id"
    assert stored(tmp_path, f"SELECT {columns} FROM template ORDER BY id") == [
        (str(number), f"hello_{number}", "GREEN", None, "1022") for number in range(3)
    ]


def test_it_only_reads_and_only_there_with_the_token_in_a_header(tmp_path: Path) -> None:
    with fake_service(graph) as double:
        run(tmp_path, double)
    assert double.methods == {"GET"}
    assert [path for path, _ in double.asked] == [
        "/v23.0/1022/phone_numbers",
        *["/v23.0/1022/message_templates"] * 3,
    ]
    assert all(headers["authorization"] == f"Bearer {TOKEN}" for headers in double.headers)
    assert not any(TOKEN in str(query) for _, query in double.asked)


def test_a_second_time_only_what_changed_is_reported(tmp_path: Path) -> None:
    with fake_service(graph) as double:
        run(tmp_path, double)
        assert run(tmp_path, double).stdout == "1 channel and 3 templates read, 0 changed\n"
        double.answer = lambda path, query: (
            {"data": [template(0, status="PAUSED", rejected_reason="PROMOTIONAL")]}
            if path.endswith("templates")
            else {"data": []}
        )
        before = stored(tmp_path, "SELECT * FROM template")
        printed = run(tmp_path, double, "--dry-run").stdout.splitlines()
        assert printed == [
            "~ template 0: status APPROVED → PAUSED, rejected reason nothing → PROMOTIONAL",
            "0 channels and 1 template read, 1 would change",
        ]
        assert stored(tmp_path, "SELECT * FROM template") == before


def test_unreadable_templates_are_skipped_and_reported(tmp_path: Path) -> None:
    rows = [{"name": "no id"}, 5, template(7)]
    with fake_service(lambda path, query: {"data": rows * path.endswith("templates")}) as double:
        result = run(tmp_path, double)
    assert result.stderr.splitlines() == [
        "passed over: id is missing",
        "passed over: a template is not an object",
    ]
    assert "0 channels and 1 template read, 1 changed" in result.stdout


def problem(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "OAuthException", "code": 190}}


@pytest.mark.parametrize(
    ("reply", "kind", "sentence"),
    [
        (Reply(401, problem("Token has expired")), Unauthorised, "Token has expired"),
        (Reply(403, problem("No permission")), Forbidden, "No permission"),
        (Reply(200, b"<html>"), BadResponse, "not JSON"),
        (Reply(200, [1]), BadResponse, "not a list"),
        (
            Reply(302, None, {"Location": "http://127.0.0.1:1/steal"}),
            BadResponse,
            "it does not go there",
        ),
        (
            {"data": [], "paging": {"next": "x", "cursors": {"after": "same"}}},
            BadResponse,
            "the same page again and again",
        ),
    ],
)
def test_a_refusal_is_reported_and_nothing_is_changed(
    tmp_path: Path, reply: Any, kind: type[InboxError], sentence: str
) -> None:
    with fake_service(lambda path, query: reply) as double:
        result = run(tmp_path, double)
    assert isinstance(result.exception, kind)
    assert sentence in str(result.exception)
    assert TOKEN not in repr(result.exception) + result.output
    assert not (tmp_path / "inbox.db").exists()


def test_requests_are_retried_after_a_429_500_or_503(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(external, "FIRST_PAUSE_SECONDS", 0.001)
    replies = iter([Reply(429, None, {"Retry-After": "0"}), Reply(500, None), Reply(503, None)])
    with fake_service(lambda path, query: next(replies, None) or graph(path, query)) as double:
        assert "1 channel and 3 templates read" in run(tmp_path, double).stdout


def test_without_a_token_nothing_is_asked(tmp_path: Path) -> None:
    with fake_service(graph) as double:
        arguments = ["meta", "--waba", "1022", "--token-env", "NO_SUCH", "--graph-url", double.url]
        result = CliRunner().invoke(sync_group, [*arguments, "--database", str(tmp_path / "x.db")])
    assert isinstance(result.exception, BadSettings)
    assert str(result.exception) == "No token: set the environment variable NO_SUCH"
    assert double.asked == []


def test_a_token_is_not_sent_in_the_clear_to_another_machine(tmp_path: Path) -> None:
    database = ("--database", str(tmp_path / "x.db"), "--graph-url", "http://graph.example")
    arguments = ["meta", "--waba", "1022", "--token-env", "META_TOKEN", *database]
    error = CliRunner(env={"META_TOKEN": TOKEN}).invoke(sync_group, arguments).exception
    assert isinstance(error, BadSettings)
    assert "use https" in str(error)
