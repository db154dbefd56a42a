-- Where a chain begins that is followed for the first time; NULL: START_BLOCK of the ingestor, else the head of then.
ALTER TABLE blockchains ADD COLUMN start_block bigint CHECK (start_block >= 0);

-- What the node says its head is, as the owner of the chain heard it last.
ALTER TABLE ingestor_states ADD COLUMN node_head_number bigint;

-- Blocks that the operator gave up, to be undone by the chain's ingestor: at most one of a chain at a time (docs/guides/operations.md).
CREATE TABLE resets (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'done')),
  -- NULL: every block.
  from_block bigint CHECK (from_block >= 0),
  -- The feed entry that undoes the last of them: until it is worked off, what is to be told is held. NULL until begun.
  resume_seq bigint,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX resets_running_key ON resets (chain_gid) WHERE status = 'running';
CREATE INDEX resets_chain_idx ON resets (chain_gid, created_at, id);
