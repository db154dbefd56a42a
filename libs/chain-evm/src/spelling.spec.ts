// SPDX-License-Identifier: Apache-2.0
import type { Block, Network } from '@chainwatch/chain-core';
import fc from 'fast-check';
import { decodeBlock } from './decode-block.ts';
import { evmNetworks, readTraits } from './networks.ts';
import { parseRawBlock, parseRawReceipts } from './parse-raw-block.ts';
import { answerOf, assemble, fixedItems } from './spec-block.ts';
import type { Case, Made } from './spec-block.ts';
import { verifyBlock } from './verify-block.ts';

const network = evmNetworks.find(({ name }) => name === 'ethereum') as Network;
const traits = readTraits(network);
const SEED = Number(process.env.PROVE_SEED ?? 7);
const TRIES = 5_000;

type Json = { [key: string]: Json } | Json[] | string | number | boolean | null;

/** The common types, one with an access list, one with blobs, one with authorizations, a failed payment. */
function items(): readonly Made[] {
  const [legacy, , dynamic, creation] = fixedItems() as readonly [Made, Made, Made, Made];
  const accessList = [{ address: `0x${'ac'.repeat(20)}`, storageKeys: [`0x${'0a'.repeat(32)}`] }];
  const blobs = { type: '0x3', maxFeePerBlobGas: '0xa0', blobVersionedHashes: [`0x0a${'cd'.repeat(31)}`] };
  const authorizationList = [
    {
      chainId: '0xa',
      address: `0x0a${'ef'.repeat(19)}`,
      nonce: '0xb',
      yParity: '0x1',
      r: `0x${'a3'.repeat(32)}`,
      s: `0x${'b4'.repeat(32)}`,
    },
  ];
  return [
    legacy,
    { ...dynamic, tx: { ...dynamic.tx, accessList } },
    {
      ...dynamic,
      tx: { ...dynamic.tx, nonce: '0x4a', ...blobs },
      extra: { blobGasUsed: '0x20000', blobGasPrice: '0xa', effectiveGasPrice: '0xab' },
    },
    { ...dynamic, tx: { ...dynamic.tx, nonce: '0x5b', type: '0x4', authorizationList } },
    {
      ...dynamic,
      tx: { ...dynamic.tx, nonce: '0x6c' },
      isFailed: true,
      logs: [],
      extra: { l1Fee: '0xfa', operatorFeeScalar: '0xa', operatorFeeConstant: '0xb' },
    },
    creation,
  ];
}

