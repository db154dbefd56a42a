-- Blocks of a history in which transfers may be missing, because the chain recorded less at that time.
ALTER TABLE address_histories ADD COLUMN not_covered jsonb NOT NULL DEFAULT '[]';
