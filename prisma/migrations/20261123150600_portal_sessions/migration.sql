-- A customer's look at some channels of a project, for an hour at most. It ends with who made it.
CREATE TABLE portal_sessions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- The key, or the member as it was then; and the session of the dashboard, if it was made in one.
  creator_id uuid NOT NULL,
  creator_email text,
  creator_role text,
  creator_session_id uuid,
  token_hash bytea NOT NULL CHECK (octet_length(token_hash) = 32),
  channel_ids uuid[] NOT NULL,
  permissions text[] NOT NULL,
  frame_origins text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX portal_sessions_token_hash_key ON portal_sessions (token_hash);
CREATE INDEX portal_sessions_project_expires_idx ON portal_sessions (project_id, expires_at);
CREATE INDEX portal_sessions_expires_at_idx ON portal_sessions (expires_at);
ALTER TABLE workspace_quotas ADD COLUMN portal_sessions bigint CHECK (portal_sessions >= 0);
