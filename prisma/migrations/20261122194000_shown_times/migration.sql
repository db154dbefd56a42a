-- Times that are filtered and sorted by are the ones that are shown, in milliseconds (decisions.md §12).
ALTER TABLE deliveries ALTER COLUMN created_at TYPE timestamptz(3) USING date_trunc('milliseconds', created_at);
ALTER TABLE audit_logs ALTER COLUMN created_at TYPE timestamptz(3) USING date_trunc('milliseconds', created_at);

-- An event shows the time in its envelope. Its totals by the hour move with it.
CREATE TEMPORARY TABLE moved_events ON COMMIT DROP AS
  SELECT id, project_id, type, chain_gid, is_held, created_at AS old_time, (payload::jsonb ->> 'created_at')::timestamptz AS new_time FROM events;
DELETE FROM moved_events WHERE old_time = new_time;
INSERT INTO list_changes (scope, list, key, bucket, count)
  SELECT project_id, 'events.hour', ARRAY[type, chain_gid], hour, sum(sign) FROM (
    SELECT project_id, type, chain_gid, floor(extract(epoch FROM old_time) / 3600)::bigint AS hour, -1 AS sign FROM moved_events WHERE NOT is_held
    UNION ALL SELECT project_id, type, chain_gid, floor(extract(epoch FROM new_time) / 3600)::bigint, 1 FROM moved_events WHERE NOT is_held
  ) l GROUP BY project_id, type, chain_gid, hour HAVING sum(sign) <> 0;
UPDATE events e SET created_at = m.new_time FROM moved_events m WHERE e.id = m.id;
ALTER TABLE events ALTER COLUMN created_at TYPE timestamptz(3) USING date_trunc('milliseconds', created_at);

-- Test messages are no events of a chain: they are listed by themselves, and few.
INSERT INTO list_changes (scope, list, key, bucket, count)
  SELECT project_id, 'events.hour', ARRAY[type, chain_gid], floor(extract(epoch FROM created_at) / 3600)::bigint, -count(*)
  FROM events WHERE subject_kind = 'test' AND NOT is_held GROUP BY project_id, type, chain_gid, 4;
CREATE INDEX events_test_idx ON events (project_id, created_at, id) WHERE subject_kind = 'test';

CREATE OR REPLACE FUNCTION count_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_changes (scope, list, key, bucket, count)
    SELECT project_id, 'events.hour', ARRAY[type, chain_gid], floor(extract(epoch FROM created_at) / 3600)::bigint, count(*)
    FROM new_rows WHERE NOT is_held AND subject_kind <> 'test' GROUP BY project_id, type, chain_gid, 4;
  ELSE
    INSERT INTO list_changes (scope, list, key, bucket, count)
    SELECT project_id, 'events.hour', ARRAY[type, chain_gid], floor(extract(epoch FROM created_at) / 3600)::bigint, -count(*)
    FROM old_rows WHERE NOT is_held AND subject_kind <> 'test' GROUP BY project_id, type, chain_gid, 4;
  END IF;
  RETURN NULL;
END $$;

-- An imported address that is derived later becomes an HD address: that is written down.
ALTER TABLE audit_logs DROP CONSTRAINT audit_logs_target_type_check;
ALTER TABLE audit_logs ADD CONSTRAINT audit_logs_target_type_check CHECK (target_type IN ('workspace', 'project', 'member', 'key', 'incident', 'reprocess', 'reset', 'address'));

-- What people write is compared and sorted the same on every server, whatever its locale (decisions.md §14).
ALTER TABLE addresses ALTER COLUMN label TYPE text COLLATE "und-x-icu", ALTER COLUMN display TYPE text COLLATE "und-x-icu";
ALTER TABLE api_keys ALTER COLUMN name TYPE text COLLATE "und-x-icu";
ALTER TABLE assets ALTER COLUMN name TYPE text COLLATE "und-x-icu", ALTER COLUMN symbol TYPE text COLLATE "und-x-icu";
ALTER TABLE audit_logs ALTER COLUMN actor_name TYPE text COLLATE "und-x-icu";
ALTER TABLE blockchains ALTER COLUMN name TYPE text COLLATE "und-x-icu", ALTER COLUMN short_name TYPE text COLLATE "und-x-icu";
ALTER TABLE members ALTER COLUMN email TYPE text COLLATE "und-x-icu";
ALTER TABLE notification_channels ALTER COLUMN name TYPE text COLLATE "und-x-icu";
ALTER TABLE projects ALTER COLUMN name TYPE text COLLATE "und-x-icu";
ALTER TABLE public_keys ALTER COLUMN label TYPE text COLLATE "und-x-icu";
