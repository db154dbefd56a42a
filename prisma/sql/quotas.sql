-- How much of a thing a workspace may have.
CREATE OR REPLACE FUNCTION quota_of(workspace uuid, quota text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT CASE quota
    WHEN 'addresses' THEN coalesce(max(addresses), 10000000)
    WHEN 'channels' THEN coalesce(max(channels), 1000)
    WHEN 'streams' THEN coalesce(max(streams), 100)
    WHEN 'keys' THEN coalesce(max(keys), 1000)
    WHEN 'portal_sessions' THEN coalesce(max(portal_sessions), 10000)
    WHEN 'projects' THEN coalesce(max(projects), 1000)
    WHEN 'members' THEN coalesce(max(members), 1000)
  END FROM workspace_quotas WHERE workspace_id = workspace
$$;

-- How much it has.
CREATE OR REPLACE FUNCTION used_of_quota(workspace uuid, quota text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  projects_of uuid[] := ARRAY(SELECT id FROM projects WHERE workspace_id = workspace);
BEGIN
  CASE quota
    WHEN 'addresses' THEN
      RETURN (SELECT coalesce(sum(count), 0) FROM (
        SELECT count FROM list_counts WHERE scope = ANY (projects_of) AND list = 'addresses'
        UNION ALL SELECT count FROM list_changes WHERE scope = ANY (projects_of) AND list = 'addresses') l);
    WHEN 'channels' THEN
      RETURN (SELECT count(*) FROM notification_channels WHERE project_id = ANY (projects_of));
    WHEN 'projects' THEN
      RETURN cardinality(projects_of);
    WHEN 'members' THEN
      RETURN (SELECT count(*) FROM members WHERE workspace_id = workspace);
    WHEN 'keys' THEN
      RETURN (SELECT count(*) FROM api_keys WHERE workspace_id = workspace AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()));
    WHEN 'portal_sessions' THEN
      RETURN (SELECT count(*) FROM portal_sessions WHERE project_id = ANY (projects_of) AND expires_at > now());
  END CASE;
END $$;

-- How many of `wanted` new rows the transaction may add; called before it adds them. Far from the quota, transactions share a
-- lock and do not wait: what they add at the same time is less than the distance. Near it they take turns, and each counts
-- the rows of all before it.
CREATE OR REPLACE FUNCTION take_quota(workspace uuid, quota text, wanted bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  distance CONSTANT bigint := 100000;
  most bigint := quota_of(workspace, quota);
  turn bigint := hashtextextended('quota ' || quota || ' ' || workspace::text, 0);
BEGIN
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(turn);
    IF most - used_of_quota(workspace, quota) - wanted >= distance THEN RETURN wanted; END IF;
    -- Gives the lock back: two that held it would wait for each other.
    RAISE EXCEPTION USING ERRCODE = 'CWQ01';
  EXCEPTION WHEN SQLSTATE 'CWQ01' THEN NULL;
  END;
  PERFORM pg_advisory_xact_lock(turn);
  RETURN greatest(0, least(wanted, most - used_of_quota(workspace, quota)));
END $$;
