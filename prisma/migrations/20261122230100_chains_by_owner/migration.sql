-- Who owns a chain stands in `owners` alone (ADR 15).
ALTER TABLE ingestor_states DROP COLUMN token, DROP COLUMN owner;
ALTER TABLE analyzer_states DROP COLUMN token, DROP COLUMN owner;
