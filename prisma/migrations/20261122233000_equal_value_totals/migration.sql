-- Totals of lists are kept without filters and by equal values; ranges are counted from their indexes (ADR 6). Functions and
-- triggers stand in prisma/sql. What release 0.1 had for it goes.
DROP FUNCTION IF EXISTS count_transactions, count_transaction_addresses, count_transfers, count_addresses, count_blocks, count_deliveries,
  count_events, count_held_event, count_project_assets, count_audit_logs, count_rpc_usage CASCADE;
DROP FUNCTION IF EXISTS fresh_list_counts, fold_list_counts, rebuild_list_counts, actual_list_counts, counted_lists, count_list, count_keys,
  levels_of, lines_of_address, lines_of_transaction, amount_bucket, pass_order_on(uuid[], timestamptz[], bigint[]);
DROP TABLE IF EXISTS list_counts, list_changes, transaction_changes;

-- Whoever changes rows adds lines in the same transaction and never touches those of others, so that nobody waits; a total is
-- the sum of its lines in both tables, and fold_list_counts() puts them together now and then.
CREATE TABLE list_counts (
  -- Whose rows: a project, a channel, an address; all zeros for what belongs to nobody.
  scope uuid NOT NULL,
  list text NOT NULL,
  -- The columns of few values, in the order of the function that counts them (prisma/sql/count_*.sql).
  key text[] NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (scope, list, key)
);
ALTER TABLE list_counts SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 20000);

-- What is not folded yet. Made for its writer: no key, one index.
CREATE TABLE list_changes (
  scope uuid NOT NULL,
  list text NOT NULL,
  key text[] NOT NULL,
  count bigint NOT NULL
);
CREATE INDEX list_changes_scope_idx ON list_changes (scope);
-- Rows live for a second.
ALTER TABLE list_changes SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_threshold = -1);

-- Ranges are counted by an index alone.
DROP INDEX IF EXISTS blocks_chain_gid_number_idx, blocks_number_idx, events_project_type_idx;
CREATE INDEX blocks_chain_gid_number_idx ON blocks (chain_gid, number, id) INCLUDE (status);
CREATE INDEX blocks_number_idx ON blocks (number, id) INCLUDE (status);
CREATE INDEX events_project_type_idx ON events (project_id, type, created_at, id) INCLUDE (chain_gid) WHERE NOT is_held AND subject_kind <> 'test';
