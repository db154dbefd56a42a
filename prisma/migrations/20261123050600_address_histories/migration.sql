-- What an address did before it was watched, on chains of accounts: one job per address and chain, worked through behind the
-- head by the owner of the chain.
CREATE TABLE address_histories (
  address_id uuid NOT NULL REFERENCES addresses (id) ON DELETE CASCADE,
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  -- Of the address: jobs take turns by project, then by address.
  project_id uuid NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'running', 'complete', 'failed')),
  from_block bigint NOT NULL,
  -- Blocks of the range below were read.
  next_block bigint NOT NULL,
  -- The block before the one that the address counts from; null until the first turn.
  to_block bigint,
  transaction_count bigint NOT NULL DEFAULT 0,
  blocks_per_second double precision,
  -- Other accounts of the address that were found on the way (ChainClient.findBlocksOf).
  accounts text[] NOT NULL DEFAULT '{}',
  -- Why it failed or waits.
  reason text,
  -- Grows with each request: a turn that began before one is not stored.
  revision bigint NOT NULL DEFAULT 0,
  failure_count integer NOT NULL DEFAULT 0,
  -- No turn before.
  due_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (address_id, chain_gid)
);
CREATE INDEX address_histories_turn_idx ON address_histories (chain_gid, project_id, address_id) WHERE status <> 'complete';
CREATE INDEX address_histories_next_idx ON address_histories (chain_gid, next_block) WHERE status <> 'complete';

-- Events of history have no sequence.
ALTER TABLE events ALTER COLUMN sequence DROP NOT NULL;

-- Events of history for channels that include them, in order, until their deliveries are made.
CREATE TABLE historical_dispatches (
  channel_id uuid NOT NULL REFERENCES notification_channels (id) ON DELETE CASCADE,
  event_row_id bigint NOT NULL,
  PRIMARY KEY (channel_id, event_row_id)
);
ALTER TABLE historical_dispatches SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Goes behind everything else of its channel.
ALTER TABLE deliveries ADD COLUMN is_historical boolean NOT NULL DEFAULT false;
