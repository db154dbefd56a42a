-- Totals of lists that cost their writers little ---------------------------------------------------------------------------
-- What writers add stands in tables of its own until it is folded: rows few and long, one index each, no key.
CREATE TABLE list_changes (
  scope uuid NOT NULL,
  list text NOT NULL,
  key text[] NOT NULL,
  bucket bigint NOT NULL DEFAULT 0,
  count bigint NOT NULL
);
CREATE INDEX list_changes_scope_idx ON list_changes (scope);

-- A new transaction stands on four lists: one row says all of it, for all of a statement that are alike.
CREATE TABLE transaction_changes (
  project_id uuid NOT NULL,
  chain_gid text NOT NULL,
  status text NOT NULL,
  direction text NOT NULL,
  hour bigint NOT NULL,
  block_step bigint,
  -- Of each whose amount is known.
  amount_steps bigint[] NOT NULL,
  -- Below zero: that many less.
  count bigint NOT NULL
);
CREATE INDEX transaction_changes_project_idx ON transaction_changes (project_id);

-- Rows live for a second.
ALTER TABLE list_changes SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE transaction_changes SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_threshold = -1);

INSERT INTO list_changes SELECT scope, list, key, bucket, count FROM list_counts WHERE is_fresh;
DELETE FROM list_counts WHERE is_fresh;
DROP INDEX list_counts_idx, list_counts_fresh_idx;
ALTER TABLE list_counts DROP COLUMN is_fresh, DROP COLUMN id, ALTER COLUMN level DROP DEFAULT, ADD PRIMARY KEY (scope, list, level, bucket, key);

-- What is not folded yet, each on its list: readers add it to list_counts. A list that is named leaves the others out of the plan.
CREATE FUNCTION fresh_list_counts() RETURNS TABLE (scope uuid, list text, key text[], bucket bigint, count bigint) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT scope, list, key, bucket, count FROM list_changes
  UNION ALL SELECT project_id, 'transactions'::text, ARRAY[chain_gid, status, direction], 0::bigint, count FROM transaction_changes
  UNION ALL SELECT project_id, 'transactions.hour'::text, '{}'::text[], hour, count FROM transaction_changes
  UNION ALL SELECT project_id, 'transactions.block'::text, ARRAY[chain_gid, (hour >> 7)::text], block_step, count FROM transaction_changes WHERE block_step IS NOT NULL
  UNION ALL SELECT project_id, 'transactions.amount'::text, '{}'::text[], step, sign(count)::bigint FROM transaction_changes, unnest(amount_steps) AS step
$$;

-- Puts at most so many rows of each kind to their totals; 0 when there were none, or when somebody else is at it. Rows are found
-- by index: a plan that was made while the tables were empty compares each with each otherwise.
CREATE OR REPLACE FUNCTION fold_list_counts(line_count integer) RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  folded integer;
  emptied tid[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('fold_list_counts', 0)) THEN
    RETURN 0;
  END IF;
  WITH lines AS (
    DELETE FROM list_changes WHERE ctid = ANY (ARRAY(SELECT ctid FROM list_changes LIMIT line_count))
    RETURNING scope, list, key, bucket, count
  ), changes AS (
    DELETE FROM transaction_changes WHERE ctid = ANY (ARRAY(SELECT ctid FROM transaction_changes LIMIT line_count))
    RETURNING project_id, chain_gid, status, direction, hour, block_step, amount_steps, count
  ), sums AS (
    SELECT scope, list, key, bucket, sum(count) AS count
    FROM (
      SELECT scope, list, key, bucket, count FROM lines
      UNION ALL SELECT project_id, 'transactions', ARRAY[chain_gid, status, direction], 0, sum(count) FROM changes GROUP BY project_id, chain_gid, status, direction
      UNION ALL SELECT project_id, 'transactions.hour', '{}', hour, sum(count) FROM changes GROUP BY project_id, hour
      UNION ALL SELECT project_id, 'transactions.block', ARRAY[chain_gid, (hour >> 7)::text], block_step, sum(count) FROM changes WHERE block_step IS NOT NULL GROUP BY project_id, chain_gid, hour >> 7, block_step
      UNION ALL SELECT project_id, 'transactions.amount', '{}', step, sum(sign(count)) FROM changes, unnest(amount_steps) AS step GROUP BY project_id, step
    ) g
    GROUP BY 1, 2, 3, 4 HAVING sum(count) <> 0
  ), raised AS (
    INSERT INTO list_counts AS c (scope, list, level, bucket, key, count)
    SELECT scope, list, l.level, bucket >> (5 * l.level), key, sum(count) FROM sums, levels_of(list) AS l (level)
    GROUP BY 1, 2, 3, 4, 5 HAVING sum(count) <> 0
    ON CONFLICT (scope, list, level, bucket, key) DO UPDATE SET count = c.count + EXCLUDED.count
    RETURNING c.ctid AS line, c.count
  )
  SELECT (SELECT count(*) FROM lines) + (SELECT count(*) FROM changes), (SELECT array_agg(line) FROM raised WHERE count = 0) INTO folded, emptied;
  IF emptied IS NOT NULL THEN
    DELETE FROM list_counts WHERE ctid = ANY (emptied);
  END IF;
  RETURN folded;
