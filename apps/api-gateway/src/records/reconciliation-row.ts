// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { formatKnownAmount } from '@chainwatch/common/amounts';
import { splitChainGid } from '@chainwatch/common/caip';
import { findNetwork, findNotation } from '@chainwatch/chain-registry';
import type { Sql } from '@chainwatch/data/db';
import { classSchema } from './reconciliation.ts';

const decimal = (description: string, example: string) =>
  z
    .string()
    .nullable()
    .meta({ description, examples: [example] });

export const reconciliationRowSchema = z
  .object({
    line: z
      .int()
      .nullable()
      .meta({ description: 'In the ledger, from 1. Null for a movement that no row names.', examples: [2] }),
    class: classSchema
      .nullable()
      .meta({ description: 'Null until the row was matched.', examples: ['amount_differs'] }),
    reason: z
      .string()
      .nullable()
      .meta({
        description: 'Why it has this class: a word, or the column at fault, a colon, and a sentence.',
        examples: [null],
      }),
    reference: z
      .string()
      .nullable()
      .meta({ description: 'Of the ledger.', examples: ['INV-1042'] }),
    chain_gid: z
      .string()
      .nullable()
      .meta({ description: 'The chain, CAIP-2.', examples: ['eip155:1'] }),
    hash: z
      .string()
      .nullable()
      .meta({
        description: 'The hash of the transaction as the ledger writes it, or of the movement.',
        examples: ['0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'],
      }),
    event_id: z
      .uuid()
      .nullable()
      .meta({ description: 'Of the ledger.', examples: [null] }),
    address: z
      .string()
      .nullable()
      .meta({
        description: 'The address that paid or was paid.',
        examples: ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
      }),
    asset_gid: z
      .string()
      .nullable()
      .meta({ description: 'The asset, CAIP-19.', examples: ['eip155:1/slip44:60'] }),
    direction: z
      .enum(['in', 'out', 'self', 'fee'])
      .nullable()
      .meta({
        description:
          'As the ledger says it, or of the movement: `self` from an address to itself. Null: not said.',
        examples: ['in'],
      }),
    amount: decimal(
      'Of the ledger, in whole units of the asset, without its sign. Null while the decimals are not known.',
      '1.4',
    ),
    amount_raw: decimal('The same in base units.', '1400000000000000000'),
    chain_amount: decimal('What the transaction moved, in whole units.', '1.5'),
    chain_amount_raw: decimal('The same in base units.', '1500000000000000000'),
    difference: decimal(
      'The amount of the ledger less that of the chain, in whole units, where it differs.',
      '-0.1',
    ),
    difference_raw: decimal('The same in base units.', '-100000000000000000'),
    time: z.iso
      .datetime()
      .nullable()
      .meta({
        description: 'Of the ledger, or of the block of the movement.',
        examples: ['2026-10-01T12:00:00.000Z'],
      }),
    transaction_id: z
      .uuid()
      .nullable()
      .meta({
        description: 'The transaction of the project.',
        examples: ['6f1d1f4e-0000-5000-8000-000000000002'],
      }),
    duplicate_of_line: z
      .int()
      .nullable()
      .meta({ description: 'The line that was matched with the movement of a duplicate.', examples: [null] }),
  })
  .meta({ id: 'ReconciliationRow' });
type ReconciliationRowRecord = z.infer<typeof reconciliationRowSchema>;

interface Row {
  readonly id: string;
  readonly line: number | null;
  readonly class: ReconciliationRowRecord['class'];
  readonly reason: string | null;
  readonly reference: string | null;
  readonly chain_gid: string | null;
  readonly hash: string | null;
  readonly event_id: string | null;
  readonly address: string | null;
  readonly asset_gid: string | null;
  readonly direction: ReconciliationRowRecord['direction'];
  readonly amount_raw: string | null;
  readonly chain_amount_raw: string | null;
  readonly time: Date | null;
  readonly transaction_id: string | null;
  readonly first_line: number | null;
  readonly decimals: number | null;
}

/** In the order of the ids; those deleted meanwhile are missing. */
export async function readReconciliationRows(
  sql: Sql,
  ids: readonly string[],
): Promise<ReconciliationRowRecord[]> {
  const { rows } = await sql.query<Row>(
    `SELECT r.id, r.line, r.class, r.reason, r.reference, r.chain_gid, r.hash, r.event_id, r.address, r.asset_gid, r.direction,
       r.amount_raw::text, r.chain_amount_raw::text, r.time, r.transaction_id, r.first_line, a.decimals
     FROM unnest($1::bigint[]) WITH ORDINALITY AS p (id, place) JOIN reconciliation_rows r USING (id)
     LEFT JOIN assets a ON a.gid = r.asset_gid ORDER BY p.place`,
    [ids],
  );
  return Promise.all(rows.map(toRecord));
}

async function toRecord({ id: _id, first_line, decimals, ...row }: Row): Promise<ReconciliationRowRecord> {
  const { chain_gid: chainGid, asset_gid, address, amount_raw, chain_amount_raw } = row;
  const notation = chainGid === null ? undefined : await findNotation(splitChainGid(chainGid).namespace);
  const { gid, decimals: ofNative } = (chainGid === null ? undefined : findNetwork(chainGid)?.native) ?? {};
  const known = decimals ?? (gid === asset_gid ? ofNative : undefined);
  const difference =
    row.class === 'amount_differs' ? BigInt(amount_raw!) - BigInt(chain_amount_raw!) : undefined;
  const format = (raw: string | null): string | null =>
    raw === null ? null : formatKnownAmount(BigInt(raw), known);
  return {
    ...row,
    address: address === null ? null : (notation?.displayAddress?.(address) ?? address),
    amount: format(amount_raw),
    chain_amount: format(chain_amount_raw),
    difference: difference === undefined ? null : formatKnownAmount(difference, known),
    difference_raw: difference === undefined ? null : String(difference),
    time: row.time?.toISOString() ?? null,
    duplicate_of_line: first_line,
  };
}
