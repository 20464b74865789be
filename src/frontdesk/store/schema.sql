-- Database schema for both dialects. Lines that start with "--sl" are for SQLite, those that start
-- with "--pg" for PostgreSQL, all others for both. Text is compared by bytes: for PostgreSQL,
-- store/rows.py writes TEXT COLLATE "C", and BYTEA for BLOB.
--
-- A change here needs a higher SCHEMA_VERSION in store/database.py, and a migration in
-- store/migrations.py, which adds columns by itself: existing databases are brought up to date by
-- `frontdesk db upgrade`.
--
-- account_id leads the keys and indexes of an account's tables. Times are epoch milliseconds, UTC.
-- No triggers, no sequences. assignee_id 0 is "unassigned", label_id 0 "all conversations".
-- status: 0 open, 1 snoozed, 2 resolved; state = 2 * status + (assignee_id <> 0).
-- direction: 0 inbound, 1 outbound. *_json columns hold JSON text.

CREATE TABLE meta(name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);

-- revision: incremented by every transaction with a visible change. messages_keep_days: for how
-- long contents of messages are kept, null for ever; those before expired_until are removed.
-- business_hours_json: as in business_hours.py, null for none.
CREATE TABLE account(
  id BIGINT NOT NULL PRIMARY KEY, slug TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
  timezone TEXT NOT NULL DEFAULT 'UTC', revision BIGINT NOT NULL DEFAULT 0,
  disabled SMALLINT NOT NULL DEFAULT 0, created_at BIGINT NOT NULL,
  messages_keep_days BIGINT, expired_until BIGINT, business_hours_json TEXT);

-- The newest change of each conversation, by the account's revision that it came with: what a reader
-- who knows an earlier revision has to read again. Rows of conversations that are gone stay.
-- conversation_id 0: names, and whatever else belongs to no one conversation.
CREATE TABLE change(
  account_id BIGINT NOT NULL, conversation_id BIGINT NOT NULL, revision BIGINT NOT NULL,
--pg   PRIMARY KEY(account_id, conversation_id));
--sl   PRIMARY KEY(account_id, conversation_id)) WITHOUT ROWID;
CREATE INDEX change_revision ON change(account_id, revision, conversation_id);

-- Last allocated id by kind of row.
CREATE TABLE last_id(
  account_id BIGINT NOT NULL, kind TEXT NOT NULL, value BIGINT NOT NULL,
  PRIMARY KEY(account_id, kind));

CREATE TABLE api_key(
  key_id TEXT NOT NULL PRIMARY KEY, account_id BIGINT NOT NULL, secret_hash BLOB NOT NULL,
  last4 TEXT NOT NULL, name TEXT NOT NULL, scopes TEXT NOT NULL, user_id BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL, expires_at BIGINT, revoked_at BIGINT, last_used_at BIGINT);
CREATE INDEX api_key_account ON api_key(account_id, created_at);

-- times_json of catalogue rows: time of each column's newest value, {column: milliseconds}.
CREATE TABLE channel(
  account_id BIGINT NOT NULL, id BIGINT NOT NULL, phone_number_id TEXT NOT NULL,
  name TEXT NOT NULL, name_key TEXT NOT NULL, alias TEXT, phone TEXT, display_phone_number TEXT,
  verified_name TEXT, quality_rating TEXT, status TEXT, name_status TEXT, messaging_limit TEXT,
  throughput TEXT, platform TEXT, on_business_app SMALLINT, waba_id TEXT, synced_at BIGINT,
  times_json TEXT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
  PRIMARY KEY(account_id, id));
CREATE UNIQUE INDEX channel_number ON channel(account_id, phone_number_id);
CREATE INDEX channel_order ON channel(account_id, name_key, id);

CREATE TABLE app_user(
  account_id BIGINT NOT NULL, id BIGINT NOT NULL, name TEXT NOT NULL, name_key TEXT NOT NULL,
  key TEXT NOT NULL, email TEXT, role TEXT NOT NULL, availability TEXT, avatar_url TEXT,
  active SMALLINT NOT NULL DEFAULT 1, times_json TEXT,
  created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
  PRIMARY KEY(account_id, id));
