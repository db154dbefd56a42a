-- Transactions of an address, by its id.
CREATE OR REPLACE FUNCTION count_transaction_addresses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_changes (scope, list, key, count) SELECT address_id, 'address', '{}', count(*) FROM new_rows GROUP BY address_id;
  ELSE
    INSERT INTO list_changes (scope, list, key, count) SELECT address_id, 'address', '{}', -count(*) FROM old_rows GROUP BY address_id;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER transaction_addresses_count_insert AFTER INSERT ON transaction_addresses
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transaction_addresses();
CREATE OR REPLACE TRIGGER transaction_addresses_count_delete AFTER DELETE ON transaction_addresses
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transaction_addresses();
