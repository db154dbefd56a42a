-- The database as of release 0.1. Functions and triggers stand in prisma/sql.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- Tenancy and keys ----------------------------------------------------------------------------------------------------
CREATE TABLE workspaces (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Chains, their nodes and their activation belong to the installation: one workspace acts for it.
  is_operator boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX workspaces_operator_key ON workspaces (is_operator) WHERE is_operator;

CREATE TABLE projects (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  name text COLLATE "und-x-icu" NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX projects_workspace_id_idx ON projects (workspace_id);

CREATE TABLE api_keys (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  type text NOT NULL CHECK (type IN ('api', 'rpc', 'mgt')),
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  project_id uuid REFERENCES projects (id),
  name text COLLATE "und-x-icu" NOT NULL,
  mask text NOT NULL,
  -- SHA-256 of the whole key; the key itself is shown once and never stored.
  key_hash bytea NOT NULL UNIQUE,
  permissions text[] NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The key that a roll put in its place.
  replaced_by uuid,
  CHECK ((type = 'api') = (project_id IS NOT NULL))
);
CREATE INDEX api_keys_workspace_id_idx ON api_keys (workspace_id);
-- Projects are deleted with their keys.
CREATE INDEX api_keys_project_id_idx ON api_keys (project_id);

-- Chains --------------------------------------------------------------------------------------------------------------
CREATE TABLE blockchains (
  gid text PRIMARY KEY,
  family text NOT NULL,
  name text COLLATE "und-x-icu" NOT NULL UNIQUE,
  short_name text COLLATE "und-x-icu" NOT NULL,
  image_url text NOT NULL,
  is_active boolean NOT NULL DEFAULT false,
  -- Sealed (libs/secrets), context 'endpoint:<gid>' and 'evm_endpoint:<gid>'.
  endpoint_sealed text,
  evm_endpoint_sealed text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Where a chain begins that is followed for the first time; NULL: START_BLOCK of the ingestor, else the head of then.
  start_block bigint CHECK (start_block >= 0)
);

-- What the ingestor knows of a chain. Written only by the holder of `token` (fencing).
CREATE TABLE ingestor_states (
  chain_gid text PRIMARY KEY REFERENCES blockchains (gid) ON DELETE CASCADE,
  token bigint NOT NULL DEFAULT 0,
  owner text,
  status text NOT NULL DEFAULT 'starting',
  reason text,
  head_number bigint,
  head_hash text,
  finalized_number bigint,
  finalized_hash text,
  -- First block followed; the feed begins here.
  start_number bigint,
  feed_seq bigint NOT NULL DEFAULT 0,
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- What the node says its head is, as the owner of the chain heard it last.
  node_head_number bigint
);

-- How far the analyzer is. Written only by the holder of `token` (fencing); `cursor_seq` is the last feed entry done.
CREATE TABLE analyzer_states (
  chain_gid text PRIMARY KEY REFERENCES blockchains (gid) ON DELETE CASCADE,
  token bigint NOT NULL DEFAULT 0,
  owner text,
  status text NOT NULL DEFAULT 'starting',
  reason text,
  cursor_seq bigint NOT NULL DEFAULT 0,
  cursor_number bigint,
  cursor_hash text,
  confirmed_number bigint,
  -- Every address row of a transaction older than this was matched from its watched_from on.
  watch_xid xid8 NOT NULL DEFAULT '0'::xid8,
  -- While the cursor is below this feed entry, the chain recovers from a reorg below finality and its events are held.
  hold_until_seq bigint,
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- The ordered log from ingestor to analyzer: NATS carries the same entries, this is the truth.
CREATE TABLE chain_feed (
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  seq bigint NOT NULL,
  type text NOT NULL CHECK (type IN ('block', 'reorg', 'finalize')),
  number bigint NOT NULL,
  hash text NOT NULL,
  parent_hash text NOT NULL,
  -- Unix seconds.
  timestamp bigint NOT NULL,
  -- For a reorg below finality: the last entry of the batch that repairs it.
  resume_seq bigint,
  traceparent text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (chain_gid, seq)
);

CREATE TABLE blocks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  number bigint NOT NULL,
  -- Null while only the number is known.
  hash text,
  parent_hash text,
  block_timestamp timestamptz,
  status text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (chain_gid, hash),
  CONSTRAINT blocks_status_check CHECK (status IN ('new', 'processed', 'confirmed', 'reorged', 'skipped') AND (status <> 'skipped' OR hash IS NULL))
);
-- One canonical block a height, whatever happens.
CREATE UNIQUE INDEX blocks_canonical_key ON blocks (chain_gid, number) WHERE status <> 'reorged';
-- Few: the balance service looks for readings that stand in one of them.
CREATE INDEX blocks_reorged_idx ON blocks (chain_gid, number) WHERE status = 'reorged';
CREATE INDEX blocks_status_idx ON blocks (status, number, id);

-- Assets --------------------------------------------------------------------------------------------------------------
CREATE TABLE assets (
  gid text PRIMARY KEY,
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  namespace text NOT NULL,
  reference text NOT NULL,
  type text NOT NULL CHECK (type IN ('native', 'fungible')),
  status text NOT NULL CHECK (status IN ('active', 'unknown', 'invalid')),
  name text COLLATE "und-x-icu",
  symbol text COLLATE "und-x-icu",
  decimals integer,
  image_url text,
  source text NOT NULL DEFAULT 'chain' CHECK (source IN ('chain', 'registry')),
  -- Metadata attempts of the discovery worker; the next one is due then while the status is unknown.
  attempt_count integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX assets_chain_gid_idx ON assets (chain_gid, created_at, gid);
CREATE INDEX assets_discovery_idx ON assets (chain_gid, next_attempt_at) WHERE status = 'unknown';
CREATE INDEX assets_registry_idx ON assets (gid) WHERE source = 'registry';

-- Transactions --------------------------------------------------------------------------------------------------------
-- One row per project and transaction; the id is UUIDv5(project | chain | hash).
CREATE TABLE transactions (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects (id),
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  hash text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'detected', 'confirmed', 'reorged', 'failed')),
  direction text NOT NULL CHECK (direction IN ('in', 'out', 'self')),
  -- How often it was reorganised out; part of the event ids.
  epoch integer NOT NULL DEFAULT 0,
  is_failed boolean NOT NULL DEFAULT false,
  block_number bigint,
  block_hash text,
  block_timestamp timestamptz,
  tx_index integer,
  required_confirmations integer NOT NULL,
  fee_asset_gid text,
  fee_amount_raw numeric(78, 0),
  fee_payer text,
  replaced_by text,
  detected_at timestamptz NOT NULL DEFAULT now(),
  confirmed_at timestamptz,
  reorged_at timestamptz,
  -- In the order of blocks: what waits in the mempool stands above every block, what was dropped from there below.
  block_position bigint GENERATED ALWAYS AS (COALESCE(block_number, CASE status WHEN 'pending' THEN 9007199254740991 ELSE -1 END)) STORED,
  -- The largest amount that it moved, in whole units; null while the decimals of none of its assets are known.
  amount_max numeric,
  is_unproved boolean NOT NULL DEFAULT false,
  is_withheld boolean NOT NULL DEFAULT false,
  UNIQUE (project_id, chain_gid, hash)
);
-- Indexes alone answer for pages that were vacuumed: tables that only grow are, long before a fifth of them is new.
ALTER TABLE transactions SET (autovacuum_vacuum_insert_scale_factor = 0.02);
CREATE INDEX transactions_block_idx ON transactions (chain_gid, block_hash);
CREATE INDEX transactions_pending_idx ON transactions (chain_gid) WHERE status = 'pending';
CREATE INDEX transactions_detected_idx ON transactions (project_id, detected_at, id) INCLUDE (amount_max, block_position);
CREATE INDEX transactions_position_idx ON transactions (project_id, block_position, id) INCLUDE (status, direction);
CREATE INDEX transactions_status_idx ON transactions (project_id, status, detected_at, id);
CREATE INDEX transactions_direction_idx ON transactions (project_id, direction, detected_at, id);
CREATE INDEX transactions_chain_detected_idx ON transactions (project_id, chain_gid, detected_at, id);
CREATE INDEX transactions_chain_position_idx ON transactions (project_id, chain_gid, block_position, id);
CREATE INDEX transactions_amount_idx ON transactions (project_id, amount_max, detected_at, id) WHERE amount_max IS NOT NULL;
CREATE INDEX transactions_withheld_idx ON transactions (chain_gid, block_hash, hash) WHERE is_withheld;
CREATE INDEX transactions_unconfirmed_idx ON transactions (chain_gid, block_number) WHERE confirmed_at IS NULL AND status IN ('detected', 'failed') AND NOT is_withheld;

-- Transfers of such a transaction that move to or from a monitored address of the project.
CREATE TABLE transfers (
  transaction_id uuid NOT NULL REFERENCES transactions (id) ON DELETE CASCADE,
  index integer NOT NULL,
  project_id uuid NOT NULL,
  chain_gid text NOT NULL,
  type text NOT NULL CHECK (type IN ('native', 'token', 'internal')),
  asset_gid text NOT NULL,
  from_address text,
  to_address text,
  amount_raw numeric(78, 0) NOT NULL,
  log_index integer,
  -- Canonical addresses of the project among from and to.
  monitored_addresses text[] NOT NULL,
  detected_at timestamptz,
  PRIMARY KEY (transaction_id, index)
);
ALTER TABLE transfers SET (autovacuum_vacuum_insert_scale_factor = 0.02);
CREATE INDEX transfers_asset_idx ON transfers (asset_gid, project_id, detected_at, transaction_id);

-- Events: the outbox of tx.* and balance.changed, and what GET /events shows ------------------------------------------
CREATE TABLE project_sequences (
  project_id uuid NOT NULL REFERENCES projects (id),
  chain_gid text NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (project_id, chain_gid)
);

CREATE TABLE events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id uuid NOT NULL UNIQUE,
  project_id uuid NOT NULL REFERENCES projects (id),
  chain_gid text,
  type text NOT NULL,
  sequence bigint NOT NULL,
  -- Null for balance.changed.
  transaction_id uuid,
  -- tx.detected, tx.confirmed, tx.reorged, balance.changed.
  subject_kind text NOT NULL,
  -- The exact bytes that every channel gets.
  payload text NOT NULL,
  traceparent text,
  -- Held while the chain recovers from a reorg below finality.
  is_held boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX events_held_idx ON events (chain_gid) WHERE is_held;
CREATE INDEX events_transaction_idx ON events (transaction_id);
CREATE INDEX events_test_idx ON events (project_id, created_at, id) WHERE subject_kind = 'test';

-- Notification channels and deliveries --------------------------------------------------------------------------------
CREATE TABLE notification_channels (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects (id),
  kind text NOT NULL CHECK (kind IN ('nats', 'telegram', 'webhook')),
  name text COLLATE "und-x-icu" NOT NULL,
  -- Everything that may be shown.
  config jsonb NOT NULL,
  -- Sealed JSON of what may not (auth, credentials), context 'channel:<id>'.
  credentials_sealed text,
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'failing', 'failed')),
  is_archived boolean NOT NULL DEFAULT false,
  consecutive_failures integer NOT NULL DEFAULT 0,
  failed_at timestamptz,
  failure_reason text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- When a failing channel is probed next; whoever moves it forward makes the probe.
  probe_at timestamptz
);
CREATE INDEX notification_channels_project_idx ON notification_channels (project_id, created_at DESC);
CREATE INDEX notification_channels_failing_idx ON notification_channels (probe_at) WHERE status = 'failing';

