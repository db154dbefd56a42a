-- The writer gives the order of transfers along, and with the transaction the largest amount that it moved; where it did not,
-- or transfers came or went one by one, both are looked up.
CREATE OR REPLACE FUNCTION fill_transfers() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  lack_order boolean;
  -- Transactions that say another amount than these transfers moved.
  changed uuid[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT bool_or(n.lack_order), array_agg(n.transaction_id) FILTER (WHERE t.amount_max IS DISTINCT FROM CASE WHEN n.pay_others THEN n.paid ELSE n.moved END)
    INTO lack_order, changed
    FROM (
      SELECT r.transaction_id, bool_or(r.detected_at IS NULL) AS lack_order, bool_or(r.monitored_addresses = '{}') AS pay_others,
        max(a.amount) AS moved, max(a.amount) FILTER (WHERE r.monitored_addresses = '{}') AS paid
      FROM new_rows r LEFT JOIN assets d ON d.gid = r.asset_gid
      CROSS JOIN LATERAL (SELECT CASE WHEN d.type = 'nft' THEN NULL WHEN d.decimals IS NULL THEN 'Infinity' ELSE (r.amount_raw || 'e-' || d.decimals)::numeric END AS amount) a GROUP BY r.transaction_id
    ) n JOIN transactions t ON t.id = n.transaction_id;
    IF lack_order THEN
      UPDATE transfers r SET detected_at = t.detected_at FROM new_rows n JOIN transactions t ON t.id = n.transaction_id
      WHERE n.detected_at IS NULL AND r.transaction_id = n.transaction_id AND r.index = n.index;
    END IF;
  ELSIF TG_OP = 'DELETE' THEN
    changed := ARRAY(SELECT DISTINCT transaction_id FROM old_rows);
  ELSE
    changed := ARRAY(SELECT DISTINCT transaction_id FROM new_rows);
  END IF;
  IF cardinality(changed) > 0 THEN
    PERFORM set_amount_max(changed);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER transfers_fill_insert AFTER INSERT ON transfers
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION fill_transfers();
CREATE OR REPLACE TRIGGER transfers_fill_update AFTER UPDATE ON transfers
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION fill_transfers();
CREATE OR REPLACE TRIGGER transfers_fill_delete AFTER DELETE ON transfers
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION fill_transfers();
