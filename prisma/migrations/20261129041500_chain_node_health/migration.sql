-- How the nodes of a chain were in each quarter of an hour, for 24 hours: the ingestor counts what it sees every 10 s.
-- `url` is scheme, host, and port. A node that was not asked yet is not counted.
CREATE TABLE chain_node_health (
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  url text NOT NULL,
  at timestamptz NOT NULL,
  samples integer NOT NULL,
  failures integer NOT NULL,
  latencies integer NOT NULL,
  latency_ms_sum double precision NOT NULL,
  PRIMARY KEY (chain_gid, url, at)
);
