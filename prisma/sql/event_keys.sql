-- One id, one row, in whatever partition: writers leave out events that have a key, and two of them at once would meet here.
-- Not part of queue_events(): a rollback may restore an older one that writes no keys.
CREATE OR REPLACE FUNCTION key_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  project_ids uuid[];
  found_count bigint;
BEGIN
  INSERT INTO event_keys (event_id, row_id) SELECT event_id, id FROM new_rows;
  -- What a foreign key would do, row by row: whoever deletes the project waits for us, or we find it gone.
  SELECT array_agg(DISTINCT project_id) INTO project_ids FROM new_rows;
  PERFORM FROM projects WHERE id = ANY (project_ids) ORDER BY id FOR KEY SHARE;
  GET DIAGNOSTICS found_count = ROW_COUNT;
  IF found_count < cardinality(project_ids) THEN
    RAISE foreign_key_violation USING MESSAGE = format('expected events of %s projects, got %s that are there', cardinality(project_ids), found_count);
  END IF;
  RETURN NULL;
END $$;

-- A statement calls the triggers of the table that it names: event_log, or the first partition, which services of the release
-- before write to by its name.
DO $$
DECLARE
  named text;
BEGIN
  FOREACH named IN ARRAY ARRAY['event_log', 'events'] LOOP
    CONTINUE WHEN to_regclass(named) IS NULL;
    EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER INSERT ON %I
      REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION key_events()', named || '_key_insert', named);
  END LOOP;
END $$;
