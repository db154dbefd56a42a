-- How a delivery of a rehearsal is sent: duplicate, slow, rotation. Null: as any other.
ALTER TABLE deliveries ADD COLUMN rehearsal text;
