-- Before the migration, while services of the release before go on with `events`: writers wait for moments alone. From the
-- first transaction on each event that is written gets its key; whoever is writing is waited for.
DO $before$ BEGIN
  -- Unless another process has migrated meanwhile.
  IF to_regclass('events') IS NULL OR to_regclass('event_log') IS NOT NULL THEN RETURN; END IF;
  CREATE TABLE IF NOT EXISTS event_keys (event_id uuid PRIMARY KEY, row_id bigint NOT NULL);
  -- prisma/sql/event_keys.sql takes its place.
  CREATE OR REPLACE FUNCTION key_events() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO event_keys (event_id, row_id) SELECT event_id, id FROM new_rows ON CONFLICT (event_id) DO UPDATE SET row_id = EXCLUDED.row_id;
    RETURN NULL;
  END $$;
  CREATE OR REPLACE TRIGGER events_key_insert AFTER INSERT ON events
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION key_events();
  IF NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = 'events'::regclass AND conname = 'events_first_partition') THEN
    ALTER TABLE events ADD CONSTRAINT events_first_partition CHECK (id < 4294967296) NOT VALID;
  END IF;
END $before$;
-- next transaction
-- The keys of those of before; and that no row can belong to another partition, so that the table becomes one without being read.
DO $before$ BEGIN
  IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = to_regclass('events') AND conname = 'events_first_partition' AND NOT convalidated) THEN
    INSERT INTO event_keys (event_id, row_id) SELECT event_id, id FROM events ON CONFLICT DO NOTHING;
    ALTER TABLE events VALIDATE CONSTRAINT events_first_partition;
  END IF;
END $before$;
