-- Decimals that become known (or change), and what turns out to be a collection, say what earlier transfers of the asset moved. The chain's analyzer waits: it
-- writes the same transactions.
CREATE OR REPLACE FUNCTION apply_decimals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM analyzer_states WHERE chain_gid = NEW.chain_gid FOR UPDATE;
  PERFORM set_amount_max(ARRAY(SELECT DISTINCT transaction_id FROM transfers WHERE asset_gid = NEW.gid));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER assets_apply_decimals AFTER UPDATE ON assets FOR EACH ROW
  WHEN ((OLD.decimals, OLD.type) IS DISTINCT FROM (NEW.decimals, NEW.type)) EXECUTE FUNCTION apply_decimals();