CREATE UNIQUE INDEX app_user_key ON app_user(account_id, key);
CREATE INDEX app_user_order ON app_user(account_id, name_key, id);

-- last_assigned: user of the team's last round-robin assignment.
CREATE TABLE team(
  account_id BIGINT NOT NULL, id BIGINT NOT NULL, name TEXT NOT NULL, name_key TEXT NOT NULL,
  description TEXT, distribution TEXT NOT NULL DEFAULT 'round_robin',
  last_assigned BIGINT NOT NULL DEFAULT 0, times_json TEXT,
  created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
  PRIMARY KEY(account_id, id));
CREATE INDEX team_order ON team(account_id, name_key, id);
CREATE TABLE team_channel(
  account_id BIGINT NOT NULL, team_id BIGINT NOT NULL, channel_id BIGINT NOT NULL,
  PRIMARY KEY(account_id, team_id, channel_id));
CREATE TABLE team_member(
  account_id BIGINT NOT NULL, team_id BIGINT NOT NULL, user_id BIGINT NOT NULL,
  PRIMARY KEY(account_id, team_id, user_id));

-- title_key: the casefolded title, by which the label filter compares.
CREATE TABLE label(
  account_id BIGINT NOT NULL, id BIGINT NOT NULL, title TEXT NOT NULL, title_key TEXT NOT NULL,
  description TEXT, color TEXT NOT NULL DEFAULT '#1f93ff', times_json TEXT,
  created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
  PRIMARY KEY(account_id, id));
CREATE UNIQUE INDEX label_title ON label(account_id, title_key);

CREATE TABLE custom_field(
  account_id BIGINT NOT NULL, id BIGINT NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL,
  type TEXT NOT NULL, description TEXT, options_json TEXT NOT NULL DEFAULT '[]', pattern TEXT,
  pattern_hint TEXT, position BIGINT NOT NULL DEFAULT 0, times_json TEXT,
  created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
  PRIMARY KEY(account_id, id));
CREATE UNIQUE INDEX custom_field_key ON custom_field(account_id, key);

CREATE TABLE canned_response(
  account_id BIGINT NOT NULL, id BIGINT NOT NULL, short_code TEXT NOT NULL, text TEXT NOT NULL,
  times_json TEXT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
  PRIMARY KEY(account_id, id));
CREATE UNIQUE INDEX canned_response_code ON canned_response(account_id, short_code);

CREATE TABLE template(
  account_id BIGINT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, language TEXT NOT NULL,
  category TEXT, status TEXT, parameter_format TEXT, components_json TEXT NOT NULL DEFAULT '[]',
  quality_score TEXT, rejected_reason TEXT, previous_category TEXT, waba_id TEXT,
  times_json TEXT, updated_at BIGINT,
  PRIMARY KEY(account_id, id));
CREATE INDEX template_order ON template(account_id, name, language, id);

-- name: the best known name; name_rank: its source (0 none, 1 profile, 2 imported, 3 address book).
-- facts_json: newest value of each fact, {fact: [milliseconds, value]}. phone_at, user_at: time of
-- the newest mention of the number and the user id. marketing_opt_out_at: since when the customer
-- wants no marketing messages. search: searchable text, see store/contacts.py.
CREATE TABLE contact(
  account_id BIGINT NOT NULL, id BIGINT NOT NULL, phone TEXT, wa_id TEXT, wa_user_id TEXT,
  username TEXT, name TEXT, name_rank SMALLINT NOT NULL DEFAULT 0, name_key TEXT NOT NULL DEFAULT '',
  profile_name TEXT, email TEXT,
  blocked SMALLINT NOT NULL DEFAULT 0, marketing_opt_out_at BIGINT,
  custom_json TEXT NOT NULL DEFAULT '{}', facts_json TEXT, phone_at BIGINT NOT NULL DEFAULT 0,
  user_at BIGINT NOT NULL DEFAULT 0,
  last_activity_at BIGINT, search TEXT NOT NULL DEFAULT '',
  created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
  PRIMARY KEY(account_id, id));
