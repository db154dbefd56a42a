-- Transactions of a public key, in order and counted: whatever number of its addresses each has ------------------------------
ALTER TABLE transaction_addresses
  -- Of the address. The writer gives it along; where it did not, and when an address becomes one of a key, triggers do.
  ADD COLUMN public_key_id uuid;
UPDATE transaction_addresses ta SET public_key_id = a.public_key_id FROM addresses a WHERE a.id = ta.address_id AND a.public_key_id IS NOT NULL;
CREATE INDEX transaction_addresses_key_idx ON transaction_addresses (public_key_id, detected_at, transaction_id) INCLUDE (block_position) WHERE public_key_id IS NOT NULL;

-- One function call for what a statement added to a key and took from it: the key had a transaction before if more rows are
-- there than were added, less those that were taken. The chain's lock keeps others from the same transactions.
CREATE FUNCTION count_keys(keys uuid[], transactions uuid[], gains integer[]) RETURNS void LANGUAGE sql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  INSERT INTO list_counts (scope, list, key, count)
  SELECT key, 'public_key', '{}', sum((rows > 0)::integer - (rows > gain)::integer)
  FROM (
    SELECT g.key, g.gain, (SELECT count(*) FROM transaction_addresses ta WHERE ta.transaction_id = g.transaction AND ta.public_key_id = g.key) AS rows
    FROM (SELECT key, transaction, sum(gain) AS gain FROM unnest(keys, transactions, gains) AS u (key, transaction, gain) GROUP BY 1, 2 HAVING sum(gain) <> 0) g
  ) c GROUP BY 1 HAVING sum((rows > 0)::integer - (rows > gain)::integer) <> 0
$$;

CREATE OR REPLACE FUNCTION count_transaction_addresses() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NOT EXISTS (SELECT FROM new_rows) THEN RETURN NULL; END IF;
    INSERT INTO list_counts (scope, list, key, count) SELECT address_id, 'address', '{}', count(*) FROM new_rows GROUP BY 1;
    IF EXISTS (SELECT FROM new_rows WHERE public_key_id IS NOT NULL) THEN
      PERFORM count_keys(array_agg(public_key_id), array_agg(transaction_id), array_agg(1)) FROM new_rows WHERE public_key_id IS NOT NULL;
    END IF;
    -- An imported address that becomes one of a key meanwhile waits, or is seen below as what it has become.
    PERFORM FROM addresses WHERE id IN (SELECT address_id FROM new_rows) AND chain_family = 'bitcoin' AND public_key_id IS NULL ORDER BY id FOR SHARE;
    UPDATE transaction_addresses ta SET detected_at = t.detected_at, block_position = t.block_position, public_key_id = a.public_key_id
    FROM new_rows n JOIN transactions t ON t.id = n.transaction_id JOIN addresses a ON a.id = n.address_id
    WHERE (n.detected_at, n.block_position, n.public_key_id) IS DISTINCT FROM (t.detected_at, t.block_position, a.public_key_id) AND ta.address_id = n.address_id AND ta.transaction_id = n.transaction_id;
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

CREATE TRIGGER transaction_addresses_count_update AFTER UPDATE ON transaction_addresses REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transaction_addresses();

CREATE FUNCTION pass_public_key_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE transaction_addresses SET public_key_id = NEW.public_key_id WHERE address_id = NEW.id;
  RETURN NULL;
END $$;

CREATE TRIGGER addresses_pass_public_key_on AFTER UPDATE OF public_key_id ON addresses FOR EACH ROW WHEN (OLD.public_key_id IS DISTINCT FROM NEW.public_key_id) EXECUTE FUNCTION pass_public_key_on();

