-- The order of a transaction stands with its addresses and assets as well, so that an index gives the pages of each.
CREATE OR REPLACE FUNCTION pass_order_on() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  UPDATE transaction_addresses SET detected_at = NEW.detected_at, block_position = NEW.block_position WHERE transaction_id = NEW.id;
  IF OLD.detected_at <> NEW.detected_at THEN
    UPDATE transfers SET detected_at = NEW.detected_at WHERE transaction_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER transactions_pass_order_on AFTER UPDATE ON transactions FOR EACH ROW
  WHEN ((OLD.detected_at, OLD.block_position) IS DISTINCT FROM (NEW.detected_at, NEW.block_position)) EXECUTE FUNCTION pass_order_on();
