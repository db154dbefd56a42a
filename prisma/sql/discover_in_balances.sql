-- Discovery: the first balance of one of a project's addresses.
CREATE OR REPLACE FUNCTION discover_in_balances() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO project_assets (project_id, asset_gid)
  SELECT DISTINCT d.project_id, n.asset_gid FROM new_rows n JOIN addresses d ON d.id = n.address_id JOIN assets a ON a.gid = n.asset_gid
  WHERE a.source <> 'registry' AND NOT EXISTS (SELECT FROM project_assets p WHERE p.project_id = d.project_id AND p.asset_gid = n.asset_gid)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER balances_discover AFTER INSERT ON balances
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION discover_in_balances();