CREATE TABLE webhook_secrets (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  channel_id uuid NOT NULL REFERENCES notification_channels (id) ON DELETE CASCADE,
  -- Context 'webhook_secret:<id>'.
  secret_sealed text NOT NULL,
  mask text NOT NULL,
  state text NOT NULL CHECK (state IN ('current', 'previous')),
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  rotated_at timestamptz,
  expires_at timestamptz,
  UNIQUE (channel_id, state)
);

CREATE TABLE deliveries (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL,
  channel_id uuid NOT NULL REFERENCES notification_channels (id) ON DELETE CASCADE,
  event_id uuid NOT NULL,
  event_type text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'held', 'delivered', 'failed', 'discarded')),
  attempt_count integer NOT NULL DEFAULT 0,
  -- Due then while pending; a worker that takes it moves this into the future first.
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  last_error text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  delivered_at timestamptz,
  -- A redelivery begins the schedule anew: attempts made before it do not count for it.
  attempt_base integer NOT NULL DEFAULT 0,
  -- A test message: sent once whatever the state of its channel.
  is_test boolean NOT NULL DEFAULT false,
  UNIQUE (channel_id, event_id)
);
ALTER TABLE deliveries SET (autovacuum_vacuum_insert_scale_factor = 0.02);
CREATE INDEX deliveries_due_idx ON deliveries (next_attempt_at) WHERE status = 'pending';
-- What a channel still has to get, in event order (ids are UUIDv7).
CREATE INDEX deliveries_open_idx ON deliveries (channel_id, status, id) WHERE status IN ('pending', 'held');
CREATE INDEX deliveries_channel_status_idx ON deliveries (channel_id, status, created_at, id);
CREATE INDEX deliveries_channel_created_idx ON deliveries (channel_id, created_at, id) INCLUDE (event_type);

