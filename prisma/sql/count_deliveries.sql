-- Deliveries of a channel.
CREATE OR REPLACE FUNCTION count_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_changes (scope, list, key, count)
    SELECT channel_id, 'deliveries', ARRAY[status, event_type], count(*) FROM new_rows GROUP BY 1, 3;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO list_changes (scope, list, key, count)
    SELECT channel_id, 'deliveries', ARRAY[status, event_type], -count(*) FROM old_rows GROUP BY 1, 3;
  ELSE
    INSERT INTO list_changes (scope, list, key, count)
    SELECT channel_id, 'deliveries', ARRAY[status, event_type], sum(sign)
    FROM (SELECT *, 1 AS sign FROM new_rows UNION ALL SELECT *, -1 FROM old_rows) l GROUP BY 1, 3 HAVING sum(sign) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER deliveries_count_insert AFTER INSERT ON deliveries
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
CREATE OR REPLACE TRIGGER deliveries_count_update AFTER UPDATE ON deliveries
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
CREATE OR REPLACE TRIGGER deliveries_count_delete AFTER DELETE ON deliveries
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
