-- Assets of a project ---------------------------------------------------------------------------------------------------
-- `assets` holds what the chain says, once for all. What a project has on its lists, since when, and whether it archived it,
-- is the project's: what it created and what was discovered on its addresses. What the registry names (native coins, its
-- tokens) is on every project's lists and has a row here only once the project archived it.
CREATE TABLE project_assets (
  project_id uuid NOT NULL REFERENCES projects (id),
  asset_gid text NOT NULL REFERENCES assets (gid) ON DELETE CASCADE,
  -- Of the asset, so that indexes of the project give its lists in their orders.
  chain_gid text NOT NULL,
  namespace text NOT NULL,
  reference text NOT NULL,
  type text NOT NULL,
  name text COLLATE "und-x-icu",
  symbol text COLLATE "und-x-icu",
  -- As the chain says, but for the project's own word: archived is invalid, restored is active.
  status text NOT NULL CHECK (status IN ('active', 'unknown', 'invalid')),
  archived_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, asset_gid)
);

-- What a row says of the asset is the asset's.
CREATE FUNCTION fill_project_asset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT chain_gid, namespace, reference, type, name, symbol, coalesce(NEW.status, status)
  INTO NEW.chain_gid, NEW.namespace, NEW.reference, NEW.type, NEW.name, NEW.symbol, NEW.status
  FROM assets WHERE gid = NEW.asset_gid;
  RETURN NEW;
END $$;
CREATE TRIGGER project_assets_fill BEFORE INSERT ON project_assets FOR EACH ROW EXECUTE FUNCTION fill_project_asset();

-- ... and stays it. Whoever changes what an unknown asset is holds the lock of its chain (analyzer_states), as does whoever
-- discovers it: neither misses the other. That the chain is asked anew (unknown) is nothing that projects see.
CREATE FUNCTION tell_project_assets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE project_assets SET name = NEW.name, symbol = NEW.symbol, status = CASE WHEN archived_at IS NULL THEN NEW.status ELSE status END, updated_at = now()
  WHERE asset_gid = NEW.gid AND (name, symbol, status) IS DISTINCT FROM (NEW.name, NEW.symbol, CASE WHEN archived_at IS NULL THEN NEW.status ELSE status END);
  RETURN NULL;
END $$;
CREATE TRIGGER assets_tell_projects AFTER UPDATE ON assets FOR EACH ROW
  WHEN (NEW.status <> 'unknown' AND (OLD.status, OLD.name, OLD.symbol) IS DISTINCT FROM (NEW.status, NEW.name, NEW.symbol)) EXECUTE FUNCTION tell_project_assets();

-- Discovery: the first transfer of a project's transactions, or the first balance of one of its addresses.
CREATE FUNCTION discover_in_transfers() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO project_assets (project_id, asset_gid)
  SELECT n.project_id, n.asset_gid FROM (SELECT DISTINCT project_id, asset_gid FROM new_rows WHERE type <> 'native') n JOIN assets a ON a.gid = n.asset_gid
  WHERE a.source <> 'registry' AND NOT EXISTS (SELECT FROM project_assets p WHERE p.project_id = n.project_id AND p.asset_gid = n.asset_gid)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE FUNCTION discover_in_balances() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO project_assets (project_id, asset_gid)
  SELECT DISTINCT d.project_id, n.asset_gid FROM new_rows n JOIN addresses d ON d.id = n.address_id JOIN assets a ON a.gid = n.asset_gid
  WHERE a.source <> 'registry' AND NOT EXISTS (SELECT FROM project_assets p WHERE p.project_id = d.project_id AND p.asset_gid = n.asset_gid)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER transfers_discover AFTER INSERT ON transfers REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION discover_in_transfers();
CREATE TRIGGER balances_discover AFTER INSERT ON balances REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION discover_in_balances();

