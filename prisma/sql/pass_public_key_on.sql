-- An imported address that turns out to be one of a public key takes its transactions along.
CREATE OR REPLACE FUNCTION pass_public_key_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE transaction_addresses SET public_key_id = NEW.public_key_id WHERE address_id = NEW.id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER addresses_pass_public_key_on AFTER UPDATE OF public_key_id ON addresses FOR EACH ROW
  WHEN (OLD.public_key_id IS DISTINCT FROM NEW.public_key_id) EXECUTE FUNCTION pass_public_key_on();
