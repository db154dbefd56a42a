-- What the services last knew of each JetStream stream. Another incarnation, or a last sequence below this one, means
-- that the server lost messages: the outbox publishes again what was made since shortly before seen_at.
CREATE TABLE stream_incarnations (
  stream      text PRIMARY KEY,
  incarnation text NOT NULL,
  last_seq    bigint NOT NULL,
  seen_at     timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
) WITH (fillfactor = 50);
