-- Tokens to be read again: somebody asked for it, or (once, here) the release before took no answer for 0 decimals.
ALTER TABLE assets ADD COLUMN is_reread_due boolean NOT NULL DEFAULT false;
UPDATE assets SET is_reread_due = true, next_attempt_at = now(), attempt_count = 0 WHERE type = 'fungible' AND status = 'active' AND decimals = 0;
-- And those whose contract did not say its decimals yet, for a while.
CREATE INDEX assets_reread_idx ON assets (chain_gid, next_attempt_at) WHERE is_reread_due OR status = 'active' AND decimals IS NULL AND attempt_count < 12;

-- min_amount lets pass what is unknown (set_amount_max.sql): so far it kept that back.
UPDATE transactions t SET amount_max = 'Infinity' FROM (
    SELECT DISTINCT r.transaction_id FROM assets d JOIN transfers r ON r.asset_gid = d.gid
    WHERE d.decimals IS NULL
      AND (r.monitored_addresses = '{}' OR NOT EXISTS (SELECT FROM transfers f WHERE f.transaction_id = r.transaction_id AND f.monitored_addresses = '{}'))
  ) u WHERE t.id = u.transaction_id;
