-- What one item makes impossible is set aside, named by an incident, and the rest goes on (invariant 14, decisions.md §16).
ALTER TABLE incidents
  -- Of what is set aside: address, asset, transaction, event or channel, and its id.
  ADD COLUMN subject_type text,
  ADD COLUMN subject_id text,
  -- Whose it is; NULL: of nobody alone.
  ADD COLUMN project_id uuid REFERENCES projects (id) ON DELETE CASCADE,
  ADD COLUMN address_id uuid REFERENCES addresses (id) ON DELETE CASCADE,
  ADD COLUMN asset_gid text,
  -- When it is tried again.
  ADD COLUMN retry_at timestamptz,
  DROP CONSTRAINT incidents_status_check,
  ADD CONSTRAINT incidents_status_check CHECK (status IN ('open', 'resolved', 'accepted', 'quarantined'));
CREATE UNIQUE INDEX incidents_quarantined_key ON incidents
  (chain_gid, kind, subject_type, subject_id, coalesce(asset_gid, ''), coalesce(project_id, '00000000-0000-0000-0000-000000000000'))
  WHERE status = 'quarantined';
CREATE INDEX incidents_project_idx ON incidents (project_id, created_at, id) WHERE project_id IS NOT NULL;
CREATE INDEX incidents_address_idx ON incidents (address_id) WHERE address_id IS NOT NULL;

ALTER TABLE balance_reads
  DROP CONSTRAINT balance_reads_reason_check,
  ADD CONSTRAINT balance_reads_reason_check CHECK (reason IN ('detected', 'confirmed', 'reorged', 'imported', 'touched', 'retry')) NOT VALID;