CREATE UNIQUE INDEX contact_phone ON contact(account_id, phone);
CREATE UNIQUE INDEX contact_wa_user ON contact(account_id, wa_user_id);
CREATE INDEX contact_wa ON contact(account_id, wa_id);
-- On SQLite with what a search compares, so that it skips contacts without reading them.
--pg CREATE INDEX contact_order ON contact(account_id, name_key, id);
--sl CREATE INDEX contact_order ON contact(account_id, name_key, id, search);
-- Trigram index of search; on PostgreSQL made by store/trigrams.py. On SQLite an external table,
-- whose rowids VACUUM does not change and that group contacts by account: account_id * 2^40 + id.
--pg CREATE INDEX contact_search ON contact USING gin(account_id, search gin_trgm_ops);
-- Without the beginnings of names, which the index by name finds.
--pg CREATE INDEX contact_behind ON contact USING gin(account_id,
--pg   (CASE WHEN name_key = '' THEN search ELSE 'ǂ' || substr(search, 4) END) gin_trgm_ops);
--sl CREATE VIEW contact_place AS
--sl   SELECT account_id * 1099511627776 + id AS place, search FROM contact WHERE search <> '';
--sl CREATE VIRTUAL TABLE contact_words USING fts5(
--sl   search, content='contact_place', content_rowid='place',
--sl   tokenize='trigram case_sensitive 1', detail=none, columnsize=0);

-- Values of custom fields by which contacts are filtered, from custom_json: see
-- text/custom_fields.py.
CREATE TABLE contact_field(
  account_id BIGINT NOT NULL, contact_id BIGINT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
--pg   PRIMARY KEY(account_id, contact_id, key, value));
--sl   PRIMARY KEY(account_id, contact_id, key, value)) WITHOUT ROWID;
CREATE INDEX contact_field_value ON contact_field(account_id, key, value, contact_id);

-- Other numbers and user ids of a contact, such as former ones.
CREATE TABLE contact_alias(
  account_id BIGINT NOT NULL, phone TEXT NOT NULL, contact_id BIGINT NOT NULL,
  PRIMARY KEY(account_id, phone));

-- Identity changes: the person with the number or user id `old` has had `new` since `at`.
CREATE TABLE identity_change(
  account_id BIGINT NOT NULL, id BIGINT NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY(account_id, id));
CREATE UNIQUE INDEX identity_change_new ON identity_change(account_id, new, old, at);
CREATE INDEX identity_change_old ON identity_change(account_id, old);

-- Parts of merged contacts: each is a contact by itself, so that a merge can be undone. The contact
-- has the id of one of its parts. row_json: columns of the contact, aliases, and the start of its
-- conversations by channel.
CREATE TABLE contact_part(
  account_id BIGINT NOT NULL, id BIGINT NOT NULL, contact_id BIGINT NOT NULL,
  row_json TEXT NOT NULL,
  PRIMARY KEY(account_id, id));
CREATE INDEX contact_part_contact ON contact_part(account_id, contact_id);

-- read_marker: inbound messages up to this time are read; null if unknown. folded_at: time of the
-- newest fact contained in the preceding columns. status_known: 0 if only back-fill is known, and
-- status was chosen by age or by the importer; unanswered_since: waiting_since before such a choice
-- hid it. episode_at: start of the current episode; handed_over_at, bot_spoke_at, phone_spoke_at:
-- last times of each.
CREATE TABLE conversation(
  account_id BIGINT NOT NULL, id BIGINT NOT NULL, contact_id BIGINT NOT NULL,
  channel_id BIGINT NOT NULL, status SMALLINT NOT NULL, assignee_id BIGINT NOT NULL DEFAULT 0,
  awaiting_human SMALLINT NOT NULL DEFAULT 0, snoozed_until BIGINT, unread_count BIGINT,
  read_marker BIGINT, waiting_since BIGINT, first_reply_at BIGINT, last_inbound_at BIGINT,
  last_activity_at BIGINT NOT NULL, last_message_json TEXT, folded_at BIGINT NOT NULL DEFAULT 0,
  status_known SMALLINT NOT NULL DEFAULT 1, unanswered_since BIGINT, episode_at BIGINT,
  handed_over_at BIGINT, bot_spoke_at BIGINT, phone_spoke_at BIGINT,
  created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
  PRIMARY KEY(account_id, id));
