-- An asset that was archived before its metadata was read, and restored, is active and has to be read still.
DROP INDEX assets_discovery_idx;
CREATE INDEX assets_discovery_idx ON assets (chain_gid, next_attempt_at) WHERE archived_at IS NULL AND (status = 'unknown' OR (status = 'active' AND decimals IS NULL));
