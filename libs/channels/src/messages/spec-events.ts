// SPDX-License-Identifier: Apache-2.0
import { EVENTS, EVENT_TYPES, type EventType } from '@chainwatch/events';
import type { NameBook, NamedNetwork } from './name-book.ts';

const AT = '2026-01-01T00:00:00.000Z';
const ID = '6f1d1f4e-0000-4000-8000-000000000001';

/** One chain of each family. */
const FAMILIES = {
  evm: {
    ...{ chain: 'eip155:1', coin: 'slip44:60', symbol: 'ETH', name: 'Ethereum' },
    ...{
      address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
      sender: '0x742d35Cc6634C0532925a3b844Bc454e4438f44e',
    },
    hash: '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
  },
  bitcoin: {
    ...{ chain: 'bip122:000000000019d6689c085ae165831e93', coin: 'slip44:0', symbol: 'BTC', name: 'Bitcoin' },
    ...{ address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', sender: null },
    hash: 'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16',
  },
  solana: {
    ...{
      chain: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
      coin: 'slip44:501',
      symbol: 'SOL',
      name: 'Solana',
    },
    address: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
    sender: '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK',
    hash: '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
  },
  tron: {
    ...{ chain: 'tron:0x2b6653dc', coin: 'slip44:195', symbol: 'TRX', name: 'TRON' },
    ...{ address: 'TNXoiAJ3dct8Fjg4M9fkLFh9S2v9TXc32G', sender: 'TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9' },
    hash: '7c2d4206c03a883dd9066d6c839ae1a0f7a1d2ddd3c8a1a8f4d0e1a5c2b3d4e5',
  },
} as const;
export type FamilyName = keyof typeof FAMILIES;
export const FAMILY_NAMES = Object.keys(FAMILIES) as FamilyName[];

/** A token whose contract calls itself as it likes. */
export const CONTRACT = '0x1f9840a85d5af5bf1d1762f925bdaddc4201f984';
export const TOKEN = `eip155:1/erc20:${CONTRACT}`;
export const USDT = 'eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7';

interface Given {
  /** Members of the transaction that differ. */
  readonly transaction?: object;
  /** Members of `data` that differ. */
  readonly data?: object;
  readonly label?: string | null;
  readonly isTest?: boolean;
  readonly isHistorical?: boolean;
}

/** A real event of a family, from its example. */
export function payloadOf(type: EventType, family: FamilyName, given: Given = {}): string {
  const { chain, coin, address, sender, hash } = FAMILIES[family];
  const example = JSON.stringify(EVENTS[type].example({ at: AT, id: () => ID }));
  const text = example
    .replaceAll('eip155:1/slip44:60', `${chain}/${coin}`)
    .replaceAll('eip155:1', chain)
    .replaceAll('0x000000000000000000000000000000000000dEaD', address)
    .replaceAll('"0x0000000000000000000000000000000000000001"', JSON.stringify(sender))
    .replaceAll(`0x${'0'.repeat(64)}`, hash)
    .replaceAll('"verification":null', '"verification":"proved"');
  const data = JSON.parse(text) as { transaction?: object; addresses?: { label: string | null }[] };
  for (const one of data.addresses ?? []) one.label = given.label === undefined ? 'Order 4711' : given.label;
  if (data.transaction !== undefined) Object.assign(data.transaction, given.transaction);
  Object.assign(data, given.data);
  return JSON.stringify({
    event_id: ID,
    type,
    api_version: 'v1',
    created_at: AT,
    is_test_message: given.isTest ?? false,
    project_id: ID,
    sequence: 1,
    ...(given.isHistorical && { is_historical: true }),
    data,
  });
}

/** A payment of a token: `delta` null where its decimals are not known. */
export function tokenPayment(
  assetGid: string,
  { delta, raw = '25000000', ...given }: Given & { readonly delta: string | null; readonly raw?: string },
): string {
  const { address, sender } = FAMILIES.evm;
  const shared = { asset_gid: assetGid };
  const transfers = [
    {
      ...{ index: 0, type: 'token', ...shared, from: sender, to: address, amount: delta, amount_raw: raw },
      ...{ decimals: delta === null ? null : 6, log_index: 1, memo: null, monitored_addresses: [address] },
    },
  ];
  const changes = [{ address_id: ID, address, ...shared, delta, delta_raw: raw }];
  const [type] = EVENT_TYPES;
  return payloadOf(type, 'evm', {
    ...given,
    transaction: { transfers, ...given.transaction },
    data: { balance_changes: changes, ...given.data },
  });
}

/** Names as a notifier has them. */
export function namesWith(
  tokens: ReturnType<NameBook['findToken']> = undefined,
  { publicUrl = 'https://watch.example.com' as string | undefined, hasExplorer = true } = {},
): NameBook {
  const networks = new Map(
    Object.values(FAMILIES).map(({ chain, coin, symbol, name }) => [
      chain as string,
      {
        displayName: name,
        native: { gid: `${chain}/${coin}`, symbol, name, decimals: 8 },
        ...(hasExplorer && {
          explorer: {
            transaction: 'https://explorer.example.com/tx/{hash}',
            address: 'https://explorer.example.com/address/{address}',
          },
        }),
      } as NamedNetwork,
    ]),
  );
  return {
    publicUrl,
    findNetwork: (gid) => networks.get(gid),
    findToken: (gid) => (gid === TOKEN ? tokens : undefined),
  };
}
