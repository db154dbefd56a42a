-- Addresses of a project.
CREATE OR REPLACE FUNCTION count_addresses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_changes (scope, list, key, count)
    SELECT project_id, 'addresses', ARRAY[kind, chain_family, format, is_monitored::text, is_used::text, derivation_change::text], count(*) FROM new_rows GROUP BY 1, 3;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO list_changes (scope, list, key, count)
    SELECT project_id, 'addresses', ARRAY[kind, chain_family, format, is_monitored::text, is_used::text, derivation_change::text], -count(*) FROM old_rows GROUP BY 1, 3;
  ELSE
    INSERT INTO list_changes (scope, list, key, count)
    SELECT project_id, 'addresses', ARRAY[kind, chain_family, format, is_monitored::text, is_used::text, derivation_change::text], sum(sign)
    FROM (SELECT *, 1 AS sign FROM new_rows UNION ALL SELECT *, -1 FROM old_rows) l GROUP BY 1, 3 HAVING sum(sign) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER addresses_count_insert AFTER INSERT ON addresses
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_addresses();
CREATE OR REPLACE TRIGGER addresses_count_update AFTER UPDATE ON addresses
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_addresses();
CREATE OR REPLACE TRIGGER addresses_count_delete AFTER DELETE ON addresses
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_addresses();
