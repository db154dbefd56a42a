-- Blocks that concern nobody, packed (ADR 22). A row of block_runs has the heights [first_number, first_number + 1023]; slot n
-- is the height first_number + n. Columns:
--   marks   1 byte a slot. 0: the block is a row of `blocks`, or there is none. Low 3 bits, the kind: 1 skipped, 2 confirmed
--           without verification, 3 proved, 4 agreed, 5 attested, 6 trusted. High 5 bits: how many heights below the parent is.
--   hashes  32 bytes a slot, zeros without a block. Blocks that are rows have theirs here too: the next one's parent.
--   parent_hash  of the lowest block, whose parent lies below the run.
--   ids     4 bytes a slot, on top of base_id.
--   times   4 bytes a slot, milliseconds on top of base_time; -1: null.
--   hash_form    1: 0x and hexadecimal, 2: hexadecimal, 3: base58.

CREATE OR REPLACE FUNCTION integer_at(packed bytea, slot integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (get_byte(packed, 4 * slot) << 24) | (get_byte(packed, 4 * slot + 1) << 16) | (get_byte(packed, 4 * slot + 2) << 8) | get_byte(packed, 4 * slot + 3)
$$;

-- Of 32 bytes. Ten digits at a time: a bigint has room for them.
CREATE OR REPLACE FUNCTION to_base58(bytes bytea) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digits CONSTANT text := '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  rest numeric := 0;
  part bigint;
  written text := '';
  zeros integer := 0;
BEGIN
  FOR i IN 0..7 LOOP
    rest := rest * 4294967296 + (integer_at(bytes, i)::bigint & 4294967295);
  END LOOP;
  FOR i IN 1..5 LOOP
    part := rest % 430804206899405824;
    rest := div(rest, 430804206899405824);
    FOR j IN 1..10 LOOP
      written := substr(digits, (part % 58)::integer + 1, 1) || written;
      part := part / 58;
    END LOOP;
  END LOOP;
  WHILE zeros < 32 AND get_byte(bytes, zeros) = 0 LOOP
    zeros := zeros + 1;
  END LOOP;
  RETURN repeat('1', zeros) || ltrim(written, '1');
END $$;

-- NULL where the text does not stand for 32 bytes.
CREATE OR REPLACE FUNCTION from_base58(written text) RETURNS bytea LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digits CONSTANT text := '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  padded text := lpad(written, 50, '1');
  whole numeric := 0;
  part bigint;
  bytes bytea := '';
BEGIN
  FOR i IN 0..4 LOOP
    part := 0;
    FOR j IN 1..10 LOOP
      part := part * 58 + strpos(digits, substr(padded, i * 10 + j, 1)) - 1;
    END LOOP;
    whole := whole * 430804206899405824 + part;
  END LOOP;
  FOR i IN 1..8 LOOP
    part := whole % 4294967296;
    whole := div(whole, 4294967296);
    bytes := int4send((CASE WHEN part > 2147483647 THEN part - 4294967296 ELSE part END)::integer) || bytes;
  END LOOP;
  RETURN CASE WHEN whole = 0 THEN bytes END;
END $$;

-- NULL: a hash that cannot be packed.
CREATE OR REPLACE FUNCTION block_hash_form(hash text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN hash ~ '^0x[0-9a-f]{64}$' THEN 1 WHEN hash ~ '^[0-9a-f]{64}$' THEN 2
    WHEN hash ~ '^[1-9A-HJ-NP-Za-km-z]{32,44}$' THEN 3 END::integer
$$;

CREATE OR REPLACE FUNCTION pack_block_hash(form integer, hash text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN block_hash_form(hash) IS DISTINCT FROM form THEN NULL
    WHEN form = 1 THEN decode(substr(hash, 3), 'hex') WHEN form = 2 THEN decode(hash, 'hex') ELSE from_base58(hash) END
$$;

CREATE OR REPLACE FUNCTION unpack_block_hash(form integer, bytes bytea) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE form WHEN 1 THEN '0x' || encode(bytes, 'hex') WHEN 2 THEN encode(bytes, 'hex') ELSE to_base58(bytes) END
$$;

-- The blocks of one run that are in [from_number, to_number], as the rows that they were.
CREATE OR REPLACE FUNCTION packed_run(chain text, first bigint, from_number bigint, to_number bigint)
RETURNS TABLE (id bigint, chain_gid text, number bigint, hash text, parent_hash text, block_timestamp timestamptz, status text, verification text)
LANGUAGE sql STABLE AS $$
  SELECT r.base_id + integer_at(p.ids, s.slot), r.chain_gid, r.first_number + s.slot,
    CASE WHEN s.kind > 1 THEN unpack_block_hash(r.hash_form, substr(p.hashes, s.slot * 32 + 1, 32)) END,
    CASE WHEN s.kind > 1 THEN unpack_block_hash(r.hash_form, CASE WHEN s.gap > s.slot THEN r.parent_hash ELSE substr(p.hashes, (s.slot - s.gap) * 32 + 1, 32) END) END,
    CASE WHEN integer_at(p.times, s.slot) >= 0 THEN r.base_time + integer_at(p.times, s.slot) * interval '1 millisecond' END,
    CASE WHEN s.kind = 1 THEN 'skipped' ELSE 'confirmed' END,
    (ARRAY['proved', 'agreed', 'attested', 'trusted'])[s.kind - 2]
  -- OFFSET 0: run by run in the caller's order, however many there are; each column is fetched once a run, not once a slot.
  FROM (SELECT * FROM block_runs b WHERE b.chain_gid = chain AND b.first_number = first OFFSET 0) r
  CROSS JOIN LATERAL (SELECT r.hashes || ''::bytea AS hashes, r.ids || ''::bytea AS ids, r.times || ''::bytea AS times OFFSET 0) p
  CROSS JOIN LATERAL (
    SELECT slot, get_byte(r.marks, slot) & 7 AS kind, get_byte(r.marks, slot) >> 3 AS gap
    FROM generate_series(greatest(from_number - r.first_number, 0)::integer, least(to_number - r.first_number, 1023)::integer) AS slot
    WHERE get_byte(r.marks, slot) <> 0) s
$$;

-- The blocks of [from_number, to_number] that are in runs.
CREATE OR REPLACE FUNCTION packed_blocks(chain text, from_number bigint, to_number bigint)
RETURNS TABLE (id bigint, chain_gid text, number bigint, hash text, parent_hash text, block_timestamp timestamptz, status text, verification text)
LANGUAGE sql STABLE AS $$
  SELECT p.* FROM (SELECT r.first_number FROM block_runs r WHERE r.chain_gid = chain AND r.first_number > from_number - 1024 AND r.first_number <= to_number) r
  CROSS JOIN LATERAL packed_run(chain, r.first_number, from_number, to_number) p
$$;

-- How many blocks of these statuses a run has in [from_number, to_number].
CREATE OR REPLACE FUNCTION count_in_run(run block_runs, from_number bigint, to_number bigint, statuses text[]) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN run.first_number >= from_number AND run.first_number + 1023 <= to_number
    THEN CASE WHEN 'confirmed' = ANY (statuses) THEN run.confirmed_count ELSE 0 END + CASE WHEN 'skipped' = ANY (statuses) THEN run.skipped_count ELSE 0 END
    ELSE (SELECT count(*)::integer FROM generate_series(greatest(from_number - run.first_number, 0)::integer, least(to_number - run.first_number, 1023)::integer) AS slot
      WHERE CASE get_byte(run.marks, slot) & 7 WHEN 0 THEN false WHEN 1 THEN 'skipped' = ANY (statuses) ELSE 'confirmed' = ANY (statuses) END) END
$$;

-- The first packed blocks of [from_number, to_number] that are no skipped heights. Their numbers are found first: what is
-- sorted would hold the hashes of a whole run in each line.
CREATE OR REPLACE FUNCTION first_packed_blocks(chain text, from_number bigint, to_number bigint, at_most bigint)
RETURNS TABLE (id bigint, chain_gid text, number bigint, hash text, parent_hash text, block_timestamp timestamptz, status text, verification text)
LANGUAGE sql STABLE AS $$
  SELECT p.* FROM (
    SELECT k.first_number, min(k.number) AS low, max(k.number) AS high FROM (
      SELECT r.first_number, p.number FROM (SELECT first_number FROM block_runs r WHERE r.chain_gid = chain AND r.first_number > from_number - 1024 AND r.first_number <= to_number
        ORDER BY first_number) r
      CROSS JOIN LATERAL packed_run(chain, r.first_number, from_number, to_number) p
      WHERE p.status = 'confirmed' ORDER BY r.first_number, p.number LIMIT at_most) k
    GROUP BY k.first_number) w
  CROSS JOIN LATERAL packed_run(chain, w.first_number, w.low, w.high) p
  WHERE p.status = 'confirmed'
$$;

-- The first blocks of [from_number, to_number] on the chain that is followed, rows and packed ones, ascending. Heights without
-- a fetched block are left out.
CREATE OR REPLACE FUNCTION canonical_blocks(chain text, from_number bigint, to_number bigint, at_most bigint DEFAULT NULL)
RETURNS TABLE (id bigint, chain_gid text, number bigint, hash text, parent_hash text, block_timestamp timestamptz, status text, verification text)
LANGUAGE sql STABLE AS $$
  SELECT * FROM (
    (SELECT b.id, b.chain_gid, b.number, b.hash, b.parent_hash, b.block_timestamp, b.status, b.verification FROM blocks b
     WHERE b.chain_gid = chain AND b.number BETWEEN from_number AND to_number AND b.status <> 'reorged' AND b.hash IS NOT NULL
     ORDER BY b.number LIMIT at_most)
    UNION ALL
    SELECT p.* FROM first_packed_blocks(chain, from_number, to_number, at_most) p) b
  ORDER BY b.number LIMIT at_most
$$;

-- The first blocks of [from_number, to_number] that are analysed, ascending.
CREATE OR REPLACE FUNCTION analysed_blocks(chain text, from_number bigint, to_number bigint, at_most bigint)
RETURNS TABLE (number bigint, hash text) LANGUAGE sql STABLE AS $$
  SELECT b.number, b.hash FROM (
    (SELECT b.number, b.hash FROM blocks b
     WHERE b.chain_gid = chain AND b.number BETWEEN from_number AND to_number AND b.status IN ('processed', 'confirmed') ORDER BY b.number LIMIT at_most)
    UNION ALL
    SELECT p.number, p.hash FROM first_packed_blocks(chain, from_number, to_number, at_most) p) b
  ORDER BY b.number LIMIT at_most
$$;

-- The highest packed block up to a height.
CREATE OR REPLACE FUNCTION last_packed_block(chain text, up_to bigint)
RETURNS TABLE (id bigint, chain_gid text, number bigint, hash text, parent_hash text, block_timestamp timestamptz, status text, verification text)
LANGUAGE sql STABLE AS $$
  SELECT p.* FROM (
    SELECT r.first_number, p.number FROM (SELECT first_number FROM block_runs r WHERE r.chain_gid = chain AND r.first_number <= up_to ORDER BY first_number DESC) r
    CROSS JOIN LATERAL packed_run(chain, r.first_number, 0, up_to) p
    WHERE p.status = 'confirmed' ORDER BY r.first_number DESC, p.number DESC LIMIT 1) w
  CROSS JOIN LATERAL packed_run(chain, w.first_number, w.number, w.number) p
$$;

-- The highest block up to a height on the chain that is followed.
CREATE OR REPLACE FUNCTION last_canonical_block(chain text, up_to bigint)
RETURNS TABLE (id bigint, chain_gid text, number bigint, hash text, parent_hash text, block_timestamp timestamptz, status text, verification text)
LANGUAGE sql STABLE AS $$
  SELECT * FROM (
    (SELECT b.id, b.chain_gid, b.number, b.hash, b.parent_hash, b.block_timestamp, b.status, b.verification FROM blocks b
     WHERE b.chain_gid = chain AND b.number <= up_to AND b.status <> 'reorged' AND b.hash IS NOT NULL ORDER BY b.number DESC LIMIT 1)
    UNION ALL
    SELECT p.* FROM last_packed_block(chain, up_to) p) b
  ORDER BY b.number DESC LIMIT 1
$$;

-- Whoever packs or unpacks holds this row to the end of the transaction, and locks it before rows of blocks.
CREATE OR REPLACE FUNCTION lock_block_packing(chain text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO block_packing (chain_gid) VALUES (chain) ON CONFLICT DO NOTHING;
  PERFORM FROM block_packing WHERE chain_gid = chain FOR UPDATE;
END $$;

-- Turns the blocks of [from_number, to_number] into rows again, for whoever is about to write to them or to refer to them.
-- Changes no answer. Nothing above the confirmed height is packed, so the head path locks nothing.
CREATE OR REPLACE FUNCTION unpack_blocks(chain text, from_number bigint, to_number bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  run block_runs;
  low integer;
  high integer;
  lowest bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM analyzer_states WHERE chain_gid = chain AND confirmed_number >= from_number)
     AND NOT EXISTS (SELECT FROM block_runs WHERE chain_gid = chain AND first_number > from_number - 1024 AND first_number <= to_number) THEN
    RETURN;
  END IF;
  PERFORM lock_block_packing(chain);
  FOR run IN SELECT * FROM block_runs WHERE chain_gid = chain AND first_number > from_number - 1024 AND first_number <= to_number ORDER BY first_number LOOP
    low := greatest(from_number - run.first_number, 0);
    high := least(to_number - run.first_number, 1023);
    CONTINUE WHEN substr(run.marks, low + 1, high - low + 1) = decode(repeat('00', high - low + 1), 'hex');
    INSERT INTO blocks (id, chain_gid, number, hash, parent_hash, block_timestamp, status, verification) OVERRIDING SYSTEM VALUE
      SELECT * FROM packed_run(chain, run.first_number, from_number, to_number);
    lowest := coalesce(lowest, run.first_number);
    run.marks := substr(run.marks, 1, low) || decode(repeat('00', high - low + 1), 'hex') || substr(run.marks, high + 2);
    SELECT count(*) FILTER (WHERE mark > 1), count(*) FILTER (WHERE mark = 1) INTO run.confirmed_count, run.skipped_count
      FROM (SELECT get_byte(run.marks, slot) AS mark FROM generate_series(0, 1023) AS slot) m;
    IF run.confirmed_count + run.skipped_count = 0 THEN
      DELETE FROM block_runs WHERE chain_gid = chain AND first_number = run.first_number;
    ELSE
      UPDATE block_runs SET marks = run.marks, confirmed_count = run.confirmed_count, skipped_count = run.skipped_count
        WHERE chain_gid = chain AND first_number = run.first_number;
    END IF;
  END LOOP;
  UPDATE block_packing SET next_number = least(next_number, lowest) WHERE chain_gid = chain AND lowest IS NOT NULL;
END $$;

-- For the way back to a release that reads rows alone: a transaction for each run, so that it may be stopped and called again.
CREATE OR REPLACE PROCEDURE unpack_all_blocks() LANGUAGE plpgsql AS $$
DECLARE
  chain text;
  first bigint;
BEGIN
  LOOP
    SELECT chain_gid, first_number INTO chain, first FROM block_runs ORDER BY chain_gid, first_number DESC LIMIT 1;
    EXIT WHEN NOT FOUND;
    PERFORM unpack_blocks(chain, first, first + 1023);
    COMMIT;
  END LOOP;
END $$;

-- The rows of a run's heights that may be packed: final, and named by no row of ours. Each table is asked by an index, however
-- large it is.
CREATE OR REPLACE FUNCTION packable_ids(chain text, first bigint) RETURNS bigint[] LANGUAGE plpgsql STABLE AS $$
DECLARE
  last CONSTANT bigint := first + 1023;
  hashes CONSTANT text[] := ARRAY(SELECT hash FROM blocks WHERE chain_gid = chain AND number BETWEEN first AND last AND status = 'confirmed' AND hash IS NOT NULL);
  named CONSTANT text[] := ARRAY(
    SELECT block_hash FROM transactions WHERE chain_gid = chain AND block_hash = ANY (hashes)
    UNION SELECT block_hash FROM balance_history WHERE chain_gid = chain AND block_hash = ANY (hashes)
    UNION SELECT block_hash FROM adjustments WHERE chain_gid = chain AND block_hash = ANY (hashes)
    UNION SELECT block_hash FROM block_changes WHERE chain_gid = chain AND block_hash = ANY (hashes)
    UNION SELECT block_hash FROM unproved_transactions WHERE chain_gid = chain AND block_hash = ANY (hashes)
    UNION SELECT block_hash FROM unproved_coins WHERE chain_gid = chain AND block_hash = ANY (hashes)
    UNION SELECT spent_block_hash FROM unproved_spends WHERE chain_gid = chain AND spent_block_hash = ANY (hashes)
    UNION SELECT block_hash FROM balance_reads WHERE chain_gid = chain AND block_hash = ANY (hashes));
  numbered CONSTANT bigint[] := ARRAY(
    SELECT block_number FROM utxos WHERE chain_gid = chain AND block_number BETWEEN first AND last
    UNION SELECT generate_series(greatest(block_number, first), least(coalesce(last_block_number, block_number), last)) FROM incidents
      WHERE chain_gid = chain AND status <> 'resolved' AND block_number <= last AND coalesce(last_block_number, block_number) >= first);
BEGIN
  RETURN ARRAY(SELECT id FROM blocks WHERE chain_gid = chain AND number BETWEEN first AND last
    AND CASE status WHEN 'skipped' THEN hash IS NULL AND parent_hash IS NULL AND block_timestamp IS NULL AND verification IS NULL
      WHEN 'confirmed' THEN coalesce(verification, 'proved') IN ('proved', 'agreed', 'attested', 'trusted')
        AND hash <> ALL (named) AND number <> ALL (numbered)
      ELSE false END);
END $$;

-- Packs what it can of the 1,024 heights from `first` on. A row goes only if the run tells the same row.
CREATE OR REPLACE FUNCTION pack_blocks(chain text, first bigint) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  zero CONSTANT bytea := decode(repeat('00', 1024), 'hex');
  run block_runs;
  block blocks;
  ids bigint[];
  slot integer;
  gap integer;
  -- Of the block below.
  below_slot integer := -1;
  below_hash text;
  delta bigint;
  elapsed numeric;
  removed integer;
BEGIN
  PERFORM lock_block_packing(chain);
  -- Who has locked a block in order to refer to it has committed when this returns; the next statement sees what it wrote.
  PERFORM FROM blocks WHERE chain_gid = chain AND number BETWEEN first AND first + 1023 ORDER BY id FOR UPDATE;
  ids := packable_ids(chain, first);
  IF cardinality(ids) = 0 THEN
    RETURN 0;
  END IF;
  IF EXISTS (SELECT FROM block_runs WHERE chain_gid = chain AND first_number = first) THEN
    PERFORM unpack_blocks(chain, first, first + 1023);
    ids := packable_ids(chain, first);
  END IF;
  run.chain_gid := chain;
  run.first_number := first;
  run.marks := zero;
  run.ids := zero || zero || zero || zero;
  run.times := run.ids;
  run.hashes := run.ids || run.ids || run.ids || run.ids || run.ids || run.ids || run.ids || run.ids;
  SELECT min(id), coalesce(date_trunc('milliseconds', min(block_timestamp)), now()), coalesce(min(block_hash_form(hash)), 1), 0, 0
    INTO run.base_id, run.base_time, run.hash_form, run.confirmed_count, run.skipped_count FROM blocks WHERE id = ANY (ids);
  FOR block IN SELECT * FROM blocks WHERE chain_gid = chain AND number BETWEEN first AND first + 1023 AND status <> 'reorged' ORDER BY number LOOP
    slot := block.number - first;
    delta := block.id - run.base_id;
    elapsed := coalesce(extract(epoch FROM block.block_timestamp - run.base_time) * 1000, -1);
    gap := 0;
    IF block.hash IS NOT NULL THEN
      gap := slot - below_slot;
      IF below_slot = -1 THEN
        below_hash := block.parent_hash;
        run.parent_hash := pack_block_hash(run.hash_form, block.parent_hash);
      END IF;
      run.hashes := overlay(run.hashes PLACING coalesce(pack_block_hash(run.hash_form, block.hash), substr(zero, 1, 32)) FROM slot * 32 + 1);
    END IF;
    IF block.id = ANY (ids) AND delta <= 2147483647 AND elapsed <= 2147483647 AND elapsed = trunc(elapsed) AND (block.hash IS NULL
       OR (gap <= 31 AND below_hash = block.parent_hash AND block_hash_form(block.hash) = run.hash_form AND block_hash_form(below_hash) = run.hash_form)) THEN
      IF block.status = 'skipped' THEN
        run.skipped_count := run.skipped_count + 1;
      ELSE
        run.confirmed_count := run.confirmed_count + 1;
      END IF;
      run.marks := set_byte(run.marks, slot, (gap << 3) | CASE block.status WHEN 'skipped' THEN 1
        ELSE 2 + coalesce(array_position(ARRAY['proved', 'agreed', 'attested', 'trusted'], block.verification), 0) END);
      run.ids := overlay(run.ids PLACING int4send(delta::integer) FROM slot * 4 + 1);
      run.times := overlay(run.times PLACING int4send(elapsed::integer) FROM slot * 4 + 1);
    END IF;
    IF block.hash IS NOT NULL THEN
      below_slot := slot;
      below_hash := block.hash;
    END IF;
  END LOOP;
  IF run.confirmed_count + run.skipped_count = 0 THEN
    RETURN 0;
  END IF;
  INSERT INTO block_runs SELECT run.*;
  DELETE FROM blocks b USING packed_run(chain, first, first, first + 1023) p
    WHERE b.id = p.id AND b.chain_gid = chain AND b.number BETWEEN first AND first + 1023
      AND ROW(b.number, b.hash, b.parent_hash, b.block_timestamp, b.status, b.verification)
        IS NOT DISTINCT FROM ROW(p.number, p.hash, p.parent_hash, p.block_timestamp, p.status, p.verification);
  GET DIAGNOSTICS removed = ROW_COUNT;
  IF removed <> run.confirmed_count + run.skipped_count THEN
    RAISE EXCEPTION 'failed to pack blocks of % from % on: expected % rows, got %', chain, first, run.confirmed_count + run.skipped_count, removed;
  END IF;
  RETURN removed;
END $$;

-- No process lives, or lived within the minute, that reads the rows of blocks alone.
CREATE OR REPLACE FUNCTION may_pack_blocks() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (SELECT FROM owner_beats WHERE reads_level < 1 AND greatest(beat_until, lease_until) > clock_timestamp() - interval '1 minute')
$$;

-- Where the next run of a chain begins that can be packed; NULL: there is none. Heights count that are 1,024 below the
-- confirmed one: out of the way of the head, of evidence that follows, and of readers of the last blocks.
CREATE OR REPLACE FUNCTION next_packable_run(chain text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT n.first FROM (
    SELECT min(b.number) / 1024 * 1024 AS first FROM blocks b
    WHERE b.chain_gid = chain AND b.number >= coalesce((SELECT next_number FROM block_packing WHERE chain_gid = chain), 0)) n
  JOIN analyzer_states s ON s.chain_gid = chain AND s.confirmed_number - 1024 >= n.first + 1023
  WHERE NOT EXISTS (SELECT FROM resets WHERE chain_gid = chain AND status = 'running') AND may_pack_blocks()
$$;

-- Packs the next run of a chain, in the caller's transaction; NULL: there is nothing to do. What cannot be packed stays rows
-- and stops no other run.
CREATE OR REPLACE FUNCTION pack_next_blocks(chain text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  first bigint;
  packed integer;
BEGIN
  PERFORM lock_block_packing(chain);
  first := next_packable_run(chain);
  IF first IS NULL THEN
    RETURN NULL;
  END IF;
  BEGIN
    packed := pack_blocks(chain, first);
  EXCEPTION WHEN raise_exception OR data_exception THEN
    RAISE WARNING '%', SQLERRM;
    packed := 0;
  END;
  UPDATE block_packing SET next_number = first + 1024 WHERE chain_gid = chain;
  RETURN packed;
END $$;

-- Totals of GET /blocks count packed blocks as they count rows.
CREATE OR REPLACE FUNCTION count_block_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO list_changes (scope, list, key, count)
    SELECT '00000000-0000-0000-0000-000000000000'::uuid, 'blocks', ARRAY[chain_gid, status], sum(n) FROM new_rows
    CROSS JOIN LATERAL (VALUES ('confirmed', confirmed_count), ('skipped', skipped_count)) AS c (status, n) GROUP BY chain_gid, status HAVING sum(n) <> 0;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO list_changes (scope, list, key, count)
    SELECT '00000000-0000-0000-0000-000000000000'::uuid, 'blocks', ARRAY[chain_gid, status], -sum(n) FROM old_rows
    CROSS JOIN LATERAL (VALUES ('confirmed', confirmed_count), ('skipped', skipped_count)) AS c (status, n) GROUP BY chain_gid, status HAVING sum(n) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER block_runs_count_insert AFTER INSERT ON block_runs
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_block_runs();
CREATE OR REPLACE TRIGGER block_runs_count_update AFTER UPDATE ON block_runs
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_block_runs();
CREATE OR REPLACE TRIGGER block_runs_count_delete AFTER DELETE ON block_runs
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_block_runs();
