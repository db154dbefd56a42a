// SPDX-License-Identifier: Apache-2.0
import { ago, hash, make, type Schemas } from './make-record.ts';

export const ETHEREUM = 'eip155:1';
export const POLYGON = 'eip155:137';
export const BITCOIN = 'bip122:000000000019d6689c085ae165831e93';
export const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
export const TRON = 'tron:0x2b6653dc';

export const ETH = `${ETHEREUM}/slip44:60`;
export const USDC = `${ETHEREUM}/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48`;
export const BTC = `${BITCOIN}/slip44:0`;
export const SOL = `${SOLANA}/slip44:501`;
export const USDT = `${TRON}/trc20:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t`;

/** Head of Ethereum: payments stand below it. */
export const HEAD = 23_712_345;

type Sync = NonNullable<Schemas['Blockchain']['sync']>;

function sync(head: number, own: Partial<Sync> = {}): Sync {
  return {
    status: 'following',
    reason: null,
    updated_at: ago(2, 's'),
    head_number: head,
    node_head_number: head,
    finalized_number: head - 64,
    processed_number: head,
    lag_blocks: 0,
    balances_checked_at: null,
    block_time_ms: null,
    configured_block_time_ms: null,
    proofs: [],
    incident_count: 0,
    ...own,
  };
}

export const chains: readonly Schemas['Blockchain'][] = [
  make('Blockchain', {
    gid: ETHEREUM,
    name: 'ethereum',
    display_name: 'Ethereum',
    family: 'evm',
    is_active: true,
    has_endpoint: true,
    sync: sync(HEAD),
  }),
  make('Blockchain', {
    gid: BITCOIN,
    name: 'bitcoin',
    display_name: 'Bitcoin',
    family: 'bitcoin',
    is_active: true,
    has_endpoint: true,
    sync: sync(921_004, { finalized_number: 920_998, updated_at: ago(4, 's') }),
  }),
  make('Blockchain', {
    gid: SOLANA,
    name: 'solana',
    display_name: 'Solana',
    family: 'solana',
    is_active: true,
    has_endpoint: true,
    sync: sync(377_112_334, { processed_number: 377_112_331, lag_blocks: 3, finalized_number: 377_112_302 }),
  }),
  make('Blockchain', {
    gid: TRON,
    name: 'tron',
    display_name: 'TRON',
    family: 'tron',
    is_active: true,
    has_endpoint: true,
    sync: sync(77_204_118, { status: 'catching_up', processed_number: 77_203_904, lag_blocks: 214 }),
  }),
  make('Blockchain', {
    gid: POLYGON,
    name: 'polygon',
    display_name: 'Polygon',
    family: 'evm',
    is_active: true,
    has_endpoint: true,
    sync: sync(78_550_021, { status: 'degraded', incident_count: 1 }),
  }),
  make('Blockchain', {
    gid: 'eip155:8453',
    name: 'base',
    display_name: 'Base',
    family: 'evm',
    is_active: false,
    has_endpoint: false,
    sync: null,
  }),
];

export const incidents: readonly Schemas['Incident'][] = [
  make('Incident', {
    chain_gid: POLYGON,
    block_number: 78_549_200,
    last_block_number: 78_549_310,
    status: 'open',
    is_contradicted: false,
    subject: null,
    asset_gid: null,
    created_at: ago(26, 'min'),
  }),
];

export const nodes: readonly Schemas['Node'][] = [
  make('Node', {
    url: 'https://polygon.example.com:443',
    is_in_use: true,
    status: 'serving',
    head_number: 78_550_021,
    latency_ms: 38,
    last_success_at: ago(1, 's'),
  }),
  make('Node', {
    url: 'https://other-polygon.example.net:8545',
    is_in_use: false,
    status: 'failing',
    head_number: 78_549_640,
    latency_ms: 912,
    last_success_at: ago(14, 'min'),
    last_error_at: ago(9, 's'),
    last_error: 'eth_getBlockByNumber: HTTP 429',
  }),
];

export const tokens: readonly Schemas['Token'][] = (
  [
    [ETH, 'Ether', 'ETH', 18],
    [USDC, 'USD Coin', 'USDC', 6],
    [BTC, 'Bitcoin', 'BTC', 8],
    [SOL, 'Solana', 'SOL', 9],
    [USDT, 'Tether USD', 'USDT', 6],
  ] as const
).map(([gid, name, symbol, decimals]) => make('Token', { gid, name, symbol, decimals }));

/** Two blocks left the chain; `b` is what took their place. */
const [REORG_FROM, REORG_TO] = [78_549_871, 78_549_872];

function block(branch: string, number: number, status: Schemas['Block']['status']): Schemas['Block'] {
  const forked = number < REORG_FROM ? 'b' : branch;
  const before = number - 1 < REORG_FROM ? 'b' : branch;
  return make('Block', {
    chain_gid: POLYGON,
    number,
    hash: hash(`${forked}${number}`),
    parent_hash: hash(`${before}${number - 1}`),
    status,
    timestamp: ago(9, 'min'),
  });
}

export const undoneBlocks = [block('a', REORG_TO, 'reorged'), block('a', REORG_FROM, 'reorged')];
export const countingBlocks = [REORG_FROM - 1, REORG_FROM, REORG_TO, REORG_TO + 1].map((number) =>
  block('b', number, 'confirmed'),
);

/** What the RPC gateway says at its address. */
export const networks = [
  [ETHEREUM, 'Ethereum', 'healthy', HEAD],
  [BITCOIN, 'Bitcoin', 'healthy', 921_004],
  [SOLANA, 'Solana', 'healthy', 377_112_334],
  [TRON, 'TRON', 'degraded', 77_204_118],
].map(([chain_gid, display_name, status, head_number]) => ({ chain_gid, display_name, status, head_number }));

export const blockOfPayment = (number: number): Schemas['Block'] =>
  make('Block', {
    chain_gid: ETHEREUM,
    number,
    hash: hash(`block ${number}`),
    status: 'processed',
    timestamp: ago(90, 's'),
  });
