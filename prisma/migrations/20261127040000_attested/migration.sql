-- attested: no root covers what the transaction did, and an endpoint of another operator is to be asked. The row goes with
-- the answer, unless that is a contradiction.
ALTER TABLE unproved_transactions DROP CONSTRAINT unproved_transactions_verdict_check;
ALTER TABLE unproved_transactions ADD CONSTRAINT unproved_transactions_verdict_check
  CHECK (verdict IN ('waiting', 'settling', 'attested', 'agreed', 'contradicted', 'accepted', 'trusted'));

ALTER TABLE unproved_transactions
  -- What the block leaves out, as `Block.leavesOut` says it: blocks that leave out something else are compared by their logs.
  ADD COLUMN leaves_out text,
  -- SHA-256 of what every interface tells of an attested transaction: its outcome and the transfers in its logs.
  ADD COLUMN logs_digest bytea,
  -- When others began to be asked, and when they are asked next.
  ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN due_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX unproved_transactions_attested_idx ON unproved_transactions (chain_gid, due_at) WHERE verdict = 'attested';
