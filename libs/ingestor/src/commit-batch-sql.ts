import { renewSql } from '@chainwatch/ownership';

/**
 * One batch in one statement, and so in one transaction and one round trip: the head path pays for nothing else.
 *
 * `owner` is the fence: it renews the lease, and returns no row when somebody else owns the chain. `fenced` writes
 * the state, and returns no row either when the stored feed is not where we think; every other part depends on it.
 * The parts of a statement run in no guaranteed order, so each part that needs another's effect counts that one's
 * rows first.
 *
 * Blocks are locked in the order of their ids, as the analyzer does when it updates the same rows: the two cannot
 * deadlock. Orphans are locked before blocks that return; the analyzer never holds both at once, because they stand
 * on two branches.
 *
 * $1 chain, $2 token, $24 kind of the owners, $25 owner, $3 feed_seq before, $4 feed_seq after, $5 head number, $6
 * head hash, $7 finalized number, $8 finalized hash, $9 start number, $10 status (null: keep), $11 clear from, then
 * the entries as arrays: $12 seq, $13 type, $14 number, $15 hash, $16 parent hash, $17 timestamp, $18 resume_seq,
 * $19 traceparent; $20 clear to (null: no bound); the numbers without a block as ranges: $21 from, $22 to; $23 the
 * head that the node reports (null: keep).
 */
export const COMMIT_BATCH_SQL = `
WITH owner AS (
  ${renewSql(['$24', '$1', '$25', '$2'])}
), fenced AS (
  UPDATE ingestor_states
  SET feed_seq = $4, head_number = $5, head_hash = $6, finalized_number = $7, finalized_hash = $8, start_number = $9,
      status = coalesce($10, status), reason = CASE WHEN $10::text IS NULL THEN reason END, updated_at = now(),
      node_head_number = coalesce($23, node_head_number)
  WHERE chain_gid = (SELECT share FROM owner) AND feed_seq = $3
  RETURNING chain_gid
), entries AS (
  SELECT e.* FROM fenced,
    unnest($12::bigint[], $13::text[], $14::bigint[], $15::text[], $16::text[], $17::bigint[], $18::bigint[], $19::text[])
      AS e (seq, type, number, hash, parent_hash, timestamp, resume_seq, traceparent)
), doomed AS MATERIALIZED (
  SELECT id FROM blocks
  WHERE chain_gid = $1 AND hash = ANY(ARRAY(SELECT hash FROM entries WHERE type = 'reorg'))
  ORDER BY id FOR UPDATE
), orphaned AS (
  UPDATE blocks SET status = 'reorged', updated_at = now() FROM doomed WHERE blocks.id = doomed.id
  RETURNING 1
), cleared AS (
  DELETE FROM blocks
  WHERE chain_gid = $1 AND number >= $11 AND ($20::bigint IS NULL OR number <= $20) AND hash IS NULL AND status <> 'reorged' AND EXISTS (SELECT 1 FROM fenced)
  RETURNING 1
), to_return AS MATERIALIZED (
  SELECT id FROM blocks
  WHERE chain_gid = $1 AND hash = ANY(ARRAY(SELECT hash FROM entries WHERE type = 'block')) AND status = 'reorged'
    AND (SELECT count(*) FROM orphaned) >= 0 AND (SELECT count(*) FROM cleared) >= 0
  ORDER BY id FOR NO KEY UPDATE
), returned AS (
  UPDATE blocks SET status = 'new', updated_at = now() FROM to_return WHERE blocks.id = to_return.id
  RETURNING blocks.hash
), discovered AS (
  INSERT INTO blocks (chain_gid, number, hash, parent_hash, block_timestamp, status)
  SELECT $1, number, hash, parent_hash, to_timestamp(timestamp), 'new' FROM entries
  WHERE type = 'block' AND hash NOT IN (SELECT hash FROM returned) AND (SELECT count(*) FROM cleared) >= 0
    AND (SELECT count(*) FROM orphaned) >= 0
  RETURNING 1
), skipped AS (
  INSERT INTO blocks (chain_gid, number, status)
  SELECT $1, number, 'skipped' FROM fenced, unnest($21::bigint[], $22::bigint[]) AS gap (first, last), generate_series(first, last) AS number
  WHERE (SELECT count(*) FROM cleared) >= 0 AND (SELECT count(*) FROM orphaned) >= 0
  RETURNING 1
), fed AS (
  INSERT INTO chain_feed (chain_gid, seq, type, number, hash, parent_hash, timestamp, resume_seq, traceparent)
  SELECT $1, seq, type, number, hash, parent_hash, timestamp, resume_seq, traceparent FROM entries
  RETURNING 1
)
SELECT (SELECT count(*) FROM owner)::int AS owned, (SELECT count(*) FROM fed)::int AS fed, (SELECT count(*) FROM discovered)::int AS discovered`;
