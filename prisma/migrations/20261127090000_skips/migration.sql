-- Blocks whose bodies the operator gave up, because no node has them (invariant 6). Their headers stay.
CREATE TABLE skips (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  from_block bigint NOT NULL CHECK (from_block >= 0),
  to_block bigint NOT NULL CHECK (to_block >= from_block),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX skips_chain_idx ON skips (chain_gid, to_block);
