-- Totals of ranges in a few rows, however long the range ------------------------------------------------------------------
-- Standing lines of lists that are counted by steps of a scale stand on four levels, each with steps 32 times as wide; any
-- range is at most 62 steps of each level. Fresh lines stand on the first level only: writers pay for one line.
ALTER TABLE list_counts ADD COLUMN level integer NOT NULL DEFAULT 0;
DROP INDEX list_counts_idx, list_counts_fresh_idx;

-- Lists with a scale are named list.scale.
CREATE FUNCTION levels_of(list text) RETURNS SETOF integer LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 4 AS $$
  SELECT generate_series(0, CASE WHEN strpos(list, '.') > 0 THEN 3 ELSE 0 END)
$$;

-- Blocks of a chain stand beside the time at which they were met, in units of 128 hours: the order of a page by time begins
-- where the blocks that match do.
CREATE OR REPLACE FUNCTION lines_of_transaction(t transactions, sign integer) RETURNS TABLE (scope uuid, list text, key text[], bucket bigint, count integer)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT t.project_id, l.list, l.key, l.bucket, sign
  FROM (VALUES
    ('transactions', ARRAY[t.chain_gid, t.status, t.direction], 0::bigint),
    ('transactions.hour', '{}', floor(extract(epoch FROM t.detected_at) / 3600)::bigint),
    ('transactions.block', ARRAY[t.chain_gid, (floor(extract(epoch FROM t.detected_at) / 3600)::bigint >> 7)::text], t.block_number >> 10),
    ('transactions.amount', '{}', amount_bucket(t.amount_max))
  ) AS l (list, key, bucket) WHERE l.bucket IS NOT NULL
$$;

-- Plans of this function are made while tables are small and kept.
CREATE OR REPLACE FUNCTION fold_list_counts(line_count integer) RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  folded integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('fold_list_counts', 0)) THEN
    RETURN 0;
  END IF;
  WITH gone AS (
    DELETE FROM list_counts WHERE id IN (SELECT id FROM list_counts WHERE is_fresh LIMIT line_count)
    RETURNING scope, list, key, bucket, count
  ), sums AS MATERIALIZED (
    SELECT scope, list, l.level, bucket >> (5 * l.level) AS bucket, key, sum(count)::bigint AS count
    FROM (SELECT scope, list, key, bucket, sum(count) AS count FROM gone GROUP BY 1, 2, 3, 4 HAVING sum(count) <> 0) g, levels_of(list) AS l (level)
    GROUP BY 1, 2, 3, 4, 5
  ), known AS MATERIALIZED (
    SELECT c.id, c.count + s.count AS count, s.scope, s.list, s.level, s.bucket, s.key
    FROM sums s JOIN list_counts c ON c.scope = s.scope AND c.list = s.list AND c.level = s.level AND c.bucket = s.bucket AND c.key = s.key AND NOT c.is_fresh
  ), emptied AS (
    DELETE FROM list_counts c USING known k WHERE c.id = k.id AND k.count = 0
  ), raised AS (
    UPDATE list_counts c SET count = k.count FROM known k WHERE c.id = k.id AND k.count <> 0
  ), added AS (
    INSERT INTO list_counts (scope, list, level, bucket, key, count, is_fresh)
    SELECT s.scope, s.list, s.level, s.bucket, s.key, s.count, false
    FROM sums s LEFT JOIN known k USING (scope, list, level, bucket, key) WHERE s.count <> 0 AND k.id IS NULL
  )
  SELECT count(*) INTO folded FROM gone;
  RETURN folded;
END $$;

-- Events ---------------------------------------------------------------------------------------------------------------
-- What a reorg holds back is not listed.
CREATE FUNCTION count_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_counts (scope, list, key, bucket, count)
    SELECT project_id, 'events.hour', ARRAY[type, chain_gid], floor(extract(epoch FROM created_at) / 3600)::bigint, count(*) FROM new_rows WHERE NOT is_held GROUP BY 1, 3, 4;
  ELSE
    INSERT INTO list_counts (scope, list, key, bucket, count)
    SELECT project_id, 'events.hour', ARRAY[type, chain_gid], floor(extract(epoch FROM created_at) / 3600)::bigint, -count(*) FROM old_rows WHERE NOT is_held GROUP BY 1, 3, 4;
  END IF;
  RETURN NULL;
