"""What an inbox holds, without the ids of rows and the times of their last change."""

from typing import Any

from tests.ingest.test_any_order import LAST_ACTIVITY, VIEWS, unnumbered

from frontdesk.store.database import Connection, Database

_AT = "JOIN channel ch ON ch.account_id = m.account_id AND ch.id = m.channel_id"
MORE_VIEWS = {
    "accounts": """
        SELECT slug, name, timezone, disabled, created_at, messages_keep_days, business_hours_json
        FROM account
        """,
    "contacts": """
        SELECT phone, wa_id, wa_user_id, username, name, name_rank, profile_name, email, blocked,
          marketing_opt_out_at, custom_json, facts_json, phone_at, user_at, last_activity_at, search
        FROM contact
        """,
    "former names": """
        SELECT a.phone AS former, p.phone, p.wa_user_id FROM contact_alias a
        JOIN contact p ON p.account_id = a.account_id AND p.id = a.contact_id
        """,
    "identity changes": "SELECT old, new, at FROM identity_change",
    "parts": """
        SELECT COUNT(*) AS n, p.phone, p.wa_user_id FROM contact_part a
        JOIN contact p ON p.account_id = a.account_id AND p.id = a.contact_id
        GROUP BY p.phone, p.wa_user_id
        """,
    "channels": """
        SELECT phone_number_id, name, alias, phone, display_phone_number, verified_name,
          quality_rating, status, name_status, messaging_limit, throughput, platform,
          on_business_app, waba_id, synced_at, created_at
        FROM channel
        """,
    "users": "SELECT name, key, email, role, availability, avatar_url, active FROM app_user",
    "teams": """
        SELECT t.name, description, distribution, u.key, ch.phone_number_id FROM team t
        LEFT JOIN team_member m ON m.account_id = t.account_id AND m.team_id = t.id
        LEFT JOIN app_user u ON u.account_id = t.account_id AND u.id = m.user_id
        LEFT JOIN team_channel c ON c.account_id = t.account_id AND c.team_id = t.id
        LEFT JOIN channel ch ON ch.account_id = t.account_id AND ch.id = c.channel_id
        """,
    "labels of the account": "SELECT title_key, description, color FROM label",
    "custom fields": """
        SELECT key, name, type, description, options_json, pattern, pattern_hint, position
        FROM custom_field
        """,
    "canned responses": "SELECT short_code, text FROM canned_response",
    "templates": """
        SELECT id, name, language, category, status, parameter_format, components_json,
          quality_score, rejected_reason, previous_category, waba_id
        FROM template
        """,
    "messages, in full": f"""
        SELECT phone_number_id, m.created_at, direction, author, type, media_json, wamid,
          reply_wamid, forwarded, referral_json, error_json, edited_at, deleted_at, raw_json,
          category, billable, pricing_model, pricing_type, priced_at, stamped_at, expired_at
        FROM message m {_AT}
        """,
    "waiting": "SELECT target, kind, created_at, detail_json FROM orphan",
    "sums of prices": f"""
        SELECT phone_number_id, grain, bucket, author, category, m.type, n, billable
        FROM pricing_rollup m {_AT}
        """,
}


def state(database: Database) -> dict[str, list[str]]:
    """What readers find, by kind, in the order of what it says."""

    def read(connection: Connection) -> dict[str, list[str]]:
        views = {**VIEWS, "last activity": LAST_ACTIVITY}
        found = {
            name: sorted(repr(unnumbered(row)) for row in connection.rows(sql))
            for name, sql in views.items()
        }
        more = {
            name: sorted(repr(_plain(row)) for row in connection.rows(sql))
            for name, sql in MORE_VIEWS.items()
        }
        # Titles of labels are written in lower case, and the default of `on` in full.
        found["events"] = sorted(row.lower().replace(',"on":true', "") for row in found["events"])
        return {**found, **{f"{name}, in full": rows for name, rows in more.items()}}

    return database.read(read)


def _plain(row: Any) -> dict[str, Any]:
    return dict(row)
