-- Unspent first: a balance is read from the coins that stand and the few spent since its block, however many an address
-- spent in its life.
CREATE INDEX utxos_address_spent_idx ON utxos (chain_gid, address, spent_block_number);
DROP INDEX utxos_address_idx;
