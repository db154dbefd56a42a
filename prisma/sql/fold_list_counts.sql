-- Puts at most so many lines of writers to their totals; 0 when there were none, or when somebody else is at it. Rows are found
-- by index: a plan that was made while the tables were empty compares each with each otherwise.
CREATE OR REPLACE FUNCTION fold_list_counts(line_count integer) RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  folded integer;
  emptied tid[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('fold_list_counts', 0)) THEN
    RETURN 0;
  END IF;
  WITH lines AS (
    DELETE FROM list_changes WHERE ctid = ANY (ARRAY(SELECT ctid FROM list_changes LIMIT line_count)) RETURNING scope, list, key, count
  ), raised AS (
    INSERT INTO list_counts AS c (scope, list, key, count)
    SELECT scope, list, key, sum(count) FROM lines GROUP BY 1, 2, 3 HAVING sum(count) <> 0
    ON CONFLICT (scope, list, key) DO UPDATE SET count = c.count + EXCLUDED.count
    RETURNING c.ctid AS line, c.count
  )
  SELECT (SELECT count(*) FROM lines), (SELECT array_agg(line) FROM raised WHERE count = 0) INTO folded, emptied;
  IF emptied IS NOT NULL THEN
    DELETE FROM list_counts WHERE ctid = ANY (emptied);
  END IF;
  RETURN folded;
END $$;
