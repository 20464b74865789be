"""Messages that are sent as templates: the template's text with their values in its places."""

import json
from typing import Any

import pytest
from tests.ingest.event_helpers import CHANNEL, NOW, apply, only, outbound, rows

from frontdesk.ingest.audit import differences
from frontdesk.ingest.events import ChannelUpsert, MessageUpsert, TemplateUpsert
from frontdesk.ingest.sent_templates import fill_texts
from frontdesk.store.database import Database

BODY = {"type": "BODY", "text": "Hi {{1}}, table {{2}} is yours at {{3}}."}
FOOTER = {"type": "FOOTER", "text": "Blue Café"}
TABLE = TemplateUpsert("7", "table", "en", NOW - 90, (BODY, FOOTER))
VALUES = [
    {"type": "text", "text": "Ida"},
    {"type": "currency", "currency": {"fallback_value": "$9", "code": "USD"}},
    {"type": "date_time", "date_time": {"fallback_value": "noon"}},
]
TEXT = "Hi Ida, table $9 is yours at noon."


def sent(name: str = "table", language: str = "en", **members: Any) -> MessageUpsert:
    components = [{"type": "body", "parameters": VALUES}]
    content = {"name": name, "language": language, "category": None, "components": components}
    return outbound(NOW - 50, "m", type="template", text=None, content=content, **members)


def texts(database: Database) -> tuple[Any, Any]:
    """The text of the message, and that in the list."""
    preview = json.loads(only(database, "conversation")["last_message_json"])
    assert not database.read(lambda connection: list(differences(connection, 1)))
    return only(database, "message")["text"], preview["text"]


@pytest.mark.both_engines
@pytest.mark.parametrize("first", ["template", "message"])
def test_a_sent_template_says_what_the_customer_reads_whatever_comes_first(
    database: Database, first: str
) -> None:
    for event in (TABLE, sent()) if first == "template" else (sent(), TABLE):
        apply(database, event)
    assert texts(database) == (TEXT, TEXT)
    content = json.loads(only(database, "message")["content_json"])
    assert content["components"] == [{**BODY, "text": TEXT, "parameters": VALUES}, FOOTER]


def test_a_template_and_its_message_may_come_together_and_again(database: Database) -> None:
    apply(database, sent(), TABLE)
    changed = TemplateUpsert("7", "table", "en", NOW - 10, ({"type": "BODY", "text": "new"},))
    apply(database, changed, sent())
    apply(database, sent())
    assert texts(database) == (TEXT, TEXT)


def test_a_template_of_another_name_or_language_gives_no_text(database: Database) -> None:
    apply(database, TABLE, sent(name="chair"))
    apply(database, TemplateUpsert("8", "chair", "pt", NOW, (BODY,)))
    assert texts(database) == (None, None)


@pytest.mark.both_engines
@pytest.mark.parametrize("together", [True, False])
def test_of_two_business_accounts_the_template_is_that_of_the_channel(
    database: Database, together: bool
) -> None:
    other = TemplateUpsert("1", "table", "en", NOW, ({"type": "BODY", "text": "no"},), waba_id="2")
    own = TemplateUpsert("9", "table", "en", NOW, ({"type": "BODY", "text": "yes"},), waba_id="3")
    channel = ChannelUpsert(CHANNEL, NOW, waba_id="3")
    batches = ((other, own, channel, sent()),) if together else ((sent(), channel), (other, own))
    for events in batches:
        apply(database, *events)
    assert texts(database) == ("yes", "yes")


def test_a_deleted_template_stays_deleted(database: Database) -> None:
    apply(database, sent(deleted_at=NOW - 40, source="chatwoot"))
    apply(database, TABLE)
    assert only(database, "message")["text"] is None


@pytest.mark.both_engines
def test_messages_of_older_versions_get_the_text_once(database: Database) -> None:
    apply(database, sent())
    # As a version wrote it that gave messages no text of templates.
    columns = "account_id, id, name, language, components_json"
    values = "1, '7', 'table', 'en', :components"
    database.write(
        lambda connection: connection.run(
            f"INSERT INTO template({columns}) VALUES ({values})",
            {"components": json.dumps([BODY])},
        )
    )
    assert rows(database, "SELECT text FROM message") == [{"text": None}]
    assert fill_texts(database, now=NOW) == 1
    assert texts(database) == (TEXT, TEXT)
    assert fill_texts(database, now=NOW) == 0
