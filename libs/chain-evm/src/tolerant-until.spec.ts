// SPDX-License-Identifier: Apache-2.0
import { evmNetworks, readTraits } from './networks.ts';
import { parseRawBlock, parseRawReceipts } from './parse-raw-block.ts';
import { assemble, fixedItems } from './spec-block.ts';
import { verifyBlock } from './verify-block.ts';

interface Answers {
  readonly block: {
    transactions: Record<string, unknown>[];
    receiptsRoot: string;
    logsBloom: string;
    parentHash: string;
  };
  readonly receipts: Record<string, unknown>[];
}

/** What tolerance lets pass, because only the blooms are left to compare. */
const lies: readonly [string, (answers: Answers) => unknown][] = [
  [
    'alters an amount',
    ({ receipts }) => ((receipts[0]!['logs'] as { data: string }[])[0]!.data = `0x${'0'.repeat(63)}1`),
  ],
  ['turns a status', ({ receipts }) => (receipts[0]!['status'] = '0x0')],
  ['drops the last transaction', ({ block, receipts }) => [block.transactions.pop(), receipts.pop()]],
  [
    'drops a log with a fitting bloom',
    ({ block, receipts }) => {
      for (const receipt of receipts) Object.assign(receipt, { logs: [], logsBloom: `0x${'0'.repeat(512)}` });
      block.logsBloom = `0x${'0'.repeat(512)}`;
    },
  ],
  ['alters the parent', ({ block }) => (block.parentHash = `0x${'ab'.repeat(32)}`)],
];

async function isAccepted(
  name: string,
  number: number,
  lie: (answers: Answers) => unknown,
): Promise<boolean> {
  const made = await assemble(fixedItems(), number);
  const block = (JSON.parse(made.body) as { result: Answers['block'] }).result;
  const receipts = (JSON.parse(made.receipts) as { result: Answers['receipts'] }).result;
  lie({ block, receipts });
  const traits = readTraits(evmNetworks.find((network) => network.name === name)!);
  try {
    await verifyBlock(
      made.ref,
      { block: parseRawBlock(block, traits.stack), receipts: parseRawReceipts(receipts) },
      traits,
    );
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'incomplete_block' });
    return false;
  }
}

describe('a block of Arbitrum', () => {
  it('is taken as it is', async () => {
    for (const [name, number] of [
      ['arbitrum', 22_207_816],
      ['arbitrum', 22_207_817],
      ['arbitrum-sepolia', 1],
    ] as const)
      expect(await isAccepted(name, number, () => undefined)).toBe(true);
  });

  it.each(lies)('from Nitro on is refused when a node %s', async (_, lie) => {
    expect(await isAccepted('arbitrum', 22_207_817, lie)).toBe(false);
    expect(await isAccepted('arbitrum', 400_000_000, lie)).toBe(false);
    expect(await isAccepted('arbitrum-sepolia', 1, lie)).toBe(false);
  });

  it('before Nitro is of another encoding: its roots need not come out', async () => {
    const otherRoots = ({ block }: Answers): unknown => (block.receiptsRoot = `0x${'ab'.repeat(32)}`);
    expect(await isAccepted('arbitrum', 22_207_816, otherRoots)).toBe(true);
    expect(await isAccepted('arbitrum', 22_207_817, otherRoots)).toBe(false);
  });
});
