-- The share of a project: the first six bits of its id. Its owner gives its events positions, and it has a turn of dispatch.
CREATE OR REPLACE FUNCTION share_of(project_id uuid) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT get_byte(uuid_send(project_id), 0) >> 2
$$;

-- Names the past of this database. Another one after a promotion or a recovery to a point in time (timeline), after a dump was
-- restored (tables are made anew) and on another server: then commits may be lost whose positions somebody has read.
CREATE OR REPLACE FUNCTION position_history() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws(' ', system_identifier, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), pg_relation_filepath('project_positions'))
  FROM pg_control_system()
$$;

-- The project's last position, from where the next one is counted: after another past a million above the stored one.
CREATE OR REPLACE FUNCTION reached_position(project_positions) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT $1.last_position + CASE WHEN $1.history = position_history() THEN 0 ELSE 1000000 END
$$;

-- From its beginning a project names the past in which it has no position yet: a restored one may know none of its events.
CREATE OR REPLACE FUNCTION begin_positions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO project_positions (project_id, last_position, history) SELECT id, 0, position_history() FROM new_rows ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER projects_begin_positions AFTER INSERT ON projects
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION begin_positions();
