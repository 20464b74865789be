"""Filter parameters of reports: a channel, and a user, a team or a label."""

from typing import Any

from frontdesk.service.business_time import BusinessTime
from frontdesk.service.endpoint import EndpointRequest
from frontdesk.service.params import echo, row_id
from frontdesk.service.routes import filters
from frontdesk.store.business_hours import hours_of
from frontdesk.store.report_filters import ReportFilter
from frontdesk.store.reports import channels, name_of
from frontdesk.wire import Ref
from frontdesk.wire.queries import CALENDAR_PARTS, CLOCKS, FILTERED_REPORT_PARTS

# Of these, a report has at most one.
SUBJECTS = tuple(FILTERED_REPORT_PARTS)


def report_filter(request: EndpointRequest) -> tuple[ReportFilter, dict[str, Any]]:
    """Resolve the filters to row ids, and to the members by which the report says them again."""
    label_id, channel_id, values = filters.label_and_channel(request)
    parameters = request.parameters
    given = [name for name in SUBJECTS if parameters.get(name) is not None]
    for name in given[1:]:
        parameters.add_fault(
            "invalid_filter", name, "not_together", f"it does not go with {given[0]}"
        )
    user_id = filters.user(request)
    team_id = _team(request)
    members: dict[str, Any] = {"channel": values.get("channel")}
    for member, table, id in (("user", "app_user", user_id), ("team", "team", team_id)):
        if id is not None:
            members[member] = Ref(id=str(id), name=name_of(*request.account, table, id))
    if label_id:
        members["label"] = name_of(*request.account, "label", label_id)
    return ReportFilter(channel_id, user_id, team_id, label_id), members


def _team(request: EndpointRequest) -> int | None:
    text = request.parameters.filter_value("team")
    if text is None:
        return None
    team_id = row_id(text)
    if team_id is not None and name_of(*request.account, "team", team_id) is not None:
        return team_id
    request.parameters.add_fault("invalid_filter", "team", "unknown_value", "no team has this id")
    return None


def check_parts(request: EndpointRequest, filter: ReportFilter, parts: frozenset[str]) -> None:
    """Record a fault if a filtered report does not have one of these parts."""
    if not filter.by_person and not filter.label_id:
        return
    subject = next(one for one in SUBJECTS if request.parameters.get(one) is not None)
    allowed = FILTERED_REPORT_PARTS[subject]
    for name in sorted(parts.difference(allowed)):
        request.parameters.add_fault(
            "invalid_period",
            "include",
            "not_together",
            f"{name} does not go with {subject}, with which there may be {', '.join(allowed)}",
            allowed=allowed,
        )


def business_time(
    request: EndpointRequest, filter: ReportFilter, until: int, parts: frozenset[str] = frozenset()
) -> BusinessTime | None:
    """Parse `clock`; None for calendar time, or after a fault. until: the end of the period."""
    parameters = request.parameters
    text = parameters.get("clock")
    if text is None or text == CLOCKS[0]:
        return None
    if text not in CLOCKS:
        parameters.add_fault(
            "invalid_period",
            "clock",
            "not_allowed" if text else "empty",
            f"it must be one of {', '.join(CLOCKS)}; got '{echo(text)}'",
            allowed=CLOCKS,
        )
        return None
    hours = hours_of(*request.account)
    if not hours:
        parameters.add_fault(
            "invalid_period", "clock", "unavailable", "this account has no business hours"
        )
    for name in sorted(parts.intersection(CALENDAR_PARTS)):
        parameters.add_fault(
            "invalid_period", "include", "not_together", f"{name} does not go with business hours"
        )
    rows = channels(*request.account, filter.channel_id)
    numbers = {row["id"]: row["phone_number_id"] for row in rows}
    return BusinessTime(hours, numbers, request.now, until) if numbers else None
