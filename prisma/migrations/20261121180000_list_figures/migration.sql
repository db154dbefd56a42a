-- Lists of any length: pages that indexes give in order, and totals that nobody counts ----------------------------------
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- Totals by what lists filter by. Whoever changes rows adds lines in the same transaction and never touches those of
-- others, so that nobody waits; a total is the sum of its lines, and fold_list_counts() puts them together now and then.
CREATE TABLE list_counts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Whose rows: a project, a channel, an address; all zeros for what belongs to nobody.
  scope uuid NOT NULL,
  list text NOT NULL,
  -- The columns of few values, in the order of the trigger function.
  key text[] NOT NULL,
  -- Of a column of many values: the step of the scale that it stands on.
  bucket bigint NOT NULL DEFAULT 0,
  count bigint NOT NULL,
  is_fresh boolean NOT NULL DEFAULT true
);
-- Lines come and go all the time: the dead ones are cleared away early.
ALTER TABLE list_counts SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 20000);
CREATE INDEX list_counts_idx ON list_counts (scope, list, key, bucket);
CREATE INDEX list_counts_fresh_idx ON list_counts (id) WHERE is_fresh;

-- Puts at most so many lines to their totals; 0 when there were none, or when somebody else is at it.
CREATE FUNCTION fold_list_counts(line_count integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  folded integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('fold_list_counts', 0)) THEN
    RETURN 0;
  END IF;
  WITH gone AS (
    DELETE FROM list_counts WHERE id IN (SELECT id FROM list_counts WHERE is_fresh ORDER BY id LIMIT line_count)
    RETURNING scope, list, key, bucket, count
  ), sums AS MATERIALIZED (
    SELECT scope, list, key, bucket, sum(count)::bigint AS count FROM gone GROUP BY 1, 2, 3, 4
  ), known AS MATERIALIZED (
    SELECT c.id, c.count + s.count AS count, s.scope, s.list, s.key, s.bucket
    FROM sums s JOIN list_counts c ON c.scope = s.scope AND c.list = s.list AND c.key = s.key AND c.bucket = s.bucket AND NOT c.is_fresh
  ), emptied AS (
    DELETE FROM list_counts c USING known k WHERE c.id = k.id AND k.count = 0
  ), raised AS (
    UPDATE list_counts c SET count = k.count FROM known k WHERE c.id = k.id AND k.count <> 0
  ), added AS (
    INSERT INTO list_counts (scope, list, key, bucket, count, is_fresh)
    SELECT s.*, false FROM sums s
    WHERE s.count <> 0 AND NOT EXISTS (SELECT FROM known k WHERE k.scope = s.scope AND k.list = s.list AND k.key = s.key AND k.bucket = s.bucket)
  )
  SELECT count(*) INTO folded FROM gone;
  RETURN folded;
END $$;

-- Where an amount stands on a scale of three digits: a thousand steps for each power of ten.
CREATE FUNCTION amount_bucket(amount numeric) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN amount <= 0 THEN 0
    ELSE (300 + CASE WHEN amount >= 1 THEN length(trunc(amount)::text) - 1 ELSE -1 - length(substring(amount::text FROM '^0\.(0*)')) END) * 1000
      + left(ltrim(replace(amount::text, '.', ''), '0') || '00', 3)::bigint
  END
$$;

-- Transactions ---------------------------------------------------------------------------------------------------------
ALTER TABLE transactions
  -- In the order of blocks: what waits in the mempool stands above every block, what was dropped from there below.
  ADD COLUMN block_position bigint GENERATED ALWAYS AS (COALESCE(block_number, CASE status WHEN 'pending' THEN 9007199254740991 ELSE -1 END)) STORED,
  -- The largest amount that it moved, in whole units; null while the decimals of none of its assets are known.
  ADD COLUMN amount_max numeric;
-- Of the transaction, so that an address or an asset gives its transactions in order.
ALTER TABLE transaction_addresses ADD COLUMN detected_at timestamptz, ADD COLUMN block_position bigint;
ALTER TABLE transfers ADD COLUMN detected_at timestamptz;

