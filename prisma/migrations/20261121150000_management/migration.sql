-- Management: who belongs to a workspace, and who changed what ---------------------------------------------------------
CREATE TABLE members (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  -- Lower case.
  email text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'viewer')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (workspace_id, email)
);

-- Written in the transaction of the change. Keys and targets are named, not referenced: an entry outlives them.
CREATE TABLE audit_logs (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  actor_key_id uuid NOT NULL,
  actor_name text NOT NULL,
  actor_mask text NOT NULL,
  action text NOT NULL,
  target_type text NOT NULL CHECK (target_type IN ('workspace', 'project', 'member', 'key')),
  target_id uuid NOT NULL,
  -- {"<member of the record>": {"from": …, "to": …}}
  changes jsonb NOT NULL,
  request_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX audit_logs_workspace_created_idx ON audit_logs (workspace_id, created_at DESC, id);
CREATE INDEX audit_logs_target_idx ON audit_logs (workspace_id, target_id);
CREATE INDEX audit_logs_actor_idx ON audit_logs (workspace_id, actor_key_id);

-- The key that a roll put in its place.
ALTER TABLE api_keys ADD COLUMN replaced_by uuid;
-- Projects are deleted with their keys.
CREATE INDEX api_keys_project_id_idx ON api_keys (project_id);
