-- The true totals, counted from the tables.
CREATE OR REPLACE FUNCTION actual_list_counts() RETURNS TABLE (scope uuid, list text, key text[], count bigint) LANGUAGE sql STABLE AS $$
  SELECT project_id, 'transactions', ARRAY[chain_gid, status, direction], count(*) FROM transactions GROUP BY project_id, chain_gid, status, direction
  UNION ALL SELECT address_id, 'address', '{}', count(*) FROM transaction_addresses GROUP BY 1
  UNION ALL SELECT project_id, 'asset', ARRAY[asset_gid], count(*) FROM (SELECT DISTINCT project_id, asset_gid, transaction_id FROM transfers) r GROUP BY project_id, asset_gid
  UNION ALL SELECT project_id, 'addresses', ARRAY[kind, chain_family, format, is_monitored::text, is_used::text, derivation_change::text], count(*) FROM addresses GROUP BY 1, 3
  UNION ALL SELECT '00000000-0000-0000-0000-000000000000', 'blocks', ARRAY[chain_gid, status], sum(n)::bigint FROM (
    SELECT chain_gid, status, count(*) AS n FROM blocks GROUP BY 1, 2
    UNION ALL SELECT chain_gid, 'confirmed', confirmed_count FROM block_runs WHERE confirmed_count > 0
    UNION ALL SELECT chain_gid, 'skipped', skipped_count FROM block_runs WHERE skipped_count > 0) b GROUP BY chain_gid, status
  UNION ALL SELECT channel_id, 'deliveries', ARRAY[status, event_type], count(*) FROM deliveries GROUP BY channel_id, status, event_type
  UNION ALL SELECT workspace_id, 'usage', ARRAY[key_id::text, chain_gid, method], count(*) FROM rpc_usage GROUP BY workspace_id, key_id, chain_gid, method
$$;

-- After a load that went around triggers: writes all totals anew. Writers wait.
CREATE OR REPLACE FUNCTION rebuild_list_counts() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('fold_list_counts', 0));
  LOCK TABLE transactions, transaction_addresses, transfers, addresses, blocks, block_runs, deliveries, rpc_usage IN SHARE MODE;
  DELETE FROM list_counts;
  DELETE FROM list_changes;
  INSERT INTO list_counts (scope, list, key, count) SELECT * FROM actual_list_counts();
END $$;

-- Runs whenever this file changes, so that a newly kept total starts from the rows that exist.
SELECT rebuild_list_counts();
