-- An address that is deleted stays for the events still to come of what was told. The row is locked here, so that no transaction of
-- it is written meanwhile; its rows in transaction_addresses go behind this. The chain's analyzer forgets what is final. Row by row
-- (OFFSET 0) in one plan for all: a public key or a project takes many thousands along.
CREATE OR REPLACE FUNCTION keep_tombstones() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  INSERT INTO transaction_tombstones (transaction_id, address_id, chain_gid, epoch, address, groups)
  SELECT ta.transaction_id, OLD.id, t.chain_gid, t.epoch, OLD.address, OLD.groups
  FROM transaction_addresses ta
  CROSS JOIN LATERAL (SELECT chain_gid, epoch, status, block_hash, block_number, confirmed_at FROM transactions WHERE id = ta.transaction_id OFFSET 0) t
  WHERE ta.address_id = OLD.id AND (t.status IN ('pending', 'detected', 'confirmed') OR t.status = 'failed' AND t.block_hash IS NOT NULL)
    AND (t.confirmed_at IS NULL OR t.block_number > coalesce((SELECT s.confirmed_number FROM analyzer_states s WHERE s.chain_gid = t.chain_gid), -1))
    -- Added again meanwhile and deleted again: it was told as the first one.
    AND (SELECT true FROM transaction_tombstones x WHERE x.transaction_id = ta.transaction_id AND x.address = OLD.address AND x.epoch = t.epoch LIMIT 1) IS NULL;
  RETURN OLD;
END $$;

CREATE OR REPLACE TRIGGER addresses_keep_tombstones BEFORE DELETE ON addresses FOR EACH ROW EXECUTE FUNCTION keep_tombstones();
