// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import type { Random } from '../random.ts';

/** Members that the cases read; the event has more. */
export interface MadeTransfer {
  readonly type: string;
  readonly asset_gid: string;
  readonly from: string;
  readonly to: string;
  readonly amount: string | null;
  readonly amount_raw: string;
  readonly memo: string | null;
}

interface MadeAddress {
  readonly groups: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
}

interface MadeTransaction {
  readonly direction: string;
  readonly block_number: number;
  readonly fee: { readonly amount_raw: string } | null;
  readonly transfers: readonly MadeTransfer[];
}

/** Of the two types that the channels subscribe to; `transaction` is absent in balance.changed. */
export interface MadeEvent {
  readonly event_id: string;
  readonly type: 'transaction.detected' | 'balance.changed';
  readonly data: {
    readonly transaction?: MadeTransaction;
    readonly delta_raw?: string;
    readonly addresses: readonly MadeAddress[];
  };
}

/** An expression, and the same in TypeScript: the two share no code. */
export interface ExpressionCase {
  readonly expression: string;
  readonly wants: (event: MadeEvent) => boolean;
}

const CHAIN = 'eip155:31337';
const DECIMALS = 6;
const PLACES = 10;
const assetOf = (place: number): string => `${CHAIN}/erc20:0x${String(place).padStart(40, 'c')}`;
const accountOf = (place: number): string => `0xAb${String(place).padStart(38, 'D')}`;
const unitsOf = (whole: number): bigint => BigInt(whole) * 10n ** BigInt(DECIMALS);

const someTransfer = (event: MadeEvent, test: (transfer: MadeTransfer) => boolean): boolean =>
  event.data.transaction?.transfers.some(test) ?? false;

const casesOfTransfers = (place: number): readonly ExpressionCase[] => [
  {
    expression: `event.data.transaction.transfers.exists(t, amount(t.amount) > ${900_000 + place * 9_000})`,
    wants: (event) =>
      someTransfer(
        event,
        (t) => t.amount !== null && BigInt(t.amount_raw) > unitsOf(900_000 + place * 9_000),
      ),
  },
  {
    expression: `event.data.transaction.transfers.exists(t, t.asset_gid == "${assetOf(place)}" && amount(t.amount) >= amount("500000.5"))`,
    wants: (event) =>
      someTransfer(
        event,
        (t) =>
          t.asset_gid === assetOf(place) && t.amount !== null && BigInt(t.amount_raw) >= 500_000_500_000n,
      ),
  },
  {
    expression: `event.data.transaction.transfers.exists(t, t.from in ["${accountOf(place)}", "${accountOf(place + 100)}"])`,
    wants: (event) =>
      someTransfer(event, ({ from }) => from === accountOf(place) || from === accountOf(place + 100)),
  },
  {
    expression: `event.data.transaction.transfers.exists(t, t.to.lowerAscii() == "${accountOf(place).toLowerCase()}" && t.type != "internal")`,
    wants: (event) =>
      someTransfer(
        event,
        ({ to, type }) => to.toLowerCase() === accountOf(place).toLowerCase() && type !== 'internal',
      ),
  },
  {
    expression: `event.data.transaction.transfers.exists(t, t.memo != null && t.memo.startsWith("order ${place + 1}7"))`,
    wants: (event) => someTransfer(event, ({ memo }) => memo?.startsWith(`order ${place + 1}7`) ?? false),
  },
];

const casesOfEvents = (place: number): readonly ExpressionCase[] => [
  {
    expression: `event.data.addresses.exists(a, "shop-${place}" in a.groups && "vip" in a.groups)`,
    wants: ({ data }) =>
      data.addresses.some(({ groups }) => groups.includes(`shop-${place}`) && groups.includes('vip')),
  },
  {
    expression: `event.data.addresses.exists(a, has(a.metadata.tier) && a.metadata.tier == "gold-${place}")`,
    wants: ({ data }) => data.addresses.some(({ metadata }) => metadata['tier'] === `gold-${place}`),
  },
  {
    expression: `event.type == "balance.changed" ? amount(event.data.delta_raw) > ${unitsOf(200_000 + place * 70_000)} : event.data.transaction.direction == "self" && event.data.transaction.transfers.size() == 3 && event.data.transaction.block_number < ${1_000 + place * 1_000}`,
    wants: ({ type, data }) =>
      type === 'balance.changed'
        ? BigInt(data.delta_raw!) > unitsOf(200_000 + place * 70_000)
        : data.transaction!.direction === 'self' &&
          data.transaction!.transfers.length === 3 &&
          data.transaction!.block_number < 1_000 + place * 1_000,
  },
  {
    expression: `event.data.transaction.transfers.all(t, t.asset_gid == "${assetOf(place)}") && event.data.transaction.direction == "out"`,
    wants: ({ data: { transaction } }) =>
      transaction !== undefined &&
      transaction.direction === 'out' &&
      transaction.transfers.every(({ asset_gid: asset }) => asset === assetOf(place)),
  },
  {
    expression: `event.data.transaction.fee != null && amount(event.data.transaction.fee.amount_raw) > ${990_000 + place * 900}`,
    wants: ({ data: { transaction } }) =>
      transaction !== undefined &&
      transaction.fee !== null &&
      BigInt(transaction.fee.amount_raw) > BigInt(990_000 + place * 900),
  },
];

