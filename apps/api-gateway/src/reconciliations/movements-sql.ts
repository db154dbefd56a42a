/**
 * CTEs over `page (id)`, transactions of a project: `txs` with what keeps each from being final, and `movements`: one row for
 * each transfer and monitored address that it touches, and one for a fee that a monitored address paid. `side` is in, out,
 * self or fee; `pending` is null where the transaction is confirmed.
 */
export const MOVEMENTS_SQL = `
  txs AS MATERIALIZED (
    SELECT t.id, t.project_id, t.chain_gid, t.hash, t.block_timestamp, t.fee_asset_gid, t.fee_amount_raw, t.fee_payer,
      t.status = 'failed' AS is_failed, t.status = 'failed' AND t.block_hash IS NULL AS is_dropped,
      CASE
        WHEN t.status = 'reorged' THEN 'reorged: its block left the chain'
        WHEN t.status = 'pending' THEN 'pending: it is in no block yet'
        WHEN t.is_withheld OR t.is_unproved OR t.verification = 'unproved' THEN 'unproved: its block could not be proved'
        WHEN t.verification = 'settling' THEN 'settling: the proof of its block follows'
        WHEN t.confirmed_at IS NULL THEN 'detected: it has too few confirmations'
      END AS pending
    FROM page p JOIN transactions t ON t.id = p.id
  ),
  movements AS MATERIALIZED (
    SELECT row_number() OVER () AS movement, tx, place, address, asset_gid, side, amount FROM (
      SELECT t.id AS tx, r.index AS place, a.address, r.asset_gid, r.amount_raw AS amount,
        CASE WHEN r.from_address = r.to_address THEN 'self' WHEN r.to_address = a.address THEN 'in' ELSE 'out' END AS side
      FROM txs t JOIN transfers r ON r.transaction_id = t.id
      CROSS JOIN LATERAL (SELECT DISTINCT m.address FROM unnest(r.monitored_addresses) AS m (address)) a
      WHERE NOT t.is_failed AND a.address IN (r.from_address, r.to_address)
        AND NOT EXISTS (SELECT FROM assets k WHERE k.gid = r.asset_gid AND k.type = 'nft')
      UNION ALL
      SELECT t.id, -1, t.fee_payer, t.fee_asset_gid, t.fee_amount_raw, 'fee' FROM txs t
      WHERE NOT t.is_dropped AND t.fee_asset_gid IS NOT NULL AND t.fee_amount_raw IS NOT NULL AND EXISTS (
        SELECT FROM transaction_addresses ta JOIN addresses a ON a.id = ta.address_id WHERE ta.transaction_id = t.id AND a.address = t.fee_payer)
    ) m
  )`;

/**
 * CTEs that add what of `unclaimed (movement)` is missing in the books. Parameters: $1 the reconciliation, $5 and $6 its
 * window, $7 whether only addresses of the ledger count, $8 whether fees count, $9 how many rows it may still have.
 */
export const MISSING_SQL = `
  missing AS MATERIALIZED (
    SELECT m.*, t.chain_gid, t.hash, t.block_timestamp, t.pending
    FROM unclaimed u JOIN movements m USING (movement) JOIN txs t ON t.id = m.tx
    WHERE m.amount > 0 AND t.block_timestamp >= $5 AND t.block_timestamp < $6
      AND (t.pending IS NULL OR t.pending NOT LIKE 'reorged%' AND t.pending NOT LIKE 'pending%')
      AND (m.side <> 'fee' OR $8::boolean)
      AND (NOT $7::boolean OR EXISTS (SELECT FROM reconciliation_rows x
        WHERE x.reconciliation_id = $1 AND x.address = m.address AND x.chain_gid = t.chain_gid AND x.line IS NOT NULL))
  ),
  added AS (
    INSERT INTO reconciliation_rows (reconciliation_id, chain_gid, hash, address, asset_gid, direction, time, class, reason, transaction_id, chain_amount_raw)
    SELECT $1, chain_gid, hash, address, asset_gid, side, block_timestamp, 'missing_in_books', pending, tx, amount
    FROM missing ORDER BY block_timestamp, tx, place, address LIMIT $9
    RETURNING 1
  )`;
