-- What stands behind a transaction (docs/rules/unknown.md). Null: written by the release before, where is_unproved says it.
ALTER TABLE transactions ADD COLUMN verification text;

-- The same of blocks: what stands behind their list of transactions. Null: not analysed, or by the release before.
ALTER TABLE blocks ADD COLUMN verification text;

-- Blocks up to here were looked at again for the evidence that follows them; null: none of this chain was analysed yet.
-- Blocks before the upgrade wait for actions/reprocess.
ALTER TABLE analyzer_states ADD COLUMN settled_number bigint;
UPDATE analyzer_states SET settled_number = cursor_number;

-- The operator's answer to what cannot be proved: held until another node or the operator vouches, or delivered.
ALTER TABLE blockchains ADD COLUMN unproved text NOT NULL DEFAULT 'hold' CHECK (unproved IN ('hold', 'deliver'));

-- settling: its evidence follows the block. trusted: the operator's setting delivers it.
ALTER TABLE unproved_transactions DROP CONSTRAINT unproved_transactions_verdict_check;
ALTER TABLE unproved_transactions ADD CONSTRAINT unproved_transactions_verdict_check
  CHECK (verdict IN ('waiting', 'settling', 'agreed', 'contradicted', 'accepted', 'trusted'));
CREATE INDEX unproved_transactions_settling_idx ON unproved_transactions (chain_gid, block_number) WHERE verdict = 'settling';
