-- Coins of watched addresses on chains of unspent outputs ------------------------------------------------------------
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
CREATE INDEX utxos_address_idx ON utxos (chain_gid, address);
CREATE INDEX utxos_block_idx ON utxos (chain_gid, block_number);
CREATE INDEX utxos_spent_block_idx ON utxos (chain_gid, spent_block_number) WHERE spent_block_number IS NOT NULL;

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
ALTER TABLE addresses DROP COLUMN backfill_status, DROP COLUMN backfill_from_block;

-- What pending transactions that concern somebody spend: whoever else spends it replaces them.
CREATE TABLE pending_inputs (
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  hash text NOT NULL,
  prev_txid text NOT NULL,
  prev_vout integer NOT NULL,
  PRIMARY KEY (chain_gid, hash, prev_txid, prev_vout)
);
CREATE INDEX pending_inputs_outpoint_idx ON pending_inputs (chain_gid, prev_txid, prev_vout);
CREATE INDEX transactions_pending_idx ON transactions (chain_gid) WHERE status = 'pending';
