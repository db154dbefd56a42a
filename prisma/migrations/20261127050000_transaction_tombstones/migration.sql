-- What stays of a deleted address for transactions that were told and are not final (decisions.md §17): without it their later
-- events would not name it. No label and no metadata. Written by a trigger (keep_tombstones.sql), so that every way in which an
-- address goes leaves it. No reference to the address, which is gone.
CREATE TABLE transaction_tombstones (
  transaction_id uuid NOT NULL REFERENCES transactions (id) ON DELETE CASCADE,
  address_id uuid NOT NULL,
  chain_gid text NOT NULL,
  -- Of the transaction when the address was deleted: a reorg undoes what was told, and with it what this is kept for.
  epoch integer NOT NULL,
  address text NOT NULL,
  groups text[] NOT NULL,
  PRIMARY KEY (transaction_id, address_id)
);
CREATE INDEX transaction_tombstones_chain_idx ON transaction_tombstones (chain_gid);
