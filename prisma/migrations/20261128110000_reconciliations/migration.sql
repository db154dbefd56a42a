-- A customer's ledger compared with the transactions of its project.
CREATE TABLE reconciliations (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  -- Null: the project is deleted, and a worker removes what is left.
  project_id uuid REFERENCES projects (id) ON DELETE SET NULL,
  workspace_id uuid NOT NULL,
  name text,
  format text NOT NULL CHECK (format IN ('csv', 'ndjson')),
  status text NOT NULL DEFAULT 'receiving' CHECK (status IN ('receiving', 'matching', 'completed', 'failed')),
  -- Movements of [from_time, to_time) that no row names are missing in the books. Null: until the ledger is stored.
  from_time timestamptz,
  to_time timestamptz,
  scope text NOT NULL CHECK (scope IN ('project', 'ledger')),
  include_fees boolean NOT NULL,
  row_count bigint NOT NULL DEFAULT 0,
  -- Rows by class.
  counts jsonb NOT NULL DEFAULT '{}',
  is_truncated boolean NOT NULL DEFAULT false,
  -- events: ids of events that are not stored any more; rows: the rows of the ledger; books: the transactions of the project.
  phase text NOT NULL DEFAULT 'events' CHECK (phase IN ('events', 'rows', 'books')),
  -- Where the phase stands: the last transaction, by its time in the phases that read the project's transactions.
  after_id uuid,
  after_time timestamptz,
  rows_done bigint NOT NULL DEFAULT 0,
  failure_count int NOT NULL DEFAULT 0,
  error text,
  -- When it was worked on last; then the next workspace has its turn.
  served_at timestamptz,
  -- Receiving: until then its sender is alive.
  lease_until timestamptz,
  received_at timestamptz,
  completed_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX reconciliations_project_created_idx ON reconciliations (project_id, created_at, id);
CREATE INDEX reconciliations_workspace_idx ON reconciliations (workspace_id, served_at);
CREATE INDEX reconciliations_open_idx ON reconciliations (served_at) WHERE status IN ('receiving', 'matching');
CREATE INDEX reconciliations_expires_at_idx ON reconciliations (expires_at);

-- The rows of ledgers, and the movements that they lack. Without a foreign key: a million rows are removed in batches.
CREATE TABLE reconciliation_rows (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  reconciliation_id uuid NOT NULL,
  -- In the ledger. Null: missing in the books.
  line bigint,
  reference text,
  chain_gid text,
  hash text,
  event_id uuid,
  -- Canonical.
  address text,
  asset_gid text,
  -- Null: the ledger does not say.
  direction text CHECK (direction IN ('in', 'out', 'self', 'fee')),
  amount_raw numeric(78, 0),
  time timestamptz,
  -- Null: not matched yet.
  class text,
  reason text,
  -- The transaction that it names, or that it is about.
  transaction_id uuid,
  -- What the transaction moved.
  chain_amount_raw numeric(90, 0),
  -- The line that was matched with the same movement.
  first_line bigint
);
CREATE INDEX reconciliation_rows_class_idx ON reconciliation_rows (reconciliation_id, class, id);
CREATE INDEX reconciliation_rows_id_idx ON reconciliation_rows (reconciliation_id, id);
CREATE INDEX reconciliation_rows_transaction_idx ON reconciliation_rows (reconciliation_id, transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX reconciliation_rows_event_idx ON reconciliation_rows (reconciliation_id, event_id) WHERE event_id IS NOT NULL AND transaction_id IS NULL AND class IS NULL;
CREATE INDEX reconciliation_rows_address_idx ON reconciliation_rows (reconciliation_id, address);
