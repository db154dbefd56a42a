-- A log names a watched address, and no transfer says why: the balance is read once.
ALTER TABLE balance_reads
  DROP CONSTRAINT balance_reads_reason_check,
  ADD CONSTRAINT balance_reads_reason_check CHECK (reason IN ('detected', 'confirmed', 'reorged', 'imported', 'touched', 'mentioned', 'retry')) NOT VALID;

-- A token that a project registers is read for its addresses, a page at a time: those after this one are left. NULL: none.
ALTER TABLE project_assets ADD COLUMN read_after timestamptz, ADD COLUMN read_after_id uuid;
CREATE INDEX project_assets_unread_idx ON project_assets (chain_gid, read_after, read_after_id) WHERE read_after IS NOT NULL;
CREATE INDEX balance_reads_registered_idx ON balance_reads (chain_gid) WHERE reason = 'imported' AND asset_gid IS NOT NULL;