END $$;

-- Where an amount stands on its scale, as before, without a regular expression.
CREATE OR REPLACE FUNCTION amount_bucket(amount numeric) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN amount <= 0 THEN 0
    ELSE (300 + CASE WHEN amount >= 1 THEN length(trunc(amount)::text) - 1 ELSE 1 + length(ltrim(substr(amount::text, 3), '0')) - length(amount::text) END) * 1000
      + left(ltrim(replace(amount::text, '.', ''), '0') || '00', 3)::bigint
  END
$$;

-- Transactions ---------------------------------------------------------------------------------------------------------
-- The functions below read what their statement changed and nothing else: what looks rows up stands in functions of its own,
-- whose plans find them by their ids however small the tables were when the plans were made.
CREATE OR REPLACE FUNCTION count_transactions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO transaction_changes (project_id, chain_gid, status, direction, hour, block_step, amount_steps, count)
    SELECT project_id, chain_gid, status, direction, floor(extract(epoch FROM detected_at) / 3600)::bigint, block_number >> 10,
      coalesce(array_agg(amount_bucket(amount_max)) FILTER (WHERE amount_max IS NOT NULL), '{}'), count(*)
    FROM new_rows GROUP BY 1, 2, 3, 4, 5, 6;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO transaction_changes (project_id, chain_gid, status, direction, hour, block_step, amount_steps, count)
    SELECT project_id, chain_gid, status, direction, floor(extract(epoch FROM detected_at) / 3600)::bigint, block_number >> 10,
      coalesce(array_agg(amount_bucket(amount_max)) FILTER (WHERE amount_max IS NOT NULL), '{}'), -count(*)
    FROM old_rows GROUP BY 1, 2, 3, 4, 5, 6;
  ELSIF EXISTS (SELECT FROM new_rows) THEN
    INSERT INTO list_changes (scope, list, key, count)
    SELECT project_id, 'transactions', ARRAY[chain_gid, status, direction], sum(sign)
    FROM (SELECT project_id, chain_gid, status, direction, 1 AS sign FROM new_rows UNION ALL SELECT project_id, chain_gid, status, direction, -1 FROM old_rows) l
    GROUP BY project_id, chain_gid, status, direction HAVING sum(sign) <> 0;
    IF EXISTS (SELECT id, project_id, chain_gid, detected_at, block_number, amount_max FROM new_rows EXCEPT SELECT id, project_id, chain_gid, detected_at, block_number, amount_max FROM old_rows) THEN
      INSERT INTO list_changes (scope, list, key, bucket, count)
      SELECT l.scope, l.list, l.key, l.bucket, sum(l.count)
      FROM (SELECT l.* FROM new_rows t, lines_of_transaction(t, 1) l UNION ALL SELECT l.* FROM old_rows t, lines_of_transaction(t, -1) l) l
      WHERE l.list <> 'transactions' GROUP BY 1, 2, 3, 4 HAVING sum(l.count) <> 0;
    END IF;
    PERFORM pass_order_on(array_agg(id), array_agg(detected_at), array_agg(block_position))
    FROM (SELECT id, detected_at, block_position FROM new_rows EXCEPT SELECT id, detected_at, block_position FROM old_rows) n HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION pass_order_on(ids uuid[], times timestamptz[], positions bigint[]) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE transaction_addresses ta SET detected_at = n.time, block_position = n.position
  FROM unnest(ids, times, positions) AS n (id, time, position) WHERE ta.transaction_id = n.id;
  UPDATE transfers r SET detected_at = n.time
  FROM unnest(ids, times) AS n (id, time) WHERE r.transaction_id = n.id AND r.detected_at IS DISTINCT FROM n.time;
