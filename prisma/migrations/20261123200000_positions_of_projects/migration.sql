-- Each project has its row from its beginning (prisma/sql/event_positions.sql), so that its positions jump after another past
-- also where that knew none of its events. Creators and givers wait, for moments: nobody is missed before the trigger is there.
LOCK TABLE project_positions IN SHARE ROW EXCLUSIVE MODE;
LOCK TABLE projects IN SHARE ROW EXCLUSIVE MODE;
-- As position_history() says, which is not there before the first migration is done.
CREATE OR REPLACE FUNCTION pg_temp.this_history() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws(' ', system_identifier, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), pg_relation_filepath('project_positions'))
  FROM pg_control_system()
$$;
UPDATE project_positions SET history = pg_temp.this_history() WHERE history = '';
INSERT INTO project_positions (project_id, last_position, history) SELECT id, 0, pg_temp.this_history() FROM projects ON CONFLICT DO NOTHING;
