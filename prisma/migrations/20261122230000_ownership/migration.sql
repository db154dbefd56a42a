-- Who lives among those that share the work of a kind (ADR 15): a row per process, good until `beat_until` by the
-- database's clock. `ready` names the groups (families) for which it has loaded what it needs, `declined` the shares that
-- it does not take for now because it could not reach their node.
CREATE TABLE owner_beats (
  kind TEXT NOT NULL,
  owner UUID NOT NULL,
  ready TEXT[] NOT NULL,
  declined TEXT[] NOT NULL,
  beat_until TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (kind, owner)
) WITH (fillfactor = 50);
