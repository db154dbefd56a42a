-- Events are partitioned by day, so that what is old goes by dropping a table (ADR 19). Partition n of event_log has the row
-- ids from n * 2^32 on: whoever knows a row's id finds it in one partition, and ids stay unique and in order. A day begins when
-- the sequence of the ids moves on to the next partition, which is there by then (prisma/sql/event_partitions.sql).
-- `events` becomes the first partition under its own name: services of the release before go on with it.

CREATE TABLE event_partitions (
  number integer PRIMARY KEY,
  -- New rows go there from then on; null: made ahead.
  began_at timestamptz,
  -- Nobody sends its events again; it goes when nobody has to get one of them.
  closed_at timestamptz
);
INSERT INTO event_partitions (number, began_at) VALUES (0, now());

-- Which row has an event id: unique over all partitions. A key stays when its event goes, as its transaction or balance does:
-- what was told is never told again.
CREATE TABLE IF NOT EXISTS event_keys (
  event_id uuid PRIMARY KEY,
  row_id bigint NOT NULL
);
-- From here on writers wait, for moments: before.sql has read the table.
LOCK TABLE events IN ACCESS EXCLUSIVE MODE;
DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = 'events'::regclass AND conname = 'events_first_partition' AND convalidated) THEN RETURN; END IF;
  -- It was left out: `prisma migrate deploy` does not know it.
  INSERT INTO event_keys (event_id, row_id) SELECT event_id, id FROM events ON CONFLICT DO NOTHING;
  ALTER TABLE events DROP CONSTRAINT IF EXISTS events_first_partition;
  ALTER TABLE events ADD CONSTRAINT events_first_partition CHECK (id < 4294967296);
END $$;

-- One sequence for all partitions, which goes with none of them.
CREATE SEQUENCE event_row_ids;
-- As the identity column did, which asked for no right of its own.
GRANT USAGE ON SEQUENCE event_row_ids TO PUBLIC;
SELECT setval('event_row_ids', last_value, is_called) FROM events_id_seq;
ALTER TABLE events ALTER COLUMN id DROP IDENTITY;
ALTER TABLE events ALTER COLUMN id SET DEFAULT nextval('event_row_ids');

-- Without foreign keys, which `events` alone keeps: a partition with one could not be dropped without a lock on all projects.
-- In its place key_events() locks the project once for all rows of a statement.
CREATE TABLE event_log (LIKE events INCLUDING DEFAULTS INCLUDING STORAGE, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE INDEX event_log_held_idx ON event_log (chain_gid) WHERE is_held;
CREATE INDEX event_log_transaction_idx ON event_log (transaction_id);
CREATE INDEX event_log_test_idx ON event_log (project_id, created_at, id) WHERE subject_kind = 'test';
CREATE INDEX event_log_project_type_idx ON event_log (project_id, type, created_at, id) INCLUDE (chain_gid) WHERE NOT is_held AND subject_kind <> 'test';
ALTER TABLE event_log ATTACH PARTITION events FOR VALUES FROM (MINVALUE) TO (4294967296);
