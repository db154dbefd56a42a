import { MISSING_SQL, MOVEMENTS_SQL } from './movements-sql.ts';

/** Rows that name one transaction: what is above is not matched. */
export const ROWS_OF_TRANSACTION_MAX = 20_000;

/** Rows that share these are about the same movements. */
const GROUP = 'tx, address, asset_gid';

/**
 * Matches the rows of the next transactions behind $3, about $4 rows at once ($2 the project, the others as of MISSING_SQL).
 * A transaction is always matched whole. Within an address and asset of it, in this order:
 *
 * 1. rows and movements of equal amounts, one to one (`exact`);
 * 2. a row with the sum of the rest in its direction, or with the difference of both directions (`summed`);
 * 3. what is left on both sides differs: a single row from the sum of the rest, or from the difference of both directions;
 *    several one to one by size (`differing`);
 * 4. rows that are left over repeat a row of that direction, or there is no such movement.
 *
 * `side` of a row is that of its movements; `any` where one goes from an address to itself; `mixed` where the row names none
 * and there are both.
 */
export const MATCH_ROWS_SQL = `
WITH page AS MATERIALIZED (
    SELECT DISTINCT n.transaction_id AS id FROM (
      SELECT transaction_id FROM reconciliation_rows WHERE reconciliation_id = $1 AND transaction_id > $3 AND line IS NOT NULL
      ORDER BY transaction_id LIMIT $4) n JOIN transactions t ON t.id = n.transaction_id AND t.project_id = $2
  ),
  ${MOVEMENTS_SQL},
  sides AS (
    SELECT ${GROUP}, bool_or(side = 'self') AS is_self, min(side) AS first_side, max(side) AS last_side
    FROM movements WHERE side <> 'fee' GROUP BY ${GROUP}
  ),
  moved AS MATERIALIZED (
    SELECT m.movement, ${columns('m')}, m.place, m.amount, CASE WHEN m.side <> 'fee' AND s.is_self THEN 'any' ELSE m.side END AS side
    FROM movements m LEFT JOIN sides s USING (${GROUP})
  ),
  booked AS MATERIALIZED (
    SELECT r.id, r.line, r.transaction_id AS tx, r.address, r.asset_gid, r.amount_raw AS amount,
      CASE
        WHEN r.direction = 'fee' THEN 'fee'
        WHEN s.is_self THEN 'any'
        WHEN r.direction IS NOT NULL THEN r.direction
        WHEN s.first_side = s.last_side THEN s.first_side
        ELSE 'mixed'
      END AS side
    FROM page p CROSS JOIN LATERAL (
      SELECT * FROM reconciliation_rows r
      WHERE r.reconciliation_id = $1 AND r.transaction_id = p.id AND r.line IS NOT NULL AND r.class IS NULL
      ORDER BY r.line LIMIT ${ROWS_OF_TRANSACTION_MAX}
    ) r
    LEFT JOIN sides s ON s.tx = r.transaction_id AND s.address = r.address AND s.asset_gid = r.asset_gid
  ),
  exact_side AS MATERIALIZED (
    SELECT b.id, m.movement
    FROM (SELECT *, row_number() OVER (PARTITION BY ${GROUP}, side, amount ORDER BY line) AS rank FROM booked) b
    JOIN (SELECT *, row_number() OVER (PARTITION BY ${GROUP}, side, amount ORDER BY place) AS rank FROM moved) m
    USING (${GROUP}, side, amount, rank)
  ),
  exact AS MATERIALIZED (
    SELECT * FROM exact_side
    UNION ALL
    SELECT b.id, m.movement
    FROM (SELECT *, row_number() OVER (PARTITION BY ${GROUP}, amount ORDER BY line) AS rank FROM booked WHERE side = 'mixed') b
    JOIN (SELECT *, row_number() OVER (PARTITION BY ${GROUP}, amount ORDER BY place) AS rank FROM moved
      WHERE side <> 'fee' AND NOT EXISTS (SELECT FROM exact_side x WHERE x.movement = moved.movement)) m
    USING (${GROUP}, amount, rank)
  ),
  booked_rest AS MATERIALIZED (SELECT * FROM booked b WHERE NOT EXISTS (SELECT FROM exact x WHERE x.id = b.id)),
  moved_rest AS MATERIALIZED (SELECT * FROM moved m WHERE NOT EXISTS (SELECT FROM exact x WHERE x.movement = m.movement)),
  sums AS (
    SELECT ${GROUP}, sum(amount) FILTER (WHERE side = 'in') AS ins, sum(amount) FILTER (WHERE side = 'out') AS outs,
      sum(amount) FILTER (WHERE side = 'any') AS anys
    FROM moved_rest GROUP BY ${GROUP}
  ),
  fitting AS (
    SELECT DISTINCT ON (${GROUP}, target) * FROM (
      SELECT b.*, CASE
          WHEN b.side IN ('in', 'mixed') AND b.amount = s.ins THEN 'in'
          WHEN b.side IN ('out', 'mixed') AND b.amount = s.outs THEN 'out'
          WHEN b.side = 'any' AND b.amount = s.anys THEN 'any'
          WHEN b.side IN ('in', 'mixed') AND b.amount = s.ins - s.outs THEN 'net'
          WHEN b.side IN ('out', 'mixed') AND b.amount = s.outs - s.ins THEN 'net'
        END AS target
      FROM booked_rest b JOIN sums s USING (${GROUP})
    ) f WHERE target IS NOT NULL ORDER BY ${GROUP}, target, line
  ),
  summed AS MATERIALIZED (
    SELECT f.id, m.movement FROM fitting f JOIN moved_rest m USING (${GROUP})
    WHERE CASE f.target
      WHEN 'net' THEN m.side IN ('in', 'out') AND NOT EXISTS (
        SELECT FROM fitting o WHERE (o.tx, o.address, o.asset_gid) = (f.tx, f.address, f.asset_gid) AND o.target IN ('in', 'out'))
      ELSE m.side = f.target END
  ),
  moved_left AS MATERIALIZED (SELECT * FROM moved_rest m WHERE NOT EXISTS (SELECT FROM summed x WHERE x.movement = m.movement)),
  sums_left AS (
    SELECT ${GROUP}, sum(amount) FILTER (WHERE side = 'in') AS ins, sum(amount) FILTER (WHERE side = 'out') AS outs FROM moved_left GROUP BY ${GROUP}
  ),
  booked_left AS MATERIALIZED (
    SELECT b.id, b.line, ${columns('b')}, b.amount,
      CASE WHEN b.side IN ('in', 'out') AND count(*) FILTER (WHERE b.side <> 'fee') OVER (PARTITION BY ${columns('b')}) = 1
        AND (b.side = 'in' AND s.ins > s.outs OR b.side = 'out' AND s.outs > s.ins) THEN 'mixed' ELSE b.side END AS side
    FROM booked_rest b LEFT JOIN sums_left s USING (${GROUP}) WHERE NOT EXISTS (SELECT FROM summed x WHERE x.id = b.id)
  ),
  ${differing('differing_side', { rows: 'booked_left', movements: 'moved_left', by: `${GROUP}, side` })},
  moved_last AS (
    SELECT * FROM moved_left m WHERE side <> 'fee' AND NOT EXISTS (SELECT FROM differing_side x WHERE x.movement = m.movement)
  ),
  booked_mixed AS (SELECT * FROM booked_left WHERE side = 'mixed'),
  ${differing('differing_mixed', { rows: 'booked_mixed', movements: 'moved_last', by: GROUP })},
  claims AS MATERIALIZED (
    SELECT id, movement, true AS is_equal FROM exact
    UNION ALL SELECT id, movement, true FROM summed
    UNION ALL SELECT id, movement, false FROM differing_side
    UNION ALL SELECT id, movement, false FROM differing_mixed
  ),
  found AS MATERIALIZED (
    SELECT b.id, b.line, b.tx, b.address, b.asset_gid, b.side, b.amount, c.is_equal,
      CASE WHEN count(DISTINCT m.side) > 1 THEN abs(sum(CASE m.side WHEN 'in' THEN m.amount ELSE -m.amount END)) ELSE sum(m.amount) END AS moved
    FROM claims c JOIN booked b USING (id) JOIN moved m USING (movement)
    GROUP BY b.id, b.line, b.tx, b.address, b.asset_gid, b.side, b.amount, c.is_equal
  ),
  firsts AS MATERIALIZED (SELECT DISTINCT ON (${GROUP}, side) * FROM found ORDER BY ${GROUP}, side, line),
  firsts_equal AS MATERIALIZED (SELECT DISTINCT ON (${GROUP}, side, amount) * FROM found ORDER BY ${GROUP}, side, amount, line),
  repeats AS (
    SELECT DISTINCT ON (b.id) b.id, ${columns('b')}, coalesce(e.line, f.line) AS first_line, coalesce(e.moved, f.moved) AS moved
    FROM booked b
    LEFT JOIN firsts_equal e ON ${isSame('e', 'b')} AND e.amount = b.amount AND ${isSameSide('e', 'b')}
    LEFT JOIN firsts f ON ${isSame('f', 'b')} AND ${isSameSide('f', 'b')}
    WHERE NOT EXISTS (SELECT FROM claims x WHERE x.id = b.id)
    ORDER BY b.id, e.line, f.line
  ),
  outcomes AS (
    SELECT f.id, f.moved, NULL::bigint AS first_line, t.pending AS reason,
      CASE
        WHEN t.pending IS NOT NULL AND (f.is_equal OR t.pending LIKE 'reorged%') THEN 'unconfirmed'
        WHEN f.is_equal THEN 'matched'
        ELSE 'amount_differs'
      END AS class
    FROM found f JOIN txs t ON t.id = f.tx
    UNION ALL
    SELECT r.id, r.moved, r.first_line,
      CASE
        WHEN r.first_line IS NOT NULL THEN 'repeated: line ' || r.first_line || ' names the same movement'
        WHEN t.is_dropped THEN 'dropped: the transaction is in no block any more'
        WHEN t.is_failed THEN 'failed: the transaction moved nothing'
        WHEN s.tx IS NOT NULL THEN 'direction: the transaction moves this asset the other way'
        ELSE 'movement: the transaction does not move this asset at this address'
      END,
      CASE WHEN r.first_line IS NULL THEN 'missing_on_chain' ELSE 'duplicate' END
    FROM repeats r JOIN txs t ON t.id = r.tx
    LEFT JOIN sides s ON (s.tx, s.address, s.asset_gid) = (r.tx, r.address, r.asset_gid)
  ),
  updated AS (
    UPDATE reconciliation_rows r SET class = o.class, reason = o.reason, chain_amount_raw = o.moved, first_line = o.first_line
    FROM outcomes o WHERE r.id = o.id RETURNING r.class
  ),
  unclaimed AS (SELECT movement FROM movements m WHERE NOT EXISTS (SELECT FROM claims x WHERE x.movement = m.movement)),
  ${MISSING_SQL}
SELECT (SELECT transaction_id FROM (
      SELECT transaction_id FROM reconciliation_rows WHERE reconciliation_id = $1 AND transaction_id > $3 AND line IS NOT NULL
      ORDER BY transaction_id LIMIT $4) n ORDER BY transaction_id DESC LIMIT 1) AS after,
  coalesce((SELECT jsonb_object_agg(class, n) FROM (SELECT class, count(*) AS n FROM updated GROUP BY class) u), '{}') AS counts,
  (SELECT count(*) FROM added) AS added, (SELECT count(*) FROM missing) AS missing`;

