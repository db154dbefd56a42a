// SPDX-License-Identifier: Apache-2.0
import {
  BITCOIN,
  blockOfPayment,
  BTC,
  ETH,
  ETHEREUM,
  HEAD,
  SOL,
  SOLANA,
  TRON,
  USDC,
  USDT,
} from './chains.ts';
import { account, ago, hash, make, NOW_MS, uuid, type Schemas } from './make-record.ts';

type Transaction = Schemas['TransactionWithAddresses'];

/** The address whose payment is followed. */
const CUSTOMER = account('customer 42');

interface AddressLine {
  readonly address: string;
  readonly label: string | null;
  readonly family: Schemas['ExternalAddress']['chain_family'];
  readonly days: number;
  readonly groups?: readonly string[];
  readonly isPaused?: boolean;
}

const ADDRESS_LINES: readonly AddressLine[] = [
  { address: CUSTOMER, label: 'Customer 42', family: 'evm', days: 12, groups: ['customers', 'eu'] },
  {
    address: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    label: 'Order 10 318',
    family: 'bitcoin',
    days: 1,
    groups: ['orders'],
  },
  { address: account('treasury'), label: 'Treasury', family: 'evm', days: 240 },
  {
    address: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
    label: 'Smith, Ann',
    family: 'solana',
    days: 3,
    groups: ['customers'],
  },
  { address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', label: 'Customer 7', family: 'tron', days: 41 },
  { address: account('old'), label: null, family: 'evm', days: 310, isPaused: true },
];

export const addresses = ADDRESS_LINES.map(
  ({ address, label, family, days, groups = [], isPaused = false }) =>
    make('ExternalAddress', {
      id: uuid(address),
      address,
      label,
      chain_family: family,
      format: family === 'bitcoin' ? 'p2wpkh' : family,
      groups: [...groups],
      is_monitored: !isPaused,
      watched_from: family === 'evm' ? { [ETHEREUM]: HEAD - 86_400 } : {},
      created_at: ago(days, 'd'),
      backfill: null,
    }),
);

interface Payment {
  readonly name: string;
  readonly chain: string;
  readonly asset: string;
  readonly amount: string;
  readonly decimals: number;
  readonly own: string;
  readonly agoSeconds: number;
  readonly confirmations: readonly [number, number];
  readonly status: Transaction['status'];
  readonly isOut?: boolean;
}

function transaction({
  name,
  chain,
  asset,
  own,
  agoSeconds,
  isOut = false,
  ...payment
}: Payment): Transaction {
  const { amount, decimals, status } = payment;
  const [confirmations, required] = payment.confirmations;
  const other = chain === ETHEREUM ? account(`payer of ${name}`) : hash(name).slice(2, 40);
  const isMined = status !== 'pending';
  const block = blockOfPayment(HEAD - confirmations + 1);
  const { id: addressId, label, groups } = addresses.find(({ address }) => address === own)!;
  return make('TransactionWithAddresses', {
    id: uuid(name),
    addresses: [{ address_id: addressId, address: own, label, groups }],
    chain_gid: chain,
    hash: chain === ETHEREUM ? hash(name) : hash(name).slice(2),
    status,
    direction: isOut ? 'out' : 'in',
    block_number: isMined ? block.number : null,
    block_hash: isMined ? block.hash : null,
    block_timestamp: isMined ? ago(agoSeconds + 2, 's') : null,
    tx_index: isMined ? 84 : null,
    confirmations,
    required_confirmations: required,
    memo: null,
    matures_at_block: null,
    fee: chain === ETHEREUM ? { asset_gid: ETH, amount: '0.000081', amount_raw: '81000000000000' } : null,
    transfers: [
      make('Transfer', {
        index: 0,
        type: asset.includes('slip44') ? 'native' : 'token',
        asset_gid: asset,
        from: isOut ? own : other,
        to: isOut ? other : own,
        amount,
        amount_raw: toRaw(amount, decimals),
        decimals,
        log_index: null,
        memo: null,
        monitored_addresses: [own],
      }),
    ],
    detected_at: ago(agoSeconds, 's'),
    confirmed_at: status === 'confirmed' ? ago(agoSeconds - 150, 's') : null,
    reorged_at: status === 'reorged' ? ago(agoSeconds - 40, 's') : null,
  });
}

function toRaw(amount: string, decimals: number): string {
  const [whole = '', fraction = ''] = amount.split('.');
  return String(BigInt(whole + fraction.padEnd(decimals, '0')));
}

const [customer, order, treasury, ann, seven] = addresses.map(({ address }) => address) as [
  string,
  string,
  string,
  string,
  string,
];

export const transactions: readonly Transaction[] = [
  transaction({
    name: 'order 10318',
    chain: BITCOIN,
    asset: BTC,
    amount: '0.01834021',
    decimals: 8,
    own: order,
    agoSeconds: 38,
    confirmations: [0, 3],
    status: 'pending',
  }),
  transaction({
    name: 'deposit of customer 42',
    chain: ETHEREUM,
    asset: USDC,
    amount: '1250',
    decimals: 6,
    own: customer,
    agoSeconds: 88,
    confirmations: [7, 12],
    status: 'detected',
  }),
  transaction({
    name: 'ann',
    chain: SOLANA,
    asset: SOL,
    amount: '14.25',
    decimals: 9,
    own: ann,
    agoSeconds: 7 * 60,
    confirmations: [32, 32],
    status: 'confirmed',
  }),
  transaction({
    name: 'payout',
    chain: ETHEREUM,
    asset: ETH,
    amount: '3.000000000000000001',
    decimals: 18,
    own: treasury,
    agoSeconds: 21 * 60,
    confirmations: [12, 12],
    status: 'confirmed',
    isOut: true,
  }),
  transaction({
    name: 'seven',
    chain: TRON,
    asset: USDT,
    amount: '480.5',
    decimals: 6,
    own: seven,
    agoSeconds: 64 * 60,
    confirmations: [19, 19],
    status: 'confirmed',
  }),
  transaction({
    name: 'gone',
    chain: ETHEREUM,
    asset: USDC,
    amount: '75.1',
    decimals: 6,
    own: customer,
    agoSeconds: 3 * 3_600,
    confirmations: [0, 12],
    status: 'reorged',
  }),
  transaction({
    name: 'refused',
    chain: ETHEREUM,
    asset: ETH,
    amount: '0.5',
    decimals: 18,
    own: treasury,
    agoSeconds: 26 * 3_600,
    confirmations: [12, 12],
    status: 'failed',
    isOut: true,
  }),
];

/** The payment whose way is shown. */
export const followed = transactions[1]!;

export const balances = [
  { asset_gid: USDC, total: '3875.1', total_raw: '3875100000', decimals: 6, confirmed: '2625.1' },
  { asset_gid: ETH, total: '0.042', total_raw: '42000000000000000', decimals: 18, confirmed: '0.042' },
].map((balance) => ({
  ...balance,
  ui_multiplier: null,
  ui_amount: null,
  unconfirmed: balance.asset_gid === USDC ? '1250' : '0',
  spendable: balance.total,
  spendable_raw: balance.total_raw,
  immature: '0',
  immature_raw: '0',
  pending_in: '0',
  pending_out: '0',
  checked_at: '2026-09-14T09:00:00.000Z',
}));

export const stats = make('Stats', {
  address_count: 12_408,
  transactions: { pending: 1, detected: 4, confirmed: 38_112, reorged: 3, failed: 17 },
  channels: { active: 3, failing: 1, failed: 0, archived: 0 },
  deliveries: { pending: 2, held: 0, delivered: 91_204, failed: 6, discarded: 0 },
  events: {
    since: ago(1, 'h'),
    minutes: Array.from({ length: 60 }, (_, index) => ({
      at: new Date(Math.floor(NOW_MS / 60_000) * 60_000 - (59 - index) * 60_000).toISOString(),
      count: (index * index * 7 + index * 3) % 23,
    })).filter(({ count }) => count > 2),
  },
});

/** A day of quarters of an hour. */
export const seriesOf = (channelId: string | null) =>
  make('StatsSeries', {
    ...{ period: '24h', channel_id: channelId, step_seconds: 900 },
    points: Array.from({ length: 96 }, (_, index) => {
      const delivered = 40 + ((index * index * 7 + index * 3) % 61);
      const failed = index % 31 === 7 ? 9 : 0;
      return {
        at: new Date((Math.floor(NOW_MS / 900_000) - 95 + index) * 900_000).toISOString(),
        events: channelId === null ? Math.round(delivered / 3) : null,
        delivered,
        failed_attempts: failed,
        success_rate: Math.round((10_000 * delivered) / (delivered + failed)) / 10_000,
        latency: { mean_ms: 30 + ((index * 13) % 17), p95_ms: index % 31 === 7 ? 500 : 100 },
      };
    }),
  });

/** As events carry it. */
export function inEvent({ addresses: _addresses, ...transaction }: Transaction): Schemas['Transaction'] {
  return transaction;
}