-- Totals of the project's lists in place of those of all --------------------------------------------------------------------
DROP TRIGGER assets_count_insert ON assets;
DROP TRIGGER assets_count_update ON assets;
DROP TRIGGER assets_count_delete ON assets;
DROP FUNCTION count_assets();
DELETE FROM list_counts WHERE list = 'assets';
DELETE FROM list_changes WHERE list = 'assets';

CREATE FUNCTION count_project_assets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NOT EXISTS (SELECT FROM new_rows) THEN RETURN NULL; END IF;
    INSERT INTO list_changes (scope, list, key, count)
    SELECT project_id, 'assets', ARRAY[chain_gid, namespace, type, status, (archived_at IS NOT NULL)::text], count(*) FROM new_rows GROUP BY 1, 3;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO list_changes (scope, list, key, count)
    SELECT project_id, 'assets', ARRAY[chain_gid, namespace, type, status, (archived_at IS NOT NULL)::text], -count(*) FROM old_rows GROUP BY 1, 3;
  ELSE
    INSERT INTO list_changes (scope, list, key, count)
    SELECT project_id, 'assets', ARRAY[chain_gid, namespace, type, status, (archived_at IS NOT NULL)::text], sum(sign)
    FROM (SELECT *, 1 AS sign FROM new_rows UNION ALL SELECT *, -1 FROM old_rows) l GROUP BY 1, 3 HAVING sum(sign) <> 0;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER project_assets_count_insert AFTER INSERT ON project_assets REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_project_assets();
CREATE TRIGGER project_assets_count_update AFTER UPDATE ON project_assets REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_project_assets();
CREATE TRIGGER project_assets_count_delete AFTER DELETE ON project_assets REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_project_assets();

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
  UNION ALL SELECT project_id, 'assets', ARRAY[chain_gid, namespace, type, status, (archived_at IS NOT NULL)::text], 0, count(*) FROM project_assets GROUP BY 1, 3
  UNION ALL SELECT channel_id, 'deliveries', ARRAY[status], 0, count(*) FROM deliveries GROUP BY channel_id, status
  UNION ALL SELECT channel_id, 'deliveries.hour', ARRAY[event_type], floor(extract(epoch FROM created_at) / 3600)::bigint, count(*) FROM deliveries GROUP BY channel_id, event_type, 4
  UNION ALL SELECT project_id, 'events.hour', ARRAY[type, chain_gid], floor(extract(epoch FROM created_at) / 3600)::bigint, count(*) FROM events WHERE NOT is_held AND subject_kind <> 'test' GROUP BY project_id, type, chain_gid, 4
  UNION ALL SELECT workspace_id, 'audit_logs', ARRAY[action, target_type, actor_key_id::text], 0, count(*) FROM audit_logs GROUP BY workspace_id, action, target_type, actor_key_id
  UNION ALL SELECT workspace_id, 'audit_logs.hour', '{}', floor(extract(epoch FROM created_at) / 3600)::bigint, count(*) FROM audit_logs GROUP BY 1, 4
  UNION ALL SELECT workspace_id, 'usage', ARRAY[key_id::text, chain_gid, method], 0, count(*) FROM rpc_usage GROUP BY workspace_id, key_id, chain_gid, method
  UNION ALL SELECT workspace_id, 'usage.hour', '{}', floor(extract(epoch FROM hour) / 3600)::bigint, count(*) FROM rpc_usage GROUP BY 1, 4
$$;

CREATE OR REPLACE FUNCTION rebuild_list_counts() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('fold_list_counts', 0));
  LOCK TABLE transactions, transaction_addresses, transfers, addresses, blocks, project_assets, deliveries, events, audit_logs, rpc_usage IN SHARE MODE;
  DELETE FROM list_counts;
  DELETE FROM list_changes;
  DELETE FROM transaction_changes;
  FOREACH name IN ARRAY counted_lists() LOOP
    PERFORM count_list(name);
  END LOOP;
END $$;