CREATE UNIQUE INDEX conversation_contact ON conversation(account_id, contact_id, channel_id);
CREATE INDEX conversation_snooze
  ON conversation(account_id, snoozed_until) WHERE snoozed_until IS NOT NULL;
CREATE INDEX conversation_start ON conversation(account_id, channel_id, created_at);
CREATE INDEX conversation_created ON conversation(account_id, created_at, id);
CREATE INDEX conversation_bot ON conversation(account_id, id) WHERE bot_spoke_at IS NOT NULL;
CREATE INDEX conversation_phone ON conversation(account_id, id) WHERE phone_spoke_at IS NOT NULL;
CREATE INDEX conversation_unattended
  ON conversation(account_id, channel_id, waiting_since, first_reply_at, status)
  WHERE status = 0 AND (first_reply_at IS NULL OR waiting_since IS NOT NULL);

-- Conversation filter table: a row with label_id 0 per conversation, and one per label of it.
-- unread: 1 with unread messages.
CREATE TABLE entry(
  account_id BIGINT NOT NULL, conversation_id BIGINT NOT NULL, label_id BIGINT NOT NULL,
  state SMALLINT NOT NULL, assignee_id BIGINT NOT NULL, channel_id BIGINT NOT NULL,
  last_activity_at BIGINT NOT NULL, awaiting SMALLINT NOT NULL DEFAULT 0,
  unread SMALLINT NOT NULL DEFAULT 0, waiting_since BIGINT, last_inbound_at BIGINT,
--pg   PRIMARY KEY(account_id, conversation_id, label_id))
--pg   WITH (autovacuum_vacuum_scale_factor = 0.02);
--sl   PRIMARY KEY(account_id, conversation_id, label_id)) WITHOUT ROWID;
CREATE INDEX entry_state ON entry(account_id, label_id, state, last_activity_at, conversation_id);
CREATE INDEX entry_channel
  ON entry(account_id, label_id, channel_id, state, last_activity_at, conversation_id);
--pg CREATE INDEX entry_assignee
--pg   ON entry(account_id, label_id, assignee_id, state, last_activity_at, conversation_id)
--pg   INCLUDE(channel_id);
--sl CREATE INDEX entry_assignee ON entry(
--sl   account_id, label_id, assignee_id, state, last_activity_at, conversation_id, channel_id);
-- These cover their own condition too: an index that did not would be passed over for one that does.
CREATE INDEX entry_awaiting
  ON entry(account_id, label_id, state, last_activity_at, conversation_id, assignee_id, channel_id,
    awaiting, unread) WHERE awaiting = 1;
CREATE INDEX entry_unread
  ON entry(account_id, label_id, state, last_activity_at, conversation_id, assignee_id, channel_id,
    awaiting, unread) WHERE unread = 1;
CREATE INDEX entry_waiting
  ON entry(account_id, label_id, state, waiting_since, conversation_id, assignee_id, channel_id,
    awaiting, unread) WHERE waiting_since IS NOT NULL;
CREATE INDEX entry_awaiting_channel
  ON entry(account_id, label_id, channel_id, state, last_activity_at, conversation_id, awaiting,
    unread) WHERE awaiting = 1;
CREATE INDEX entry_awaiting_assignee
  ON entry(account_id, label_id, assignee_id, state, last_activity_at, conversation_id, channel_id,
    awaiting, unread) WHERE awaiting = 1;
CREATE INDEX entry_unread_channel
  ON entry(account_id, label_id, channel_id, state, last_activity_at, conversation_id, awaiting,
    unread) WHERE unread = 1;
CREATE INDEX entry_unread_assignee
  ON entry(account_id, label_id, assignee_id, state, last_activity_at, conversation_id, channel_id,
    awaiting, unread) WHERE unread = 1;