UPDATE transaction_addresses ta SET detected_at = t.detected_at, block_position = t.block_position FROM transactions t WHERE t.id = ta.transaction_id;
UPDATE transfers r SET detected_at = t.detected_at FROM transactions t WHERE t.id = r.transaction_id;

-- The amount that min_amount compares. Where a project pays others out of its outputs, input and change moved nothing.
-- Here and below rows are found by their ids, in plans that sessions keep: one that was made while a table was small must
-- not scan it later.
CREATE FUNCTION set_amount_max(ids uuid[]) RETURNS void LANGUAGE sql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  UPDATE transactions t SET amount_max = a.amount
  FROM unnest(ids) AS i (id) LEFT JOIN LATERAL (
    SELECT max(trim_scale((r.amount_raw || 'e-' || d.decimals)::numeric)) AS amount
    FROM transfers r JOIN assets d ON d.gid = r.asset_gid
    WHERE r.transaction_id = i.id
      AND (r.monitored_addresses = '{}' OR NOT EXISTS (SELECT FROM transfers f WHERE f.transaction_id = i.id AND f.monitored_addresses = '{}'))
  ) a ON true
  WHERE t.id = i.id AND t.amount_max IS DISTINCT FROM a.amount
$$;

-- Statements that change nothing come often (parts of a step, cascades): the functions leave at once.

-- The lines of one transaction. Null buckets count nowhere.
CREATE FUNCTION lines_of_transaction(t transactions, sign integer) RETURNS TABLE (scope uuid, list text, key text[], bucket bigint, count integer)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT t.project_id, l.list, l.key, l.bucket, sign
  FROM (VALUES
    ('transactions', ARRAY[t.chain_gid, t.status, t.direction], 0::bigint),
    ('transactions.hour', '{}', floor(extract(epoch FROM t.detected_at) / 3600)::bigint),
    ('transactions.block', ARRAY[t.chain_gid], t.block_number >> 10),
    ('transactions.amount', '{}', amount_bucket(t.amount_max))
  ) AS l (list, key, bucket) WHERE l.bucket IS NOT NULL
$$;

CREATE FUNCTION count_transactions() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NOT EXISTS (SELECT FROM new_rows) THEN RETURN NULL; END IF;
    INSERT INTO list_counts (scope, list, key, bucket, count)
    SELECT l.scope, l.list, l.key, l.bucket, count(*) FROM new_rows t, lines_of_transaction(t, 1) l GROUP BY 1, 2, 3, 4;
  ELSIF TG_OP = 'DELETE' THEN
    IF NOT EXISTS (SELECT FROM old_rows) THEN RETURN NULL; END IF;
    INSERT INTO list_counts (scope, list, key, bucket, count)
    SELECT l.scope, l.list, l.key, l.bucket, -count(*) FROM old_rows t, lines_of_transaction(t, -1) l GROUP BY 1, 2, 3, 4;
  ELSE
    IF NOT EXISTS (SELECT FROM new_rows) THEN RETURN NULL; END IF;
    INSERT INTO list_counts (scope, list, key, bucket, count)
    SELECT l.scope, l.list, l.key, l.bucket, sum(l.count)
    FROM (SELECT l.* FROM new_rows t, lines_of_transaction(t, 1) l UNION ALL SELECT l.* FROM old_rows t, lines_of_transaction(t, -1) l) l
    GROUP BY 1, 2, 3, 4 HAVING sum(l.count) <> 0;
    UPDATE transaction_addresses ta SET detected_at = n.detected_at, block_position = n.block_position
    FROM new_rows n JOIN old_rows o ON o.id = n.id AND (o.detected_at, o.block_position) IS DISTINCT FROM (n.detected_at, n.block_position)
    WHERE ta.transaction_id = n.id;
    UPDATE transfers r SET detected_at = n.detected_at
    FROM new_rows n JOIN old_rows o ON o.id = n.id AND o.detected_at <> n.detected_at WHERE r.transaction_id = n.id;
  END IF;
  RETURN NULL;
