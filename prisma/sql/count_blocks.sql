-- Blocks, which belong to nobody.
CREATE OR REPLACE FUNCTION count_blocks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_changes (scope, list, key, count)
    SELECT '00000000-0000-0000-0000-000000000000'::uuid, 'blocks', ARRAY[chain_gid, status], count(*) FROM new_rows GROUP BY 1, 3;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO list_changes (scope, list, key, count)
    SELECT '00000000-0000-0000-0000-000000000000'::uuid, 'blocks', ARRAY[chain_gid, status], -count(*) FROM old_rows GROUP BY 1, 3;
  ELSE
    INSERT INTO list_changes (scope, list, key, count)
    SELECT '00000000-0000-0000-0000-000000000000'::uuid, 'blocks', ARRAY[chain_gid, status], sum(sign)
    FROM (SELECT *, 1 AS sign FROM new_rows UNION ALL SELECT *, -1 FROM old_rows) l GROUP BY 1, 3 HAVING sum(sign) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER blocks_count_insert AFTER INSERT ON blocks
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_blocks();
CREATE OR REPLACE TRIGGER blocks_count_update AFTER UPDATE ON blocks
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_blocks();
CREATE OR REPLACE TRIGGER blocks_count_delete AFTER DELETE ON blocks
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_blocks();