CREATE INDEX entry_waiting_channel
  ON entry(account_id, label_id, channel_id, state, waiting_since, conversation_id, awaiting,
    unread) WHERE waiting_since IS NOT NULL;
CREATE INDEX entry_waiting_assignee
  ON entry(account_id, label_id, assignee_id, state, waiting_since, conversation_id, channel_id,
    awaiting, unread) WHERE waiting_since IS NOT NULL;
CREATE INDEX entry_window
  ON entry(account_id, label_id, state, last_inbound_at, conversation_id, assignee_id, channel_id,
    awaiting, unread) WHERE last_inbound_at IS NOT NULL;

-- Counter cells: number of conversations (label 0: all) per combination; zero counts have no row.
CREATE TABLE cell(
  account_id BIGINT NOT NULL, label_id BIGINT NOT NULL, channel_id BIGINT NOT NULL,
  state SMALLINT NOT NULL, assignee_id BIGINT NOT NULL, awaiting SMALLINT NOT NULL,
  unread SMALLINT NOT NULL, n BIGINT NOT NULL,
--pg   PRIMARY KEY(account_id, label_id, channel_id, state, assignee_id, awaiting, unread));
--sl   PRIMARY KEY(account_id, label_id, channel_id, state, assignee_id, awaiting, unread))
--sl   WITHOUT ROWID;

-- richness: 0 placeholder, 1 history placeholder, 2 contents. raw_json: the provider's element, if
-- its type is not mapped. live: 0 for back-fill. stamped_at: the provider's time if it lies in the
-- future; created_at is then the time of receipt. category, billable, pricing_model, pricing_type:
-- newest pricing by the provider of an outbound message (service, marketing, …), reported at
-- priced_at; all null if unknown. expired_at: when the contents were removed because of their age;
-- deleted_at is then the same or earlier. The key is the order of threads: see MESSAGE_ORDER. part, here and below: id of the contact_part; null for the one
-- with the contact's own id.
CREATE TABLE message(
  account_id BIGINT NOT NULL, conversation_id BIGINT NOT NULL, id BIGINT NOT NULL,
  created_at BIGINT NOT NULL, direction SMALLINT NOT NULL, author TEXT NOT NULL,
  author_id TEXT, author_name TEXT, type TEXT NOT NULL, text TEXT, content_json TEXT,
  media_json TEXT, channel_id BIGINT NOT NULL, wamid TEXT, reply_wamid TEXT, forwarded TEXT,
  referral_json TEXT, delivery_status TEXT, sent_at BIGINT, delivered_at BIGINT, read_at BIGINT,
  played_at BIGINT, failed_at BIGINT, error_json TEXT, source TEXT NOT NULL, edited_at BIGINT,
  deleted_at BIGINT, richness SMALLINT NOT NULL DEFAULT 2, raw_json TEXT,
  live SMALLINT NOT NULL DEFAULT 1, category TEXT, stamped_at BIGINT, part BIGINT,
  billable SMALLINT, pricing_model TEXT, pricing_type TEXT, priced_at BIGINT, expired_at BIGINT,
--pg   PRIMARY KEY(account_id, conversation_id, created_at, direction, id));
--sl   PRIMARY KEY(account_id, conversation_id, created_at, direction, id)) WITHOUT ROWID;
CREATE UNIQUE INDEX message_wamid ON message(account_id, channel_id, wamid);
--pg CREATE INDEX message_time ON message(account_id, created_at)
--pg   INCLUDE(direction, author, type, channel_id, author_id, conversation_id);
--sl CREATE INDEX message_time
--sl   ON message(account_id, created_at, direction, author, type, channel_id, author_id);

-- Messages that customers came from an ad with.
CREATE INDEX message_referral ON message(account_id, created_at) WHERE referral_json IS NOT NULL;
-- Conversations by the id of the ad that brought the customer: see store/ads.py.
--pg CREATE INDEX message_ad ON message(
--pg   account_id, (CAST(referral_json AS json) ->> 'source_id'), conversation_id)
--pg   WHERE referral_json IS NOT NULL;
--sl CREATE INDEX message_ad ON message(
--sl   account_id, CAST(json_extract(referral_json, '$.source_id') AS TEXT), conversation_id)
--sl   WHERE referral_json IS NOT NULL;