END $$;

-- Transactions of an address, by its id. The writer gives the order along; where it did not, it is looked up here.
CREATE FUNCTION count_transaction_addresses() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NOT EXISTS (SELECT FROM new_rows) THEN RETURN NULL; END IF;
    INSERT INTO list_counts (scope, list, key, count) SELECT address_id, 'address', '{}', count(*) FROM new_rows GROUP BY 1;
    UPDATE transaction_addresses ta SET detected_at = t.detected_at, block_position = t.block_position
    FROM new_rows n JOIN transactions t ON t.id = n.transaction_id
    WHERE (n.detected_at, n.block_position) IS DISTINCT FROM (t.detected_at, t.block_position) AND ta.address_id = n.address_id AND ta.transaction_id = n.transaction_id;
  ELSE
    IF NOT EXISTS (SELECT FROM old_rows) THEN RETURN NULL; END IF;
    INSERT INTO list_counts (scope, list, key, count) SELECT address_id, 'address', '{}', -count(*) FROM old_rows GROUP BY 1;
  END IF;
  RETURN NULL;
END $$;

-- Transactions of a project by asset, each counted once whatever number of its transfers move it. All transfers of a
-- transaction are written under the lock of its chain, so that nobody else adds or removes one meanwhile.
CREATE FUNCTION count_transfers() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NOT EXISTS (SELECT FROM new_rows) THEN RETURN NULL; END IF;
    INSERT INTO list_counts (scope, list, key, count)
    SELECT n.project_id, 'asset', ARRAY[n.asset_gid], count(*)
    FROM (SELECT project_id, asset_gid, transaction_id, count(*) AS rows FROM new_rows GROUP BY 1, 2, 3) n
    WHERE n.rows = (SELECT count(*) FROM transfers r WHERE r.transaction_id = n.transaction_id AND r.asset_gid = n.asset_gid)
    GROUP BY 1, 3;
    UPDATE transfers r SET detected_at = t.detected_at FROM new_rows n JOIN transactions t ON t.id = n.transaction_id
    WHERE n.detected_at IS DISTINCT FROM t.detected_at AND r.transaction_id = n.transaction_id AND r.index = n.index;
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

-- Decimals that become known (or change) say what earlier transfers of the asset moved. The chain's analyzer waits: it
-- writes the same transactions.
CREATE FUNCTION apply_decimals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM analyzer_states WHERE chain_gid = NEW.chain_gid FOR UPDATE;
  PERFORM set_amount_max(ARRAY(SELECT DISTINCT transaction_id FROM transfers WHERE asset_gid = NEW.gid));
  RETURN NULL;
END $$;

CREATE TRIGGER transactions_count_insert AFTER INSERT ON transactions REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transactions();
CREATE TRIGGER transactions_count_update AFTER UPDATE ON transactions REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transactions();
CREATE TRIGGER transactions_count_delete AFTER DELETE ON transactions REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transactions();
CREATE TRIGGER transaction_addresses_count_insert AFTER INSERT ON transaction_addresses REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transaction_addresses();
CREATE TRIGGER transaction_addresses_count_delete AFTER DELETE ON transaction_addresses REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transaction_addresses();
CREATE TRIGGER transfers_count_insert AFTER INSERT ON transfers REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transfers();
CREATE TRIGGER transfers_count_update AFTER UPDATE ON transfers REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION count_transfers();
CREATE TRIGGER transfers_count_delete AFTER DELETE ON transfers REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transfers();
CREATE TRIGGER assets_apply_decimals AFTER UPDATE ON assets FOR EACH ROW WHEN (OLD.decimals IS DISTINCT FROM NEW.decimals) EXECUTE FUNCTION apply_decimals();

