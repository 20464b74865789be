"""Catalogue endpoints: paged lists of labels, users, teams, channels, templates and the like."""

from collections.abc import Sequence

from frontdesk.service import serializers
from frontdesk.service.endpoint import Call
from frontdesk.store import catalogues
from frontdesk.store.catalogues import Catalogue
from frontdesk.store.database import Row
from frontdesk.wire import CannedResponse, Channel, CustomField, Label, Page, Team, Template, User


def labels(call: Call) -> Page[Label]:
    """Labels by title."""
    rows, next_cursor = _listed(call, catalogues.LABELS)
    return Page[Label].of(map(serializers.label_body, rows), next_cursor)


def custom_fields(call: Call) -> Page[CustomField]:
    """Definitions of contact attributes by position."""
    rows, next_cursor = _listed(call, catalogues.CUSTOM_FIELDS)
    return Page[CustomField].of(map(serializers.custom_field_body, rows), next_cursor)


def users(call: Call) -> Page[User]:
    """Agents by name."""
    rows, next_cursor = _listed(call, catalogues.USERS)
    return Page[User].of(map(serializers.user_body, rows), next_cursor)


def teams(call: Call) -> Page[Team]:
    """Teams by name, with their numbers and members."""
    rows, next_cursor = _listed(call, catalogues.TEAMS)
    team_ids = [row["id"] for row in rows]
    linked = catalogues.team_channels(call.connection, call.account_id, team_ids)
    joined = catalogues.team_members(call.connection, call.account_id, team_ids)
    channels, members = (
        serializers.grouped(linked, "team_id"),
        serializers.grouped(joined, "team_id"),
    )
    return Page[Team].of(
        (
            serializers.team_body(row, _numbers(channels[row["id"]]), members[row["id"]])
            for row in rows
        ),
        next_cursor,
    )


def channels(call: Call) -> Page[Channel]:
    """Numbers by name."""
    rows, next_cursor = _listed(call, catalogues.CHANNELS)
    return Page[Channel].of(map(serializers.channel_body, rows), next_cursor)


def canned_responses(call: Call) -> Page[CannedResponse]:
    """Reusable replies by short code."""
    rows, next_cursor = _listed(call, catalogues.CANNED_RESPONSES)
    return Page[CannedResponse].of(map(serializers.canned_response_body, rows), next_cursor)


def templates(call: Call) -> Page[Template]:
    """Templates by name and language, with the numbers that can send them."""
    rows, next_cursor = _listed(call, catalogues.TEMPLATES)
    waba_ids = sorted({row["waba_id"] for row in rows if row["waba_id"] is not None})
    owned = catalogues.business_channels(call.connection, call.account_id, waba_ids)
    numbers = serializers.grouped(owned, "waba_id")
    return Page[Template].of(
        (serializers.template_body(row, _numbers(numbers[row["waba_id"]])) for row in rows),
        next_cursor,
    )


def _listed(call: Call, catalogue: Catalogue) -> tuple[list[Row], str | None]:
    connection, account_id = call.connection, call.account_id
    place = call.place(
        {},
        lambda row_id: catalogues.catalogue_position(connection, catalogue, account_id, row_id),
    )
    call.parameters.settle()
    return place.cut(
        catalogues.catalogue_page(connection, catalogue, account_id, place.after, place.limit + 1),
        catalogue.order,
    )


def _numbers(rows: Sequence[Row]) -> list[str]:
    return [row["phone_number_id"] for row in rows]