END $$;

-- Events are changed often, by those who send them, and seldom held: those rows are counted one by one.
CREATE FUNCTION count_held_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO list_counts (scope, list, key, bucket, count)
  VALUES (NEW.project_id, 'events.hour', ARRAY[NEW.type, NEW.chain_gid], floor(extract(epoch FROM NEW.created_at) / 3600)::bigint, CASE WHEN NEW.is_held THEN -1 ELSE 1 END);
  RETURN NULL;
END $$;

CREATE TRIGGER events_count_insert AFTER INSERT ON events REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_events();
CREATE TRIGGER events_count_delete AFTER DELETE ON events REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_events();
CREATE TRIGGER events_count_held AFTER UPDATE OF is_held ON events FOR EACH ROW WHEN (OLD.is_held <> NEW.is_held) EXECUTE FUNCTION count_held_event();

DROP INDEX events_project_idx;
CREATE INDEX events_project_type_idx ON events (project_id, type, created_at, id) INCLUDE (chain_gid) WHERE NOT is_held;

-- Deliveries -----------------------------------------------------------------------------------------------------------
-- Neither the type of a delivery nor its time changes, while its status does several times.
CREATE OR REPLACE FUNCTION count_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_counts (scope, list, key, bucket, count)
    SELECT channel_id, 'deliveries', ARRAY[status], 0, count(*) FROM new_rows GROUP BY 1, 3
    UNION ALL SELECT channel_id, 'deliveries.hour', ARRAY[event_type], floor(extract(epoch FROM created_at) / 3600)::bigint, count(*) FROM new_rows GROUP BY 1, 3, 4;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO list_counts (scope, list, key, bucket, count)
    SELECT channel_id, 'deliveries', ARRAY[status], 0, -count(*) FROM old_rows GROUP BY 1, 3
    UNION ALL SELECT channel_id, 'deliveries.hour', ARRAY[event_type], floor(extract(epoch FROM created_at) / 3600)::bigint, -count(*) FROM old_rows GROUP BY 1, 3, 4;
  ELSE
    INSERT INTO list_counts (scope, list, key, count)
    SELECT channel_id, 'deliveries', ARRAY[status], sum(sign)
    FROM (SELECT channel_id, status, 1 AS sign FROM new_rows UNION ALL SELECT channel_id, status, -1 FROM old_rows) l
    GROUP BY 1, 3 HAVING sum(sign) <> 0;
  END IF;
  RETURN NULL;
END $$;

DROP INDEX deliveries_channel_created_idx;
CREATE INDEX deliveries_channel_created_idx ON deliveries (channel_id, created_at, id) INCLUDE (event_type);

-- Coins ----------------------------------------------------------------------------------------------------------------
CREATE INDEX utxos_unspent_idx ON utxos (address, block_number, chain_gid, txid, vout) WHERE spent_block_number IS NULL;
CREATE INDEX utxos_unspent_amount_idx ON utxos (address, amount_raw, chain_gid, txid, vout) WHERE spent_block_number IS NULL;

-- Assets ---------------------------------------------------------------------------------------------------------------
CREATE INDEX assets_status_gid_idx ON assets (status, gid);

-- Usage ----------------------------------------------------------------------------------------------------------------
CREATE FUNCTION count_rpc_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NOT EXISTS (SELECT FROM new_rows) THEN RETURN NULL; END IF;
    INSERT INTO list_counts (scope, list, key, bucket, count)
    SELECT workspace_id, 'usage', ARRAY[key_id::text, chain_gid, method], 0, count(*) FROM new_rows GROUP BY 1, 3
    UNION ALL SELECT workspace_id, 'usage.hour', '{}', floor(extract(epoch FROM hour) / 3600)::bigint, count(*) FROM new_rows GROUP BY 1, 4;
  ELSE
    INSERT INTO list_counts (scope, list, key, bucket, count)
    SELECT workspace_id, 'usage', ARRAY[key_id::text, chain_gid, method], 0, -count(*) FROM old_rows GROUP BY 1, 3
    UNION ALL SELECT workspace_id, 'usage.hour', '{}', floor(extract(epoch FROM hour) / 3600)::bigint, -count(*) FROM old_rows GROUP BY 1, 4;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER rpc_usage_count_insert AFTER INSERT ON rpc_usage REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rpc_usage();
