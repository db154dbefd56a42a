// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { formatKnownAmount } from '@chainwatch/common/amounts';
import { chainGidSchema } from '@chainwatch/common/caip';
import { findFamilyNamed, normalizeChainGid } from '@chainwatch/chain-registry';
import type { Sql } from '@chainwatch/data/db';
import { integerParameter } from '@chainwatch/platform/http';
import { defineRoute } from '../../define-route.ts';
import { findAddress } from '../../addresses/find-address.ts';
import { addressParams } from '../../records/address-input.ts';
import { SHOWN_BALANCES } from '../addresses.balance-details/balance-row.ts';
import { invalidRequest, unprocessableEntity } from '@chainwatch/common/problem';

export const getBalances = defineRoute({
  method: 'GET',
  path: '/addresses/:address/balances',
  permission: 'api:address:read',
  summary:
    'Balances by CAIP-19 asset: active assets discovered on the address, but for those that the project archived',
  params: addressParams,
  query: z
    .strictObject({
      at_block: integerParameter(0)
        .optional()
        .meta({
          description:
            'Balances after this block, of one chain. Absent: the last known. Put together from what the chain said before the block and what moved since. 422 where more moved than transfers and fees tell, such as interest: the readings themselves are in `balances/history`.',
          examples: [21_000_000],
        }),
      chain_gid: chainGidSchema.optional().meta({
        description: 'The chain of `at_block`; may be left out where one chain of the family is active.',
        examples: ['eip155:1'],
      }),
    })
    .refine((query) => query.chain_gid === undefined || query.at_block !== undefined, {
      path: ['chain_gid'],
      error: 'expected at_block beside it',
    }),
  responses: {
    200: z.record(z.string(), z.string().nullable()).meta({
      description:
        'Balances in whole units, exact decimals, by asset as CAIP-19. Null while the decimals of the token are not known: `GET /addresses/{address}/balances/details` has base units.',
      examples: [{ 'eip155:1/slip44:60': '1.5' }],
    }),
  },
  problems: [422],
  handle: async ({ params, query: { at_block: block, chain_gid: wanted }, principal }, { db, prisma }) => {
    const { id, address, chainFamily } = await findAddress({ prisma }, principal, params.address);
    const { projectId } = principal;
    let rows: BalanceAt[];
    if (block === undefined) rows = await readBalances(db, id, projectId);
    else {
      const chainGid = await findBlockAsked(db, { id, chainFamily, block, chainGid: wanted });
      const family = await findFamilyNamed(chainFamily);
      const at = { id, projectId, address, chainGid, block };
      rows =
        family?.utxo === undefined
          ? await readAccountBalancesAt(db, at, family?.tellsHeadOnly === true)
          : await readCoinBalancesAt(db, at);
    }
    return {
      status: 200,
      body: Object.fromEntries(
        rows.map((row) => [row.asset_gid, formatKnownAmount(BigInt(row.amount_raw), row.decimals)]),
      ),
    };
  },
});

async function readBalances(sql: Sql, id: string, projectId: string): Promise<BalanceAt[]> {
  const { rows } = await sql.query<BalanceAt>(
    `SELECT b.asset_gid, b.amount_raw::text, a.decimals FROM ${SHOWN_BALANCES} ORDER BY b.asset_gid`,
    [id, projectId],
  );
  return rows;
}

interface Asked {
  readonly id: string;
  readonly chainFamily: string;
  readonly block: number;
  readonly chainGid: string | undefined;
}

interface ChainRow {
  readonly gid: string;
  /** The first block that counts for the address. */
  readonly from_block: number;
  /** The last block that was analysed. */
  readonly until_block: number | null;
}

/**
 * The chain that a block number is of. @throws ProblemError 400 where several are meant, 422 for a block that was not
 * watched or not analysed: nothing is known of the address there
 */
