-- The table is the queue (ADR 9): what is open, in the order in which a channel's owner takes it. First attempts go by id, what
-- is tried again by its time. deliveries_open_idx is for notifiers of release 0.1.0 alone, and goes with the next one.
CREATE INDEX deliveries_untried_idx ON deliveries (channel_id, is_historical, id)
  WHERE status IN ('pending', 'held') AND attempt_count = 0 AND NOT is_test;
CREATE INDEX deliveries_again_idx ON deliveries (channel_id, status, next_attempt_at, id)
  WHERE status IN ('pending', 'held') AND (attempt_count > 0 OR is_test);
