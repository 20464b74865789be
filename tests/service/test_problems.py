"""Problem documents: their status, what they say, and which of several faults decides."""

import json

import pytest

from frontdesk.errors import QueryTimeout, Unreachable, UnusableFile
from frontdesk.service import problems
from frontdesk.service.problems import CODES, MCP_CODES, RECEIVER_CODES, ApiError, ParameterFault
from frontdesk.wire import ParameterProblem

UUID = "0192f1f4-7c3e-7000-8000-0123456789ab"
BASE = "https://errors.example/"


def test_each_code_has_its_status() -> None:
    by_status: dict[int, list[str]] = {}
    for code, (status, _) in CODES.items():
        by_status.setdefault(status, []).append(code)
    assert by_status == {
        400: [
            *("invalid_parameter", "invalid_filter", "assignee_me_unavailable"),
            *("message_search_unavailable", "invalid_limit", "invalid_cursor", "cursor_mismatch"),
            *("invalid_phone", "invalid_period", "malformed_request"),
        ],
        401: ["missing_credentials", "invalid_key", "key_revoked", "key_expired"],
        403: ["insufficient_scope", "contacts_masked", "account_disabled"],
        404: [
            *("conversation_not_found", "contact_not_found", "media_not_found", "media_pending"),
            *("preview_unavailable", "text_unavailable", "route_not_found"),
        ],
        405: ["method_not_allowed"],
        410: ["media_expired", "media_failed", "media_refused", "media_removed"],
        414: ["uri_too_long"],
        416: ["range_not_satisfiable"],
        429: ["rate_limited", "too_many_auth_failures"],
        431: ["headers_too_large"],
        500: ["internal_error"],
        503: ["service_unavailable", "query_timeout"],
    }
    assert {code: status for code, (status, _) in RECEIVER_CODES.items()} == {
        "invalid_json": 400,
        "invalid_signature": 401,
        "verify_token_mismatch": 403,
        "request_timeout": 408,
        "payload_too_large": 413,
        "unsupported_media_type": 415,
    }
    assert {code: status for code, (status, _) in MCP_CODES.items()} == {
        "origin_not_allowed": 403,
        "host_not_allowed": 421,
    }


def test_a_document_has_what_is_known_and_no_nulls() -> None:
    error = ApiError("invalid_json", "It is not JSON.")
    assert error.status == 400
    assert json.loads(error.document(UUID, BASE)) == {
        "type": f"{BASE}invalid_json",
        "title": "The body is not JSON",
        "status": 400,
        "detail": "It is not JSON.",
        "instance": f"urn:uuid:{UUID}",
        "code": "invalid_json",
        "request_id": UUID,
    }


@pytest.mark.parametrize(
    ("request_id", "instance"),
    [
        (UUID, f"urn:uuid:{UUID}"),
        (UUID.upper(), f"tag:inbox.invalid,2026:request/{UUID.upper()}"),
        (UUID + "0", f"tag:inbox.invalid,2026:request/{UUID}0"),
        ("a/b c", "tag:inbox.invalid,2026:request/a%2Fb%20c"),
    ],
)
def test_an_instance_is_a_uri_of_any_request_id(request_id: str, instance: str) -> None:
    document = json.loads(problems.no_route().document(request_id, BASE))
    assert (document["instance"], document["request_id"]) == (instance, request_id)


def fault(code: str, parameter: str) -> ParameterFault:
    return ParameterFault(code, ParameterProblem(parameter=parameter, reason="x", detail="it is"))


def test_of_several_faults_the_earliest_code_decides_and_all_are_listed() -> None:
    faults = [fault("invalid_cursor", "cursor"), fault("invalid_filter", "b")]
    error = problems.bad_parameters([*faults, fault("invalid_filter", "a")])
    assert (error.code, error.detail) == ("invalid_filter", "b: it is.")
    document = json.loads(error.document(UUID, BASE))
    assert [one["parameter"] for one in document["errors"]] == ["cursor", "b", "a"]


@pytest.mark.parametrize(
    ("code", "challenge"),
    [
        ("missing_credentials", 'Bearer realm="frontdesk"'),
        ("invalid_key", 'Bearer realm="frontdesk", error="invalid_token"'),
        ("key_expired", 'Bearer realm="frontdesk", error="invalid_token"'),
    ],
)
def test_a_refused_key_is_challenged(code: str, challenge: str) -> None:
    error = problems.unauthorised(code, "No.")
    assert (error.status, error.headers) == (401, (("WWW-Authenticate", challenge),))


def test_a_key_without_a_scope_learns_which_it_lacks() -> None:
    error = problems.lacking("contacts:read", ("labels:read",))
    challenge = 'Bearer error="insufficient_scope", scope="contacts:read"'
    assert error.headers == (("WWW-Authenticate", challenge),)
    document = json.loads(error.document(UUID, BASE))
    assert document["required_scope"] == "contacts:read"
    assert document["key_scopes"] == ["labels:read"]


@pytest.mark.parametrize(
    ("error", "code", "seconds"),
    [
        (Unreachable("away"), "service_unavailable", 1),
        (Unreachable("away", retry_after=0.2), "service_unavailable", 1),
        (Unreachable("away", retry_after=7.4), "service_unavailable", 7),
        (QueryTimeout("slow"), "query_timeout", 1),
    ],
)
def test_a_database_that_does_not_answer_is_worth_asking_again(
    error: Unreachable, code: str, seconds: int
) -> None:
    problem = problems.problem_of(error)
    assert (problem.code, problem.status, problem.retry_after) == (code, 503, seconds)
    assert problem.headers == (("Retry-After", str(seconds)),)
    assert not problem.overload


def test_what_is_refused_for_its_number_is_marked_as_such() -> None:
    problem = problems.too_busy(5)
    assert (problem.code, problem.overload, problem.retry_after) == ("service_unavailable", True, 5)
    later = problems.retry_later("rate_limited", "Too often.", 3)
    assert (later.status, later.overload, later.headers) == (429, False, (("Retry-After", "3"),))


def test_a_bug_is_told_in_the_log_alone() -> None:
    error = ValueError("secret")
    problem = problems.problem_of(error)
    assert (problem.code, problem.status) == ("internal_error", 500)
    assert b"secret" not in problem.document(UUID, BASE)
    assert "ValueError" in problems.cause(error)


def test_a_damaged_file_is_told_with_what_helps() -> None:
    error = UnusableFile("The file is damaged")
    assert ".recover" in problems.problem_of(error).detail
    assert problems.cause(error) == "The file is damaged"


def test_a_problem_is_itself() -> None:
    error = problems.no_route()
    assert problems.problem_of(error) is error
    assert (error.status, error.overload) == (404, False)
