-- Row ids that a partition of event_log has at most: more in a day go to the next one, which is made days ahead.
CREATE OR REPLACE FUNCTION event_partition_rows() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT 4294967296';

CREATE OR REPLACE FUNCTION event_partition_name(number integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE number WHEN 0 THEN 'events' ELSE 'event_log_' || number END
$$;

-- Makes the partition behind the last one. Nobody waits for it: attaching locks event_log against other changes of its kind alone.
CREATE OR REPLACE FUNCTION add_event_partition() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  next integer;
  name text;
BEGIN
  -- One at a time.
  LOCK TABLE event_partitions IN SHARE ROW EXCLUSIVE MODE;
  SELECT max(number) + 1 INTO next FROM event_partitions;
  name := event_partition_name(next);
  EXECUTE format('CREATE TABLE %I (LIKE event_log INCLUDING ALL)', name);
  EXECUTE format('ALTER TABLE event_log ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', name,
    next * event_partition_rows(), (next + 1) * event_partition_rows());
  INSERT INTO event_partitions (number) VALUES (next);
END $$;

-- From now on new rows go to the next partition. Never back, whoever calls it twice or late: the row stays locked until the
-- sequence stands where it says. Returns whether there was a partition to begin.
CREATE OR REPLACE FUNCTION begin_event_partition(at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  next integer;
BEGIN
  LOCK TABLE event_partitions IN SHARE ROW EXCLUSIVE MODE;
  SELECT min(number) INTO next FROM event_partitions WHERE began_at IS NULL;
  IF next IS NULL THEN RETURN false; END IF;
  IF (SELECT last_value < next * event_partition_rows() FROM event_row_ids) THEN
    PERFORM setval('event_row_ids', next * event_partition_rows(), false);
  END IF;
  UPDATE event_partitions SET began_at = at WHERE number = next;
  RETURN true;
END $$;

-- Rows below belong to closed partitions, which close in order.
CREATE OR REPLACE FUNCTION kept_events_from() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(max(number) + 1, 0) * event_partition_rows() FROM event_partitions WHERE closed_at IS NOT NULL
$$;
