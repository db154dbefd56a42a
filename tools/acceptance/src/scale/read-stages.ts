// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { ToldPayment } from './payer.ts';

interface StageRow {
  readonly stage: string;
  readonly at: Date;
}

/** When each stage had a payment, in milliseconds after it was mined: shows which one waited. */
export async function readStages(db: Sql, { hash, minedAtMs, tookMs }: ToldPayment): Promise<string> {
  const { rows } = await db.query<StageRow>(
    `WITH told AS (
       SELECT t.chain_gid, t.block_hash, e.event_id, e.created_at
       FROM transactions t JOIN event_log e ON e.transaction_id = t.id
       WHERE t.hash = $1 AND e.type = 'transaction.detected'
     )
     SELECT 'block recorded' AS stage, b.created_at AS at
     FROM told JOIN blocks b ON b.chain_gid = told.chain_gid AND b.hash = told.block_hash
     UNION ALL SELECT 'event written', created_at FROM told
     UNION ALL SELECT 'delivery written', d.created_at FROM told JOIN deliveries d USING (event_id)
     UNION ALL SELECT 'attempt ' || a.number, a.started_at
     FROM told JOIN deliveries d USING (event_id) JOIN delivery_attempts a ON a.delivery_id = d.id
     ORDER BY at`,
    [hash],
  );
  const stages = rows.map(({ stage, at }) => `${stage} ${at.getTime() - minedAtMs}`);
  return [...stages, `received ${tookMs}`].join(', ');
}
