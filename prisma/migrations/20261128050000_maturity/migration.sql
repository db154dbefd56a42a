-- First block that may spend the outputs of a coinbase: 100 blocks after its own (libs/chain-bitcoin, coinbaseMaturity).
ALTER TABLE transactions ADD COLUMN matures_at_block bigint;
-- Records of earlier releases, found through the few coins that are coinbases.
UPDATE transactions t SET matures_at_block = t.block_number + 100
  FROM (SELECT chain_gid, txid, address FROM utxos WHERE is_coinbase UNION SELECT chain_gid, txid, address FROM unproved_coins WHERE is_coinbase) c
  JOIN addresses a ON a.chain_family = 'bitcoin' AND a.address = c.address
  WHERE c.chain_gid LIKE 'bip122:%' AND t.project_id = a.project_id AND t.chain_gid = c.chain_gid AND t.hash = c.txid AND t.status <> 'reorged';
