// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { defineRoute } from '../../define-route.ts';
import { findAddress } from '../../addresses/find-address.ts';
import { addressParams } from '../../records/address-input.ts';
import { listUtxoChains, type UtxoChain } from '../../records/utxo-chains.ts';
import type { Sql } from '@chainwatch/data/db';
import {
  CHECKED_AT,
  ownerValues,
  PENDING_MOVES,
  SHOWN_BALANCES,
  type BalanceOwner,
  type BalanceRow,
  COINS_CHECKED_AT,
} from './balance-row.ts';
import { formatKnownAmount, scaleAmount } from '@chainwatch/common/amounts';
import { currentMultiplier } from '../../records/token.ts';
import { nativeOf } from '@chainwatch/chain-core';

const detailsSchema = z
  .object({
    asset_gid: z.string().meta({ description: 'The asset as CAIP-19.', examples: ['eip155:1/slip44:60'] }),
    total: z
      .string()
      .nullable()
      .meta({
        description:
          'Total of the address, in whole units, as of the last processed block: confirmed + unconfirmed + immature. Null, as every amount here, while the decimals of the token are not known.',
        examples: ['1.5'],
      }),
    total_raw: z.string().meta({ description: '`total` in base units.', examples: ['1500000000000000000'] }),
    decimals: z
      .int()
      .nullable()
      .meta({
        description: 'Decimal places between base and whole units. Null while they are not known.',
        examples: [18],
      }),
    ui_multiplier: z
      .string()
      .nullable()
      .meta({
        description:
          'What wallets multiply amounts of this token with now. Null where the token has no multiplier, as most.',
        examples: [null],
      }),
    ui_amount: z
      .string()
      .nullable()
      .meta({
        description:
          'What wallets show: `total` times `ui_multiplier`, cut off after the decimals of the token. For people; amounts that move are without it. Null where `ui_multiplier` or `decimals` is.',
        examples: [null],
      }),
    confirmed: z
      .string()
      .nullable()
      .meta({
        description:
          'In blocks with the confirmations that the chain requires. Null while no balance was read in such a block.',
        examples: ['1.5'],
      }),
    unconfirmed: z
      .string()
      .nullable()
      .meta({
        description: 'What newer blocks changed; below zero where they spent. Null where `confirmed` is.',
        examples: ['0'],
      }),
    spendable: z
      .string()
      .nullable()
      .meta({
        description:
          '`total` without `immature`: the next block may spend it. Pending transactions are not deducted. Outside Bitcoin equal to `total`.',
        examples: ['1.5'],
      }),
    spendable_raw: z.string().meta({
      description: '`spendable` in base units.',
      examples: ['1500000000000000000'],
    }),
    immature: z
      .string()
      .nullable()
      .meta({
        description:
          'Coinbase outputs (block rewards) of Bitcoin that the next block may not spend yet. Outside Bitcoin 0.',
        examples: ['0'],
      }),
    immature_raw: z.string().meta({ description: '`immature` in base units.', examples: ['0'] }),
    pending_in: z
      .string()
      .nullable()
      .meta({
        description:
          'What pending transactions pay to the address, its own change included; no part of the total.',
        examples: ['0'],
      }),
    pending_out: z
      .string()
      .nullable()
      .meta({ description: 'What pending transactions take from the address.', examples: ['0'] }),
    checked_at: z.iso
      .datetime()
      .nullable()
      .meta({
        description:
          'When this balance was last read from the chain, or later: rounds read all balances again. On Bitcoin: when its coins were last compared with those of a node; null before that, and while no node reports the coins of an address.',
        examples: ['2026-11-28T09:00:00.000Z'],
      }),
  })
  .meta({ id: 'BalanceDetails' });

export const getBalanceDetails = defineRoute({
  method: 'GET',
  path: '/addresses/:address/balances/details',
  permission: 'api:address:read',
  summary: 'Balances of an address by asset: confirmed, unconfirmed, and immature',
  params: addressParams,
  responses: { 200: z.object({ items: z.array(detailsSchema).meta({ description: 'By asset.' }) }) },
  handle: async ({ params, principal }, deps) => {
    const address = await findAddress(deps, principal, params.address);
    const chains = await listUtxoChains(address.chainFamily);
    const rows =
      chains.length > 0
        ? await readCoinBalances(deps.db, address, chains)
        : await readAccountBalances(deps.db, address);
    return { status: 200, body: { items: rows.map(toBalanceDetails) } };
  },
});

/**
 * Balances as the chain reported them. The confirmed balance is the one at the last confirmed block: the current
 * balance if it was read at that block or before, otherwise the last one that was.
 */
