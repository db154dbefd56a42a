-- What a release does not know in a chain's blocks: one row for each kind, open until a release that knows it has decoded
-- its blocks again, or the operator accepts them as they are (ADR 16). Nothing in it belongs to a project.
CREATE TABLE incidents (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  kind text NOT NULL,
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'resolved', 'accepted')),
  -- Where it was seen first.
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  -- The last block that was taken with it; NULL while the first one waits.
  last_block_number bigint,
  transaction_hash text,
  expected text NOT NULL,
  got text NOT NULL,
  -- Another endpoint tells differently what one of its blocks says.
  is_contradicted boolean NOT NULL DEFAULT false,
  -- When the wait for other endpoints began.
  created_at timestamptz NOT NULL DEFAULT now(),
  resolved_at timestamptz,
  accepted_at timestamptz
);
CREATE UNIQUE INDEX incidents_open_key ON incidents (chain_gid, kind) WHERE status = 'open';
CREATE INDEX incidents_chain_idx ON incidents (chain_gid, created_at, id);

-- Withheld: unproved, and neither a second endpoint nor the operator stands for it yet, so it is not confirmed.
ALTER TABLE transactions
  ADD COLUMN is_unproved boolean NOT NULL DEFAULT false,
  ADD COLUMN is_withheld boolean NOT NULL DEFAULT false;
CREATE INDEX transactions_withheld_idx ON transactions (chain_gid, block_hash, hash) WHERE is_withheld;
DROP INDEX transactions_unconfirmed_idx;
CREATE INDEX transactions_unconfirmed_idx ON transactions (chain_gid, block_number) WHERE confirmed_at IS NULL AND status IN ('detected', 'failed') AND NOT is_withheld;

-- What one endpoint told of each transaction that it could not be proved of, for others to be held against.
CREATE TABLE unproved_transactions (
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  block_hash text NOT NULL,
  hash text NOT NULL,
  block_number bigint NOT NULL,
  -- SHA-256 of the decoded transaction.
  digest bytea NOT NULL,
  -- Label of the endpoint that told it.
  endpoint text NOT NULL,
  -- Of every unknown kind in its block: the operator stands for it by accepting them all.
  incident_ids uuid[] NOT NULL,
  verdict text NOT NULL DEFAULT 'waiting' CHECK (verdict IN ('waiting', 'agreed', 'contradicted', 'accepted')),
  PRIMARY KEY (chain_gid, block_hash, hash)
);
CREATE INDEX unproved_transactions_open_idx ON unproved_transactions (chain_gid, block_number, block_hash) WHERE verdict IN ('waiting', 'contradicted');

-- Ranges of blocks to be decoded again by the release of today, at most one of a chain at a time.
CREATE TABLE reprocesses (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'done')),
  from_block bigint NOT NULL,
  to_block bigint NOT NULL CHECK (to_block >= from_block),
  -- Blocks below are done.
  next_block bigint NOT NULL,
  -- Unknown kinds that were met again so far.
  found_kinds text[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX reprocesses_running_key ON reprocesses (chain_gid) WHERE status = 'running';
CREATE INDEX reprocesses_chain_idx ON reprocesses (chain_gid, created_at, id);

ALTER TABLE audit_logs DROP CONSTRAINT audit_logs_target_type_check;
ALTER TABLE audit_logs ADD CONSTRAINT audit_logs_target_type_check CHECK (target_type IN ('workspace', 'project', 'member', 'key', 'incident', 'reprocess'));
