-- The writer gives order and public key along; where it did not, they are looked up. The foreign key holds the address, whose
-- public key therefore stays as it is seen here until the writer is done: whoever changes it afterwards passes it on.
CREATE OR REPLACE FUNCTION fill_transaction_addresses() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE transaction_addresses ta SET detected_at = t.detected_at, block_position = t.block_position, public_key_id = a.public_key_id
  FROM new_rows n JOIN addresses a ON a.id = n.address_id JOIN transactions t ON t.id = n.transaction_id
  WHERE (n.detected_at IS NULL OR n.public_key_id IS DISTINCT FROM a.public_key_id) AND ta.address_id = n.address_id AND ta.transaction_id = n.transaction_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER transaction_addresses_fill AFTER INSERT ON transaction_addresses
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION fill_transaction_addresses();
