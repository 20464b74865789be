"""Report endpoint with a row for each conversation: what an inbox report is the sum of."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from frontdesk.service.business_time import BusinessTime
from frontdesk.service.endpoint import EndpointRequest
from frontdesk.service.routes.report_filters import business_time, report_filter
from frontdesk.service.routes.reports import report_parameters
from frontdesk.service.serializers import custom_fields, grouped
from frontdesk.store import report_rows
from frontdesk.store.conversations import labels_of
from frontdesk.store.database import Row
from frontdesk.store.report_parts import PartSelection
from frontdesk.store.rollups import HANDOFF
from frontdesk.wire import Page, PhoneRef, Ref, timestamp
from frontdesk.wire.reports import AdRef, AgentCount, ConversationReport, sums_of

# Plural and singular in names of members.
_TIMED = {
    "first_response": ("first_responses", "first_response"),
    "reply": ("replies", "reply"),
    "resolved": ("resolutions", "resolution"),
}
_SUMS = sums_of(ConversationReport)
_INBOUND = 0
_READS_CONTACTS = "contacts:read"


class _Timing(NamedTuple):
    """Targets in milliseconds by metric, and what measures durations besides the calendar."""

    targets: Mapping[str, int]
    business: BusinessTime | None


def conversation_reports(request: EndpointRequest) -> Page[ConversationReport]:
    """Conversations in which something was counted in a period, by id."""
    filter, members = report_filter(request)
    query = report_parameters(request)
    business = business_time(request, filter, query.period.end)
    period = query.period
    bounds = {"from": str(period.start), "to": str(period.end)}
    values = {name: str(value) for name, value in members.items() if value is not None}
    paging = request.paging({**bounds, **values})
    request.parameters.raise_if_invalid()
    account_id = request.grant.account_id
    selection = PartSelection(account_id, filter, period.start, period.end)
    after = 0 if paging.after is None else int(paging.after[0] or 0)
    rows, next_cursor = paging.split(
        report_rows.conversation_rows(request.connection, selection, after, paging.limit + 1),
        lambda row: (row["id"],),
    )
    timing = _Timing(query.parts.targets, business)
    reports = _reports(request, selection, rows, timing) if rows else ()
    return Page[ConversationReport].of(reports, next_cursor)


def _reports(
    request: EndpointRequest,
    selection: PartSelection,
    rows: Sequence[Row],
    timing: _Timing,
) -> list[ConversationReport]:
    ids = [row["id"] for row in rows]
    connection = request.connection
    messages = grouped(report_rows.messages_of_rows(connection, selection, ids), "conversation_id")
    events = grouped(report_rows.events_of_rows(connection, selection, ids), "conversation_id")
    labels = grouped(labels_of(*request.account, ids), "conversation_id")
    ads = report_rows.ads_of_rows(connection, selection, ids)
    users = report_rows.user_names(
        *request.account, {row["user_id"] for own in messages.values() for row in own}
    )
    reads_contacts = _READS_CONTACTS in request.grant.scopes
    return [
        ConversationReport(
            id=str(row["id"]),
            channel=Ref(id=row["phone_number_id"], name=row["channel_name"]),
            labels=tuple(label["title"] for label in labels[row["id"]]),
            opened_at=timestamp(row["created_at"]),
            began=row["created_at"] >= selection.start,
            ad=_ad(ads.get(row["id"])),
            **_messages(messages[row["id"]], users),
            **_events(events[row["id"]], row["channel_id"], timing),
            **(_customer(row) if reads_contacts else {}),
        )
        for row in rows
    ]


def _customer(row: Row) -> dict[str, Any]:
    contact = PhoneRef.model_validate(
        {
            "id": str(row["contact_id"]),
            "name": row["contact_name"],
            "phone": row["phone"],
            **({} if row["username"] is None else {"username": row["username"]}),
        }
    )
    return {"contact": contact, "custom_fields": custom_fields(row["custom_json"])}


def _ad(row: Row | None) -> AdRef | None:
    return None if row is None else AdRef(id=row["ad"], name=row["headline"], url=row["url"])


def _messages(rows: Iterable[Row], users: Mapping[int, str]) -> dict[str, Any]:
    received, sent = 0, Counter[str]()
    agents = Counter[int]()
    for row in rows:
        if row["direction"] == _INBOUND:
            received += row["n"]
            continue
        sent[row["author"]] += row["n"]
        if row["user_id"]:
            agents[row["user_id"]] += row["n"]
    return {
        "incoming_messages_count": received,
        "outgoing_messages_count": sent.total(),
        "outgoing_by_author": dict(sorted(sent.items(), key=lambda pair: (-pair[1], pair[0]))),
        "agents": tuple(
            AgentCount(user=Ref(id=str(id), name=users.get(id)), count=count)
            for id, count in sorted(agents.items(), key=lambda pair: (-pair[1], pair[0]))
        ),
    }


def _events(rows: Sequence[Row], channel_id: int, timing: _Timing) -> dict[str, Any]:
    """Return counts, and sums of durations in seconds to the millisecond."""
    counts = Counter(row["name"] for row in rows)
    members: dict[str, Any] = {
        **{member: counts[mark.name] for member, mark in _SUMS.items()},
        "handed_to_human": counts[HANDOFF] > 0,
    }
    for name, (plural, singular) in _TIMED.items():
        timed = [
            (row["started_at"], row["ended_at"])
            for row in rows
            if row["name"] == name and row["started_at"] is not None
        ]
        durations = [end - start for start, end in timed]
        members[f"{singular}_seconds"] = sum(durations) / 1000 if timed else None
        if timing.business is not None:
            durations = [timing.business.between(channel_id, *each) for each in timed]
            if timed:
                members[f"{singular}_business_seconds"] = sum(durations) / 1000
        if name in timing.targets:
            within = sum(each <= timing.targets[name] for each in durations)
            members[f"{plural}_in_time"] = within
        if name == "resolved":
            members["timed_resolutions_count"] = len(timed)
    return members