-- Conversations by what was sent in them: see query_conditions.HasContent.
CREATE INDEX message_contents ON message(account_id, type, conversation_id, deleted_at)
  WHERE type IN ('image', 'video', 'audio', 'document', 'sticker');

-- Sent templates whose text is not known yet, by name.
--pg CREATE INDEX message_template
--pg   ON message(account_id, (CAST(content_json AS json) ->> 'name'))
--pg   WHERE type = 'template' AND text IS NULL;
--sl CREATE INDEX message_template
--sl   ON message(account_id, CAST(json_extract(content_json, '$.name') AS TEXT))
--sl   WHERE type = 'template' AND text IS NULL;

-- Current reaction of a person to a message, by the message's wamid; emoji '' if removed.
CREATE TABLE reaction(
  account_id BIGINT NOT NULL, channel_id BIGINT NOT NULL, target_wamid TEXT NOT NULL,
  person TEXT NOT NULL, emoji TEXT NOT NULL, direction SMALLINT NOT NULL, author TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY(account_id, channel_id, target_wamid, person));

-- Updates that are parked until their target is known. kind: edit, revoke, read or status:*, with the
-- wamid of a message of the channel as target; or number, with a phone number as target and
-- channel_id 0.
CREATE TABLE orphan(
  account_id BIGINT NOT NULL, channel_id BIGINT NOT NULL, target TEXT NOT NULL, kind TEXT NOT NULL,
  created_at BIGINT NOT NULL, detail_json TEXT NOT NULL,
  PRIMARY KEY(account_id, channel_id, target, kind));

CREATE TABLE note(
  account_id BIGINT NOT NULL, conversation_id BIGINT NOT NULL, id BIGINT NOT NULL,
  created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, text TEXT NOT NULL, author TEXT NOT NULL,
  author_id TEXT, author_name TEXT, external_id TEXT, part BIGINT,
  PRIMARY KEY(account_id, conversation_id, created_at, id));
CREATE UNIQUE INDEX note_external ON note(account_id, external_id);
CREATE INDEX note_time ON note(account_id, created_at);

-- Conversation events other than messages: opened, resolved, snoozed, assigned, …
CREATE TABLE conversation_event(
  account_id BIGINT NOT NULL, conversation_id BIGINT NOT NULL, id BIGINT NOT NULL,
  created_at BIGINT NOT NULL, name TEXT NOT NULL, value_json TEXT NOT NULL DEFAULT '{}',
  external_id TEXT, part BIGINT,
  PRIMARY KEY(account_id, conversation_id, created_at, id));
CREATE UNIQUE INDEX conversation_event_external ON conversation_event(account_id, external_id);

-- Metric events of reports, derived from the facts of one conversation. name: episode_opened (after
-- a resolution), first_response, reply, resolved, bot_handoff, bot_resolved. started_at: null
-- without a duration. user_id: who replied, or was assigned at a resolution; 0 if nobody is known.
CREATE TABLE metric_event(
  account_id BIGINT NOT NULL, conversation_id BIGINT NOT NULL, id BIGINT NOT NULL,
  channel_id BIGINT NOT NULL, name TEXT NOT NULL, started_at BIGINT, ended_at BIGINT NOT NULL,
  user_id BIGINT NOT NULL DEFAULT 0,
--pg   PRIMARY KEY(account_id, conversation_id, id));
--sl   PRIMARY KEY(account_id, conversation_id, id)) WITHOUT ROWID;
CREATE INDEX metric_event_time
  ON metric_event(
    account_id, name, ended_at, channel_id, conversation_id, started_at, user_id);

-- A range per channel, so that hand-offs are counted by conversation without sorting.
CREATE INDEX metric_event_handoff
  ON metric_event(account_id, name, channel_id, ended_at, conversation_id)
  WHERE name = 'bot_handoff';

