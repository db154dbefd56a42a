-- Discovery: the first transfer of a project's transactions.
CREATE OR REPLACE FUNCTION discover_in_transfers() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO project_assets (project_id, asset_gid)
  SELECT n.project_id, n.asset_gid FROM (SELECT DISTINCT project_id, asset_gid FROM new_rows WHERE type <> 'native') n JOIN assets a ON a.gid = n.asset_gid
  WHERE a.source <> 'registry' AND NOT EXISTS (SELECT FROM project_assets p WHERE p.project_id = n.project_id AND p.asset_gid = n.asset_gid)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER transfers_discover AFTER INSERT ON transfers
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION discover_in_transfers();