END $$;

-- Transactions of an address. The writer gives order and public key along; where it did not, they are looked up.
CREATE OR REPLACE FUNCTION count_transaction_addresses() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  are_of_keys boolean;
  lack_order boolean;
  may_be_imported boolean;
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_changes (scope, list, key, count) SELECT address_id, 'address', '{}', count(*) FROM new_rows GROUP BY address_id;
    SELECT bool_or(n.public_key_id IS NOT NULL), bool_or(n.detected_at IS NULL), bool_or(n.public_key_id IS NULL AND a.chain_family = 'bitcoin')
    INTO are_of_keys, lack_order, may_be_imported FROM new_rows n JOIN addresses a ON a.id = n.address_id;
    IF are_of_keys THEN
      PERFORM count_keys(array_agg(public_key_id), array_agg(transaction_id), array_agg(1)) FROM new_rows WHERE public_key_id IS NOT NULL;
    END IF;
    IF may_be_imported THEN
      -- One that becomes an address of a key meanwhile waits, or is seen below as what it has become.
      PERFORM FROM addresses WHERE id IN (SELECT address_id FROM new_rows WHERE public_key_id IS NULL) AND chain_family = 'bitcoin' ORDER BY id FOR SHARE;
    END IF;
    IF may_be_imported OR lack_order THEN
      UPDATE transaction_addresses ta SET detected_at = t.detected_at, block_position = t.block_position, public_key_id = a.public_key_id
      FROM new_rows n JOIN transactions t ON t.id = n.transaction_id JOIN addresses a ON a.id = n.address_id
      WHERE (n.detected_at, n.block_position, n.public_key_id) IS DISTINCT FROM (t.detected_at, t.block_position, a.public_key_id) AND ta.address_id = n.address_id AND ta.transaction_id = n.transaction_id;
    END IF;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO list_changes (scope, list, key, count) SELECT address_id, 'address', '{}', -count(*) FROM old_rows GROUP BY address_id;
    IF EXISTS (SELECT FROM old_rows WHERE public_key_id IS NOT NULL) THEN
      PERFORM count_keys(array_agg(public_key_id), array_agg(transaction_id), array_agg(-1)) FROM old_rows WHERE public_key_id IS NOT NULL;
    END IF;
  ELSIF EXISTS (SELECT FROM new_rows WHERE public_key_id IS NOT NULL) OR EXISTS (SELECT FROM old_rows WHERE public_key_id IS NOT NULL) THEN
    PERFORM count_keys(array_agg(public_key_id), array_agg(transaction_id), array_agg(gain))
    FROM (SELECT public_key_id, transaction_id, 1 AS gain FROM new_rows UNION ALL SELECT public_key_id, transaction_id, -1 FROM old_rows) l WHERE public_key_id IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;

-- What a key had before is seen by one writer at a time: whoever deletes addresses does not hold the chain's lock. Keys share
-- 1,024 locks, so that many of them do not fill the table of locks.
CREATE OR REPLACE FUNCTION count_keys(keys uuid[], transactions uuid[], gains integer[]) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('public_key'), slot) FROM (SELECT DISTINCT hashtext(key::text) & 1023 AS slot FROM unnest(keys) AS key ORDER BY 1) s;
  INSERT INTO list_changes (scope, list, key, count)
  SELECT c.key, 'public_key', '{}', sum((rows > 0)::integer - (rows > gain)::integer)
  FROM (
    SELECT g.key, g.gain, (SELECT count(*) FROM transaction_addresses ta WHERE ta.transaction_id = g.transaction AND ta.public_key_id = g.key) AS rows
    FROM (SELECT u.key, u.transaction, sum(u.gain) AS gain FROM unnest(keys, transactions, gains) AS u (key, transaction, gain) GROUP BY 1, 2 HAVING sum(u.gain) <> 0) g
  ) c GROUP BY 1 HAVING sum((rows > 0)::integer - (rows > gain)::integer) <> 0;
END $$;

