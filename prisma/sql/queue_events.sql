-- Not published: test messages, which go to one channel; `channel.failed`, which the notifier that wrote it finds in the
-- table; and history, which goes to the channels of historical_dispatches. Held events get no position and no deliveries yet,
-- so nobody sees them.
CREATE OR REPLACE FUNCTION queue_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO unpublished_events SELECT id, subject_kind FROM new_rows WHERE subject_kind NOT IN ('test', 'channel.failed', 'history');
    INSERT INTO undispatched_events (share, event_row_id) SELECT share_of(project_id), id FROM new_rows WHERE subject_kind NOT IN ('test', 'history') AND NOT is_held;
    INSERT INTO unpositioned_events SELECT share_of(project_id), id, project_id FROM new_rows WHERE NOT is_held;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO unpositioned_events SELECT share_of(n.project_id), n.id, n.project_id FROM new_rows n JOIN old_rows o USING (id) WHERE o.is_held AND NOT n.is_held;
    INSERT INTO undispatched_events (share, event_row_id) SELECT share_of(n.project_id), n.id FROM new_rows n JOIN old_rows o USING (id)
      WHERE o.is_held AND NOT n.is_held AND n.subject_kind NOT IN ('test', 'history') ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM unpublished_events u USING old_rows o WHERE u.event_row_id = o.id;
    DELETE FROM undispatched_events u USING old_rows o WHERE u.event_row_id = o.id;
    -- First the queue: it waits for whoever is giving positions to these rows, which the next statement then sees.
    DELETE FROM unpositioned_events u USING old_rows o WHERE u.share = share_of(o.project_id) AND u.event_row_id = o.id;
    DELETE FROM event_positions p USING old_rows o WHERE p.event_row_id = o.id;
  END IF;
  RETURN NULL;
END $$;

-- On both names (event_keys.sql).
DO $$
DECLARE
  named text;
BEGIN
  FOREACH named IN ARRAY ARRAY['event_log', 'events'] LOOP
    CONTINUE WHEN to_regclass(named) IS NULL;
    EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER INSERT ON %I
      REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION queue_events()', named || '_queue_insert', named);
    EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER UPDATE ON %I
      REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION queue_events()', named || '_queue_update', named);
    EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER DELETE ON %I
      REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION queue_events()', named || '_queue_delete', named);
  END LOOP;
END $$;