CREATE TABLE delivery_attempts (
  -- X-Webhook-Delivery-Id.
  id uuid PRIMARY KEY,
  delivery_id uuid NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
  number integer NOT NULL,
  started_at timestamptz NOT NULL,
  duration_ms integer NOT NULL,
  status_code integer,
  error_code text,
  request jsonb NOT NULL,
  response_headers jsonb,
  -- At most 16 KiB.
  response_body text,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX delivery_attempts_delivery_idx ON delivery_attempts (delivery_id, number);

-- Coins of watched addresses on chains of unspent outputs -------------------------------------------------------------
-- Written in the analyzer's atomic step. A spent coin stays, so that a reorg of any depth brings it back as it was.
CREATE TABLE utxos (
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  txid text NOT NULL,
  vout integer NOT NULL,
  -- Canonical.
  address text NOT NULL,
  amount_raw numeric(78, 0) NOT NULL,
  is_coinbase boolean NOT NULL DEFAULT false,
  block_number bigint NOT NULL,
  -- Null for a coin that a scan found, which tells the height only.
  block_hash text,
  spent_by text,
  spent_block_number bigint,
  spent_block_hash text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (chain_gid, txid, vout)
);
CREATE INDEX utxos_block_idx ON utxos (chain_gid, block_number);
CREATE INDEX utxos_spent_block_idx ON utxos (chain_gid, spent_block_number) WHERE spent_block_number IS NOT NULL;
-- Unspent first: a balance is read from the coins that stand and the few spent since its block, however many an address
-- spent in its life.
CREATE INDEX utxos_address_spent_idx ON utxos (chain_gid, address, spent_block_number);
CREATE INDEX utxos_unspent_idx ON utxos (address, block_number, chain_gid, txid, vout) WHERE spent_block_number IS NULL;
CREATE INDEX utxos_unspent_amount_idx ON utxos (address, amount_raw, chain_gid, txid, vout) WHERE spent_block_number IS NULL;

-- What pending transactions that concern somebody spend: whoever else spends it replaces them.
CREATE TABLE pending_inputs (
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  hash text NOT NULL,
  prev_txid text NOT NULL,
  prev_vout integer NOT NULL,
  PRIMARY KEY (chain_gid, hash, prev_txid, prev_vout)
);
CREATE INDEX pending_inputs_outpoint_idx ON pending_inputs (chain_gid, prev_txid, prev_vout);

-- Extended public keys and the addresses derived from them ------------------------------------------------------------
CREATE TABLE public_keys (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects (id),
  label text COLLATE "und-x-icu",
  extended_public_key text NOT NULL,
  fingerprint text NOT NULL,
  -- Written with ': m/84'/0'/0'.
  derivation_path text NOT NULL,
  purpose integer NOT NULL,
  account_index bigint NOT NULL,
  chain_family text NOT NULL,
  chain_gid text NOT NULL,
  address_format text NOT NULL,
  gap_limit integer NOT NULL DEFAULT 20,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (project_id, extended_public_key, chain_gid, address_format)
);
CREATE INDEX public_keys_project_created_idx ON public_keys (project_id, created_at DESC);

-- Addresses -----------------------------------------------------------------------------------------------------------
CREATE TABLE addresses (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects (id),
  chain_family text NOT NULL,
  -- Canonical form of the family; what blocks are matched with.
  address text NOT NULL,
  -- What the API shows (EIP-55 on EVM).
  display text COLLATE "und-x-icu" NOT NULL,
  kind text NOT NULL CHECK (kind IN ('hd', 'external')),
  format text NOT NULL,
  label text COLLATE "und-x-icu",
  metadata jsonb NOT NULL DEFAULT '{}',
  is_monitored boolean NOT NULL DEFAULT true,
  imported_at timestamptz,
  -- The transaction that last registered or changed the row: the analyzer finds news by it without gaps.
  watch_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  public_key_id uuid REFERENCES public_keys (id),
  derivation_change integer,
  derivation_index bigint,
  -- A transaction touched it: what the gap limit counts by.
  is_used boolean NOT NULL DEFAULT false,
  UNIQUE (project_id, chain_family, address),
  CONSTRAINT addresses_derivation_key UNIQUE (public_key_id, derivation_change, derivation_index),
  CONSTRAINT addresses_hd_check CHECK ((kind = 'hd') = (public_key_id IS NOT NULL AND derivation_change IS NOT NULL AND derivation_index IS NOT NULL))
);
CREATE INDEX addresses_match_idx ON addresses (chain_family, address);
CREATE INDEX addresses_watch_xid_idx ON addresses (chain_family, watch_xid);
CREATE INDEX addresses_used_idx ON addresses (public_key_id, derivation_change, derivation_index DESC) WHERE is_used;
CREATE INDEX addresses_created_idx ON addresses (project_id, created_at, id) INCLUDE (kind, chain_family, format, is_monitored, is_used);
CREATE INDEX addresses_family_idx ON addresses (project_id, chain_family, format, created_at, id);
CREATE INDEX addresses_unmonitored_idx ON addresses (project_id, created_at, id) WHERE NOT is_monitored;
CREATE INDEX addresses_hd_idx ON addresses (project_id, derivation_index, derivation_change, created_at, id) WHERE kind = 'hd';
CREATE INDEX addresses_of_key_idx ON addresses (public_key_id, derivation_index, derivation_change, id) WHERE public_key_id IS NOT NULL;
-- The other orders of derived addresses, of which a project may have few among many imported ones.
CREATE INDEX addresses_hd_created_idx ON addresses (project_id, created_at, id) INCLUDE (chain_family, format, is_monitored, is_used, derivation_change) WHERE kind = 'hd';
CREATE INDEX addresses_label_idx ON addresses (project_id, label, id);
CREATE INDEX addresses_search_idx ON addresses USING gin (project_id, label gin_trgm_ops, display gin_trgm_ops);
CREATE INDEX addresses_hd_label_idx ON addresses (project_id, label, id) WHERE kind = 'hd';
CREATE INDEX addresses_display_idx ON addresses (project_id, display, id);
-- Addresses of a family begin alike, and most of a project's may be of another.
CREATE INDEX addresses_hd_display_idx ON addresses (project_id, display, id) WHERE kind = 'hd';

-- The first block that counts for an address, per chain; a chain without a row counts from its own start.
CREATE TABLE address_watches (
  address_id uuid NOT NULL REFERENCES addresses (id) ON DELETE CASCADE,
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  from_block bigint NOT NULL,
  -- The ingestor's last feed entry then: a reorg that comes after it lowers from_block to the first block it replaces,
  -- because what was paid after the registration may be mined again below the head of that moment.
  feed_seq bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (address_id, chain_gid)
);
CREATE INDEX address_watches_from_idx ON address_watches (chain_gid, from_block);

-- Which addresses of the project take part, as sender, recipient or fee payer.
CREATE TABLE transaction_addresses (
  address_id uuid NOT NULL REFERENCES addresses (id) ON DELETE CASCADE,
  transaction_id uuid NOT NULL REFERENCES transactions (id) ON DELETE CASCADE,
  -- Of the transaction, so that an address or an asset gives its transactions in order.
  detected_at timestamptz,
  block_position bigint,
  -- Of the address. The writer gives it along; where it did not, and when an address becomes one of a key, triggers do.
  public_key_id uuid,
  PRIMARY KEY (address_id, transaction_id)
);
ALTER TABLE transaction_addresses SET (autovacuum_vacuum_insert_scale_factor = 0.02);
CREATE INDEX transaction_addresses_transaction_idx ON transaction_addresses (transaction_id);
CREATE INDEX transaction_addresses_detected_idx ON transaction_addresses (address_id, detected_at, transaction_id) INCLUDE (block_position);
CREATE INDEX transaction_addresses_key_idx ON transaction_addresses (public_key_id, detected_at, transaction_id) INCLUDE (block_position) WHERE public_key_id IS NOT NULL;

-- Balances ------------------------------------------------------------------------------------------------------------
-- Work for the balance service, written in the analyzer's atomic step (and on import); done rows are deleted.
CREATE TABLE balance_reads (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  -- Null with an asset: every monitored address that holds the asset.
  address_id uuid REFERENCES addresses (id) ON DELETE CASCADE,
  -- Null: native and every active asset known for the address.
  asset_gid text,
  -- Read at this block; null: at the chain's head.
  block_number bigint,
  block_hash text,
  reason text NOT NULL CHECK (reason IN ('detected', 'confirmed', 'reorged', 'imported', 'touched')),
  traceparent text,
  created_at timestamptz NOT NULL DEFAULT now()
);
-- Two queues: a bulk import does not hold up what was detected.
CREATE INDEX balance_reads_asked_idx ON balance_reads (chain_gid, id) WHERE reason <> 'imported';
CREATE INDEX balance_reads_imported_idx ON balance_reads (chain_gid, id) WHERE reason = 'imported';
-- Addresses are deleted with their work.
CREATE INDEX balance_reads_address_idx ON balance_reads (address_id);

CREATE TABLE balances (
  address_id uuid NOT NULL REFERENCES addresses (id) ON DELETE CASCADE,
  asset_gid text NOT NULL REFERENCES assets (gid) ON DELETE CASCADE,
  chain_gid text NOT NULL,
  amount_raw numeric(78, 0) NOT NULL,
  -- Where the chain said so.
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  is_confirmed boolean NOT NULL DEFAULT false,
  -- balance.changed events made so far for this pair: part of their ids.
  change_count bigint NOT NULL DEFAULT 0,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (address_id, asset_gid)
);
CREATE INDEX balances_asset_gid_idx ON balances (asset_gid);

-- What the chain said at each block it was asked at; rows of orphans are removed.
CREATE TABLE balance_history (
  address_id uuid NOT NULL REFERENCES addresses (id) ON DELETE CASCADE,
  asset_gid text NOT NULL,
  chain_gid text NOT NULL,
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  amount_raw numeric(78, 0) NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (address_id, asset_gid, block_number, block_hash)
);
CREATE INDEX balance_history_block_idx ON balance_history (chain_gid, block_hash);

-- Differences that transfers and fees do not explain: rebasing, fee on transfer, rewards, internal transfers without traces.
CREATE TABLE adjustments (
  id uuid PRIMARY KEY,
  address_id uuid NOT NULL REFERENCES addresses (id) ON DELETE CASCADE,
  project_id uuid NOT NULL,
  chain_gid text NOT NULL,
  asset_gid text NOT NULL,
  amount_raw numeric(78, 0) NOT NULL,
  from_block bigint NOT NULL,
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX adjustments_address_idx ON adjustments (address_id, asset_gid, block_number DESC);
CREATE INDEX adjustments_block_idx ON adjustments (chain_gid, block_hash);

-- Coins that an address had before it was watched: work for the analyzer, written with the registration.
CREATE TABLE address_backfills (
  address_id uuid NOT NULL REFERENCES addresses (id) ON DELETE CASCADE,
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'running', 'complete', 'failed')),
  -- Where a rescan of blocks begins, when the node cannot tell coins by address.
  from_block bigint NOT NULL DEFAULT 0,
  -- A rescan's progress: blocks below were read.
  next_block bigint,
  to_block bigint,
  -- scan, index, rescan.
  method text,
  reason text,
  coin_count integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (address_id, chain_gid)
);
CREATE INDEX address_backfills_open_idx ON address_backfills (chain_gid, created_at) WHERE status IN ('pending', 'running');

