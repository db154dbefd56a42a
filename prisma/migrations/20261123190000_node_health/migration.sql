-- How the nodes of a chain are, as the owner of its ingestor says (libs/ingestor/src/node-report.ts), and when it said so last:
-- never where it is of the release before.
ALTER TABLE ingestor_states
  ADD COLUMN nodes jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN nodes_at timestamptz;
