-- A writer that gives the order of a transaction along gives the right one, and nobody looks it up again: rows without it are
-- filled in as before.
CREATE OR REPLACE FUNCTION count_transaction_addresses() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NOT EXISTS (SELECT FROM new_rows) THEN RETURN NULL; END IF;
    INSERT INTO list_counts (scope, list, key, count) SELECT address_id, 'address', '{}', count(*) FROM new_rows GROUP BY 1;
    IF EXISTS (SELECT FROM new_rows WHERE public_key_id IS NOT NULL) THEN
      PERFORM count_keys(array_agg(public_key_id), array_agg(transaction_id), array_agg(1)) FROM new_rows WHERE public_key_id IS NOT NULL;
    END IF;
    -- An imported address that becomes one of a key meanwhile waits, or is seen below as what it has become.
    PERFORM FROM addresses WHERE id IN (SELECT address_id FROM new_rows WHERE public_key_id IS NULL) AND chain_family = 'bitcoin' ORDER BY id FOR SHARE;
    IF FOUND OR EXISTS (SELECT FROM new_rows WHERE detected_at IS NULL) THEN
      UPDATE transaction_addresses ta SET detected_at = t.detected_at, block_position = t.block_position, public_key_id = a.public_key_id
      FROM new_rows n JOIN transactions t ON t.id = n.transaction_id JOIN addresses a ON a.id = n.address_id
      WHERE (n.detected_at, n.block_position, n.public_key_id) IS DISTINCT FROM (t.detected_at, t.block_position, a.public_key_id) AND ta.address_id = n.address_id AND ta.transaction_id = n.transaction_id;
    END IF;
  ELSIF TG_OP = 'DELETE' THEN
    IF NOT EXISTS (SELECT FROM old_rows) THEN RETURN NULL; END IF;
    INSERT INTO list_counts (scope, list, key, count) SELECT address_id, 'address', '{}', -count(*) FROM old_rows GROUP BY 1;
    IF EXISTS (SELECT FROM old_rows WHERE public_key_id IS NOT NULL) THEN
      PERFORM count_keys(array_agg(public_key_id), array_agg(transaction_id), array_agg(-1)) FROM old_rows WHERE public_key_id IS NOT NULL;
    END IF;
  ELSIF EXISTS (SELECT FROM new_rows WHERE public_key_id IS NOT NULL) OR EXISTS (SELECT FROM old_rows WHERE public_key_id IS NOT NULL) THEN
    PERFORM count_keys(array_agg(public_key_id), array_agg(transaction_id), array_agg(gain))
    FROM (SELECT public_key_id, transaction_id, 1 AS gain FROM new_rows UNION ALL SELECT public_key_id, transaction_id, -1 FROM old_rows) l WHERE public_key_id IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_transfers() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NOT EXISTS (SELECT FROM new_rows) THEN RETURN NULL; END IF;
    INSERT INTO list_counts (scope, list, key, count)
    SELECT n.project_id, 'asset', ARRAY[n.asset_gid], count(*)
    FROM (SELECT project_id, asset_gid, transaction_id, count(*) AS rows FROM new_rows GROUP BY 1, 2, 3) n
    WHERE n.rows = (SELECT count(*) FROM transfers r WHERE r.transaction_id = n.transaction_id AND r.asset_gid = n.asset_gid)
    GROUP BY 1, 3;
    IF EXISTS (SELECT FROM new_rows WHERE detected_at IS NULL) THEN
      UPDATE transfers r SET detected_at = t.detected_at FROM new_rows n JOIN transactions t ON t.id = n.transaction_id
      WHERE n.detected_at IS NULL AND r.transaction_id = n.transaction_id AND r.index = n.index;
    END IF;
    PERFORM set_amount_max(ARRAY(SELECT DISTINCT transaction_id FROM new_rows));
  ELSIF TG_OP = 'DELETE' THEN
    IF NOT EXISTS (SELECT FROM old_rows) THEN RETURN NULL; END IF;
    INSERT INTO list_counts (scope, list, key, count)
    SELECT o.project_id, 'asset', ARRAY[o.asset_gid], -count(*)
    FROM (SELECT DISTINCT project_id, asset_gid, transaction_id FROM old_rows) o
    WHERE NOT EXISTS (SELECT FROM transfers r WHERE r.transaction_id = o.transaction_id AND r.asset_gid = o.asset_gid)
    GROUP BY 1, 3;
    PERFORM set_amount_max(ARRAY(SELECT DISTINCT transaction_id FROM old_rows));
  ELSE
    IF NOT EXISTS (SELECT FROM new_rows) THEN RETURN NULL; END IF;
    PERFORM set_amount_max(ARRAY(SELECT DISTINCT transaction_id FROM new_rows));
  END IF;
  RETURN NULL;
END $$;