-- What is there already -------------------------------------------------------------------------------------------------------
-- Discovered: since the first transfer, or the first balance. What was archived for all stays so for each.
INSERT INTO project_assets (project_id, asset_gid, status, archived_at, created_at, updated_at)
SELECT f.project_id, a.gid, a.status, a.archived_at, coalesce(min(f.at), now()), coalesce(greatest(min(f.at), a.archived_at), now())
FROM (
  SELECT project_id, asset_gid, min(detected_at) AS at FROM transfers GROUP BY 1, 2
  UNION ALL
  SELECT d.project_id, b.asset_gid, min(coalesce((SELECT min(h.created_at) FROM balance_history h WHERE h.address_id = b.address_id AND h.asset_gid = b.asset_gid), b.updated_at))
  FROM balances b JOIN addresses d ON d.id = b.address_id GROUP BY 1, 2
) f JOIN assets a ON a.gid = f.asset_gid
WHERE a.source <> 'registry' GROUP BY f.project_id, a.gid;

-- Created, and nobody wrote down by whom: they go to the operator's workspace. Others may create them again.
INSERT INTO project_assets (project_id, asset_gid, status, archived_at, created_at, updated_at)
SELECT p.id, a.gid, a.status, a.archived_at, a.created_at, a.updated_at
FROM assets a CROSS JOIN projects p JOIN workspaces w ON w.id = p.workspace_id AND w.is_operator
WHERE a.source <> 'registry' AND NOT EXISTS (SELECT FROM project_assets o WHERE o.asset_gid = a.gid);

INSERT INTO project_assets (project_id, asset_gid, status, archived_at, created_at, updated_at)
SELECT p.id, a.gid, a.status, a.archived_at, p.created_at, a.archived_at FROM assets a CROSS JOIN projects p WHERE a.source = 'registry' AND a.archived_at IS NOT NULL;

-- What was archived is again what the chain says it is; what nobody asked the chain about is asked.
UPDATE assets SET status = CASE WHEN decimals IS NULL THEN 'unknown' ELSE 'active' END WHERE archived_at IS NOT NULL OR (status = 'active' AND decimals IS NULL);

-- Takes assets_suspected_idx and assets_discovery_idx along.
ALTER TABLE assets DROP COLUMN archived_at;
CREATE INDEX assets_discovery_idx ON assets (chain_gid, next_attempt_at) WHERE status = 'unknown';
CREATE INDEX assets_registry_idx ON assets (gid) WHERE source = 'registry';
-- Of lists that are the projects' now.
DROP INDEX assets_created_at_idx, assets_namespace_idx, assets_reference_idx, assets_status_idx, assets_status_gid_idx, assets_type_idx, assets_name_idx, assets_symbol_idx, assets_search_idx;

-- After the rows: an index is made faster than it is filled.
CREATE INDEX project_assets_asset_idx ON project_assets (asset_gid);
CREATE INDEX project_assets_created_idx ON project_assets (project_id, created_at, asset_gid);
CREATE INDEX project_assets_chain_idx ON project_assets (project_id, chain_gid, created_at, asset_gid);
CREATE INDEX project_assets_namespace_idx ON project_assets (project_id, namespace, asset_gid);
CREATE INDEX project_assets_reference_idx ON project_assets (project_id, reference, asset_gid);
CREATE INDEX project_assets_status_idx ON project_assets (project_id, status, asset_gid);
CREATE INDEX project_assets_status_created_idx ON project_assets (project_id, status, created_at, asset_gid);
CREATE INDEX project_assets_type_idx ON project_assets (project_id, type, created_at, asset_gid);
CREATE INDEX project_assets_name_idx ON project_assets (project_id, name, asset_gid);
CREATE INDEX project_assets_symbol_idx ON project_assets (project_id, symbol, asset_gid);
CREATE INDEX project_assets_search_idx ON project_assets USING gin (project_id, name gin_trgm_ops, symbol gin_trgm_ops, reference gin_trgm_ops);