-- Management: who belongs to a workspace, and who changed what --------------------------------------------------------
CREATE TABLE members (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  -- Lower case.
  email text COLLATE "und-x-icu" NOT NULL,
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
  actor_name text COLLATE "und-x-icu" NOT NULL,
  actor_mask text NOT NULL,
  action text NOT NULL,
  target_type text NOT NULL CHECK (target_type IN ('workspace', 'project', 'member', 'key', 'incident', 'reprocess', 'reset', 'address')),
  target_id uuid NOT NULL,
  -- {"<member of the record>": {"from": …, "to": …}}
  changes jsonb NOT NULL,
  request_id text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX audit_logs_target_idx ON audit_logs (workspace_id, target_id);
CREATE INDEX audit_logs_actor_idx ON audit_logs (workspace_id, actor_key_id);
CREATE INDEX audit_logs_request_idx ON audit_logs (workspace_id, request_id);
CREATE INDEX audit_logs_workspace_created_idx ON audit_logs (workspace_id, created_at, id) INCLUDE (action, target_type, actor_key_id);
CREATE INDEX audit_logs_search_idx ON audit_logs USING gin (workspace_id, actor_name gin_trgm_ops, actor_mask gin_trgm_ops);

-- What was asked under an Idempotency-Key (decisions.md §8). A key of the database opens none of the answers: each is
-- sealed with the API key that asked, of which only a hash is stored.
CREATE TABLE idempotency_keys (
  api_key_id uuid NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  -- Both keyed with the API key: neither the client's text nor its request can be guessed from here.
  key_hash bytea NOT NULL,
  fingerprint bytea NOT NULL,
  -- Of the process that carries the request out; one that was given up writes nothing any more.
  attempt uuid NOT NULL,
  locked_until timestamptz NOT NULL,
  -- Set in the transaction of the request itself: it never happens twice.
  is_carried_out boolean NOT NULL DEFAULT false,
  answer bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (api_key_id, key_hash)
);
CREATE INDEX idempotency_keys_expires_at_idx ON idempotency_keys (expires_at);

-- Which notifiers run. Channels are shared among those seen lately; a row that ages is one that died.
CREATE TABLE notifier_replicas (
  instance_id text PRIMARY KEY,
  seen_at timestamptz NOT NULL DEFAULT now()
);

-- RPC gateway: what each key called, by the hour ----------------------------------------------------------------------
-- Added to by every replica. Keys are named, not referenced: their usage outlives them.
CREATE TABLE rpc_usage (
  key_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  chain_gid text NOT NULL,
  -- A method this build knows, or `other`.
  method text NOT NULL,
  hour timestamptz NOT NULL,
  requests bigint NOT NULL,
  failures bigint NOT NULL,
  cached bigint NOT NULL,
  bytes_in bigint NOT NULL,
  bytes_out bigint NOT NULL,
  PRIMARY KEY (key_id, hour, chain_gid, method)
);
CREATE INDEX rpc_usage_workspace_hour_idx ON rpc_usage (workspace_id, hour, key_id, chain_gid, method);

-- To be stored by JetStream, by the service whose subject it is.
CREATE TABLE unpublished_events (
  event_row_id bigint PRIMARY KEY,
  subject_kind text NOT NULL
);
-- Rows come and go all the time; the tables stay small only where the dead ones are cleared away early.
ALTER TABLE unpublished_events SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- To be turned into deliveries by the notifier.
CREATE TABLE undispatched_events (
  event_row_id bigint PRIMARY KEY
);
ALTER TABLE undispatched_events SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- What a release does not know in a chain's blocks: one row for each kind, open until a release that knows it has decoded
-- its blocks again, or the operator accepts them as they are (ADR 16). Nothing in it belongs to a project.
CREATE TABLE incidents (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  kind text NOT NULL,
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'resolved', 'accepted')),
  -- Where it was seen first.
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  -- The last block that was taken with it; NULL while the first one waits.
  last_block_number bigint,
  transaction_hash text,
  expected text NOT NULL,
  got text NOT NULL,
  -- Another endpoint tells differently what one of its blocks says.
  is_contradicted boolean NOT NULL DEFAULT false,
  -- When the wait for other endpoints began.
  created_at timestamptz NOT NULL DEFAULT now(),
  resolved_at timestamptz,
  accepted_at timestamptz
);
CREATE UNIQUE INDEX incidents_open_key ON incidents (chain_gid, kind) WHERE status = 'open';
CREATE INDEX incidents_chain_idx ON incidents (chain_gid, created_at, id);

