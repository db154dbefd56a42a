-- What a row says of the asset is the asset's.
CREATE OR REPLACE FUNCTION fill_project_asset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT chain_gid, namespace, reference, type, name, symbol, coalesce(NEW.status, status)
  INTO NEW.chain_gid, NEW.namespace, NEW.reference, NEW.type, NEW.name, NEW.symbol, NEW.status
  FROM assets WHERE gid = NEW.asset_gid;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER project_assets_fill BEFORE INSERT ON project_assets FOR EACH ROW EXECUTE FUNCTION fill_project_asset();