async function readAccountBalances(sql: Sql, owner: BalanceOwner): Promise<BalanceRow[]> {
  const { rows } = await sql.query<BalanceRow>(
    `SELECT b.asset_gid, a.decimals, a.ui_multiplier, b.amount_raw::text AS total_raw,
            (CASE WHEN b.block_number <= s.confirmed_number THEN b.amount_raw ELSE h.amount_raw END)::text AS confirmed_raw,
            '0' AS immature_raw, p.moved_in::text AS pending_in_raw, p.moved_out::text AS pending_out_raw, ${CHECKED_AT} AS checked_at
     FROM ${SHOWN_BALANCES}
     LEFT JOIN analyzer_states s ON s.chain_gid = b.chain_gid
     LEFT JOIN LATERAL (
       SELECT h.amount_raw FROM balance_history h LEFT JOIN blocks k ON k.chain_gid = h.chain_gid AND k.hash = h.block_hash
       WHERE h.address_id = b.address_id AND h.asset_gid = b.asset_gid AND h.block_number <= s.confirmed_number AND k.status IS DISTINCT FROM 'reorged'
       ORDER BY h.block_number DESC LIMIT 1
     ) h ON true
     ${PENDING_MOVES}
     ORDER BY b.asset_gid`,
    ownerValues(owner),
  );
  return rows;
}

interface BalanceDetails {
  asset_gid: string;
  total: string | null;
  total_raw: string;
  decimals: number | null;
  ui_multiplier: string | null;
  ui_amount: string | null;
  confirmed: string | null;
  unconfirmed: string | null;
  spendable: string | null;
  spendable_raw: string;
  immature: string | null;
  immature_raw: string;
  pending_in: string | null;
  pending_out: string | null;
  checked_at: string | null;
}

function toBalanceDetails(row: BalanceRow): BalanceDetails {
  const show = (raw: bigint): string | null => formatKnownAmount(raw, row.decimals);
  const total = BigInt(row.total_raw);
  const immature = BigInt(row.immature_raw);
  const multiplier = currentMultiplier(row.ui_multiplier);
  const confirmed = row.confirmed_raw === null ? undefined : BigInt(row.confirmed_raw);
  return {
    asset_gid: row.asset_gid,
    total: show(total),
    total_raw: row.total_raw,
    decimals: row.decimals,
    ui_multiplier: multiplier ?? null,
    ui_amount:
      multiplier === undefined || row.decimals === null ? null : scaleAmount(total, row.decimals, multiplier),
    confirmed: confirmed === undefined ? null : show(confirmed),
    unconfirmed: confirmed === undefined ? null : show(total - confirmed - immature),
    spendable: show(total - immature),
    spendable_raw: String(total - immature),
    immature: show(immature),
    immature_raw: row.immature_raw,
    pending_in: show(BigInt(row.pending_in_raw)),
    pending_out: show(BigInt(row.pending_out_raw)),
    checked_at: row.checked_at?.toISOString() ?? null,
  };
}

/**
 * Balances computed from the coins, all in one snapshot. A coinbase is immature until it may be spent; from then on it
 * is confirmed.
 */
async function readCoinBalances(
  sql: Sql,
  owner: BalanceOwner,
  chains: readonly UtxoChain[],
): Promise<BalanceRow[]> {
  const { rows } = await sql.query<BalanceRow>(
    `SELECT b.asset_gid, a.decimals, NULL AS ui_multiplier, c.total::text AS total_raw, c.confirmed::text AS confirmed_raw, c.immature::text AS immature_raw,
            p.moved_in::text AS pending_in_raw, p.moved_out::text AS pending_out_raw, ${COINS_CHECKED_AT} AS checked_at
     FROM ${SHOWN_BALANCES}
     JOIN unnest($4::text[], $5::text[], $6::bigint[], $7::bigint[]) AS n (chain_gid, asset_gid, required, maturity) ON n.asset_gid = b.asset_gid
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(u.amount_raw), 0) AS total,
              coalesce(sum(u.amount_raw) FILTER (WHERE u.is_coinbase AND u.depth < n.maturity), 0) AS immature,
              coalesce(sum(u.amount_raw) FILTER (WHERE u.depth >= n.required AND NOT (u.is_coinbase AND u.depth < n.maturity)), 0) AS confirmed
       FROM (
         SELECT u.amount_raw, u.is_coinbase, coalesce(s.head_number - u.block_number + 1, 0) AS depth
         FROM utxos u LEFT JOIN ingestor_states s ON s.chain_gid = u.chain_gid
         WHERE u.chain_gid = n.chain_gid AND u.address = $3 AND u.spent_block_number IS NULL
       ) u
     ) c
     ${PENDING_MOVES}
     ORDER BY b.asset_gid`,
    [
      ...ownerValues(owner),
      chains.map(({ network }) => network.gid),
      chains.map(({ network }) => nativeOf(network).gid),
      chains.map(({ network }) => network.confirmation.depth),
      chains.map(({ coinbaseMaturity }) => coinbaseMaturity),
    ],
  );
  return rows;
}