-- Transfers ------------------------------------------------------------------------------------------------------------
CREATE OR REPLACE FUNCTION count_transfers() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  lack_order boolean;
  -- Transactions that have other transfers as well, and those that say another amount than these moved.
  have_others boolean;
  changed uuid[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT bool_or(n.lack_order), bool_or(n.rows <> (SELECT count(*) FROM transfers r WHERE r.transaction_id = n.transaction_id)),
      array_agg(n.transaction_id) FILTER (WHERE t.amount_max IS DISTINCT FROM CASE WHEN n.pay_others THEN n.paid ELSE n.moved END)
    INTO lack_order, have_others, changed
    FROM (
      SELECT r.transaction_id, count(*) AS rows, bool_or(r.detected_at IS NULL) AS lack_order, bool_or(r.monitored_addresses = '{}') AS pay_others,
        max((r.amount_raw || 'e-' || d.decimals)::numeric) AS moved, max((r.amount_raw || 'e-' || d.decimals)::numeric) FILTER (WHERE r.monitored_addresses = '{}') AS paid
      FROM new_rows r LEFT JOIN assets d ON d.gid = r.asset_gid GROUP BY r.transaction_id
    ) n JOIN transactions t ON t.id = n.transaction_id;
    IF lack_order IS NULL THEN
      RETURN NULL;
    END IF;
    IF have_others THEN
      INSERT INTO list_changes (scope, list, key, count)
      SELECT n.project_id, 'asset', ARRAY[n.asset_gid], count(*)
      FROM (SELECT project_id, asset_gid, transaction_id, count(*) AS rows FROM new_rows GROUP BY 1, 2, 3) n
      WHERE n.rows = (SELECT count(*) FROM transfers r WHERE r.transaction_id = n.transaction_id AND r.asset_gid = n.asset_gid)
      GROUP BY n.project_id, n.asset_gid;
    ELSE
      INSERT INTO list_changes (scope, list, key, count)
      SELECT project_id, 'asset', ARRAY[asset_gid], count(DISTINCT transaction_id) FROM new_rows GROUP BY project_id, asset_gid;
    END IF;
    IF lack_order THEN
      UPDATE transfers r SET detected_at = t.detected_at FROM new_rows n JOIN transactions t ON t.id = n.transaction_id
      WHERE n.detected_at IS NULL AND r.transaction_id = n.transaction_id AND r.index = n.index;
    END IF;
    IF changed IS NOT NULL THEN
      PERFORM set_amount_max(changed);
    END IF;
  ELSIF TG_OP = 'DELETE' THEN
    IF NOT EXISTS (SELECT FROM old_rows) THEN RETURN NULL; END IF;
    INSERT INTO list_changes (scope, list, key, count)
    SELECT o.project_id, 'asset', ARRAY[o.asset_gid], -count(*)
    FROM (SELECT DISTINCT project_id, asset_gid, transaction_id FROM old_rows) o
    WHERE NOT EXISTS (SELECT FROM transfers r WHERE r.transaction_id = o.transaction_id AND r.asset_gid = o.asset_gid)
    GROUP BY o.project_id, o.asset_gid;
    PERFORM set_amount_max(ARRAY(SELECT DISTINCT transaction_id FROM old_rows));
  ELSIF EXISTS (SELECT FROM new_rows) THEN
    PERFORM set_amount_max(ARRAY(SELECT DISTINCT transaction_id FROM new_rows));
  END IF;
  RETURN NULL;
END $$;

-- The amount that min_amount compares, as before, with a plan that sessions keep.
CREATE OR REPLACE FUNCTION set_amount_max(ids uuid[]) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE transactions t SET amount_max = a.amount
  FROM unnest(ids) AS i (id) LEFT JOIN LATERAL (
    SELECT max(trim_scale((r.amount_raw || 'e-' || d.decimals)::numeric)) AS amount
    FROM transfers r JOIN assets d ON d.gid = r.asset_gid
    WHERE r.transaction_id = i.id
      AND (r.monitored_addresses = '{}' OR NOT EXISTS (SELECT FROM transfers f WHERE f.transaction_id = i.id AND f.monitored_addresses = '{}'))
  ) a ON true
  WHERE t.id = i.id AND t.amount_max IS DISTINCT FROM a.amount;
END $$;

-- Addresses, blocks, assets ----------------------------------------------------------------------------------------------
CREATE OR REPLACE FUNCTION count_addresses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_changes (scope, list, key, count) SELECT a.project_id, 'addresses', lines_of_address(a), count(*) FROM new_rows a GROUP BY 1, 3;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO list_changes (scope, list, key, count) SELECT a.project_id, 'addresses', lines_of_address(a), -count(*) FROM old_rows a GROUP BY 1, 3;
  ELSE
    INSERT INTO list_changes (scope, list, key, count)
    SELECT project_id, 'addresses', key, sum(sign)
    FROM (SELECT a.project_id, lines_of_address(a) AS key, 1 AS sign FROM new_rows a UNION ALL SELECT a.project_id, lines_of_address(a), -1 FROM old_rows a) l
    GROUP BY 1, 3 HAVING sum(sign) <> 0;
  END IF;
  RETURN NULL;
END $$;

-- Numbers without a block are not in ranges: only who asks for their status sees them.
CREATE OR REPLACE FUNCTION count_blocks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  nobody CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO list_changes (scope, list, key, bucket, count)
    SELECT nobody, 'blocks', ARRAY[chain_gid, status], 0, sum(sign)
    FROM (SELECT chain_gid, status, 1 AS sign FROM new_rows UNION ALL SELECT chain_gid, status, -1 FROM old_rows) l
    GROUP BY chain_gid, status HAVING sum(sign) <> 0
    UNION ALL SELECT nobody, 'blocks.number', ARRAY[chain_gid], number >> 10, sum(sign)
    FROM (SELECT chain_gid, number, 1 AS sign FROM new_rows WHERE status <> 'skipped' UNION ALL SELECT chain_gid, number, -1 FROM old_rows WHERE status <> 'skipped') l
    GROUP BY chain_gid, number >> 10 HAVING sum(sign) <> 0;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO list_changes (scope, list, key, bucket, count)
    SELECT nobody, 'blocks', ARRAY[chain_gid, status], 0, count(*) FROM new_rows GROUP BY chain_gid, status
    UNION ALL SELECT nobody, 'blocks.number', ARRAY[chain_gid], number >> 10, count(*) FROM new_rows WHERE status <> 'skipped' GROUP BY chain_gid, number >> 10;
  ELSE
    INSERT INTO list_changes (scope, list, key, bucket, count)
    SELECT nobody, 'blocks', ARRAY[chain_gid, status], 0, -count(*) FROM old_rows GROUP BY chain_gid, status
    UNION ALL SELECT nobody, 'blocks.number', ARRAY[chain_gid], number >> 10, -count(*) FROM old_rows WHERE status <> 'skipped' GROUP BY chain_gid, number >> 10;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_assets() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  nobody CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
  IF TG_OP = 'INSERT' THEN
    -- Steps of the analyzer seldom know a new one.
    IF NOT EXISTS (SELECT FROM new_rows) THEN RETURN NULL; END IF;
    INSERT INTO list_changes (scope, list, key, count)
    SELECT nobody, 'assets', ARRAY[chain_gid, namespace, type, status, (archived_at IS NOT NULL)::text], count(*) FROM new_rows GROUP BY 3;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO list_changes (scope, list, key, count)
    SELECT nobody, 'assets', ARRAY[chain_gid, namespace, type, status, (archived_at IS NOT NULL)::text], -count(*) FROM old_rows GROUP BY 3;
  ELSE
    INSERT INTO list_changes (scope, list, key, count)
    SELECT nobody, 'assets', ARRAY[chain_gid, namespace, type, status, (archived_at IS NOT NULL)::text], sum(sign)
    FROM (SELECT *, 1 AS sign FROM new_rows UNION ALL SELECT *, -1 FROM old_rows) l GROUP BY 3 HAVING sum(sign) <> 0;
  END IF;
  RETURN NULL;
END $$;

-- Deliveries, events ---------------------------------------------------------------------------------------------------
CREATE OR REPLACE FUNCTION count_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_changes (scope, list, key, bucket, count)
    SELECT channel_id, 'deliveries', ARRAY[status], 0, count(*) FROM new_rows GROUP BY channel_id, status
    UNION ALL SELECT channel_id, 'deliveries.hour', ARRAY[event_type], floor(extract(epoch FROM created_at) / 3600)::bigint, count(*) FROM new_rows GROUP BY channel_id, event_type, 4;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO list_changes (scope, list, key, bucket, count)
    SELECT channel_id, 'deliveries', ARRAY[status], 0, -count(*) FROM old_rows GROUP BY channel_id, status
    UNION ALL SELECT channel_id, 'deliveries.hour', ARRAY[event_type], floor(extract(epoch FROM created_at) / 3600)::bigint, -count(*) FROM old_rows GROUP BY channel_id, event_type, 4;
  ELSE
    INSERT INTO list_changes (scope, list, key, count)
    SELECT channel_id, 'deliveries', ARRAY[status], sum(sign)
    FROM (SELECT channel_id, status, 1 AS sign FROM new_rows UNION ALL SELECT channel_id, status, -1 FROM old_rows) l
    GROUP BY channel_id, status HAVING sum(sign) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_changes (scope, list, key, bucket, count)
    SELECT project_id, 'events.hour', ARRAY[type, chain_gid], floor(extract(epoch FROM created_at) / 3600)::bigint, count(*) FROM new_rows WHERE NOT is_held GROUP BY project_id, type, chain_gid, 4;
  ELSE
    INSERT INTO list_changes (scope, list, key, bucket, count)
    SELECT project_id, 'events.hour', ARRAY[type, chain_gid], floor(extract(epoch FROM created_at) / 3600)::bigint, -count(*) FROM old_rows WHERE NOT is_held GROUP BY project_id, type, chain_gid, 4;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_held_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO list_changes (scope, list, key, bucket, count)
  VALUES (NEW.project_id, 'events.hour', ARRAY[NEW.type, NEW.chain_gid], floor(extract(epoch FROM NEW.created_at) / 3600)::bigint, CASE WHEN NEW.is_held THEN -1 ELSE 1 END);
  RETURN NULL;
END $$;

-- Usage, audit log -----------------------------------------------------------------------------------------------------
CREATE OR REPLACE FUNCTION count_rpc_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NOT EXISTS (SELECT FROM new_rows) THEN RETURN NULL; END IF;
    INSERT INTO list_changes (scope, list, key, bucket, count)
    SELECT workspace_id, 'usage', ARRAY[key_id::text, chain_gid, method], 0, count(*) FROM new_rows GROUP BY 1, 3
    UNION ALL SELECT workspace_id, 'usage.hour', '{}', floor(extract(epoch FROM hour) / 3600)::bigint, count(*) FROM new_rows GROUP BY 1, 4;
  ELSE
    INSERT INTO list_changes (scope, list, key, bucket, count)
    SELECT workspace_id, 'usage', ARRAY[key_id::text, chain_gid, method], 0, -count(*) FROM old_rows GROUP BY 1, 3
    UNION ALL SELECT workspace_id, 'usage.hour', '{}', floor(extract(epoch FROM hour) / 3600)::bigint, -count(*) FROM old_rows GROUP BY 1, 4;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_audit_logs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO list_changes (scope, list, key, bucket, count)
    SELECT workspace_id, 'audit_logs', ARRAY[action, target_type, actor_key_id::text], 0, count(*) FROM new_rows GROUP BY 1, 3
    UNION ALL SELECT workspace_id, 'audit_logs.hour', '{}', floor(extract(epoch FROM created_at) / 3600)::bigint, count(*) FROM new_rows GROUP BY 1, 4;
  ELSE
    INSERT INTO list_changes (scope, list, key, bucket, count)
    SELECT workspace_id, 'audit_logs', ARRAY[action, target_type, actor_key_id::text], 0, -count(*) FROM old_rows GROUP BY 1, 3
    UNION ALL SELECT workspace_id, 'audit_logs.hour', '{}', floor(extract(epoch FROM created_at) / 3600)::bigint, -count(*) FROM old_rows GROUP BY 1, 4;
  END IF;
  RETURN NULL;
END $$;

-- All totals -----------------------------------------------------------------------------------------------------------
CREATE OR REPLACE FUNCTION count_list(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format(
    'INSERT INTO list_counts (scope, list, key, level, bucket, count)
     SELECT scope, list, key, l.level, bucket >> (5 * l.level), sum(count)
     FROM actual_list_counts() a, levels_of(%1$L) AS l (level) WHERE a.list = %1$L GROUP BY 1, 2, 3, 4, 5', name);
END $$;

CREATE OR REPLACE FUNCTION rebuild_list_counts() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('fold_list_counts', 0));
  LOCK TABLE transactions, transaction_addresses, transfers, addresses, blocks, assets, deliveries, events, audit_logs, rpc_usage IN SHARE MODE;
  DELETE FROM list_counts;
  DELETE FROM list_changes;
  DELETE FROM transaction_changes;
  FOREACH name IN ARRAY counted_lists() LOOP
    PERFORM count_list(name);
  END LOOP;
END $$;
