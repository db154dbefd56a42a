-- How far each chain's balance round is. A round reads the balances of watched addresses in the order of (address, id).
CREATE TABLE balance_rounds (
  chain_gid text PRIMARY KEY REFERENCES blockchains (gid) ON DELETE CASCADE,
  started_at timestamptz NOT NULL,
  -- The last final block at the start: readings of the round are of this block or later ones.
  started_number bigint,
  started_hash text,
  -- Null: at the beginning. Addresses up to this one are read.
  after_address text,
  after_id uuid,
  -- Null: under way.
  ended_at timestamptz,
  -- The round before, which has read the addresses that this one has not come to.
  previous_at timestamptz,
  previous_number bigint,
  previous_hash text
);

-- Differences that one reading of a round has shown: a second one, at a later block, tells them or drops them.
CREATE TABLE balance_differences (
  address_id uuid NOT NULL REFERENCES addresses (id) ON DELETE CASCADE,
  asset_gid text NOT NULL REFERENCES assets (gid) ON DELETE CASCADE,
  chain_gid text NOT NULL,
  amount_raw numeric(90, 0) NOT NULL,
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  -- The block of an earlier reading that showed none, where there was one.
  since_number bigint,
  PRIMARY KEY (address_id, asset_gid)
);
CREATE INDEX balance_differences_chain_idx ON balance_differences (chain_gid, block_number);
CREATE INDEX balance_differences_asset_idx ON balance_differences (asset_gid);
