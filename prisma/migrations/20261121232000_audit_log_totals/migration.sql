-- Audit log: totals by what it is filtered by, and its pages from indexes ------------------------------------------------
CREATE FUNCTION count_audit_logs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_counts (scope, list, key, bucket, count)
    SELECT workspace_id, 'audit_logs', ARRAY[action, target_type, actor_key_id::text], 0, count(*) FROM new_rows GROUP BY 1, 3
    UNION ALL SELECT workspace_id, 'audit_logs.hour', '{}', floor(extract(epoch FROM created_at) / 3600)::bigint, count(*) FROM new_rows GROUP BY 1, 4;
  ELSE
    INSERT INTO list_counts (scope, list, key, bucket, count)
    SELECT workspace_id, 'audit_logs', ARRAY[action, target_type, actor_key_id::text], 0, -count(*) FROM old_rows GROUP BY 1, 3
    UNION ALL SELECT workspace_id, 'audit_logs.hour', '{}', floor(extract(epoch FROM created_at) / 3600)::bigint, -count(*) FROM old_rows GROUP BY 1, 4;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_logs_count_insert AFTER INSERT ON audit_logs REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_audit_logs();
CREATE TRIGGER audit_logs_count_delete AFTER DELETE ON audit_logs REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_audit_logs();

DROP INDEX audit_logs_workspace_created_idx;
CREATE INDEX audit_logs_workspace_created_idx ON audit_logs (workspace_id, created_at, id) INCLUDE (action, target_type, actor_key_id);
CREATE INDEX audit_logs_request_idx ON audit_logs (workspace_id, request_id);
CREATE INDEX audit_logs_search_idx ON audit_logs USING gin (workspace_id, actor_name gin_trgm_ops, actor_mask gin_trgm_ops);

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
  UNION ALL SELECT workspace_id, 'audit_logs', ARRAY[action, target_type, actor_key_id::text], 0, count(*) FROM audit_logs GROUP BY workspace_id, action, target_type, actor_key_id
  UNION ALL SELECT workspace_id, 'audit_logs.hour', '{}', floor(extract(epoch FROM created_at) / 3600)::bigint, count(*) FROM audit_logs GROUP BY 1, 4
  UNION ALL SELECT workspace_id, 'usage', ARRAY[key_id::text, chain_gid, method], 0, count(*) FROM rpc_usage GROUP BY workspace_id, key_id, chain_gid, method
  UNION ALL SELECT workspace_id, 'usage.hour', '{}', floor(extract(epoch FROM hour) / 3600)::bigint, count(*) FROM rpc_usage GROUP BY 1, 4
$$;

CREATE OR REPLACE FUNCTION counted_lists() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT ARRAY['transactions', 'transactions.hour', 'transactions.block', 'transactions.amount', 'address', 'public_key', 'asset', 'addresses', 'blocks', 'blocks.number', 'assets', 'deliveries', 'deliveries.hour', 'events.hour', 'audit_logs', 'audit_logs.hour', 'usage', 'usage.hour']
$$;

CREATE OR REPLACE FUNCTION rebuild_list_counts() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('fold_list_counts', 0));
  LOCK TABLE transactions, transaction_addresses, transfers, addresses, blocks, assets, deliveries, events, audit_logs, rpc_usage IN SHARE MODE;
  DELETE FROM list_counts;
  FOREACH name IN ARRAY counted_lists() LOOP
    PERFORM count_list(name);
  END LOOP;
END $$;

SELECT count_list('audit_logs'), count_list('audit_logs.hour');
