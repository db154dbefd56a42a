// SPDX-License-Identifier: Apache-2.0
import { SettledChain, startSettledNode } from '@chainwatch/tool-devnet/settled-chain';
import type { ChainBlock } from '@chainwatch/tool-devnet/settled-chain';
import fc from 'fast-check';
import { BlockNotFoundError, IncompleteBlockError } from '@chainwatch/chain-core';
import { evmFamily } from '../evm-family.ts';
import {
  amountsIn,
  amountsOf,
  createRandom,
  fuji,
  refOf,
  settlerOf,
  START_MS,
  transactionOf,
} from './spec-settled.ts';

const SEED = Number(process.env.PROVE_SEED ?? 7);
const RUNS = Number(process.env.PROVE_RUNS ?? 25);

interface Receipt {
  status: string;
  gasUsed: string;
  cumulativeGasUsed: string;
  logsBloom: string | null;
  logs: { address: string; topics: string[]; data: string }[];
}

/** Changes of a receipt that leave its links to the block as they are. Each says whether it changed anything. */
const changes: readonly ((receipt: Receipt, isLast: boolean) => boolean)[] = [
  (receipt) => {
    receipt.status = receipt.status === '0x1' ? '0x0' : '0x1';
    return true;
  },
  (receipt, isLast) => {
    if (!isLast) return false;
    receipt.gasUsed = toHex(Number(receipt.gasUsed) + 1);
    receipt.cumulativeGasUsed = toHex(Number(receipt.cumulativeGasUsed) + 1);
    return true;
  },
  ({ logs }) => {
    const [log] = logs;
    if (log === undefined) return false;
    log.data = toHex(BigInt(log.data) + 1n).padEnd(log.data.length, '0');
    return true;
  },
  (receipt) => {
    receipt.logsBloom = null;
    return receipt.logs.pop() !== undefined;
  },
  (receipt) => {
    receipt.logsBloom = null;
    receipt.logs.push({ address: `0x${'ee'.repeat(20)}`, topics: [], data: '0x' });
    return true;
  },
];

/** Steps of settlement and numbers of transactions, block by block; the lies name a block, a receipt and a change. */
const schedule = fc.record({
  steps: fc.array(fc.record({ settles: fc.nat(6), transactions: fc.nat(3) }), {
    minLength: 4,
    maxLength: 14,
  }),
  seed: fc.nat(),
  lie: fc.record({ block: fc.nat(13), receipt: fc.nat(2), change: fc.nat(changes.length - 1) }),
  order: fc.boolean(),
});

it('a block is proved exactly where every receipt that is settled with it is true', async () => {
  const seen = { lies: 0, settling: 0, proved: 0 };
  await fc.assert(
    fc.asyncProperty(schedule, async ({ steps, seed, lie, order }) => {
      const chain = await makeChain(steps, seed);
      const node = await startSettledNode(chain);
      const client = evmFamily.createClient({ network: fuji, endpointUrl: node.url, timeoutMs: 5_000 });
      try {
        const blocks = order ? chain.blocks : chain.blocks.toReversed();
        for (const block of blocks)
          expect([block.number, await judge(block)]).toEqual([block.number, truthOf(block)]);
        const changed = chain.blocks.filter(({ made }) => made.length > 0)[
          lie.block % Math.max(1, countFull(chain))
        ];
        let isChanged = false;
        node.alter = ({ method, params }, result) => {
          if (method !== 'eth_getBlockReceipts' || params[0] !== changed?.hash) return result;
          const receipts = result as Receipt[];
          const at = lie.receipt % receipts.length;
          const turns = changes.map((_, turn) => changes[(lie.change + turn) % changes.length]!);
          isChanged = turns.some((change) => change(receipts[at]!, at === receipts.length - 1));
          return receipts;
        };
        const lying = evmFamily.createClient({ network: fuji, endpointUrl: node.url, timeoutMs: 5_000 });
        for (const block of blocks) {
          const standing = await judge(block, lying);
          const isConcerned = isChanged && changed !== undefined && shareSettler(block, changed);
          if (isConcerned) seen.lies += 1;
          expect([block.number, standing]).toEqual([
            block.number,
            isConcerned && truthOf(block) === 'proved' ? 'refused' : truthOf(block),
          ]);
        }
        lying.close();
      } finally {
        client.close();
        await node.stop();
      }

      async function judge(block: ChainBlock, by = client): Promise<string> {
        try {
          const read = await by.readBlock(refOf(block));
          const standing = read.transactions[0]?.verification ?? read.verification ?? 'proved';
          if (standing === 'proved') {
            seen.proved += 1;
            expect(amountsOf(read)).toEqual(amountsIn(block));
          } else seen.settling += 1;
          return standing;
        } catch (error) {
          if (error instanceof IncompleteBlockError && !(error instanceof BlockNotFoundError))
            return 'refused';
          throw error;
        }
      }

      function truthOf(block: ChainBlock): string {
        return block.made.length === 0 || settlerOf(chain, block) !== undefined ? 'proved' : 'settling';
      }

      function shareSettler(block: ChainBlock, other: ChainBlock): boolean {
        const settler = settlerOf(chain, block);
        return block.made.length > 0 && settler !== undefined && settler === settlerOf(chain, other);
      }
    }),
    { seed: SEED, numRuns: RUNS },
  );
  expect(seen.lies).toBeGreaterThan(RUNS / 2);
  expect(seen.settling).toBeGreaterThan(RUNS);
  expect(seen.proved).toBeGreaterThan(RUNS);
}, 120_000);

async function makeChain(
  steps: readonly { readonly settles: number; readonly transactions: number }[],
  seed: number,
): Promise<SettledChain> {
  const random = createRandom(seed);
  const chain = await SettledChain.create({ startMs: START_MS });
  for (const { settles, transactions } of steps) {
    const { number, settledHeight } = chain.last;
    await chain.append({
      transactions: Array.from({ length: transactions }, () => transactionOf(random)),
      settles: Math.min(number, settledHeight + settles),
    });
  }
  return chain;
}

function countFull({ blocks }: SettledChain): number {
  return blocks.filter(({ made }) => made.length > 0).length;
}

function toHex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
