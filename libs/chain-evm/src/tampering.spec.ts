// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import type { IncompleteBlockError } from '@chainwatch/chain-core';
import { evmNetworks, readTraits } from './networks.ts';
import { parseRawBlock, parseRawReceipts } from './parse-raw-block.ts';
import type { RawBlock, RawLog, RawReceipt, RawTransaction } from './raw-block.ts';
import { verifyBlock } from './verify-block.ts';

// A recorded mainnet block of the fixtures beside the repository, with 125 transactions, 216 logs and 16 withdrawals.
const folder = new URL('../../../../shared/fixtures/evm/', import.meta.url);
const isThere = existsSync(folder);
if (!isThere) console.log('skipped: tampering with a recorded block (../shared/fixtures/evm is absent)');

const traits = readTraits(
  evmNetworks.find(({ name }) => name === 'ethereum') as (typeof evmNetworks)[number],
);

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
interface Case {
  readonly block: Mutable<Omit<RawBlock, 'transactions'>> & { transactions: Mutable<RawTransaction>[] };
  readonly receipts: (Mutable<Omit<RawReceipt, 'logs'>> & { logs: Mutable<RawLog>[] })[];
}

function load(): Case {
  const read = (file: string): unknown => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
  const block = parseRawBlock(read('ethereum-17053184-shanghai.block.json'), 'ethereum') as Case['block'];
  return {
    block,
    receipts: parseRawReceipts(read('ethereum-17053184-shanghai.receipts.json')) as Case['receipts'],
  };
}

const number = 17053184;
const hash = '0x79ffaa2840f06eee8f41c61670b132382a988612b25b9a7deca0bea0691db491';
const otherHash = `0x${'ab'.repeat(32)}`;

/** What a node may get wrong, and the word of the error that names it. */
const tamperings: readonly [string, string, (found: Case) => void][] = [
  ['omits a log', 'receiptsRoot', ({ receipts }) => receipts[0]?.logs.pop()],
  [
    'omits a log and its bloom',
    'receiptsRoot',
    ({ receipts }) => Object.assign(receipts[0] ?? {}, { logs: [], logsBloom: null }),
  ],
  ['omits a receipt', 'receipts', ({ receipts }) => receipts.splice(7, 1)],
  ['omits the last receipt', 'receipts', ({ receipts }) => receipts.pop()],
  ['returns no receipts', 'receipts', ({ receipts }) => receipts.splice(0)],
  [
    'returns no transactions',
    'transactionsRoot',
    ({ block, receipts }) => (block.transactions.splice(0), receipts.splice(0)),
  ],
  [
    'omits the last transaction with its receipt',
    'transactionsRoot',
    ({ block, receipts }) => (block.transactions.pop(), receipts.pop()),
  ],
  [
    'swaps two transactions with their receipts',
    'transactionsRoot',
    ({ block, receipts }) => (swap(block.transactions), swap(receipts)),
  ],
  ['swaps two receipts', 'transactionHash', ({ receipts }) => swap(receipts)],
  [
    'swaps two hashes',
    'hash of transaction',
    ({ block }) => {
      const [a, b] = block.transactions;
      if (a !== undefined && b !== undefined) [a.hash, b.hash] = [b.hash, a.hash];
    },
  ],
  ['alters a value', 'hash of transaction', ({ block }) => alter(block.transactions[3], 'value', '0x1')],
  [
    'alters a recipient',
    'hash of transaction',
    ({ block }) => alter(block.transactions[3], 'to', `0x${'ab'.repeat(20)}`),
  ],
  [
    'alters an amount in a log',
    'receiptsRoot',
    ({ receipts }) => alter(receipts[0]?.logs[0], 'data', `0x${'0'.repeat(63)}1`),
  ],
  ['alters a status', 'receiptsRoot', ({ receipts }) => alter(receipts[0], 'status', '0x0')],
  [
    'alters the gas of one receipt',
    'cumulativeGasUsed',
    ({ receipts }) => alter(receipts[1], 'gasUsed', '0x1'),
  ],
  [
    'alters a sender in the receipt',
    'from',
    ({ receipts }) => alter(receipts[1], 'from', `0x${'ab'.repeat(20)}`),
  ],
  [
    'returns receipts of another block',
    'blockHash',
    ({ receipts }) => receipts.forEach((receipt) => (receipt.blockHash = otherHash)),
  ],
  [
    'omits a withdrawal',
    'withdrawalsRoot',
    ({ block }) => (block.withdrawals = block.withdrawals?.slice(1) ?? []),
  ],
  [
    'alters a withdrawal',
    'withdrawalsRoot',
    ({ block }) => (block.withdrawals = block.withdrawals?.map((one) => ({ ...one, amount: '0x1' })) ?? []),
  ],
  ['returns another block', 'block hash', ({ block }) => alter(block, 'hash', otherHash)],
  ['alters the parent', 'header', ({ block }) => alter(block, 'parentHash', otherHash)],
  ['alters the timestamp', 'header', ({ block }) => alter(block, 'timestamp', '0x1')],
  ['alters a root to fit', 'header', ({ block }) => alter(block, 'receiptsRoot', otherHash)],
  [
    'sends a field that is not hexadecimal',
    'hexadecimal',
    ({ block }) => alter(block.transactions[0], 'input', '0x0g'),
  ],
];

function swap<T>(list: T[]): void {
  const [a, b] = list;
  if (a !== undefined && b !== undefined) [list[0], list[1]] = [b, a];
}

function alter<T extends object, K extends keyof T>(target: T | undefined, key: K, value: T[K]): void {
  if (target === undefined || target[key] === value) throw new Error(`nothing to alter at ${String(key)}`);
  target[key] = value;
}

(isThere ? describe : describe.skip)('a block of which the node', () => {
  it('returns everything is accepted', async () => {
    const { block, receipts } = load();
    expect((await verifyBlock({ number, hash }, { block, receipts }, traits)).transactions).toHaveLength(125);
  });

  it.each(tamperings)('%s is refused, naming %s', async (_, word, tamper) => {
    const found = load();
    tamper(found);
    const attempt = verifyBlock({ number, hash }, { block: found.block, receipts: found.receipts }, traits);
    await expect(attempt).rejects.toThrow(
      expect.objectContaining({ code: 'incomplete_block', retryable: true }) as IncompleteBlockError,
    );
    await expect(attempt).rejects.toThrow(word);
    await expect(attempt).rejects.toThrow('expected');
  });

  it('leaves out the blooms is accepted, because they are computed', async () => {
    const { block, receipts } = load();
    for (const receipt of receipts) receipt.logsBloom = null;
    expect((await verifyBlock({ number, hash }, { block, receipts }, traits)).receipts).toHaveLength(125);
  });

  it('omits a log is refused by its bloom where the receipts root is of another encoding', async () => {
    const tolerant = { ...traits, header: 'tolerant', roots: 'tolerant' } as const;
    const { block, receipts } = load();
    block.receiptsRoot = otherHash;
    expect(await verifyBlock({ number, hash }, { block, receipts }, tolerant)).toBeDefined();
    receipts[0]?.logs.pop();
    await expect(verifyBlock({ number, hash }, { block, receipts }, tolerant)).rejects.toThrow('logsBloom');
  });
});
