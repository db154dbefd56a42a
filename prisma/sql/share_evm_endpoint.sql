-- Services of 0.1.0 know `evm_endpoint_sealed`, later ones the member `evm` of `other_endpoints_sealed`: what one of them
-- writes the other reads. A statement that changes both, which no service does, is taken by the column.
CREATE OR REPLACE FUNCTION share_evm_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before text := CASE TG_OP WHEN 'UPDATE' THEN OLD.evm_endpoint_sealed END;
BEGIN
  IF NEW.evm_endpoint_sealed IS DISTINCT FROM before THEN
    NEW.other_endpoints_sealed := jsonb_strip_nulls(NEW.other_endpoints_sealed || jsonb_build_object('evm', NEW.evm_endpoint_sealed));
  ELSE
    NEW.evm_endpoint_sealed := NEW.other_endpoints_sealed ->> 'evm';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER blockchains_share_evm_endpoint BEFORE INSERT OR UPDATE ON blockchains FOR EACH ROW EXECUTE FUNCTION share_evm_endpoint();
