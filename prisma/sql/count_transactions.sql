-- Transactions of a project. Statements that change nothing come often: an insertion that meets no row updates none.
CREATE OR REPLACE FUNCTION count_transactions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_changes (scope, list, key, count)
    SELECT project_id, 'transactions', ARRAY[chain_gid, status, direction], count(*) FROM new_rows GROUP BY 1, 3;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO list_changes (scope, list, key, count)
    SELECT project_id, 'transactions', ARRAY[chain_gid, status, direction], -count(*) FROM old_rows GROUP BY 1, 3;
  ELSIF EXISTS (SELECT FROM new_rows) THEN
    INSERT INTO list_changes (scope, list, key, count)
    SELECT project_id, 'transactions', ARRAY[chain_gid, status, direction], sum(sign)
    FROM (SELECT *, 1 AS sign FROM new_rows UNION ALL SELECT *, -1 FROM old_rows) l GROUP BY 1, 3 HAVING sum(sign) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER transactions_count_insert AFTER INSERT ON transactions
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transactions();
CREATE OR REPLACE TRIGGER transactions_count_update AFTER UPDATE ON transactions
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transactions();
CREATE OR REPLACE TRIGGER transactions_count_delete AFTER DELETE ON transactions
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transactions();
