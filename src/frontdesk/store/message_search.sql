-- Index of message search, see store/message_search.py; dialects as in schema.sql.

-- Folded texts of messages that are not deleted. number: account_id * 2^48 + second * 2^16 + a
-- counter, so that an account's numbers are a range, ordered by time. part: 0 of the message itself,
-- 1 of the words that were read in its file, which not every key may find.
CREATE TABLE message_text(
  account_id BIGINT NOT NULL, number BIGINT NOT NULL, conversation_id BIGINT NOT NULL,
  message_id BIGINT NOT NULL, created_at BIGINT NOT NULL, text TEXT NOT NULL,
  part SMALLINT NOT NULL DEFAULT 0,
--pg   PRIMARY KEY(account_id, number));
--sl   PRIMARY KEY(account_id, number)) WITHOUT ROWID;
CREATE INDEX message_text_thread ON message_text(account_id, conversation_id, number);
CREATE INDEX message_text_files ON message_text(account_id, conversation_id) WHERE part = 1;
--pg CREATE INDEX message_text_words ON message_text USING gin(account_id, text gin_trgm_ops);
--sl CREATE VIRTUAL TABLE message_words USING fts5(
--sl   text, content='message_text', content_rowid='number',
--sl   tokenize='trigram case_sensitive 1', detail=none, columnsize=0);