-- Sums of messages ('incoming', 'outgoing' by author) and of metric events (author ''). grain:
-- length of the bucket in minutes, 15 or 1440; samples and total: number of durations, and their
-- sum in milliseconds.
CREATE TABLE rollup(
  account_id BIGINT NOT NULL, grain SMALLINT NOT NULL, bucket BIGINT NOT NULL,
  channel_id BIGINT NOT NULL, name TEXT NOT NULL, author TEXT NOT NULL, n BIGINT NOT NULL,
  samples BIGINT NOT NULL, total BIGINT NOT NULL,
--pg   PRIMARY KEY(account_id, grain, bucket, channel_id, name, author));
--sl   PRIMARY KEY(account_id, grain, bucket, channel_id, name, author)) WITHOUT ROWID;

CREATE INDEX rollup_hours ON rollup(account_id, name, bucket, channel_id, n, samples, total)
  WHERE grain = 15 AND name IN ('incoming', 'first_response');

-- Numbers of messages that persons wrote per UTC day, by conversation. user_id 0, here and below:
-- nobody known. A range per user and channel, so that conversations are counted without sorting.
CREATE TABLE conversation_rollup(
  account_id BIGINT NOT NULL, user_id BIGINT NOT NULL, channel_id BIGINT NOT NULL,
  bucket BIGINT NOT NULL, conversation_id BIGINT NOT NULL, n BIGINT NOT NULL,
--pg   PRIMARY KEY(account_id, user_id, channel_id, bucket, conversation_id));
--sl   PRIMARY KEY(account_id, user_id, channel_id, bucket, conversation_id)) WITHOUT ROWID;
CREATE INDEX conversation_rollup_conversation
  ON conversation_rollup(account_id, conversation_id, bucket);

-- Sums per UTC day by user, like rollup: messages 'written' by persons, and metric events with
-- durations.
CREATE TABLE user_rollup(
  account_id BIGINT NOT NULL, bucket BIGINT NOT NULL, user_id BIGINT NOT NULL,
  channel_id BIGINT NOT NULL, name TEXT NOT NULL, n BIGINT NOT NULL, samples BIGINT NOT NULL,
  total BIGINT NOT NULL,
--pg   PRIMARY KEY(account_id, bucket, user_id, channel_id, name));
--sl   PRIMARY KEY(account_id, bucket, user_id, channel_id, name)) WITHOUT ROWID;

-- Numbers of durations of metric events per UTC day, by step: counted from 1, each step a tenth
-- longer than the one before.
CREATE TABLE duration_rollup(
  account_id BIGINT NOT NULL, bucket BIGINT NOT NULL, channel_id BIGINT NOT NULL,
  name TEXT NOT NULL, step SMALLINT NOT NULL, n BIGINT NOT NULL,
--pg   PRIMARY KEY(account_id, bucket, channel_id, name, step));
--sl   PRIMARY KEY(account_id, bucket, channel_id, name, step)) WITHOUT ROWID;

-- The same by user, per week of seven days since 1970.
CREATE TABLE user_duration_rollup(
  account_id BIGINT NOT NULL, bucket BIGINT NOT NULL, channel_id BIGINT NOT NULL,
  user_id BIGINT NOT NULL, name TEXT NOT NULL, step SMALLINT NOT NULL, n BIGINT NOT NULL,
--pg   PRIMARY KEY(account_id, bucket, channel_id, user_id, name, step));
--sl   PRIMARY KEY(account_id, bucket, channel_id, user_id, name, step)) WITHOUT ROWID;

-- Sums per UTC day of what happened in the conversations that carry a label now, like rollup:
-- messages, 'started' (conversations) and metric events.
CREATE TABLE label_rollup(
  account_id BIGINT NOT NULL, name TEXT NOT NULL, label_id BIGINT NOT NULL, bucket BIGINT NOT NULL,
  channel_id BIGINT NOT NULL, n BIGINT NOT NULL, samples BIGINT NOT NULL, total BIGINT NOT NULL,
--pg   PRIMARY KEY(account_id, name, label_id, bucket, channel_id));
--sl   PRIMARY KEY(account_id, name, label_id, bucket, channel_id)) WITHOUT ROWID;

