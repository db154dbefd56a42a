-- Who owns a share of the work (architecture.md, invariant 2). `owner` is a UUID per process start, time is the
-- database's clock_timestamp() alone.
CREATE TABLE owners (
  kind TEXT NOT NULL,
  share TEXT NOT NULL,
  owner UUID NOT NULL,
  token BIGINT NOT NULL,
  lease_until TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (kind, share)
) WITH (fillfactor = 50);

-- How the balances of a chain do, written by their owner at least every 10 s.
CREATE TABLE balance_states (
  chain_gid TEXT PRIMARY KEY REFERENCES blockchains (gid) ON DELETE CASCADE,
  status TEXT NOT NULL,
  reason TEXT,
  updated_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