-- Order and tiebreak run the same way, so that one index serves both directions.
DROP INDEX transactions_project_detected_idx, transactions_project_block_idx, transfers_project_asset_idx;
CREATE INDEX transactions_detected_idx ON transactions (project_id, detected_at, id) INCLUDE (amount_max, block_position);
CREATE INDEX transactions_position_idx ON transactions (project_id, block_position, id) INCLUDE (status, direction);
CREATE INDEX transactions_status_idx ON transactions (project_id, status, detected_at, id);
CREATE INDEX transactions_direction_idx ON transactions (project_id, direction, detected_at, id);
CREATE INDEX transactions_chain_detected_idx ON transactions (project_id, chain_gid, detected_at, id);
CREATE INDEX transactions_chain_position_idx ON transactions (project_id, chain_gid, block_position, id);
CREATE INDEX transactions_amount_idx ON transactions (project_id, amount_max, detected_at, id) WHERE amount_max IS NOT NULL;
CREATE INDEX transaction_addresses_detected_idx ON transaction_addresses (address_id, detected_at, transaction_id) INCLUDE (block_position);
CREATE INDEX transfers_asset_idx ON transfers (asset_gid, project_id, detected_at, transaction_id);

-- Addresses ------------------------------------------------------------------------------------------------------------
CREATE FUNCTION lines_of_address(a addresses) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ARRAY[a.kind, a.chain_family, a.format, a.is_monitored::text, a.is_used::text, a.derivation_change::text]
$$;

CREATE FUNCTION count_addresses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_counts (scope, list, key, count) SELECT a.project_id, 'addresses', lines_of_address(a), count(*) FROM new_rows a GROUP BY 1, 3;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO list_counts (scope, list, key, count) SELECT a.project_id, 'addresses', lines_of_address(a), -count(*) FROM old_rows a GROUP BY 1, 3;
  ELSE
    INSERT INTO list_counts (scope, list, key, count)
    SELECT project_id, 'addresses', key, sum(sign)
    FROM (SELECT a.project_id, lines_of_address(a) AS key, 1 AS sign FROM new_rows a UNION ALL SELECT a.project_id, lines_of_address(a), -1 FROM old_rows a) l
    GROUP BY 1, 3 HAVING sum(sign) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER addresses_count_insert AFTER INSERT ON addresses REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_addresses();
CREATE TRIGGER addresses_count_update AFTER UPDATE ON addresses REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_addresses();
CREATE TRIGGER addresses_count_delete AFTER DELETE ON addresses REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_addresses();

DROP INDEX addresses_project_created_idx;
CREATE INDEX addresses_created_idx ON addresses (project_id, created_at, id) INCLUDE (kind, chain_family, format, is_monitored, is_used);
CREATE INDEX addresses_display_idx ON addresses (project_id, display, id);
CREATE INDEX addresses_label_idx ON addresses (project_id, label, id);
CREATE INDEX addresses_family_idx ON addresses (project_id, chain_family, format, created_at, id);
CREATE INDEX addresses_unmonitored_idx ON addresses (project_id, created_at, id) WHERE NOT is_monitored;
CREATE INDEX addresses_hd_idx ON addresses (project_id, derivation_index, derivation_change, created_at, id) WHERE kind = 'hd';
CREATE INDEX addresses_of_key_idx ON addresses (public_key_id, derivation_index, derivation_change, id) WHERE public_key_id IS NOT NULL;
CREATE INDEX addresses_search_idx ON addresses USING gin (project_id, label gin_trgm_ops, display gin_trgm_ops);

