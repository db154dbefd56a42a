-- What blocks changed of watched balances without a transaction: withdrawals, rewards, mints, atomic imports and exports.
-- Rows of orphans are removed. Sums of a block do not fit into 78 digits if a node lies.
CREATE TABLE block_changes (
  address_id uuid NOT NULL REFERENCES addresses (id) ON DELETE CASCADE,
  asset_gid text NOT NULL,
  chain_gid text NOT NULL,
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  reason text NOT NULL CHECK (reason IN ('withdrawal', 'reward', 'mint', 'atomic', 'staking_reward', 'stake_withdrawal')),
  -- Base units, signed.
  amount_raw numeric(90, 0) NOT NULL,
  PRIMARY KEY (address_id, asset_gid, block_number, block_hash, reason)
);
CREATE INDEX block_changes_block_idx ON block_changes (chain_gid, block_hash);

-- What moved a balance since its first reading, by reason: base units as text, without those that are zero. Null: a reading
-- of the release before, counted from there.
ALTER TABLE balance_history ADD COLUMN sums jsonb;
-- The same as it was told last, and the block up to which it was told.
ALTER TABLE balances ADD COLUMN told_sums jsonb;
ALTER TABLE balances ADD COLUMN told_block bigint;
