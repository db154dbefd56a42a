-- Puts at most so many lines of writers to their totals; 0 when there were none, or when somebody else is at it. Rows are found
-- by index: a plan that was made while the tables were empty compares each with each otherwise.
CREATE OR REPLACE FUNCTION fold_totals(line_count integer) RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
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

-- Gateways of releases before call this, each second; they read the rows of blocks alone, so nothing is packed meanwhile
-- (may_pack_blocks).
CREATE OR REPLACE FUNCTION fold_list_counts(line_count integer) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO owner_beats AS b (kind, owner, ready, declined, beat_until)
  VALUES ('gateway', '00000000-0000-0000-0000-000000000000', '{}', '{}', clock_timestamp() + interval '1 minute')
  ON CONFLICT (kind, owner) DO UPDATE SET beat_until = EXCLUDED.beat_until WHERE b.beat_until < clock_timestamp() + interval '30 seconds';
  RETURN fold_totals(line_count);
END $$;
