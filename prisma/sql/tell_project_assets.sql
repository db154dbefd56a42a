-- Keeps a project's copy of type, name, symbol and status equal to the asset's. Whoever changes or discovers an unknown asset holds
-- the chain's lock (analyzer_states), so neither misses the other. A return to `unknown` is not copied.
CREATE OR REPLACE FUNCTION tell_project_assets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE project_assets SET type = NEW.type, name = NEW.name, symbol = NEW.symbol, status = CASE WHEN archived_at IS NULL THEN NEW.status ELSE status END, updated_at = now()
  WHERE asset_gid = NEW.gid AND (type, name, symbol, status) IS DISTINCT FROM (NEW.type, NEW.name, NEW.symbol, CASE WHEN archived_at IS NULL THEN NEW.status ELSE status END);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER assets_tell_projects AFTER UPDATE ON assets FOR EACH ROW
  WHEN (NEW.status <> 'unknown' AND (OLD.type, OLD.status, OLD.name, OLD.symbol) IS DISTINCT FROM (NEW.type, NEW.status, NEW.name, NEW.symbol)) EXECUTE FUNCTION tell_project_assets();