async function findBlockAsked(sql: Sql, asked: Asked): Promise<string> {
  const wanted = asked.chainGid && normalizeChainGid(asked.chainGid);
  const { rows } = await sql.query<ChainRow>(
    `SELECT c.gid, coalesce(w.from_block, i.start_number, 0) AS from_block, s.cursor_number AS until_block
     FROM blockchains c LEFT JOIN address_watches w ON w.chain_gid = c.gid AND w.address_id = $1
       LEFT JOIN ingestor_states i ON i.chain_gid = c.gid LEFT JOIN analyzer_states s ON s.chain_gid = c.gid
     WHERE c.family = $2 AND CASE WHEN $3::text IS NULL THEN c.is_active ELSE c.gid = $3 END`,
    [asked.id, asked.chainFamily, wanted ?? null],
  );
  const [chain, ...others] = rows;
  if (chain === undefined || others.length > 0)
    throw invalidRequest([
      { name: 'chain_gid', reason: `expected the chain of at_block, because ${rows.length} could be meant` },
    ]);
  const { gid, from_block: from, until_block: until } = chain;
  if (asked.block < from)
    throw unprocessableEntity(
      `Expected a block from ${from} on: the address is watched on ${gid} from there, and nothing is known of it before.`,
    );
  if (until === null || asked.block > until)
    throw unprocessableEntity(
      `Expected a block up to ${until ?? 'the first one'}: ${gid} was analysed as far as there.`,
    );
  return gid;
}

interface BalanceAt {
  readonly asset_gid: string;
  readonly amount_raw: string;
  readonly decimals: number | null;
}

interface BlockOfAddress {
  readonly id: string;
  readonly projectId: string;
  /** Canonical. */
  readonly address: string;
  readonly chainGid: string;
  readonly block: number;
}

interface AccountBalanceAt extends BalanceAt {
  readonly before: number | null;
  readonly after: number | null;
  readonly is_certain: boolean;
}

/**
 * A reading of the state at a node's head may hold a part of the block that the node takes just then: it counts where the
 * next block is analysed and has nothing of the address.
 */
const IS_CLEAN = `(NOT $6 OR (h.block_number < (SELECT s.cursor_number FROM analyzer_states s WHERE s.chain_gid = $4)
  AND NOT EXISTS (SELECT FROM transactions x JOIN transaction_addresses t ON t.transaction_id = x.id AND t.address_id = $1
    WHERE x.project_id = $2 AND x.chain_gid = $4 AND x.block_number = h.block_number + 1)))`;

/** The next reading of a balance, in either direction. */
const readingSql = (side: 'before' | 'after'): string =>
  `LEFT JOIN LATERAL (SELECT h.amount_raw, h.block_number FROM balance_history h
     WHERE h.address_id = $1 AND h.asset_gid = b.asset_gid AND h.block_number ${side === 'before' ? '<=' : '>'} $5 AND ${IS_CLEAN}
     ORDER BY h.block_number ${side === 'before' ? 'DESC' : ''} LIMIT 1) ${side} ON true`;

/**
 * The last reading at or before the block, plus what transfers and fees moved since. A token that was discovered later is
 * computed back from its first reading. Native coins are not: stakes and untraced calls move them too. Two readings whose
 * difference transfers and fees do not explain are both in doubt: a node may have answered for another block.
 * `isHeadOnly`: nodes tell the state at their head alone.
 * @throws ProblemError 422 where that may not be exact
 */
