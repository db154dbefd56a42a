-- What charts show. `minutes` is the length of a row's interval: 1, kept for two days, or 60, kept for 31.

-- Attempts of a channel, counted by the notifier that made them. `latency_counts` has one count for each of LATENCY_BOUNDS_MS
-- and a last one for slower attempts.
CREATE TABLE channel_activity (
  channel_id uuid NOT NULL REFERENCES notification_channels (id) ON DELETE CASCADE,
  minutes integer NOT NULL,
  at timestamptz NOT NULL,
  delivered bigint NOT NULL,
  failed bigint NOT NULL,
  latency_ms double precision NOT NULL,
  latency_counts bigint[] NOT NULL,
  PRIMARY KEY (channel_id, minutes, at)
);
CREATE INDEX channel_activity_at_idx ON channel_activity (minutes, at);
