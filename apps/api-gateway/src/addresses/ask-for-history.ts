// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/common/caip';
import type { Sql } from '@chainwatch/data/db';
import { invalidRequest } from '@chainwatch/common/problem';
import type { AddressRow } from '../records/address.ts';
import { hasCoins } from './watch-address.ts';

/** The block from which the past of an address is asked for, by chain. */
export const historySchema = z
  .record(chainGidSchema, z.int().min(0))
  .refine((history) => Object.keys(history).length > 0, { error: 'expected at least one chain' })
  .meta({
    description:
      'Blocks from which its past is read, by chain as CAIP-2: final transactions of EVM, TRON and Solana, unspent outputs of Bitcoin. Each chain must be active and know the address.',
    examples: [{ 'eip155:1': 21_000_000 }],
  });

interface HistoryInput {
  /** For the one active chain that knows the address. */
  readonly from_block?: number | undefined;
  readonly history?: Readonly<Record<string, number>> | undefined;
}

interface HistoryOwner {
  readonly chainFamily: string;
  /** The networks that know the address; absent if every network of the family does. */
  readonly networkGids?: readonly string[] | undefined;
}

/** First blocks by chain. */
export type HistoryStarts = ReadonlyMap<string, number>;

/** The active chains of a family. */
export async function readActiveChains(sql: Sql, chainFamily: string): Promise<readonly string[]> {
  const { rows } = await sql.query<{ gid: string }>(
    'SELECT gid FROM blockchains WHERE family = $1 AND is_active ORDER BY gid',
    [chainFamily],
  );
  return rows.map(({ gid }) => gid);
}

/** What is asked for, by chain. @throws ProblemError 400 with the fields of chains that are not active or do not know the address */
export function findHistoryStarts(
  activeChains: readonly string[],
  { chainFamily, networkGids }: HistoryOwner,
  { from_block: fromBlock, history }: HistoryInput,
): HistoryStarts {
  if (fromBlock !== undefined && history !== undefined)
    throw invalidRequest([
      { name: 'from_block', reason: 'expected one of from_block and history, got both' },
    ]);
  const active = activeChains.filter((gid) => networkGids?.includes(gid) ?? true);
  if (fromBlock !== undefined) return new Map([[expectOne(active, chainFamily), fromBlock]]);
  const starts = new Map(Object.entries(history ?? {}));
  const faults = [...starts.keys()].filter((gid) => !active.includes(gid));
  if (faults.length > 0)
    throw invalidRequest(
      faults.map((gid) => ({
        name: `history["${gid}"]`,
        reason: `expected an active chain of ${chainFamily} that knows the address`,
      })),
    );
  return starts;
}

function expectOne(active: readonly string[], chainFamily: string): string {
  const [gid, ...others] = active;
  if (gid !== undefined && others.length === 0) return gid;
  throw invalidRequest([
    {
      name: 'from_block',
      reason: `expected one active chain of ${chainFamily} that knows the address, there are ${active.length}: say which in history`,
    },
  ]);
}

interface AskedAddress {
  readonly id: string;
  readonly projectId: string;
  readonly starts: HistoryStarts;
}

/**
 * Asks the owners of the chains for the past of addresses, in the transaction that registers them or later. What was asked
 * for before starts anew: nothing is stored or notified of twice.
 */
export async function askForHistories(
  sql: Sql,
  chainFamily: string,
  addresses: readonly AskedAddress[],
): Promise<void> {
  const rows = addresses.flatMap(({ id, projectId, starts }) =>
    [...starts].map(([gid, fromBlock]) => ({ id, projectId, gid, fromBlock })),
  );
  if (rows.length === 0) return;
  await sql.query((await hasCoins(chainFamily)) ? ASK_FOR_COINS : ASK_FOR_TRANSACTIONS, [
    rows.map(({ id }) => id),
    rows.map(({ gid }) => gid),
    rows.map(({ fromBlock }) => fromBlock),
    rows.map(({ projectId }) => projectId),
  ]);
}

/** A new address with what was asked for. */
export function withHistory(row: AddressRow, starts: HistoryStarts): AddressRow {
  if (row.backfills.length > 0)
    return {
      ...row,
      backfills: row.backfills.map((backfill) => ({
        ...backfill,
        fromBlock: BigInt(starts.get(backfill.chainGid) ?? backfill.fromBlock),
      })),
    };
  const histories = [...starts].map(([chainGid, fromBlock]) => ({
    ...{ chainGid, status: 'pending', fromBlock: BigInt(fromBlock), nextBlock: BigInt(fromBlock) },
    ...{ toBlock: null, transactionCount: 0n, blocksPerSecond: null, reason: null, notCovered: [] },
  }));
  return { ...row, histories };
}

const ASKED =
  'unnest($1::uuid[], $2::text[], $3::bigint[], $4::uuid[]) AS s (address_id, gid, from_block, project_id)';

const ASK_FOR_TRANSACTIONS = `INSERT INTO address_histories AS h (address_id, chain_gid, project_id, from_block, next_block)
  SELECT s.address_id, s.gid, s.project_id, s.from_block, s.from_block FROM ${ASKED} ORDER BY s.address_id, s.gid
  ON CONFLICT (address_id, chain_gid) DO UPDATE SET status = 'pending', from_block = excluded.from_block, next_block = excluded.next_block, to_block = NULL,
    transaction_count = 0, not_covered = '[]', blocks_per_second = NULL, reason = NULL, failure_count = 0, due_at = now(), revision = h.revision + 1, updated_at = now()`;

/** The balance is read again once the search is done. */
const ASK_FOR_COINS = `WITH asked AS (
    INSERT INTO address_backfills (address_id, chain_gid, from_block)
    SELECT s.address_id, s.gid, s.from_block FROM ${ASKED} ORDER BY s.address_id, s.gid
    ON CONFLICT (address_id, chain_gid) DO UPDATE
    SET status = 'pending', from_block = excluded.from_block, next_block = NULL, to_block = NULL, method = NULL, reason = NULL, updated_at = now()
    RETURNING address_id, chain_gid)
  INSERT INTO balance_reads (chain_gid, address_id, reason)
  SELECT a.chain_gid, a.address_id, 'imported' FROM asked a
  WHERE NOT EXISTS (SELECT FROM balance_reads r WHERE r.address_id = a.address_id AND r.chain_gid = a.chain_gid AND r.reason = 'imported' AND r.asset_gid IS NULL)`;
