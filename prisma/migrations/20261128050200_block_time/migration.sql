-- Measured time between two blocks; null until it is measured, and for local chains.
ALTER TABLE ingestor_states ADD COLUMN block_time_ms integer;
