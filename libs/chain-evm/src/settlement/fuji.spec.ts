// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import type { Block } from '@chainwatch/chain-core';
import { keccak256Hex } from '../encode-rlp.ts';
import { readTraits } from '../networks.ts';
import { encodeHeader, parseWholeHeader } from '../parse-header.ts';
import { readServed } from '../spec-fork.ts';
import type { JsonBlock, Served } from '../spec-fork.ts';
import { EMPTY_BLOOM, EMPTY_ROOT, toSettlementHeader } from './settlement-header.ts';
import { trueFuji } from './spec-settled.ts';

// A block of Fuji after Helicon as a node gave it, beside the repository: ../shared/fixtures/forks (see fixtures.md).
const file = new URL('../../../../../shared/fixtures/forks/avalanche-fuji-58119344.json', import.meta.url);
const isThere = existsSync(file);
if (!isThere) console.log('skipped: a recorded block of Fuji (../shared/fixtures/forks is absent)');

(isThere ? describe : describe.skip)('a recorded block of Fuji', () => {
  const block = isThere ? (JSON.parse(readFileSync(file, 'utf8')) as JsonBlock) : undefined!;
  const [tx] = isThere ? block.transactions : [];
  const receipt = {
    transactionHash: tx?.['hash'],
    transactionIndex: '0x0',
    blockHash: tx?.['blockHash'],
    from: tx?.['from'],
    to: tx?.['to'],
    type: '0x0',
    status: '0x1',
    gasUsed: '0x5208',
    cumulativeGasUsed: '0x5208',
    effectiveGasPrice: '0x12a05f2a0',
    logsBloom: EMPTY_BLOOM,
    logs: [],
  };
  const served = (of: JsonBlock): Served => ({ block: of, receipts: [receipt as never], raw: new Map() });
  const read = (of = block): Promise<Block> => readServed('avalanche-fuji', served(of));

  it('has the hash of its fields; what it settles has no receipts', () => {
    const traits = readTraits(trueFuji);
    const { header, unknown } = parseWholeHeader(structuredClone(block), traits);
    expect(unknown).toEqual([]);
    expect(`0x${keccak256Hex(encodeHeader(header))}`).toBe(block.hash);
    expect(toSettlementHeader(header, traits)).toMatchObject({
      number: 58_119_344,
      isAsynchronous: true,
      settledHeight: 58_119_342,
      timestampMs: Number(block['timestampMilliseconds']),
      receiptsRoot: EMPTY_ROOT,
      logsBloom: EMPTY_BLOOM,
    });
  });

  it('is as old as its seconds say, whatever its milliseconds are', () => {
    const traits = readTraits(trueFuji);
    const { header } = parseWholeHeader(structuredClone(block), traits);
    const odd = { ...header, timestampMilliseconds: '0xffffffffffff' };
    expect(toSettlementHeader(odd, traits).timestampMs).toBe(1_000 * Number(block['timestamp']) + 655);
    const none = { ...header, timestampMilliseconds: null };
    expect(toSettlementHeader(none, traits).timestampMs).toBe(1_000 * Number(block['timestamp']));
  });

  it('reads as settling, its transaction proved by its transactionsRoot', async () => {
    const { verification, provedBy, unknowns, transactions } = await read();
    expect({ verification, provedBy, unknowns }).toEqual({ verification: 'settling' });
    expect(transactions).toMatchObject([
      {
        hash: tx?.['hash'],
        from: tx?.['from'],
        verification: 'settling',
        fee: { amountRaw: 21_000n * 5_000_000_160n },
      },
    ]);
    const lying = structuredClone(block);
    lying.transactions[0]!['value'] = '0x1';
    await expect(read(lying)).rejects.toThrow('hash of transaction 0');
    await expect(read({ ...structuredClone(block), transactions: [] })).rejects.toThrow(/transactionsRoot/);
  });
});
