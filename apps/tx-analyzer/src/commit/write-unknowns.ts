// SPDX-License-Identifier: Apache-2.0
import { lacksEvidence, type BlockRef, type UnknownPart } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { ChainContext } from '../model/chain-context.ts';
import type { MatchedTransaction } from '../model/matched-transaction.ts';
import { SqlParams } from '../model/sql-params.ts';
import { digestTransaction } from './digest-transaction.ts';
import { unnestUnknowns } from './insert-incidents.ts';

/** A block, as far as its unknown parts are concerned. */
interface TakenBlock extends BlockRef {
  readonly unknowns?: readonly UnknownPart[];
}

/**
 * Records, in an open transaction (chain's row locked), that `blocks` were taken with unknown parts, and what the
 * endpoint said about the unproved transactions among `matches`.
 */
export async function writeUnknowns(
  sql: Sql,
  {
    chain,
    blocks,
    matches,
  }: {
    readonly chain: ChainContext;
    readonly blocks: readonly TakenBlock[];
    readonly matches: readonly MatchedTransaction[];
  },
): Promise<void> {
  const unproved = matches.filter(({ transaction }) => lacksEvidence(transaction.verification));
  const taken = new Map(
    [...blocks.filter(hasUnknowns), ...unproved.map(({ block }) => block)].map((block) => [
      block.hash,
      block,
    ]),
  );
  for (const block of [...taken.values()].sort((a, b) => a.number - b.number)) {
    const own = unproved.filter((match) => match.block.hash === block.hash);
    const incidentIds = hasUnknowns(block)
      ? await recordTaken(sql, chain, block)
      : await findInherited(sql, chain, own);
    await insertUnproved(sql, { chain, incidentIds, matches: own });
  }
}

function hasUnknowns({ unknowns }: Pick<TakenBlock, 'unknowns'>): boolean {
  return unknowns !== undefined && unknowns.length > 0;
}

/**
 * An accepted incident covers what was seen by then: the block that waited for it, and blocks taken before. A later
 * block opens the next incident. Returns the incident of each kind.
 */
export async function recordTaken(sql: Sql, chain: ChainContext, block: TakenBlock): Promise<string[]> {
  const params = new SqlParams();
  const source = unnestUnknowns(params, block.unknowns ?? []);
  const [gid, number, hash] = [
    params.add(chain.gid, 'text'),
    params.add(block.number, 'bigint'),
    params.add(block.hash, 'text'),
  ];
  const { rows } = await sql.query<{ id: string }>(
    `WITH kinds AS MATERIALIZED (SELECT * FROM ${source} AS u (kind, transaction_hash, expected, got)),
     accepted AS (
       UPDATE incidents i SET last_block_number = ${number} FROM kinds u
       WHERE i.chain_gid = ${gid} AND i.kind = u.kind AND i.status = 'accepted' AND i.block_hash = ${hash} AND coalesce(i.last_block_number, ${number}) = ${number}
       RETURNING i.id, i.kind
     ), open AS (
       INSERT INTO incidents AS i (chain_gid, kind, block_number, block_hash, last_block_number, transaction_hash, expected, got)
       SELECT ${gid}, kind, ${number}, ${hash}, ${number}, transaction_hash, expected, got FROM kinds WHERE kind NOT IN (SELECT kind FROM accepted) ORDER BY kind
       ON CONFLICT (chain_gid, kind) WHERE status = 'open' DO UPDATE SET
         last_block_number = GREATEST(i.last_block_number, EXCLUDED.last_block_number),
         block_hash = CASE WHEN EXCLUDED.block_number < i.block_number THEN EXCLUDED.block_hash ELSE i.block_hash END,
         transaction_hash = CASE WHEN EXCLUDED.block_number < i.block_number THEN EXCLUDED.transaction_hash ELSE i.transaction_hash END,
         block_number = LEAST(i.block_number, EXCLUDED.block_number)
       RETURNING i.id
     )
     SELECT id FROM accepted UNION SELECT id FROM open`,
    params.values,
  );
  return rows.map(({ id }) => id);
}

/** Incidents of the transactions whose coins these spend: they lack evidence by them alone. */
async function findInherited(
  sql: Sql,
  chain: ChainContext,
  matches: readonly MatchedTransaction[],
): Promise<string[]> {
  const spent = matches.flatMap(({ transaction }) => transaction.utxo?.inputs.map(({ txid }) => txid) ?? []);
  if (spent.length === 0) return [];
  const { rows } = await sql.query<{ id: string }>(
    'SELECT DISTINCT unnest(incident_ids) AS id FROM unproved_transactions WHERE chain_gid = $1 AND hash = ANY($2)',
    [chain.gid, spent],
  );
  return rows.map(({ id }) => id);
}

/**
 * Keeps what was stored first. If this read says something else, neither version is trusted, even if an operator
 * accepted the other one.
 */
async function insertUnproved(
  sql: Sql,
  {
    chain,
    incidentIds,
    matches,
  }: {
    readonly chain: ChainContext;
    readonly incidentIds: readonly string[];
    readonly matches: readonly MatchedTransaction[];
  },
): Promise<void> {
  if (matches.length === 0) return;
  const byHash = [...new Map(matches.map((match) => [match.transaction.hash, match])).values()];
  const params = new SqlParams();
  const source = params.unnest(byHash, [
    ['text', ({ block }) => block.hash],
    ['text', ({ transaction }) => transaction.hash],
    ['bigint', ({ block }) => block.number],
    ['bytea', ({ transaction }) => digestTransaction(transaction)],
    ['text', ({ block }) => chain.endpointOf(block) ?? ''],
    ['text', ({ transaction }) => (transaction.verification === 'settling' ? 'settling' : 'waiting')],
  ]);
  const { rows } = await sql.query<{ block_hash: string; hash: string }>(
    `WITH told AS (INSERT INTO unproved_transactions AS u (chain_gid, block_hash, hash, block_number, digest, endpoint, incident_ids, verdict)
     SELECT ${params.add(chain.gid, 'text')}, block_hash, hash, block_number, digest, endpoint, ${params.add(incidentIds, 'uuid[]')}, verdict
     FROM ${source} AS s (block_hash, hash, block_number, digest, endpoint, verdict)
     ON CONFLICT (chain_gid, block_hash, hash) DO UPDATE SET verdict = 'contradicted',
       incident_ids = ARRAY(SELECT i.id FROM incidents i WHERE i.id = ANY(EXCLUDED.incident_ids) AND i.status = 'open')
     WHERE u.digest <> EXCLUDED.digest
     RETURNING u.block_hash, u.hash, u.verdict) SELECT block_hash, hash FROM told WHERE verdict = 'contradicted'`,
    params.values,
  );
  if (rows.length === 0) return;
  await sql.query(
    `UPDATE transactions t SET is_withheld = true FROM unnest($2::text[], $3::text[]) AS c (block_hash, hash)
     WHERE t.chain_gid = $1 AND t.block_hash = c.block_hash AND t.hash = c.hash AND t.is_unproved AND t.confirmed_at IS NULL`,
    [chain.gid, rows.map((row) => row.block_hash), rows.map((row) => row.hash)],
  );
}
