"""What the service answers is what its OpenAPI document says, whatever is asked."""

import re
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.openapi.checks import RejectedPositiveData
from schemathesis.specs.openapi.checks import positive_data_acceptance
from small_inbox import CHANNELS, LABELS, catalogue, conversations, thread

from frontdesk.business_hours import parse_hours
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.app import Application, create_app
from frontdesk.service.media.endpoint import MEDIA_ENDPOINT
from frontdesk.service.openapi import codes_of, document, path_of
from frontdesk.service.problems import CODES, MEDIA_TYPE
from frontdesk.service.routes import ENDPOINTS
from frontdesk.store.business_hours import set_hours
from frontdesk.store.sqlite import SQLiteDatabase

NOW = 1_773_480_600_000
# The id of the conversation with a long thread.
THREAD = "46"
# Values that do name something.
NAMES = {
    "id": ["1", "9", THREAD],
    "phone": ["+5511987654321", "551187654321"],
    "channel": list(CHANNELS),
    "label": [*LABELS, "VIP"],
    "assignee": ["me", "unassigned", "assigned", "1", "3"],
    "contact": ["1", "3"],
    "from": ["2026-03-01", "2026-03-08T10:07:30.5Z"],
    "to": ["2026-03-14", "2026-03-12T12:00:00+05:45"],
    "timezone": ["Europe/Madrid", "Asia/Kathmandu", "UTC"],
}
# A search goes with no order, nor with the later filters.
SEARCH = ("q", "conversations")
# Labels go with no label.
COUNTED_BY = ("by", "counts")
# At most one of the first, and all with some of the parts only.
ALONE_IN_REPORTS = {(name, "inbox_report") for name in ("user", "team", "label", "clock")}
# No schema can say that a value names nothing, that a day is not in the calendar, or what the
# parameters of a period must be to each other.
UNFORESEEABLE = {
    *("unknown_value", "out_of_range", "not_before_to", "too_long", "too_fine"),
    *("too_short", "unavailable", "not_together"),
}


UNFORESEEN = re.compile(r"^(cursor|query|from|to)$")


class Stage:
    """The application that is asked, once there is one: the document is read before."""

    app: Application
    key: str

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "http"
        await self.app(scope, receive, send)


def described(stage: Stage, text: dict[str, Any]) -> Any:
    loaded = schemathesis.openapi.from_dict(text, config=SchemathesisConfig.from_dict({"seed": 1}))
    loaded.app = stage
    return loaded


def aimed() -> dict[str, Any]:
    """The document with only such values as name something."""
    openapi = document()
    # There are no files here.
    del openapi["paths"][path_of(MEDIA_ENDPOINT)]
    for path in openapi["paths"].values():
        parameters = path["get"]["parameters"]
        path["get"]["parameters"] = [
            {**one, "schema": {"type": "string", "enum": NAMES[one["name"]]}}
            if one["name"] in NAMES
            else one
            for one in parameters
            if one["name"] not in ("cursor", "query")
            and (one["name"], path["get"]["operationId"])
            not in {SEARCH, COUNTED_BY, *ALONE_IN_REPORTS}
        ]
    return openapi


stage = Stage()
published_api = described(stage, document())
aimed_api = described(stage, aimed())
codes = {path_of(endpoint): codes_of(endpoint) for endpoint in (*ENDPOINTS, MEDIA_ENDPOINT)}
few = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module", autouse=True)
def on_stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    path = tmp_path_factory.mktemp("described") / "inbox.db"
    database = SQLiteDatabase(path, create=True, durable=False)
    for events in (catalogue(), conversations(45), thread()):
        database.write(lambda c, events=events: apply_events(c, 1, events, now=NOW))
    hours = parse_hours({"timezone": "UTC", "monday": ["09:00-17:00"]})
    database.write(lambda c: set_hours(c, 1, hours))
    stage.key, guest = new_ephemeral_key(1, 1)
    # Every request some time after the one before: bad keys are not what slows this down. One that
    # is held looks at the clock several times, and must not seem to have waited long for its turn.
    moments = count(NOW, 1_000)
    stage.app = create_app(database, ephemeral_keys=[guest], clock=lambda: next(moments))
    newest = database.read(lambda c: c.row("SELECT MAX(id) AS id FROM conversation"))
    assert newest is not None
    assert str(newest["id"]) == THREAD
    yield
    stage.app.close()
    database.close()


@published_api.parametrize()
@few
def test_whatever_is_asked_the_answer_is_as_described(case: Any) -> None:
    ask(case, excluded_checks=[positive_data_acceptance], additional_checks=[refused_for_a_reason])


@aimed_api.parametrize()
@few
def test_requests_that_match_the_document_are_answered_as_described(case: Any) -> None:
    ask(case)


def ask(case: Any, **options: Any) -> None:
    response = case.call_and_validate(headers={"Authorization": f"Bearer {stage.key}"}, **options)
    if response.status_code >= 400:
        check_problem(case, response)


def check_problem(case: Any, response: Any) -> None:
    """Every error is a problem document with a code that its operation may answer with."""
    assert response.headers["content-type"] == [MEDIA_TYPE]
    problem = response.json()
    assert CODES[problem["code"]] == (response.status_code, problem["title"])
    if case.method == "GET":
        assert problem["code"] in codes[case.path][response.status_code]


def refused_for_a_reason(context: Any, response: Any, case: Any) -> None:
    """What the document allows is refused only if it names nothing."""
    try:
        positive_data_acceptance(context, response, case)
    except RejectedPositiveData:
        faults = response.json().get("errors", ())
        unforeseen = [one for one in faults if one["reason"] not in UNFORESEEABLE]
        # Nor can it recognise a foreign cursor, a February with 30 days, or a comparison with no
        # number.
        if not faults or any(not UNFORESEEN.search(one["parameter"]) for one in unforeseen):
            raise
