-- The order in which a project's events became visible (decisions.md §12). Positions are given after commit, by the owner of
-- the project's share (`owners`, kind `positions`), so that no writer waits for another.

-- Visible events without a position. Filled by triggers (prisma/sql/queue_events.sql).
CREATE TABLE unpositioned_events (
  -- The project's: the first six bits of its id.
  share integer NOT NULL,
  event_row_id bigint NOT NULL,
  project_id uuid NOT NULL,
  PRIMARY KEY (share, event_row_id)
);
ALTER TABLE unpositioned_events SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

CREATE TABLE event_positions (
  project_id uuid NOT NULL,
  position bigint NOT NULL,
  event_row_id bigint NOT NULL UNIQUE,
  PRIMARY KEY (project_id, position)
);

-- Outlives the events, so that no position is given twice.
CREATE TABLE project_positions (
  project_id uuid PRIMARY KEY,
  last_position bigint NOT NULL,
  -- The server's past in which it was given (position_history()): after another one positions jump.
  history text NOT NULL
) WITH (fillfactor = 50);

-- Events of before get positions in the order of their rows, while the services go on writing.
INSERT INTO event_positions (project_id, position, event_row_id)
SELECT project_id, row_number() OVER (PARTITION BY project_id ORDER BY id), id FROM events WHERE NOT is_held;
INSERT INTO project_positions (project_id, last_position, history) SELECT project_id, max(position), '' FROM event_positions GROUP BY project_id;

-- Then writers wait for the rest of this migration, which takes moments: those that committed meanwhile are looked for among
-- the newest rows, and from the trigger's change on none is missed. No writer's transaction lasts for 100,000 rows of others.
LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO unpositioned_events (share, event_row_id, project_id)
SELECT get_byte(uuid_send(e.project_id), 0) >> 2, e.id, e.project_id FROM events e
WHERE e.id > (SELECT coalesce(max(event_row_id), 0) - 100000 FROM event_positions) AND NOT e.is_held
  AND NOT EXISTS (SELECT FROM event_positions p WHERE p.event_row_id = e.id);
