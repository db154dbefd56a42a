// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { ChainContext } from '../model/chain-context.ts';
import { isHolding } from '../model/chain-cursor.ts';
import { confirmTransactions } from '../commit/confirm-transactions.ts';
import { SqlParams } from '../model/sql-params.ts';
import { releaseCoins } from '../utxo/unproved-coins.ts';
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
 * One transaction: writes verdicts, applies the operator's acceptances and setting, and confirms what is final and was
 * withheld until now.
 *
 * @param askedHashes blocks about which every other endpoint was asked
 */
export function commitVerdicts(
  verdicts: readonly Verdict[],
  askedHashes: readonly string[] = [],
): WriterWork<void> {
  return async ({ chain, advance: { cursor }, now }) => {
    const events = await chain.share.transaction(async (sql) => {
      if (verdicts.length > 0) await writeVerdicts(sql, chain, verdicts);
      await takeAccepted(sql, chain);
      await takeAcceptedBlocks(sql, chain);
      await takeTrusted(sql, chain, askedHashes);
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

/** The same for the lists of blocks, and for what those changed without a transaction: it explains balances from now on. */
async function takeAcceptedBlocks(sql: Sql, chain: ChainContext): Promise<void> {
  await sql.query(
    `WITH accepted AS (UPDATE blocks b SET verification = 'trusted' WHERE b.chain_gid = $1 AND ${IS_ACCEPTED_BLOCK} RETURNING b.hash)
     INSERT INTO balance_reads (chain_gid, address_id, asset_gid, reason)
     SELECT DISTINCT $1, c.address_id, c.asset_gid, 'detected' FROM accepted a JOIN block_changes c ON c.chain_gid = $1 AND c.block_hash = a.hash`,
    [chain.gid],
  );
}

/**
 * The operator's setting delivers what could not be proved, once it is final and every other endpoint was asked: one that
 * contradicts outweighs the setting.
 */
async function takeTrusted(sql: Sql, chain: ChainContext, askedHashes: readonly string[]): Promise<void> {
  if (askedHashes.length === 0) return;
  await sql.query(
    `UPDATE unproved_transactions u SET verdict = 'trusted'
     FROM blockchains b JOIN analyzer_states s ON s.chain_gid = b.gid
     WHERE u.chain_gid = $1 AND u.block_hash = ANY($2) AND u.verdict = 'waiting' AND b.gid = u.chain_gid AND b.unproved = 'deliver'
       AND u.block_number <= s.confirmed_number`,
    [chain.gid, askedHashes],
  );
}

/** Condition on a row `u` of unproved_transactions. */
export const IS_ACCEPTED = `u.verdict IN ('waiting', 'contradicted')
  AND (SELECT bool_and(coalesce(i.status, '') IN ('accepted', 'resolved')) AND bool_or(i.status = 'accepted') FROM unnest(u.incident_ids) AS n (id) LEFT JOIN incidents i ON i.id = n.id)`;

/** Condition on a row `b` of blocks. Each kind in a block has an incident whose range covers it. */
export const IS_ACCEPTED_BLOCK = `b.verification = 'unproved' AND b.status IN ('processed', 'confirmed')
  AND (SELECT bool_and(i.status = 'accepted') FROM incidents i
       WHERE i.chain_gid = b.chain_gid AND i.status IN ('open', 'accepted') AND i.kind NOT LIKE 'poison:%' AND b.number BETWEEN i.block_number AND i.last_block_number)`;

/** Condition on a row `u` of unproved_transactions and a transaction `t`. */
export const IS_RELEASED = `t.is_withheld AND t.chain_gid = u.chain_gid AND t.block_hash = u.block_hash AND t.hash = u.hash AND u.verdict IN ('agreed', 'accepted', 'trusted')`;

/** False when nothing was withheld that could be released. */
async function release(sql: Sql, chain: ChainContext): Promise<boolean> {
  const { rows } = await sql.query<{ hash: string; block_hash: string }>(
    `UPDATE transactions t SET is_withheld = false, verification = CASE u.verdict WHEN 'agreed' THEN 'agreed' ELSE 'trusted' END
     FROM unproved_transactions u WHERE t.chain_gid = $1 AND ${IS_RELEASED} RETURNING t.hash, t.block_hash`,
    [chain.gid],
  );
  if (chain.utxo !== undefined && rows.length > 0)
    await releaseCoins(
      sql,
      chain,
      rows.map(({ hash, block_hash: blockHash }) => ({ hash, blockHash })),
    );
  return rows.length > 0;
}
