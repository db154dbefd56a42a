-- A collection moves tokens, not amounts. What wallets multiply the amounts of a token with, and when it was read last.
ALTER TABLE assets
  DROP CONSTRAINT assets_type_check,
  ADD CONSTRAINT assets_type_check CHECK (type IN ('native', 'fungible', 'nft')) NOT VALID,
  ADD COLUMN ui_multiplier jsonb,
  ADD COLUMN ui_read_at timestamptz;
CREATE INDEX assets_ui_read_idx ON assets (chain_gid, ui_read_at) WHERE ui_read_at IS NOT NULL;
-- Each token is asked what it is.
UPDATE assets SET is_reread_due = true, next_attempt_at = now(), attempt_count = 0
  WHERE type = 'fungible' AND status = 'active' AND source <> 'registry';
