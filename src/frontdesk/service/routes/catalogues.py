"""Catalogue endpoints: paged lists of labels, users, teams, channels, templates and the like."""

from collections.abc import Sequence
from operator import itemgetter

from frontdesk.service import serializers
from frontdesk.service.endpoint import EndpointRequest
from frontdesk.store import catalogues
from frontdesk.store.business_hours import hours_of
from frontdesk.store.catalogues import CatalogueTable
from frontdesk.store.database import Row
from frontdesk.store.reports import account_timezone
from frontdesk.wire import CannedResponse, Channel, CustomField, Label, Page, Team, Template, User


def labels(request: EndpointRequest) -> Page[Label]:
    """Labels by title."""
    rows, next_cursor = _listed(request, catalogues.LABELS)
    return Page[Label].of((serializers.from_row(Label, row) for row in rows), next_cursor)


def custom_fields(request: EndpointRequest) -> Page[CustomField]:
    """Definitions of contact attributes by position."""
    rows, next_cursor = _listed(request, catalogues.CUSTOM_FIELDS)
    return Page[CustomField].of(map(serializers.custom_field_body, rows), next_cursor)


def users(request: EndpointRequest) -> Page[User]:
    """Agents by name."""
    rows, next_cursor = _listed(request, catalogues.USERS)
    return Page[User].of((serializers.from_row(User, row) for row in rows), next_cursor)


def teams(request: EndpointRequest) -> Page[Team]:
    """Teams by name, with their numbers and members."""
    rows, next_cursor = _listed(request, catalogues.TEAMS)
    team_ids = [row["id"] for row in rows]
    linked = catalogues.team_channels(*request.account, team_ids)
    joined = catalogues.team_members(*request.account, team_ids)
    channels = serializers.grouped(linked, "team_id")
    members = serializers.grouped(joined, "team_id")
    return Page[Team].of(
        (
            serializers.team_body(row, _numbers(channels[row["id"]]), members[row["id"]])
            for row in rows
        ),
        next_cursor,
    )


def channels(request: EndpointRequest) -> Page[Channel]:
    """Numbers by name."""
    rows, next_cursor = _listed(request, catalogues.CHANNELS)
    hours, timezone = hours_of(*request.account), account_timezone(*request.account)
    return Page[Channel].of(
        (serializers.channel_body(row, hours, timezone) for row in rows), next_cursor
    )


def canned_responses(request: EndpointRequest) -> Page[CannedResponse]:
    """Reusable replies by short code."""
    rows, next_cursor = _listed(request, catalogues.CANNED_RESPONSES)
    return Page[CannedResponse].of(
        (serializers.from_row(CannedResponse, row) for row in rows), next_cursor
    )


def templates(request: EndpointRequest) -> Page[Template]:
    """Templates by name and language, with the numbers that can send them."""
    rows, next_cursor = _listed(request, catalogues.TEMPLATES)
    waba_ids = sorted({row["waba_id"] for row in rows if row["waba_id"] is not None})
    owned = catalogues.business_channels(*request.account, waba_ids)
    numbers = serializers.grouped(owned, "waba_id")
    return Page[Template].of(
        (serializers.template_body(row, _numbers(numbers[row["waba_id"]])) for row in rows),
        next_cursor,
    )


def _listed(request: EndpointRequest, catalogue: CatalogueTable) -> tuple[list[Row], str | None]:
    paging = request.paging(
        {}, lambda row_id: catalogues.catalogue_position(*request.account, catalogue, row_id)
    )
    request.parameters.raise_if_invalid()
    return paging.split(
        catalogues.catalogue_page(*request.account, catalogue, paging.after, paging.limit + 1),
        itemgetter(*catalogue.order),
    )


def _numbers(rows: Sequence[Row]) -> list[str]:
    return [row["phone_number_id"] for row in rows]