-- What one endpoint told of each transaction that it could not be proved of, for others to be held against.
CREATE TABLE unproved_transactions (
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  block_hash text NOT NULL,
  hash text NOT NULL,
  block_number bigint NOT NULL,
  -- SHA-256 of the decoded transaction.
  digest bytea NOT NULL,
  -- Label of the endpoint that told it.
  endpoint text NOT NULL,
  -- Of every unknown kind in its block: the operator stands for it by accepting them all.
  incident_ids uuid[] NOT NULL,
  verdict text NOT NULL DEFAULT 'waiting' CHECK (verdict IN ('waiting', 'agreed', 'contradicted', 'accepted')),
  PRIMARY KEY (chain_gid, block_hash, hash)
);
CREATE INDEX unproved_transactions_open_idx ON unproved_transactions (chain_gid, block_number, block_hash) WHERE verdict IN ('waiting', 'contradicted');

-- Ranges of blocks to be decoded again by the release of today, at most one of a chain at a time.
CREATE TABLE reprocesses (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'done')),
  from_block bigint NOT NULL,
  to_block bigint NOT NULL,
  -- Blocks below are done.
  next_block bigint NOT NULL,
  -- Unknown kinds that were met again so far.
  found_kinds text[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK (to_block >= from_block)
);
CREATE UNIQUE INDEX reprocesses_running_key ON reprocesses (chain_gid) WHERE status = 'running';
CREATE INDEX reprocesses_chain_idx ON reprocesses (chain_gid, created_at, id);

