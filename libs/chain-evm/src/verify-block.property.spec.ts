// SPDX-License-Identifier: Apache-2.0
import type { Block, Network } from '@chainwatch/chain-core';
import fc from 'fast-check';
import { decodeBlock } from './decode-block.ts';
import { evmNetworks, readTraits } from './networks.ts';
import { parseRawBlock, parseRawReceipts } from './parse-raw-block.ts';
import { assemble, fixedItems } from './spec-block.ts';
import type { Case } from './spec-block.ts';
import { made, plain, withdrawal } from './spec-made.ts';
import { tamperings } from './spec-tamperings.ts';
import type { Stack } from './types-of-stack.ts';
import { verifyBlock } from './verify-block.ts';

// Random blocks whose roots come from libraries (spec-block.ts), and what a node may make of them.

const network = evmNetworks.find(({ gid }) => gid === 'eip155:31337') as Network;
/** As on a public network, where nobody sends in another one's name. */
const traits = { ...readTraits(network), impersonation: false };
const SEED = Number(process.env.PROVE_SEED ?? 7);
const RUNS = Number(process.env.PROVE_RUNS ?? 15);

/** @throws where it is refused, or holds something unknown: then others are asked */
async function read({ ref, body, receipts }: Case, stack: Stack = 'ethereum'): Promise<Block> {
  const block = parseRawBlock((JSON.parse(body) as { result: unknown }).result, stack);
  const list = parseRawReceipts((JSON.parse(receipts) as { result: unknown }).result);
  const verified = await verifyBlock(ref, { block, receipts: list }, { ...traits, stack });
  if (verified.unknown !== undefined) throw new Error('expected a known block, got something unknown');
  return plain(decodeBlock(network, verified));
}

/** All but what no root covers: what was paid for gas. */
const proven = (block: Block): Block => ({
  ...block,
  transactions: block.transactions.map((transaction) => ({ ...transaction, fee: undefined })),
});