-- Blocks and assets ----------------------------------------------------------------------------------------------------
-- Numbers without a block are not in ranges: only who asks for their status sees them.
CREATE FUNCTION count_blocks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  nobody CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO list_counts (scope, list, key, count)
    SELECT nobody, 'blocks', ARRAY[chain_gid, status], sum(sign)
    FROM (SELECT chain_gid, status, 1 AS sign FROM new_rows UNION ALL SELECT chain_gid, status, -1 FROM old_rows) l
    GROUP BY 3 HAVING sum(sign) <> 0;
    INSERT INTO list_counts (scope, list, key, bucket, count)
    SELECT nobody, 'blocks.number', ARRAY[chain_gid], number >> 10, sum(sign)
    FROM (SELECT chain_gid, number, 1 AS sign FROM new_rows WHERE status <> 'skipped' UNION ALL SELECT chain_gid, number, -1 FROM old_rows WHERE status <> 'skipped') l
    GROUP BY 3, 4 HAVING sum(sign) <> 0;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO list_counts (scope, list, key, bucket, count)
    SELECT nobody, 'blocks', ARRAY[chain_gid, status], 0, count(*) FROM new_rows GROUP BY 3
    UNION ALL SELECT nobody, 'blocks.number', ARRAY[chain_gid], number >> 10, count(*) FROM new_rows WHERE status <> 'skipped' GROUP BY 3, 4;
  ELSE
    INSERT INTO list_counts (scope, list, key, bucket, count)
    SELECT nobody, 'blocks', ARRAY[chain_gid, status], 0, -count(*) FROM old_rows GROUP BY 3
    UNION ALL SELECT nobody, 'blocks.number', ARRAY[chain_gid], number >> 10, -count(*) FROM old_rows WHERE status <> 'skipped' GROUP BY 3, 4;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER blocks_count_insert AFTER INSERT ON blocks REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_blocks();
CREATE TRIGGER blocks_count_update AFTER UPDATE ON blocks REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_blocks();
CREATE TRIGGER blocks_count_delete AFTER DELETE ON blocks REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_blocks();

DROP INDEX blocks_number_idx, blocks_status_idx, blocks_chain_gid_number_idx;
CREATE INDEX blocks_number_idx ON blocks (number, id);
CREATE INDEX blocks_status_idx ON blocks (status, number, id);
CREATE INDEX blocks_chain_gid_number_idx ON blocks (chain_gid, number, id);

CREATE FUNCTION count_assets() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  nobody CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_counts (scope, list, key, count)
    SELECT nobody, 'assets', ARRAY[chain_gid, namespace, type, status, (archived_at IS NOT NULL)::text], count(*) FROM new_rows GROUP BY 3;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO list_counts (scope, list, key, count)
    SELECT nobody, 'assets', ARRAY[chain_gid, namespace, type, status, (archived_at IS NOT NULL)::text], -count(*) FROM old_rows GROUP BY 3;
  ELSE
    INSERT INTO list_counts (scope, list, key, count)
    SELECT nobody, 'assets', ARRAY[chain_gid, namespace, type, status, (archived_at IS NOT NULL)::text], sum(sign)
    FROM (SELECT *, 1 AS sign FROM new_rows UNION ALL SELECT *, -1 FROM old_rows) l GROUP BY 3 HAVING sum(sign) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER assets_count_insert AFTER INSERT ON assets REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_assets();
CREATE TRIGGER assets_count_update AFTER UPDATE ON assets REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_assets();
CREATE TRIGGER assets_count_delete AFTER DELETE ON assets REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_assets();

DROP INDEX assets_created_at_idx, assets_chain_gid_idx;
CREATE INDEX assets_created_at_idx ON assets (created_at, gid);
CREATE INDEX assets_chain_gid_idx ON assets (chain_gid, created_at, gid);
CREATE INDEX assets_namespace_idx ON assets (namespace, gid);
CREATE INDEX assets_reference_idx ON assets (reference, gid);
CREATE INDEX assets_status_idx ON assets (status, created_at, gid);
CREATE INDEX assets_name_idx ON assets (name, gid);
CREATE INDEX assets_symbol_idx ON assets (symbol, gid);
CREATE INDEX assets_search_idx ON assets USING gin (name gin_trgm_ops, symbol gin_trgm_ops, reference gin_trgm_ops);

