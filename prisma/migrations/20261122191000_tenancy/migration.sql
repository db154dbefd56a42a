-- Chains, their nodes and their activation belong to the installation: one workspace acts for it. Here the oldest.
ALTER TABLE workspaces ADD COLUMN is_operator boolean NOT NULL DEFAULT false;
UPDATE workspaces SET is_operator = true WHERE id = (SELECT id FROM workspaces ORDER BY created_at, id LIMIT 1);
CREATE UNIQUE INDEX workspaces_operator_key ON workspaces (is_operator) WHERE is_operator;
