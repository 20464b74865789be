"""Reads the catalogues: labels, custom fields, users, teams, channels, replies, templates."""

from collections.abc import Sequence
from dataclasses import dataclass

from frontdesk.store.conversations import Position, one_of
from frontdesk.store.database import Connection, Row


@dataclass(frozen=True, slots=True)
class CatalogueTable:
    """Table and its sort columns, ascending; the last column is the unique id."""

    table: str
    order: tuple[str, ...]


LABELS = CatalogueTable("label", ("title_key", "id"))
CUSTOM_FIELDS = CatalogueTable("custom_field", ("position", "id"))
USERS = CatalogueTable("app_user", ("name_key", "id"))
TEAMS = CatalogueTable("team", ("name_key", "id"))
CHANNELS = CatalogueTable("channel", ("name_key", "id"))
CANNED_RESPONSES = CatalogueTable("canned_response", ("short_code", "id"))
TEMPLATES = CatalogueTable("template", ("name", "language", "id"))


def catalogue_page(
    connection: Connection,
    account_id: int,
    catalogue: CatalogueTable,
    after: Position | None,
    count: int,
) -> list[Row]:
    """Return rows with all columns, in the catalogue's order, after position `after`."""
    order = ", ".join(catalogue.order)
    parameters: dict[str, object] = {"account": account_id, "count": count}
    continued = ""
    if after is not None:
        names = [f"after{number}" for number in range(len(catalogue.order))]
        continued = f"AND ({order}) > ({', '.join(f':{name}' for name in names)})"
        parameters |= dict(zip(names, after, strict=True))
    return connection.rows(
        f"""
        SELECT * FROM {catalogue.table} WHERE account_id = :account {continued}
        ORDER BY {order} LIMIT :count
        """,
        parameters,
    )


def all_rows(connection: Connection, account_id: int, catalogue: CatalogueTable) -> list[Row]:
    """Return all rows with all columns, in the catalogue's order."""
    order = ", ".join(catalogue.order)
    return connection.rows(
        f"SELECT * FROM {catalogue.table} WHERE account_id = :account ORDER BY {order}",
        {"account": account_id},
    )


def catalogue_position(
    connection: Connection, account_id: int, catalogue: CatalogueTable, row_id: int | str
) -> Position | None:
    """Return the sort key of a row, None if it does not exist."""
    row = connection.row(
        f"""
        SELECT {", ".join(catalogue.order)} FROM {catalogue.table}
        WHERE account_id = :account AND id = :id
        """,
        {"account": account_id, "id": row_id},
    )
    return None if row is None else tuple(row[column] for column in catalogue.order)


def team_channels(connection: Connection, account_id: int, team_ids: Sequence[int]) -> list[Row]:
    """Return (team_id, phone_number_id) of channels linked to the teams, by channel name."""
    placeholders, parameters = one_of("id", team_ids)
    return connection.rows(
        f"""
        SELECT link.team_id, channel.phone_number_id
        FROM team_channel AS link
        JOIN channel ON channel.account_id = :account AND channel.id = link.channel_id
        WHERE link.account_id = :account AND link.team_id IN ({placeholders})
        ORDER BY channel.name_key, channel.id
        """,
        {"account": account_id, **parameters},
    )


def team_members(connection: Connection, account_id: int, team_ids: Sequence[int]) -> list[Row]:
    """Return (team_id, id, name) of the teams' members, by name."""
    placeholders, parameters = one_of("id", team_ids)
    return connection.rows(
        f"""
        SELECT link.team_id, app_user.id, app_user.name
        FROM team_member AS link
        JOIN app_user ON app_user.account_id = :account AND app_user.id = link.user_id
        WHERE link.account_id = :account AND link.team_id IN ({placeholders})
        ORDER BY app_user.name_key, app_user.id
        """,
        {"account": account_id, **parameters},
    )


def business_channels(
    connection: Connection, account_id: int, waba_ids: Sequence[str]
) -> list[Row]:
    """Return (waba_id, phone_number_id) of the business accounts' channels, by name."""
    placeholders, parameters = one_of("waba", waba_ids)
    return connection.rows(
        f"""
        SELECT waba_id, phone_number_id FROM channel
        WHERE account_id = :account AND waba_id IN ({placeholders})
        ORDER BY name_key, id
        """,
        {"account": account_id, **parameters},
    )
