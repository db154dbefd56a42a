-- Balances of a statement with a part that no movement explains.
ALTER TABLE statements ADD COLUMN unexplained_count bigint NOT NULL DEFAULT 0;
