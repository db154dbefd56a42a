-- Groups of addresses, and indexes for the filters by group and by metadata. Both are partial: most addresses of a large
-- import have neither, and a list that filters repeats the condition.
ALTER TABLE addresses ADD COLUMN groups text[] NOT NULL DEFAULT '{}';
CREATE INDEX addresses_groups_idx ON addresses USING gin (project_id, groups) WHERE groups <> '{}';
-- Writers wait while it is built. An installation with millions of addresses that have metadata makes it before the upgrade,
-- CONCURRENTLY (docs/guides/operations.md).
CREATE INDEX IF NOT EXISTS addresses_metadata_idx ON addresses USING gin (project_id, metadata jsonb_path_ops) WHERE metadata <> '{}';
