"""Columns of a report's rows by conversation, for CSV."""

from collections.abc import Callable
from operator import attrgetter

from frontdesk.exports.tables import Cell, Column
from frontdesk.text.clean import first_non_blank
from frontdesk.text.phones import username
from frontdesk.wire.reports import ConversationReport

_SEPARATOR = "; "


def _labels(row: ConversationReport) -> Cell:
    return _SEPARATOR.join(row.labels)


def _agents(row: ConversationReport) -> Cell:
    return _SEPARATOR.join(f"{one.user.name or one.user.id}: {one.count}" for one in row.agents)


def _authors(row: ConversationReport) -> Cell:
    return _SEPARATOR.join(f"{author}: {n}" for author, n in row.outgoing_by_author.items())


def _fields(row: ConversationReport) -> Cell:
    return _SEPARATOR.join(f"{key}: {value}" for key, value in row.custom_fields.items())


def _of_contact(member: str) -> Callable[[ConversationReport], Cell]:
    return lambda row: getattr(row.contact, member, None)


def _customer(row: ConversationReport) -> Cell:
    return None if row.contact is None else first_non_blank(row.contact.name, username(row.contact))


def _of_ad(member: str) -> Callable[[ConversationReport], Cell]:
    return lambda row: getattr(row.ad, member, None)


_PLAIN = (
    *("opened_at", "began", "reopened_count", "first_responses_count", "first_response_seconds"),
    *("first_response_business_seconds", "first_responses_in_time", "replies_count"),
    *("reply_seconds", "reply_business_seconds", "replies_in_time", "resolutions_count"),
    *("timed_resolutions_count", "resolution_seconds", "resolution_business_seconds"),
    *("handed_to_human", "bot_resolutions_count"),
    *("incoming_messages_count", "outgoing_messages_count"),
)
COLUMNS: tuple[Column[ConversationReport], ...] = (
    Column("id", attrgetter("id")),
    Column("customer_id", _of_contact("id")),
    Column("customer", _customer),
    Column("phone", _of_contact("phone")),
    Column("channel_id", attrgetter("channel.id")),
    Column("channel", attrgetter("channel.name")),
    Column("labels", _labels),
    *(Column(name, attrgetter(name)) for name in _PLAIN),
    Column("sent_by_author", _authors),
    Column("agents", _agents),
    Column("ad_id", _of_ad("id")),
    Column("ad", _of_ad("name")),
    Column("custom_fields", _fields),
)