-- Who owns a share of the work (architecture.md, invariant 2). `owner` is a UUID per process start, time is the
-- database's clock_timestamp() alone.
CREATE TABLE owners (
  kind text NOT NULL,
  share text NOT NULL,
  owner uuid NOT NULL,
  token bigint NOT NULL,
  lease_until timestamptz NOT NULL,
  PRIMARY KEY (kind, share)
);
ALTER TABLE owners SET (fillfactor = 50);

-- How the balances of a chain do, written by their owner at least every 10 s.
CREATE TABLE balance_states (
  chain_gid text PRIMARY KEY REFERENCES blockchains (gid) ON DELETE CASCADE,
  status text NOT NULL,
  reason text,
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- Assets of a project -------------------------------------------------------------------------------------------------
-- `assets` holds what the chain says, once for all. What a project has on its lists, since when, and whether it archived it,
-- is the project's: what it created and what was discovered on its addresses. What the registry names (native coins, its
-- tokens) is on every project's lists and has a row here only once the project archived it.
CREATE TABLE project_assets (
  project_id uuid NOT NULL REFERENCES projects (id),
  asset_gid text NOT NULL REFERENCES assets (gid) ON DELETE CASCADE,
  -- Of the asset, so that indexes of the project give its lists in their orders.
  chain_gid text NOT NULL,
  namespace text NOT NULL,
  reference text NOT NULL,
  type text NOT NULL,
  name text COLLATE "und-x-icu",
  symbol text COLLATE "und-x-icu",
  -- As the chain says, but for the project's own word: archived is invalid, restored is active.
  status text NOT NULL CHECK (status IN ('active', 'unknown', 'invalid')),
  archived_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, asset_gid)
);
CREATE INDEX project_assets_asset_idx ON project_assets (asset_gid);
CREATE INDEX project_assets_created_idx ON project_assets (project_id, created_at, asset_gid);
CREATE INDEX project_assets_chain_idx ON project_assets (project_id, chain_gid, created_at, asset_gid);
CREATE INDEX project_assets_namespace_idx ON project_assets (project_id, namespace, asset_gid);
CREATE INDEX project_assets_reference_idx ON project_assets (project_id, reference, asset_gid);
CREATE INDEX project_assets_status_idx ON project_assets (project_id, status, asset_gid);
CREATE INDEX project_assets_status_created_idx ON project_assets (project_id, status, created_at, asset_gid);
CREATE INDEX project_assets_type_idx ON project_assets (project_id, type, created_at, asset_gid);
CREATE INDEX project_assets_name_idx ON project_assets (project_id, name, asset_gid);
CREATE INDEX project_assets_symbol_idx ON project_assets (project_id, symbol, asset_gid);
CREATE INDEX project_assets_search_idx ON project_assets USING gin (project_id, name gin_trgm_ops, symbol gin_trgm_ops, reference gin_trgm_ops);

-- Blocks that the operator gave up, to be undone by the chain's ingestor: at most one of a chain at a time (docs/guides/operations.md).
CREATE TABLE resets (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'done')),
  -- NULL: every block.
  from_block bigint CHECK (from_block >= 0),
  -- The feed entry that undoes the last of them: until it is worked off, what is to be told is held. NULL until begun.
  resume_seq bigint,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX resets_running_key ON resets (chain_gid) WHERE status = 'running';
CREATE INDEX resets_chain_idx ON resets (chain_gid, created_at, id);
