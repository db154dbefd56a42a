-- What a workspace may have where the operator said so; null: the default (prisma/sql/quotas.sql).
CREATE TABLE workspace_quotas (
  workspace_id uuid PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  addresses bigint CHECK (addresses >= 0),
  channels bigint CHECK (channels >= 0),
  streams bigint CHECK (streams >= 0),
  keys bigint CHECK (keys >= 0),
  updated_at timestamptz NOT NULL DEFAULT now()
);
-- Kinds of targets are the API's.
ALTER TABLE audit_logs DROP CONSTRAINT IF EXISTS audit_logs_target_type_check;
-- Keys of the operator that may change the workspace: otherwise nobody could grant the new permissions.
UPDATE api_keys SET permissions = permissions || '{mgt:quota:read,mgt:quota:write}'
WHERE type = 'mgt' AND permissions @> '{mgt:workspace:write}' AND NOT permissions @> '{mgt:quota:read}'
  AND workspace_id IN (SELECT id FROM workspaces WHERE is_operator);
