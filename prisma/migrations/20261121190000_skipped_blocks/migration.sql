-- Numbers that a chain passed over (empty slots) are recorded: they have no hash, and never will have.
ALTER TABLE blocks DROP CONSTRAINT blocks_status_check;
ALTER TABLE blocks ADD CONSTRAINT blocks_status_check CHECK (status IN ('new', 'processed', 'confirmed', 'reorged', 'skipped') AND (status <> 'skipped' OR hash IS NULL));
