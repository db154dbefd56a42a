-- What the sender wrote to a transfer (B20, CAS20, TIP-20), and indexes for the search by memo. They are partial: hardly any
-- transaction has one.
ALTER TABLE transfers ADD COLUMN memo text;
CREATE INDEX transfers_memo_idx ON transfers (project_id, memo) WHERE memo IS NOT NULL;
-- Writers wait while it is built. An installation with millions of memos makes it before the upgrade, CONCURRENTLY
-- (docs/guides/operations.md).
CREATE INDEX IF NOT EXISTS transactions_memo_idx ON transactions (project_id, memo) WHERE memo IS NOT NULL;
