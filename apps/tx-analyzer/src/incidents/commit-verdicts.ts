import type { Sql } from '@chainwatch/db';
import type { ChainContext } from '../model/chain-context.ts';
import { isHolding } from '../model/chain-cursor.ts';
import { confirmTransactions } from '../commit/confirm-transactions.ts';
import { SqlParams } from '../model/sql-params.ts';
import type { WriterWork } from '../commit/writer-queue.ts';

/** What other endpoints make of an unproved transaction. */
export interface Verdict {
  readonly blockHash: string;
  readonly hash: string;
  /** Digest of what the endpoint said: the stored one may differ by the time that the verdict is written. */
  readonly digest: Uint8Array;
  readonly verdict: 'agreed' | 'contradicted';
}

/**
 * One transaction: writes verdicts, applies the operator's acceptances, and confirms what is final and was withheld
 * until now.
 */
export function commitVerdicts(verdicts: readonly Verdict[]): WriterWork<void> {
  return async ({ chain, advance: { cursor }, now }) => {
    const events = await chain.share.transaction(async (sql) => {
      if (verdicts.length > 0) await writeVerdicts(sql, chain, verdicts);
      await takeAccepted(sql, chain);
      const isReleased = await release(sql, chain);
      if (!isReleased || cursor.confirmedNumber === undefined) return [];
      const options = { headNumber: cursor.number ?? cursor.confirmedNumber, isHeld: isHolding(cursor), now };
      return confirmTransactions(sql, { chain, finality: { number: cursor.confirmedNumber }, options });
    });
    return { value: undefined, events };
  };
}

async function writeVerdicts(sql: Sql, chain: ChainContext, verdicts: readonly Verdict[]): Promise<void> {
  const params = new SqlParams();
  const source = params.unnest(verdicts, [
    ['text', ({ blockHash }) => blockHash],
    ['text', ({ hash }) => hash],
    ['bytea', ({ digest }) => digest],
    ['text', ({ verdict }) => verdict],
  ]);
  const gid = params.add(chain.gid, 'text');
  await sql.query(
    `WITH judged AS (
       UPDATE unproved_transactions u SET verdict = v.verdict FROM ${source} AS v (block_hash, hash, digest, verdict)
       WHERE u.chain_gid = ${gid} AND u.block_hash = v.block_hash AND u.hash = v.hash AND u.digest = v.digest AND u.verdict = 'waiting'
       RETURNING u.verdict, u.incident_ids
     )
     UPDATE incidents SET is_contradicted = true
     WHERE status = 'open' AND id IN (SELECT unnest(incident_ids) FROM judged WHERE verdict = 'contradicted')`,
    params.values,
  );
}

/** The operator vouches for a transaction by accepting every incident of its block that is not resolved. */
async function takeAccepted(sql: Sql, chain: ChainContext): Promise<void> {
  await sql.query(
    `UPDATE unproved_transactions u SET verdict = 'accepted' WHERE u.chain_gid = $1 AND ${IS_ACCEPTED}`,
    [chain.gid],
  );
}

/** Condition on a row `u` of unproved_transactions. */
export const IS_ACCEPTED = `u.verdict IN ('waiting', 'contradicted')
  AND (SELECT bool_and(coalesce(i.status, '') IN ('accepted', 'resolved')) AND bool_or(i.status = 'accepted') FROM unnest(u.incident_ids) AS n (id) LEFT JOIN incidents i ON i.id = n.id)`;

/** Condition on a row `u` of unproved_transactions and a transaction `t`. */
export const IS_RELEASED = `t.is_withheld AND t.chain_gid = u.chain_gid AND t.block_hash = u.block_hash AND t.hash = u.hash AND u.verdict IN ('agreed', 'accepted')`;

/** False when nothing was withheld that could be released. */
async function release(sql: Sql, chain: ChainContext): Promise<boolean> {
  const { rowCount } = await sql.query(
    `UPDATE transactions t SET is_withheld = false FROM unproved_transactions u WHERE t.chain_gid = $1 AND ${IS_RELEASED}`,
    [chain.gid],
  );
  return (rowCount ?? 0) > 0;
}
