-- Blocks for whose list of transactions nothing but one node's word stands: few, looked for again and again.
CREATE INDEX blocks_unproved_idx ON blocks (chain_gid, number) WHERE verification = 'unproved';