CREATE TRIGGER rpc_usage_count_delete AFTER DELETE ON rpc_usage REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rpc_usage();

DROP INDEX rpc_usage_workspace_hour_idx;
CREATE INDEX rpc_usage_workspace_hour_idx ON rpc_usage (workspace_id, hour, key_id, chain_gid, method);

-- Indexes alone answer for pages that were vacuumed: tables that only grow are, long before a fifth of them is new.
ALTER TABLE transactions SET (autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE transfers SET (autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE transaction_addresses SET (autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE deliveries SET (autovacuum_vacuum_insert_scale_factor = 0.02);

-- All totals -----------------------------------------------------------------------------------------------------------
CREATE OR REPLACE FUNCTION actual_list_counts() RETURNS TABLE (scope uuid, list text, key text[], bucket bigint, count bigint) LANGUAGE sql STABLE AS $$
  SELECT project_id, 'transactions', ARRAY[chain_gid, status, direction], 0::bigint, count(*) FROM transactions GROUP BY project_id, chain_gid, status, direction
  UNION ALL SELECT project_id, 'transactions.hour', '{}', floor(extract(epoch FROM detected_at) / 3600)::bigint, count(*) FROM transactions GROUP BY 1, 4
  UNION ALL SELECT project_id, 'transactions.block', ARRAY[chain_gid, span::text], step, count(*)
    FROM (SELECT project_id, chain_gid, floor(extract(epoch FROM detected_at) / 3600)::bigint >> 7 AS span, block_number >> 10 AS step FROM transactions WHERE block_number IS NOT NULL) t GROUP BY project_id, chain_gid, span, step
  UNION ALL SELECT project_id, 'transactions.amount', '{}', amount_bucket(amount_max), sum(rows)::bigint FROM (SELECT project_id, amount_max, count(*) AS rows FROM transactions WHERE amount_max IS NOT NULL GROUP BY 1, 2) t GROUP BY 1, 4
  UNION ALL SELECT address_id, 'address', '{}', 0, count(*) FROM transaction_addresses GROUP BY 1
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

-- Adds the totals of one list, which has none. The name is part of the statement: branches of other lists are not run.
CREATE FUNCTION count_list(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format(
    'INSERT INTO list_counts (scope, list, key, level, bucket, count, is_fresh)
     SELECT scope, list, key, l.level, bucket >> (5 * l.level), sum(count), false
     FROM actual_list_counts() a, levels_of(%1$L) AS l (level) WHERE a.list = %1$L GROUP BY 1, 2, 3, 4, 5', name);
END $$;

CREATE FUNCTION counted_lists() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT ARRAY['transactions', 'transactions.hour', 'transactions.block', 'transactions.amount', 'address', 'asset', 'addresses', 'blocks', 'blocks.number', 'assets', 'deliveries', 'deliveries.hour', 'events.hour', 'usage', 'usage.hour']
$$;

CREATE OR REPLACE FUNCTION rebuild_list_counts() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('fold_list_counts', 0));
  LOCK TABLE transactions, transaction_addresses, transfers, addresses, blocks, assets, deliveries, events, rpc_usage IN SHARE MODE;
  DELETE FROM list_counts;
  FOREACH name IN ARRAY counted_lists() LOOP
    PERFORM count_list(name);
  END LOOP;
END $$;

SELECT rebuild_list_counts();

CREATE UNIQUE INDEX list_counts_idx ON list_counts (scope, list, level, bucket, key) WHERE NOT is_fresh;
CREATE INDEX list_counts_fresh_idx ON list_counts (scope, list, bucket) WHERE is_fresh;
