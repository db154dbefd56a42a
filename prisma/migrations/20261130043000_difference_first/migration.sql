-- The block of the first of the readings in a row that have shown a difference in one direction. NULL: of this one.
ALTER TABLE balance_differences ADD COLUMN first_number bigint;
