-- Tenancy and keys -----------------------------------------------------------------------------------------------
CREATE TABLE workspaces (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE projects (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX projects_workspace_id_idx ON projects (workspace_id);

CREATE TABLE api_keys (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  type text NOT NULL CHECK (type IN ('api', 'rpc', 'mgt')),
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  project_id uuid REFERENCES projects (id),
  name text NOT NULL,
  mask text NOT NULL,
  -- SHA-256 of the whole key; the key itself is shown once and never stored.
  key_hash bytea NOT NULL UNIQUE,
  permissions text[] NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((type = 'api') = (project_id IS NOT NULL))
);
CREATE INDEX api_keys_workspace_id_idx ON api_keys (workspace_id);

-- Chains -----------------------------------------------------------------------------------------------------------
CREATE TABLE blockchains (
  gid text PRIMARY KEY,
  family text NOT NULL,
  name text NOT NULL UNIQUE,
  short_name text NOT NULL,
  image_url text NOT NULL,
  is_active boolean NOT NULL DEFAULT false,
  -- Sealed (libs/secrets), context 'endpoint:<gid>' and 'evm_endpoint:<gid>'.
  endpoint_sealed text,
  evm_endpoint_sealed text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
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
  updated_at timestamptz NOT NULL DEFAULT now()
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
  status text NOT NULL CHECK (status IN ('new', 'processed', 'confirmed', 'reorged')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (chain_gid, hash)
);
-- One canonical block a height, whatever happens.
CREATE UNIQUE INDEX blocks_canonical_key ON blocks (chain_gid, number) WHERE status <> 'reorged';
CREATE INDEX blocks_chain_gid_number_idx ON blocks (chain_gid, number DESC);
CREATE INDEX blocks_number_idx ON blocks (number DESC);
CREATE INDEX blocks_status_idx ON blocks (status, number DESC);
-- Few: the balance service looks for readings that stand in one of them.
CREATE INDEX blocks_reorged_idx ON blocks (chain_gid, number) WHERE status = 'reorged';

-- Assets -----------------------------------------------------------------------------------------------------------
CREATE TABLE assets (
  gid text PRIMARY KEY,
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  namespace text NOT NULL,
  reference text NOT NULL,
  type text NOT NULL CHECK (type IN ('native', 'fungible')),
  status text NOT NULL CHECK (status IN ('active', 'unknown', 'invalid')),
  name text,
  symbol text,
  decimals integer,
  image_url text,
  source text NOT NULL DEFAULT 'chain' CHECK (source IN ('chain', 'registry')),
  archived_at timestamptz,
  -- Metadata attempts of the discovery worker; the next one is due then while the status is unknown.
  attempt_count integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX assets_chain_gid_idx ON assets (chain_gid);
CREATE INDEX assets_created_at_idx ON assets (created_at DESC);
-- What an imported address may hold, the oldest first.
CREATE INDEX assets_suspected_idx ON assets (chain_gid, created_at) WHERE type = 'fungible' AND status = 'active' AND archived_at IS NULL;
CREATE INDEX assets_discovery_idx ON assets (chain_gid, next_attempt_at) WHERE status = 'unknown' AND archived_at IS NULL;

-- Addresses --------------------------------------------------------------------------------------------------------
CREATE TABLE addresses (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects (id),
  chain_family text NOT NULL,
  -- Canonical form of the family; what blocks are matched with.
  address text NOT NULL,
  -- What the API shows (EIP-55 on EVM).
  display text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('hd', 'external')),
  format text NOT NULL,
  label text,
  metadata jsonb NOT NULL DEFAULT '{}',
  is_monitored boolean NOT NULL DEFAULT true,
  imported_at timestamptz,
  backfill_status text,
  backfill_from_block bigint,
  -- The transaction that last registered or changed the row: the analyzer finds news by it without gaps.
  watch_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (project_id, chain_family, address)
);
CREATE INDEX addresses_match_idx ON addresses (chain_family, address);
CREATE INDEX addresses_watch_xid_idx ON addresses (chain_family, watch_xid);
CREATE INDEX addresses_project_created_idx ON addresses (project_id, created_at DESC);

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

-- Transactions -----------------------------------------------------------------------------------------------------
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
  UNIQUE (project_id, chain_gid, hash)
);
CREATE INDEX transactions_project_detected_idx ON transactions (project_id, detected_at DESC, id);
CREATE INDEX transactions_project_block_idx ON transactions (project_id, chain_gid, block_number DESC);
CREATE INDEX transactions_block_idx ON transactions (chain_gid, block_hash);
CREATE INDEX transactions_unconfirmed_idx ON transactions (chain_gid, block_number) WHERE confirmed_at IS NULL AND status IN ('detected', 'failed');

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
  PRIMARY KEY (transaction_id, index)
);
CREATE INDEX transfers_project_asset_idx ON transfers (project_id, asset_gid);

-- Which addresses of the project take part, as sender, recipient or fee payer.
CREATE TABLE transaction_addresses (
  address_id uuid NOT NULL REFERENCES addresses (id) ON DELETE CASCADE,
  transaction_id uuid NOT NULL REFERENCES transactions (id) ON DELETE CASCADE,
  PRIMARY KEY (address_id, transaction_id)
);
CREATE INDEX transaction_addresses_transaction_idx ON transaction_addresses (transaction_id);

-- Balances ---------------------------------------------------------------------------------------------------------
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

-- Events: the outbox of tx.* and balance.changed, and what GET /events shows -----------------------------------------
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
  -- Stored by JetStream; turned into deliveries by the notifier.
  published_at timestamptz,
  dispatched_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX events_project_idx ON events (project_id, id DESC);
CREATE INDEX events_unpublished_idx ON events (subject_kind, id) WHERE published_at IS NULL AND NOT is_held;
CREATE INDEX events_undispatched_idx ON events (id) WHERE dispatched_at IS NULL AND NOT is_held;
CREATE INDEX events_held_idx ON events (chain_gid) WHERE is_held;
CREATE INDEX events_transaction_idx ON events (transaction_id);

-- Notification channels and deliveries -------------------------------------------------------------------------------
CREATE TABLE notification_channels (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects (id),
  kind text NOT NULL CHECK (kind IN ('nats', 'telegram', 'webhook')),
  name text NOT NULL,
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
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX notification_channels_project_idx ON notification_channels (project_id, created_at DESC);

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
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  delivered_at timestamptz,
  UNIQUE (channel_id, event_id)
);
CREATE INDEX deliveries_due_idx ON deliveries (next_attempt_at) WHERE status = 'pending';
CREATE INDEX deliveries_channel_created_idx ON deliveries (channel_id, created_at DESC);

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
