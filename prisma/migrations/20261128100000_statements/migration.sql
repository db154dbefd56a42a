-- Statements of balances and movements, and who makes one: a replica holds its lease, and each claim is another attempt, which
-- fences the one before.
CREATE TABLE statements (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  -- As it is answered: the selector, chain_gids, from, to.
  request jsonb NOT NULL,
  format text NOT NULL CHECK (format IN ('csv', 'ndjson', 'html')),
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'completed', 'failed')),
  reason text,
  address_count integer NOT NULL,
  addresses_done integer NOT NULL DEFAULT 0,
  movement_count bigint NOT NULL DEFAULT 0,
  gap_count bigint NOT NULL DEFAULT 0,
  attempt integer NOT NULL DEFAULT 0,
  lease_until timestamptz,
  -- Of the whole document: its bytes, their SHA-256 as hexadecimal, and the signature of that.
  size bigint,
  sha256 text,
  signature text,
  kid text,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  finished_at timestamptz,
  expires_at timestamptz
);
CREATE INDEX statements_project_created_idx ON statements (project_id, created_at, id);
CREATE INDEX statements_open_idx ON statements (created_at, id) WHERE status IN ('queued', 'running');
CREATE INDEX statements_expires_at_idx ON statements (expires_at);

-- Its document in order, each part a gzip member.
CREATE TABLE statement_parts (
  statement_id uuid NOT NULL REFERENCES statements (id) ON DELETE CASCADE,
  index integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (statement_id, index)
);
ALTER TABLE statement_parts ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Public keys that statements are or were signed with: whoever has a statement may ask for them for ever.
CREATE TABLE statement_keys (
  kid text PRIMARY KEY,
  public_key bytea NOT NULL CHECK (length(public_key) = 32),
  first_used_at timestamptz NOT NULL DEFAULT now()
);