async function readAccountBalancesAt(
  sql: Sql,
  at: BlockOfAddress,
  isHeadOnly: boolean,
): Promise<BalanceAt[]> {
  const { rows: waiting } = await sql.query(
    'SELECT FROM balance_reads WHERE address_id = $1 AND chain_gid = $2 AND coalesce(block_number, 0) <= $3 + 1 LIMIT 1',
    [at.id, at.chainGid, at.block],
  );
  if (waiting.length > 0)
    throw unprocessableEntity(
      `Expected balances that were read up to block ${at.block}: some are still to be read. Ask again in a moment.`,
    );
  const { rows } = await sql.query<AccountBalanceAt>(
    `WITH held AS MATERIALIZED (
       SELECT b.asset_gid, a.decimals, a.type = 'native' AS is_native, before.amount_raw AS before_raw, before.block_number AS before,
         after.amount_raw AS after_raw, after.block_number AS after
       FROM ${SHOWN_BALANCES} ${readingSql('before')} ${readingSql('after')}
       WHERE b.chain_gid = $4 AND EXISTS (SELECT FROM balance_history h WHERE h.address_id = $1 AND h.asset_gid = b.asset_gid)),
     -- Far apart are only readings between which little moved.
     mine AS MATERIALIZED (
       SELECT x.id, x.block_number, x.fee_payer, x.fee_asset_gid, x.fee_amount_raw FROM transactions x
       WHERE x.project_id = $2 AND x.chain_gid = $4 AND x.status <> 'reorged'
         AND x.block_number > (SELECT min(coalesce(before, $5)) FROM held) AND x.block_number <= (SELECT max(coalesce(after, $5)) FROM held)
         AND EXISTS (SELECT FROM transaction_addresses t WHERE t.address_id = $1 AND t.transaction_id = x.id)),
     moved AS (
       SELECT h.asset_gid, coalesce(sum(m.amount) FILTER (WHERE x.block_number <= $5), 0) AS until_then,
         coalesce(sum(m.amount) FILTER (WHERE x.block_number > $5), 0) AS since
       FROM held h JOIN mine x ON x.block_number > coalesce(h.before, $5) AND x.block_number <= coalesce(h.after, $5)
       CROSS JOIN LATERAL (
         SELECT CASE WHEN f.to_address = $3 THEN f.amount_raw ELSE 0 END - CASE WHEN f.from_address = $3 THEN f.amount_raw ELSE 0 END AS amount
           FROM transfers f WHERE f.transaction_id = x.id AND f.asset_gid = h.asset_gid
         UNION ALL
         SELECT -x.fee_amount_raw WHERE x.fee_payer = $3 AND x.fee_asset_gid = h.asset_gid) m
       GROUP BY h.asset_gid)
     SELECT h.asset_gid, h.decimals, h.before, h.after,
       coalesce(h.before_raw + coalesce(m.until_then, 0), h.after_raw - coalesce(m.since, 0))::text AS amount_raw,
       coalesce(h.before, CASE WHEN NOT h.is_native THEN h.after END) IS NOT NULL
         AND coalesce(h.after_raw - h.before_raw = coalesce(m.until_then, 0) + coalesce(m.since, 0), true)
         -- A reading showed what nothing explains, and a second one has not decided yet.
         AND NOT EXISTS (SELECT FROM balance_differences d WHERE d.address_id = $1 AND d.asset_gid = h.asset_gid AND coalesce(d.since_number, -1) < $5) AS is_certain
     FROM held h LEFT JOIN moved m USING (asset_gid) ORDER BY h.asset_gid`,
    [at.id, at.projectId, at.address, at.chainGid, at.block, isHeadOnly],
  );
  const doubt = rows.find((row) => !row.is_certain);
  if (doubt !== undefined)
    throw unprocessableEntity(
      `Expected a block at which all balances are certain: that of ${doubt.asset_gid} ${describe(doubt)}.`,
    );
  return rows;
}

function describe({ before, after }: AccountBalanceAt): string {
  return before === null || after === null
    ? 'was not read up to there, or only just before a block that moved it'
    : `changed between its readings at ${before} and ${after} by more than transfers and fees, or a reading of it is checked again`;
}

/**
 * The coins that were unspent after the block.
 * @throws ProblemError 422 while coins from before the address was watched are not all known
 */
async function readCoinBalancesAt(sql: Sql, at: BlockOfAddress): Promise<BalanceAt[]> {
  const { rows: searches } = await sql.query<{ status: string }>(
    `SELECT status FROM address_backfills WHERE address_id = $1 AND chain_gid = $2 AND status <> 'complete'`,
    [at.id, at.chainGid],
  );
  if (searches[0] !== undefined)
    throw unprocessableEntity(
      `Expected all coins of the address to be known: the search for earlier ones is ${searches[0].status}. See its backfills.`,
    );
  const { rows } = await sql.query<BalanceAt>(
    `SELECT b.asset_gid, a.decimals, (
       SELECT coalesce(sum(u.amount_raw), 0) FROM utxos u
       WHERE u.chain_gid = $4 AND u.address = $3 AND u.block_number <= $5
         AND (u.spent_block_number IS NULL OR u.spent_block_number > $5))::text AS amount_raw
     FROM ${SHOWN_BALANCES} WHERE b.chain_gid = $4`,
    [at.id, at.projectId, at.address, at.chainGid, at.block],
  );
  return rows;
}
