-- Hours of usage of a workspace. Rows are added to, and never become others.
CREATE OR REPLACE FUNCTION count_rpc_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_changes (scope, list, key, count)
    SELECT workspace_id, 'usage', ARRAY[key_id::text, chain_gid, method], count(*) FROM new_rows GROUP BY 1, 3;
  ELSE
    INSERT INTO list_changes (scope, list, key, count)
    SELECT workspace_id, 'usage', ARRAY[key_id::text, chain_gid, method], -count(*) FROM old_rows GROUP BY 1, 3;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER rpc_usage_count_insert AFTER INSERT ON rpc_usage
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rpc_usage();
CREATE OR REPLACE TRIGGER rpc_usage_count_delete AFTER DELETE ON rpc_usage
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_rpc_usage();
