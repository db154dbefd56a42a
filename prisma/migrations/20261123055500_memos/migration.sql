-- What the sender wrote into a transaction, where it is text.
ALTER TABLE transactions ADD COLUMN memo text;
