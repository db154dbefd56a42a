-- When transactions of a project are confirmed on a chain, where it has chosen; without a row the chain's own finality decides.
CREATE TABLE confirmation_policies (
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  -- Confirmations; null: the chain's own finality.
  depth integer CHECK (depth BETWEEN 1 AND 10000),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, chain_gid)
);

-- The policy that a transaction was detected under: confirmed after so many confirmations; null: by the chain's own finality.
-- An installation with many millions of transactions makes column and index before the upgrade (docs/guides/operations.md).
ALTER TABLE transactions ADD COLUMN IF NOT EXISTS confirmation_depth integer;
-- What waits for a final block, and what waits for a height, apart. transactions_unconfirmed_idx stays for replicas of the
-- release before, and goes with the next one.
CREATE INDEX IF NOT EXISTS transactions_awaited_idx ON transactions
  (chain_gid, (CASE WHEN confirmation_depth IS NULL THEN 0 ELSE 1 END), (block_number + coalesce(confirmation_depth, 0)))
  WHERE confirmed_at IS NULL AND status IN ('detected', 'failed') AND NOT is_withheld;

-- Who asks for the progress of transactions.
CREATE INDEX notification_channels_progress_idx ON notification_channels (project_id)
  WHERE NOT is_archived AND (config -> 'event_types') ? 'transaction.progress';