interface Place {
  readonly side: 'body' | 'receipts';
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** Every text that is hexadecimal, wherever it stands. */
function listPlaces(side: Place['side'], json: Json, path: readonly (string | number)[] = []): Place[] {
  if (typeof json === 'string') return json.startsWith('0x') ? [{ side, path, text: json }] : [];
  if (json === null || typeof json !== 'object') return [];
  return Object.entries(json).flatMap(([key, value]) =>
    listPlaces(side, value, [...path, Array.isArray(json) ? Number(key) : key]),
  );
}

const spellings: Readonly<Record<string, (text: string) => string>> = {
  'upper case': (text) => `0x${text.slice(2).toUpperCase()}`,
  'mixed case': (text) =>
    text.replace(/[a-f]/g, (digit, at: number) => (at % 3 === 0 ? digit.toUpperCase() : digit)),
  '0X': (text) => `0X${text.slice(2)}`,
  'no prefix': (text) => text.slice(2),
  'another prefix': (text) => `1x${text.slice(2)}`,
  'missing leading zero': (text) =>
    text.startsWith('0x0') && text.length > 3
      ? `0x${text.slice(3)}`
      : `0x${text.slice(2).replace(/^0+(?=.)/, '')}`,
  'a leading zero': (text) => `0x0${text.slice(2)}`,
  '0x': () => '0x',
  empty: () => '',
  'a space': (text) => ` ${text}`,
};

function change({ side, path }: Place, { ref, body, receipts }: Case, spell: (text: string) => string): Case {
  const root = JSON.parse(side === 'body' ? body : receipts) as Json;
  let owner = root as Record<string | number, Json>;
  for (const step of path.slice(0, -1)) owner = owner[step] as Record<string | number, Json>;
  const last = path.at(-1)!;
  owner[last] = spell(owner[last] as string);
  return side === 'body'
    ? { ref, body: JSON.stringify(root), receipts }
    : { ref, body, receipts: JSON.stringify(root) };
}

async function read({ ref, body, receipts }: Case): Promise<Block | undefined> {
  try {
    const block = parseRawBlock((JSON.parse(body) as { result: unknown }).result, 'ethereum');
    const list = parseRawReceipts((JSON.parse(receipts) as { result: unknown }).result);
    return decodeBlock(network, await verifyBlock(ref, { block, receipts: list }, traits));
  } catch (error) {
    // As a reader sees it: what names the field and may be asked of another node.
    expect(error).toMatchObject({ retryable: true, message: expect.stringContaining('expected') as string });
    return undefined;
  }
}

const whole = await assemble(items(), 17);
const expected = (await read(whole))!;

describe('a field of a block, a transaction, a receipt or a log', () => {
  const places = [
    ...listPlaces('body', JSON.parse(whole.body) as Json),
    ...listPlaces('receipts', JSON.parse(whole.receipts) as Json),
  ];

  it('spelled otherwise is refused, or read the same', async () => {
    const outcomes = { refused: 0, same: 0 };
    let tries = 0;
    const attempt = async (place: Place, how: string): Promise<void> => {
      const changed = change(place, whole, spellings[how]!);
      tries += 1;
      const block = await read(changed);
      outcomes[block === undefined ? 'refused' : 'same'] += 1;
      const at = `${how} at ${place.side} ${place.path.join('.')}`;
      if (block !== undefined) expect({ at, block }).toEqual({ at, block: expected });
    };
    for (const place of places) for (const how of Object.keys(spellings)) await attempt(place, how);
    const random = fc.record({
      place: fc.constantFrom(...places),
      how: fc.constantFrom(...Object.keys(spellings)),
    });
    await fc.assert(
      fc.asyncProperty(random, ({ place, how }) => attempt(place, how)),
      { numRuns: Math.max(0, TRIES - tries), seed: SEED },
    );
    expect(tries).toBeGreaterThanOrEqual(TRIES);
    // Both did happen, or the spellings say nothing.
    expect(outcomes.refused).toBeGreaterThan(1_000);
    expect(outcomes.same).toBeGreaterThan(1_000);
  });

  const inReceipt = (
    index: number,
    alter: (receipt: { status: string; logs: { topics: string[] }[] }) => unknown,
  ): Case => {
    const receipts = (
      JSON.parse(whole.receipts) as { result: { status: string; logs: { topics: string[] }[] }[] }
    ).result;
    alter(receipts[index]!);
    return { ...whole, receipts: answerOf(receipts) };
  };
  const inTransaction = (index: number, alter: (tx: { to: string | null }) => unknown): Case => {
    const block = (JSON.parse(whole.body) as { result: { transactions: { to: string | null }[] } }).result;
    alter(block.transactions[index]!);
    return { ...whole, body: answerOf(block) };
  };

  it('is a topic: a transfer in capitals is a transfer', async () => {
    for (const spell of [spellings['upper case']!, spellings['0X']!]) {
      const changed = inReceipt(0, ({ logs }) => (logs[0]!.topics = logs[0]!.topics.map(spell)));
      expect((await read(changed))?.transactions[0]?.transfers).toEqual(expected.transactions[0]?.transfers);
      expect(expected.transactions[0]?.transfers.map(({ type }) => type)).toEqual(['native', 'token']);
    }
  });

  it.each(['0x', '', '0x2', '0x10', '0x1g', 1, true, {}])('is a status: %j is none', async (status) => {
    for (const index of [0, 4])
      expect(await read(inReceipt(index, (receipt) => Object.assign(receipt, { status })))).toBeUndefined();
  });

  it.each(['0x', '', '0x0', `0x${'0'.repeat(39)}`, 0, false])(
    'is a recipient: %j is neither one nor a creation',
    async (to) => {
      for (const index of [0, 5])
        expect(await read(inTransaction(index, (tx) => Object.assign(tx, { to })))).toBeUndefined();
    },
  );
});