-- All totals -----------------------------------------------------------------------------------------------------------
CREATE OR REPLACE FUNCTION actual_list_counts() RETURNS TABLE (scope uuid, list text, key text[], bucket bigint, count bigint) LANGUAGE sql STABLE AS $$
  SELECT project_id, 'transactions', ARRAY[chain_gid, status, direction], 0::bigint, count(*) FROM transactions GROUP BY project_id, chain_gid, status, direction
  UNION ALL SELECT project_id, 'transactions.hour', '{}', floor(extract(epoch FROM detected_at) / 3600)::bigint, count(*) FROM transactions GROUP BY 1, 4
  UNION ALL SELECT project_id, 'transactions.block', ARRAY[chain_gid, span::text], step, count(*)
    FROM (SELECT project_id, chain_gid, floor(extract(epoch FROM detected_at) / 3600)::bigint >> 7 AS span, block_number >> 10 AS step FROM transactions WHERE block_number IS NOT NULL) t GROUP BY project_id, chain_gid, span, step
  UNION ALL SELECT project_id, 'transactions.amount', '{}', amount_bucket(amount_max), sum(rows)::bigint FROM (SELECT project_id, amount_max, count(*) AS rows FROM transactions WHERE amount_max IS NOT NULL GROUP BY 1, 2) t GROUP BY 1, 4
  UNION ALL SELECT address_id, 'address', '{}', 0, count(*) FROM transaction_addresses GROUP BY 1
  UNION ALL SELECT public_key_id, 'public_key', '{}', 0, count(*) FROM (SELECT DISTINCT public_key_id, transaction_id FROM transaction_addresses WHERE public_key_id IS NOT NULL) r GROUP BY 1
  UNION ALL SELECT project_id, 'asset', ARRAY[asset_gid], 0, count(*) FROM (SELECT DISTINCT project_id, asset_gid, transaction_id FROM transfers) r GROUP BY project_id, asset_gid
  UNION ALL SELECT a.project_id, 'addresses', lines_of_address(a), 0, count(*) FROM addresses a GROUP BY 1, 3
  UNION ALL SELECT '00000000-0000-0000-0000-000000000000', 'blocks', ARRAY[chain_gid, status], 0, count(*) FROM blocks GROUP BY chain_gid, status
  UNION ALL SELECT '00000000-0000-0000-0000-000000000000', 'blocks.number', ARRAY[chain_gid], number >> 10, count(*) FROM blocks WHERE status <> 'skipped' GROUP BY chain_gid, 4
  UNION ALL SELECT '00000000-0000-0000-0000-000000000000', 'assets', ARRAY[chain_gid, namespace, type, status, (archived_at IS NOT NULL)::text], 0, count(*) FROM assets GROUP BY 3
  UNION ALL SELECT channel_id, 'deliveries', ARRAY[status], 0, count(*) FROM deliveries GROUP BY channel_id, status
  UNION ALL SELECT channel_id, 'deliveries.hour', ARRAY[event_type], floor(extract(epoch FROM created_at) / 3600)::bigint, count(*) FROM deliveries GROUP BY channel_id, event_type, 4
  UNION ALL SELECT project_id, 'events.hour', ARRAY[type, chain_gid], floor(extract(epoch FROM created_at) / 3600)::bigint, count(*) FROM events WHERE NOT is_held GROUP BY project_id, type, chain_gid, 4
  UNION ALL SELECT workspace_id, 'usage', ARRAY[key_id::text, chain_gid, method], 0, count(*) FROM rpc_usage GROUP BY workspace_id, key_id, chain_gid, method
  UNION ALL SELECT workspace_id, 'usage.hour', '{}', floor(extract(epoch FROM hour) / 3600)::bigint, count(*) FROM rpc_usage GROUP BY 1, 4
$$;

CREATE OR REPLACE FUNCTION counted_lists() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT ARRAY['transactions', 'transactions.hour', 'transactions.block', 'transactions.amount', 'address', 'public_key', 'asset', 'addresses', 'blocks', 'blocks.number', 'assets', 'deliveries', 'deliveries.hour', 'events.hour', 'usage', 'usage.hour']
$$;

SELECT count_list('public_key');
