-- Transactions of a project by asset, each counted once whatever number of its transfers move it. All transfers of a
-- transaction are written under the lock of its chain, so that nobody else adds or removes one meanwhile.
-- OFFSET 0: transfers are found by their transaction alone. Before the table has statistics, the planner would rather skip
-- through the index by asset, which reads all of a busy asset's transfers for each transaction.
CREATE OR REPLACE FUNCTION count_transfers() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_changes (scope, list, key, count)
    SELECT n.project_id, 'asset', ARRAY[n.asset_gid], count(*)
    FROM (SELECT project_id, asset_gid, transaction_id, count(*) AS rows FROM new_rows GROUP BY 1, 2, 3) n
    WHERE n.rows = (SELECT count(*) FROM (SELECT asset_gid FROM transfers WHERE transaction_id = n.transaction_id OFFSET 0) r WHERE r.asset_gid = n.asset_gid)
    GROUP BY n.project_id, n.asset_gid;
  ELSE
    INSERT INTO list_changes (scope, list, key, count)
    SELECT o.project_id, 'asset', ARRAY[o.asset_gid], -count(*)
    FROM (SELECT DISTINCT project_id, asset_gid, transaction_id FROM old_rows) o
    WHERE NOT EXISTS (SELECT FROM (SELECT asset_gid FROM transfers WHERE transaction_id = o.transaction_id OFFSET 0) r WHERE r.asset_gid = o.asset_gid)
    GROUP BY o.project_id, o.asset_gid;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER transfers_count_insert AFTER INSERT ON transfers
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transfers();
CREATE OR REPLACE TRIGGER transfers_count_delete AFTER DELETE ON transfers
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transfers();