-- Deliveries -----------------------------------------------------------------------------------------------------------
CREATE FUNCTION count_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_counts (scope, list, key, count) SELECT channel_id, 'deliveries', ARRAY[status], count(*) FROM new_rows GROUP BY 1, 3;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO list_counts (scope, list, key, count) SELECT channel_id, 'deliveries', ARRAY[status], -count(*) FROM old_rows GROUP BY 1, 3;
  ELSE
    INSERT INTO list_counts (scope, list, key, count)
    SELECT channel_id, 'deliveries', ARRAY[status], sum(sign)
    FROM (SELECT channel_id, status, 1 AS sign FROM new_rows UNION ALL SELECT channel_id, status, -1 FROM old_rows) l
    GROUP BY 1, 3 HAVING sum(sign) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER deliveries_count_insert AFTER INSERT ON deliveries REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
CREATE TRIGGER deliveries_count_update AFTER UPDATE ON deliveries REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
CREATE TRIGGER deliveries_count_delete AFTER DELETE ON deliveries REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();

DROP INDEX deliveries_channel_created_idx;
CREATE INDEX deliveries_channel_created_idx ON deliveries (channel_id, created_at, id);
CREATE INDEX deliveries_channel_status_idx ON deliveries (channel_id, status, created_at, id);

DROP INDEX audit_logs_workspace_created_idx;
CREATE INDEX audit_logs_workspace_created_idx ON audit_logs (workspace_id, created_at, id);

-- What the totals are, counted row by row.
CREATE FUNCTION actual_list_counts() RETURNS TABLE (scope uuid, list text, key text[], bucket bigint, count bigint) LANGUAGE sql STABLE AS $$
  SELECT project_id, 'transactions', ARRAY[chain_gid, status, direction], 0::bigint, count(*) FROM transactions GROUP BY project_id, chain_gid, status, direction
  UNION ALL SELECT project_id, 'transactions.hour', '{}', floor(extract(epoch FROM detected_at) / 3600)::bigint, count(*) FROM transactions GROUP BY 1, 4
  UNION ALL SELECT project_id, 'transactions.block', ARRAY[chain_gid], block_number >> 10, count(*) FROM transactions WHERE block_number IS NOT NULL GROUP BY project_id, chain_gid, 4
  UNION ALL SELECT project_id, 'transactions.amount', '{}', amount_bucket(amount_max), count(*) FROM transactions WHERE amount_max IS NOT NULL GROUP BY 1, 4
  UNION ALL SELECT address_id, 'address', '{}', 0, count(*) FROM transaction_addresses GROUP BY 1
  UNION ALL SELECT project_id, 'asset', ARRAY[asset_gid], 0, count(*) FROM (SELECT DISTINCT project_id, asset_gid, transaction_id FROM transfers) r GROUP BY project_id, asset_gid
  UNION ALL SELECT a.project_id, 'addresses', lines_of_address(a), 0, count(*) FROM addresses a GROUP BY 1, 3
  UNION ALL SELECT '00000000-0000-0000-0000-000000000000', 'blocks', ARRAY[chain_gid, status], 0, count(*) FROM blocks GROUP BY chain_gid, status
  UNION ALL SELECT '00000000-0000-0000-0000-000000000000', 'blocks.number', ARRAY[chain_gid], number >> 10, count(*) FROM blocks WHERE status <> 'skipped' GROUP BY chain_gid, 4
  UNION ALL SELECT '00000000-0000-0000-0000-000000000000', 'assets', ARRAY[chain_gid, namespace, type, status, (archived_at IS NOT NULL)::text], 0, count(*) FROM assets GROUP BY 3
  UNION ALL SELECT channel_id, 'deliveries', ARRAY[status], 0, count(*) FROM deliveries GROUP BY channel_id, status
$$;

-- Writes every total anew: for the rows of before, and after a load that went around the triggers.
CREATE FUNCTION rebuild_list_counts() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('fold_list_counts', 0));
  LOCK TABLE transactions, transaction_addresses, transfers, addresses, blocks, assets, deliveries IN SHARE MODE;
  DELETE FROM list_counts;
  INSERT INTO list_counts (scope, list, key, bucket, count, is_fresh) SELECT a.*, false FROM actual_list_counts() a;
END $$;

SELECT set_amount_max(ARRAY(SELECT id FROM transactions));
SELECT rebuild_list_counts();