interface Differing {
  /** CTEs. */
  readonly rows: string;
  readonly movements: string;
  readonly by: string;
}

/** A single row with all that is left, several with one movement each, by size. */
function differing(name: string, { rows, movements, by }: Differing): string {
  const isSame = by.split(', ').map((column) => `r.${column} = m.${column}`);
  return `${name} AS MATERIALIZED (
    SELECT r.id, m.movement
    FROM (SELECT *, count(*) OVER (PARTITION BY ${by}) AS n, row_number() OVER (PARTITION BY ${by} ORDER BY amount DESC, line) AS rank FROM ${rows}) r
    JOIN (SELECT *, row_number() OVER (PARTITION BY ${by} ORDER BY amount DESC, place) AS rank FROM ${movements}) m
      ON ${isSame.join(' AND ')} AND (r.n = 1 OR r.rank = m.rank)
  )`;
}

function isSame(one: string, other: string): string {
  return GROUP.split(', ')
    .map((column) => `${one}.${column} = ${other}.${column}`)
    .join(' AND ');
}

/** Whether two rows may be about the same movement. */
function isSameSide(one: string, other: string): string {
  return `(${one}.side = ${other}.side OR ${one}.side = 'mixed' AND ${other}.side <> 'fee' OR ${other}.side = 'mixed' AND ${one}.side <> 'fee')`;
}

function columns(table: string): string {
  return GROUP.split(', ')
    .map((column) => `${table}.${column}`)
    .join(', ');
}
