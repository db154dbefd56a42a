-- How long the calls took. What services of the release before add has no times.
ALTER TABLE rpc_usage
  ADD COLUMN latency_ms double precision NOT NULL DEFAULT 0,
  -- Calls by how long they took (libs/db/src/latency-bounds.ts); empty: none was timed.
  ADD COLUMN latency_counts bigint[] NOT NULL DEFAULT '{}';