describe('a block', () => {
  it('is proved whatever is in it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(made, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 1e9 }),
        fc.array(withdrawal, { maxLength: 20 }),
        async (items, number, withdrawals) => {
          const whole = await assemble(items, number, { withdrawals });
          const { transactions, ...block } = await read(whole, 'optimism');
          expect(block).toMatchObject({ number, hash: whole.ref.hash });
          expect(transactions.map(({ isFailed }) => isFailed)).toEqual(items.map(({ isFailed }) => isFailed));
        },
      ),
      { numRuns: RUNS, seed: SEED, endOnFailure: true, includeErrorInReport: true },
    );
  });

  it.each([0, 1, 15, 16, 17, 127, 128, 129, 257])('is proved with %i withdrawals', async (count) => {
    const withdrawals = fc.sample(withdrawal, { seed: SEED, numRuns: count });
    const whole = await assemble(fixedItems(), 5, { withdrawals });
    const paid = (await read(whole)).balanceChanges.filter(({ reason }) => reason === 'withdrawal');
    expect(paid).toHaveLength(count);
    const list = JSON.stringify(withdrawals);
    for (const other of [withdrawals.slice(1), [...withdrawals, ...withdrawals.slice(-1)], null]) {
      if (JSON.stringify(other ?? []) === list) continue;
      const changed = whole.body.replace(list, JSON.stringify(other));
      await expect(read({ ...whole, body: changed })).rejects.toThrow('withdrawalsRoot');
    }
  });

  it('is proved with withdrawals so small that they stand in their branches', async () => {
    const small = { index: '0x1', validatorIndex: '0x1', address: `0x${'a2'.repeat(20)}`, amount: '0x1' };
    const whole = await assemble(fixedItems(), 5, { withdrawals: [small, small] });
    expect((await read(whole)).balanceChanges).toHaveLength(3);
  });

  it.each([
    { status: null },
    { status: undefined },
    { status: null, root: '0x' },
    { status: null, root: null },
  ])('is not taken with a failed transaction of which a node strips the outcome: %j', async (stripped) => {
    const items = fixedItems().map((item, index) => ({ ...item, isFailed: index === 1 }));
    const whole = await assemble(items, 9);
    expect((await read(whole)).transactions.map(({ isFailed }) => isFailed)).toEqual(
      items.map(({ isFailed }) => isFailed),
    );
    const { result } = JSON.parse(whole.receipts) as { result: object[] };
    Object.assign(result[1]!, stripped);
    await expect(read({ ...whole, receipts: JSON.stringify({ result }) })).rejects.toThrow(
      'receipt 1: expected a status or a state root, got neither',
    );
  });

  it.each(tamperings)('is not taken as another one from a node that %s', async (_, tamper) => {
    const whole = await assemble(fixedItems(), 9);
    const changed = tamper(whole);
    expect(changed).not.toEqual(whole);
    const taken = await read({ ...whole, ...changed }).catch(() => undefined);
    if (taken !== undefined) expect(proven(taken)).toEqual(proven(await read(whole)));
  });

  it('is never another one, however the bytes are changed', async () => {
    const outcomes = { same: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(made, { minLength: 1, maxLength: 4 }),
        fc.array(
          fc.record({
            side: fc.constantFrom('body' as const, 'receipts' as const),
            at: fc.noBias(fc.nat(999_999)).map((millionths) => millionths / 1_000_000),
            how: fc.constantFrom(
              'flip',
              'cut',
              'double',
              'space',
              'digit',
              'swap',
              'quote',
              'null',
              'capital',
              'escape',
            ),
            char: fc.constantFrom(...'0123456789abcdefxABCDEF"{}[],:\\ntu-.e '),
          }),
          { minLength: 40, maxLength: 40 },
        ),
        async (items, changes) => {
          const whole = await assemble(items, 77);
          const right = proven(await read(whole, 'optimism'));
          for (const change of changes) {
            const changed = { ...whole, [change.side]: alter(whole[change.side], change) };
            const taken = await read(changed, 'optimism').catch(() => undefined);
            outcomes[taken === undefined ? 'refused' : 'same'] += 1;
            if (taken !== undefined)
              expect({ change, block: proven(taken) }).toEqual({ change, block: right });
          }
        },
      ),
      { numRuns: RUNS, seed: SEED, endOnFailure: true, includeErrorInReport: true },
    );
    // Both must have happened, or this test proves nothing.
    for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(RUNS);
  });
});

interface Change {
  readonly at: number;
  readonly how: string;
  readonly char: string;
}

function alter(text: string, { at, how, char }: Change): string {
  const place = Math.floor(at * text.length);
  const members = [...text.matchAll(/"(\w+)":("[^"]*"|null|true|false|\[\])/g)];
  const member = members[Math.floor(at * members.length)]!;
  const [pair, key] = member;
  const around = (changed: string): string =>
    text.slice(0, member.index) + changed + text.slice(member.index + pair.length);
  switch (how) {
    case 'flip':
      return text.slice(0, place) + char + text.slice(place + 1);
    case 'cut':
      return text.slice(0, place) + text.slice(place + 1);
    case 'space':
      return text.slice(0, place) + ' ' + text.slice(place);
    case 'double':
      return around(`${pair},"${key}":"0x${char}"`);
    case 'digit':
      return around(pair.replace(/[0-9a-f](?="$)/, (digit) => ((parseInt(digit, 16) + 1) & 15).toString(16)));
    case 'swap':
      return around(`"${key}x":"0x1",${pair}`);
    case 'capital':
      return around(pair.replace(/[a-f](?=[^a-f]*"$)/, (digit) => digit.toUpperCase()));
    case 'escape':
      return around(pair.replace(/^"./, `"\\u00${key!.charCodeAt(0).toString(16)}`));
    case 'quote':
      return around(pair.replaceAll('"', '\\"'));
    default:
      return around(`"${key}":null`);
  }
}
