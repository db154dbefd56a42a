-- Final blocks that concern nobody, 1,024 heights a row (ADR 22). prisma/sql/block_runs.sql has the layout of each column,
-- and the functions that move blocks between this table and `blocks`.
CREATE TABLE block_runs (
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  first_number bigint NOT NULL CHECK (first_number >= 0 AND first_number % 1024 = 0),
  confirmed_count integer NOT NULL,
  skipped_count integer NOT NULL,
  hash_form integer NOT NULL,
  parent_hash bytea,
  base_id bigint NOT NULL,
  base_time timestamptz NOT NULL,
  marks bytea NOT NULL CHECK (length(marks) = 1024),
  hashes bytea NOT NULL CHECK (length(hashes) = 32768),
  ids bytea NOT NULL CHECK (length(ids) = 4096),
  times bytea NOT NULL CHECK (length(times) = 4096),
  PRIMARY KEY (chain_gid, first_number)
);
-- Hashes do not compress, and a part of what is stored plainly can be read alone.
ALTER TABLE block_runs ALTER marks SET STORAGE MAIN, ALTER hashes SET STORAGE EXTERNAL;
CREATE INDEX block_runs_first_idx ON block_runs (first_number, chain_gid);

-- How far a chain's blocks are packed. Whoever packs or unpacks locks this row first.
CREATE TABLE block_packing (
  chain_gid text PRIMARY KEY REFERENCES blockchains (gid) ON DELETE CASCADE,
  next_number bigint NOT NULL DEFAULT 0
);

-- What a process can read: 1: block_runs. 0: it is of a release before, which reads the rows of `blocks` alone.
ALTER TABLE owner_beats ADD COLUMN reads_level integer NOT NULL DEFAULT 0;