-- Sums of outbound messages with a known pricing, like rollup. category and type: their first 64
-- characters, '' if unknown. billable: number of those reported as billable.
CREATE TABLE pricing_rollup(
  account_id BIGINT NOT NULL, grain SMALLINT NOT NULL, bucket BIGINT NOT NULL,
  channel_id BIGINT NOT NULL, author TEXT NOT NULL, category TEXT NOT NULL, type TEXT NOT NULL,
  n BIGINT NOT NULL, billable BIGINT NOT NULL,
--pg   PRIMARY KEY(account_id, grain, bucket, channel_id, author, category, type));
--sl   PRIMARY KEY(account_id, grain, bucket, channel_id, author, category, type)) WITHOUT ROWID;

-- Raw webhook bodies, by their SHA-256. state: stored, applied, failed or ignored; reason: why it
-- failed. done: number of applied events of a stored body. ignored_json: number of skipped elements
-- by kind.
CREATE TABLE raw_event(
  account_id BIGINT NOT NULL, digest TEXT NOT NULL, received_at BIGINT NOT NULL,
  headers_json TEXT NOT NULL, body BLOB NOT NULL, state TEXT NOT NULL DEFAULT 'stored',
  done BIGINT NOT NULL DEFAULT 0, reason TEXT, ignored_json TEXT,
  PRIMARY KEY(account_id, digest));
CREATE INDEX raw_event_state ON raw_event(account_id, state, received_at, digest);
CREATE INDEX raw_event_time ON raw_event(account_id, received_at, digest);

-- Files of messages, stored by the SHA-256 of their bytes (store/media_files.py). key: 128 random
-- bits, the id in /v1. kind: the type of the message. source: whatsapp, chatwoot, import. remote: the
-- provider's id of the file, or its address. expected: SHA-256 in hex, as the provider said. state:
-- pending, stored, expired, failed, refused, removed; reason: why. claim: token of the worker that
-- fetches it, until claimed_until. mime: by the first bytes. preview: 1 if there is one. text: words
-- that a program read in it (store/media_texts.py). text_state: due, read, none, failed; null if no
-- reader applies. A file that is due has claim, attempts, due_at and reason of its reading. text_by:
-- reader@signature, or chatwoot.
CREATE TABLE media(
  account_id BIGINT NOT NULL, key TEXT NOT NULL, message_id BIGINT NOT NULL,
  channel_id BIGINT NOT NULL, kind TEXT NOT NULL, source TEXT NOT NULL, remote TEXT, expected TEXT,
  name TEXT, state TEXT NOT NULL, reason TEXT, attempts BIGINT NOT NULL DEFAULT 0,
  due_at BIGINT NOT NULL DEFAULT 0, claim TEXT, claimed_until BIGINT NOT NULL DEFAULT 0,
  digest TEXT, size BIGINT, mime TEXT, width BIGINT, height BIGINT, duration_ms BIGINT,
  preview SMALLINT NOT NULL DEFAULT 0, created_at BIGINT NOT NULL, stored_at BIGINT,
  text TEXT, text_state TEXT, text_by TEXT, text_at BIGINT, text_language TEXT,
  PRIMARY KEY(account_id, key));
CREATE UNIQUE INDEX media_message ON media(account_id, message_id);
CREATE INDEX media_pending ON media(account_id, created_at) WHERE state = 'pending';
CREATE INDEX media_digest ON media(account_id, digest) WHERE digest IS NOT NULL;
CREATE INDEX media_age ON media(account_id, stored_at) WHERE state = 'stored';
CREATE INDEX media_text_due ON media(account_id, created_at) WHERE text_state = 'due';

-- Files that may have to be deleted, because a row named them and does not any more.
CREATE TABLE media_garbage(
  account_id BIGINT NOT NULL, digest TEXT NOT NULL,
  PRIMARY KEY(account_id, digest));

-- Progress of interrupted imports, by the SHA-256 of the file.
CREATE TABLE checkpoint(
  digest TEXT NOT NULL PRIMARY KEY, line BIGINT NOT NULL, state_json TEXT NOT NULL,
  updated_at BIGINT NOT NULL);
