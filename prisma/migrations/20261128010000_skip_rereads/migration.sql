-- Balances are read again after blocks were skipped, page by page in the order of the addresses' ids: where the next page
-- begins (null: nothing is left), and since when.
ALTER TABLE skips ADD COLUMN reread_after uuid, ADD COLUMN reread_asked_at timestamptz;
