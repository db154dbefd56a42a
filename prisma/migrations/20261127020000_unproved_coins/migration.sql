-- What a transaction without evidence would do to coins, apart from the coins that count (utxos): a node alone can make such a
-- transaction up. It counts once more stands behind the transaction (docs/rules/unknown.md).
CREATE TABLE unproved_coins (
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  txid text NOT NULL,
  vout integer NOT NULL,
  address text NOT NULL,
  amount_raw numeric(78,0) NOT NULL,
  is_coinbase boolean NOT NULL DEFAULT false,
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  PRIMARY KEY (chain_gid, txid, vout, block_hash)
);
CREATE INDEX unproved_coins_block_idx ON unproved_coins (chain_gid, block_hash);

CREATE TABLE unproved_spends (
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  txid text NOT NULL,
  vout integer NOT NULL,
  spent_by text NOT NULL,
  spent_block_number bigint NOT NULL,
  spent_block_hash text NOT NULL,
  -- More stands behind the spending transaction by now, but the coin itself does not count yet.
  is_released boolean NOT NULL DEFAULT false,
  PRIMARY KEY (chain_gid, txid, vout, spent_by, spent_block_hash)
);
CREATE INDEX unproved_spends_block_idx ON unproved_spends (chain_gid, spent_block_hash);

-- The release before counted them: taken out, and the balances of their addresses read again.
CREATE TEMPORARY TABLE wrong_transactions ON COMMIT DROP AS
  SELECT chain_gid, block_hash, hash FROM unproved_transactions WHERE verdict IN ('waiting', 'contradicted');
CREATE TEMPORARY TABLE wrong_addresses ON COMMIT DROP AS
  SELECT u.chain_gid, u.address FROM utxos u JOIN wrong_transactions w ON w.chain_gid = u.chain_gid
    AND (w.hash = u.txid AND w.block_hash = u.block_hash OR w.hash = u.spent_by AND w.block_hash = u.spent_block_hash);
INSERT INTO unproved_spends (chain_gid, txid, vout, spent_by, spent_block_number, spent_block_hash)
  SELECT u.chain_gid, u.txid, u.vout, u.spent_by, u.spent_block_number, u.spent_block_hash
  FROM utxos u JOIN wrong_transactions w ON w.chain_gid = u.chain_gid AND w.hash = u.spent_by AND w.block_hash = u.spent_block_hash;
UPDATE utxos u SET spent_by = NULL, spent_block_number = NULL, spent_block_hash = NULL
  FROM wrong_transactions w WHERE w.chain_gid = u.chain_gid AND w.hash = u.spent_by AND w.block_hash = u.spent_block_hash;
INSERT INTO unproved_coins (chain_gid, txid, vout, address, amount_raw, is_coinbase, block_number, block_hash)
  SELECT u.chain_gid, u.txid, u.vout, u.address, u.amount_raw, u.is_coinbase, u.block_number, u.block_hash
  FROM utxos u JOIN wrong_transactions w ON w.chain_gid = u.chain_gid AND w.hash = u.txid AND w.block_hash = u.block_hash;
DELETE FROM utxos u USING wrong_transactions w WHERE w.chain_gid = u.chain_gid AND w.hash = u.txid AND w.block_hash = u.block_hash;
INSERT INTO balance_reads (chain_gid, address_id, asset_gid, reason)
  SELECT DISTINCT w.chain_gid, a.id, n.gid, 'detected'
  FROM wrong_addresses w JOIN blockchains b ON b.gid = w.chain_gid JOIN addresses a ON a.address = w.address AND a.chain_family = b.family
  JOIN assets n ON n.chain_gid = w.chain_gid AND n.type = 'native';
