"""Report figures by the ad that customers came from, from the referrals of their messages."""

from frontdesk.store.ads import member
from frontdesk.store.database import Connection, Row
from frontdesk.store.report_parts import PartSelection
from frontdesk.store.rollups import STARTED, TIMED

# Conversations that a customer came to.
ARRIVED = "arrived"


def figures_by_ad(connection: Connection, selection: PartSelection) -> list[Row]:
    """Return (ad, name, n, samples, total) of the conversations that customers came to by an ad.

    name: "arrived", of these "started", or a metric with a duration: all in the period. samples:
    how many have a duration, with a sum of `total` milliseconds. A conversation that was come to
    by two ads counts for both.
    """
    timed = ", ".join(map(repr, TIMED))
    arrival = f"""
        WITH arrival AS MATERIALIZED (
          SELECT DISTINCT ad, conversation_id FROM ({arrivals(connection, selection)}) AS each)"""
    # Of a union of these, SQLite would read all conversations and facts first, for a Bloom filter.
    figures = (
        f"""
        SELECT ad, '{ARRIVED}' AS name, COUNT(*) AS n, 0 AS samples, 0 AS total
        FROM arrival GROUP BY ad
        """,
        f"""
        SELECT ad, '{STARTED}' AS name, COUNT(*) AS n, 0 AS samples, 0 AS total
        FROM arrival CROSS JOIN conversation
        WHERE conversation.account_id = :account AND conversation.id = arrival.conversation_id
          AND conversation.created_at >= :start AND conversation.created_at < :end
        GROUP BY ad
        """,
        f"""
        SELECT ad, fact.name, COUNT(*) AS n, COUNT(fact.started_at) AS samples,
          CAST(COALESCE(SUM(fact.ended_at - fact.started_at), 0) AS BIGINT) AS total
        FROM arrival CROSS JOIN metric_event AS fact
        WHERE fact.account_id = :account AND fact.conversation_id = arrival.conversation_id
          AND fact.name IN ({timed}) AND fact.ended_at >= :start AND fact.ended_at < :end
        GROUP BY ad, fact.name
        """,
    )
    return [
        row
        for select in figures
        for row in connection.rows(f"{arrival} {select}", selection.parameters)
    ]


def ads(connection: Connection, selection: PartSelection) -> list[Row]:
    """Return (ad, headline, url) of the ads of a period, as their newest message has them."""
    return connection.rows(
        f"""
        WITH arrival AS MATERIALIZED ({arrivals(connection, selection)}),
          newest AS (SELECT ad, MAX(created_at) AS created_at FROM arrival GROUP BY ad)
        SELECT newest.ad, MAX(arrival.headline) AS headline, MAX(arrival.url) AS url
        FROM newest JOIN arrival
          ON arrival.ad = newest.ad AND arrival.created_at = newest.created_at
        GROUP BY newest.ad ORDER BY newest.ad
        """,
        selection.parameters,
    )


def arrivals(
    connection: Connection, selection: PartSelection, messages: str = "message AS fact"
) -> str:
    """Return a SELECT of the messages of a period that came from an ad, which ends in WHERE.

    messages: the table, as `fact`, perhaps after one that it is joined to.
    """
    source, headline, url = (
        member(connection.dialect, name, "fact.referral_json")
        for name in ("source_id", "headline", "source_url")
    )
    return f"""
        SELECT {source} AS ad, fact.conversation_id, fact.created_at, {headline} AS headline,
          {url} AS url
        FROM {messages}
        WHERE fact.account_id = :account AND fact.referral_json IS NOT NULL
          AND fact.created_at >= :start AND fact.created_at < :end {selection.narrowed}
          AND {source} <> ''"""