/** Ten expressions with ten places each: amounts, assets, accounts, memos, groups, metadata, fees, and types. */
export const EXPRESSION_CASES: readonly ExpressionCase[] = Array.from(
  { length: PLACES },
  (_, place) => place,
).flatMap((place) => [...casesOfTransfers(place), ...casesOfEvents(place)]);

function amountOf(raw: bigint): string {
  const digits = raw.toString().padStart(DECIMALS + 1, '0');
  const decimals = digits.slice(-DECIMALS).replace(/0+$/, '');
  return digits.slice(0, -DECIMALS) + (decimals === '' ? '' : `.${decimals}`);
}

function makeTransfer(random: Random, index: number): MadeTransfer {
  const raw = unitsOf(random.int(0, 999_999)) + BigInt(random.int(0, 999_999));
  const isUnknown = random.next() < 0.01;
  return {
    ...{ index, type: random.pick(['token', 'token', 'internal']), asset_gid: assetOf(random.int(0, 39)) },
    ...{ from: accountOf(random.int(0, 399)), to: accountOf(random.int(0, 199)) },
    ...{
      amount: isUnknown ? null : amountOf(raw),
      amount_raw: raw.toString(),
      decimals: isUnknown ? null : DECIMALS,
    },
    ...{ log_index: index, memo: random.next() < 0.3 ? `order ${random.int(0, 999)}` : null },
    ...{ monitored_addresses: [] },
  };
}

function makeAddress(random: Random): MadeAddress {
  const tier = random.int(0, 99);
  return {
    ...{ address_id: randomUUID(), address: accountOf(random.int(0, 199)), label: null },
    groups: random.next() < 0.1 ? ['vip', `shop-${random.int(0, 19)}`] : [`shop-${random.int(0, 19)}`],
    metadata: tier < 40 ? { tier: `gold-${tier}` } : {},
    ...{ metadata_truncated: false },
  };
}

/** A made-up event of a project; one in a hundred is of a balance. */
export function makeEvent(random: Random, projectId: string, sequence: number): MadeEvent {
  const at = '2026-11-01T00:00:00.000Z';
  const id = randomUUID();
  const envelope = {
    ...{ event_id: id, api_version: 'v1', created_at: at, is_test_message: false },
    ...{ project_id: projectId, sequence },
  };
  const addresses = [makeAddress(random)];
  const block = { block_number: random.int(0, 99_999), block_hash: `0x${'b'.repeat(64)}` };
  if (random.next() < 0.01) {
    const raw = unitsOf(random.int(-999_999, 999_999)).toString();
    const data = {
      ...{
        address_id: randomUUID(),
        address: accountOf(1),
        chain_gid: CHAIN,
        asset_gid: assetOf(1),
        ...block,
      },
      ...{ previous: null, current: '1', current_raw: '1000000', delta: null, delta_raw: raw, changes: [] },
      ...{ is_confirmed: false, verification: 'proved', addresses },
    };
    return { ...envelope, type: 'balance.changed', data };
  }
  const transaction = {
    ...{ id, chain_gid: CHAIN, hash: `0x${sequence.toString(16).padStart(64, '0')}`, status: 'detected' },
    ...{ direction: random.pick(['in', 'out', 'self']), ...block, block_timestamp: at, tx_index: 0 },
    ...{
      confirmations: 1,
      required_confirmations: 12,
      memo: null,
      matures_at_block: null,
      replaced_by: null,
    },
    fee:
      random.next() < 0.5
        ? null
        : {
            asset_gid: assetOf(0),
            amount: null,
            amount_raw: String(random.int(0, 999_999)),
            payer: accountOf(0),
          },
    transfers: Array.from({ length: random.int(1, 3) }, (_, index) => makeTransfer(random, index)),
    ...{ verification: 'proved', detected_at: at, confirmed_at: null, reorged_at: null },
  };
  const data = { transaction, balance_changes: [], addresses, truncated: false };
  return { ...envelope, type: 'transaction.detected', data };
}
