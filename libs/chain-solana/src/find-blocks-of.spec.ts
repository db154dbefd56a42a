// SPDX-License-Identifier: Apache-2.0
import { base58 } from '@scure/base';
import { ChainClientError } from '@chainwatch/chain-core';
import { findBlocksOf } from './find-blocks-of.ts';
import { solanaNetworks } from './networks.ts';
import { ConsensusBook } from './consensus-book.ts';
import { TOKEN_PROGRAM } from './programs.ts';
import type { RpcClient } from './rpc-client.ts';
import type { Session } from './session.ts';
import { SignatureBook } from './signature-book.ts';
import { SlotBook } from './slot-book.ts';
import { TouchBook } from './touch-book.ts';

const key = (letter: string): string => letter.repeat(44);
const [wallet, open, closed, other] = [key('W'), key('P'), key('C'), key('X')];

interface Made {
  readonly slot: number;
  readonly keys: readonly string[];
  /** Token accounts by their owner. */
  readonly owns?: Readonly<Record<string, string>>;
  /** Of the token program. Old transactions have these in place of owners. */
  readonly calls?: readonly { readonly accounts: readonly string[]; readonly data: readonly number[] }[];
}

/** A node with these transactions, one signature each, in the order of their slots. */
function openSession(
  made: readonly Made[],
  { firstSlot = 0, finalSlot = Infinity, indexedFrom = 0, hole = [0, 0] as readonly [number, number] } = {},
) {
  const signatureOf = (position: number): string => `signature ${position}`;
  const isKept = (slot: number): boolean => slot < hole[0] || slot >= hole[1];
  const asked: string[] = [];
  const listed = made.map(({ slot, keys }, position) => ({ slot, keys, signature: signatureOf(position) }));
  const bySlot = new Map<number, string[]>();
  for (const { slot, signature } of listed) bySlot.set(slot, [...(bySlot.get(slot) ?? []), signature]);
  const all = listed.filter(({ slot }) => slot <= finalSlot && slot >= indexedFrom).toReversed();
  const positions = new Map(all.map(({ signature }, position) => [signature, position]));
  const answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    getFirstAvailableBlock: () => firstSlot,
    getTokenAccountsByOwner: ([owner, filter]) => ({
      context: { slot: 1 },
      value:
        owner === wallet && (filter as { programId: string }).programId.startsWith('Tokenkeg')
          ? [{ pubkey: open, account: { lamports: 1, owner: 'x', data: ['', 'base64'] } }]
          : [],
    }),
    getSignaturesForAddress: ([account, config]) => {
      const {
        before,
        limit,
        minContextSlot = 0,
      } = config as {
        before?: string;
        limit: number;
        minContextSlot?: number;
      };
      if (minContextSlot > finalSlot)
        throw new ChainClientError('Minimum context slot has not been reached', { nodeCode: -32016 });
      const from = before === undefined ? 0 : (positions.get(before) ?? -1) + 1;
      if (before !== undefined && from === 0) return [];
      return all
        .slice(from)
        .filter(({ keys }) => keys.includes(String(account)))
        .slice(0, limit)
        .map(({ slot, signature }) => ({ slot, signature }));
    },
    getBlocksWithLimit: ([slot, limit]) =>
      Array.from({ length: 100 }, (_, position) => Number(slot) + position)
        .filter(isKept)
        .slice(0, Number(limit)),
    getTransaction: ([signature]) => {
      const { keys: named, owns = {}, calls } = made[Number(String(signature).split(' ')[1])]!;
      const keys = calls === undefined ? named : [...named, TOKEN_PROGRAM];
      const balances = Object.entries(owns).map(([account, owner]) => ({
        accountIndex: keys.indexOf(account),
        owner,
      }));
      return {
        transaction: {
          signatures: [signature],
          message: {
            accountKeys: keys,
            instructions: calls?.map(({ accounts, data }) => ({
              programIdIndex: keys.length - 1,
              accounts: accounts.map((account) => keys.indexOf(account)),
              data: base58.encode(Uint8Array.from(data)),
            })),
          },
        },
        meta: {
          ...{ err: null, fee: 0, preBalances: [], postBalances: [], preTokenBalances: [] },
          postTokenBalances: balances,
        },
      };
    },
    getBlock: ([slot]) => ({
      blockhash: key('B'),
      previousBlockhash: key('A'),
      parentSlot: Math.max(Number(slot) - 1, 0),
      blockTime: 1,
      signatures: bySlot.get(Number(slot)) ?? [],
    }),
  };
  const call = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    asked.push(method);
    return answers[method]!(params);
  };
  const rpc = {
    call,
    callLarge: async (method: string, params: readonly unknown[]) => ({ result: await call(method, params) }),
  } as unknown as RpcClient;
  const session: Session = {
    network: solanaNetworks[0]!,
    rpc,
    slots: new SlotBook(),
    touches: new TouchBook(),
    signatures: new SignatureBook(),
    versions: { max: 0 },
    consensus: new ConsensusBook(),
  };
  return { session, asked };
}

const slotsOf = ({ refs }: Awaited<ReturnType<typeof findBlocksOf>>) => refs.map(({ number }) => number);

it.each([
  ['created for it', { accounts: [closed, other, wallet], data: [1] }],
  ['paid out of by it', { accounts: [closed, other, wallet], data: [3, 1, 0, 0, 0, 0, 0, 0, 0] }],
  ['closed by it', { accounts: [closed, other, wallet], data: [9] }],
])('finds an account that was %s in a transaction without owners', async (_what, call) => {
  const made = (calls: Made['calls']): readonly Made[] => [
    { slot: 4, keys: [wallet, closed, other], calls },
    { slot: 6, keys: [closed, other] },
  ];
  const range = { addresses: [wallet], fromBlock: 1, toBlock: 10 };
  const found = await findBlocksOf(openSession(made([call])).session, range);
  expect(slotsOf(found)).toEqual([4, 6]);
  expect(found.accounts?.get(wallet)).toContain(closed);
  // Somebody else's stays out, though the address pays for the transaction.
  const foreign = { ...call, accounts: [closed, wallet, other] };
  expect(slotsOf(await findBlocksOf(openSession(made([foreign])).session, range))).toEqual([4]);
});

it('names the blocks of an address, of its token accounts, and of those that were closed since', async () => {
  const { session } = openSession([
    { slot: 2, keys: [wallet] },
    { slot: 3, keys: [other] },
    // Creates the account that is closed in slot 9.
    { slot: 4, keys: [wallet, closed], owns: { [closed]: wallet } },
    { slot: 5, keys: [closed, other], owns: { [closed]: wallet } },
    { slot: 6, keys: [open] },
    { slot: 9, keys: [wallet, closed] },
    { slot: 12, keys: [closed] },
  ]);
  const found = await findBlocksOf(session, { addresses: [wallet], fromBlock: 3, toBlock: 10 });
  expect(slotsOf(found)).toEqual([4, 5, 6, 9]);
  expect(found.toBlock).toBe(10);
  expect([...found.accounts!.get(wallet)!].sort()).toEqual([closed, open].sort());
});

it('looks for accounts that an earlier answer named, after a restart', async () => {
  const made = [
    { slot: 4, keys: [wallet, closed], owns: { [closed]: wallet } },
    { slot: 8, keys: [closed] },
  ];
  const { session } = openSession(made);
  const wanted = { addresses: [wallet], fromBlock: 5, toBlock: 10 };
  expect(slotsOf(await findBlocksOf(session, wanted))).toEqual([]);
  const accounts = new Map([[wallet, [closed]]]);
  expect(slotsOf(await findBlocksOf(openSession(made).session, { ...wanted, accounts }))).toEqual([8]);
});

it('goes through more transactions than it keeps, page by page, listing them seldom', async () => {
  const count = 12_500;
  const made = Array.from({ length: count }, (_, slot) => ({ slot, keys: [open] }));
  const { session, asked } = openSession(made);
  const seen: number[] = [];
  for (let fromBlock = 10; fromBlock < count; ) {
    const page = await findBlocksOf(session, { addresses: [wallet], fromBlock, toBlock: count - 1 });
    expect(page.refs.length).toBeLessThanOrEqual(64);
    seen.push(...slotsOf(page));
    fromBlock = page.toBlock + 1;
  }
  expect(seen).toEqual(made.slice(10).map(({ slot }) => slot));
  // Some lists of thirteen pages, not one for each of two hundred answers.
  expect(asked.filter((method) => method === 'getSignaturesForAddress').length).toBeLessThan(300);
});

it('says that the node does not keep slots that old', async () => {
  const { session } = openSession([], { firstSlot: 50 });
  await expect(
    findBlocksOf(session, { addresses: [wallet], fromBlock: 49, toBlock: 60 }),
  ).rejects.toMatchObject({
    code: 'block_not_found',
    publicMessage: 'block 49 is not known to the node, which keeps blocks from 50 on',
  });
});

it('does not take the list of a node that is behind for a whole one', async () => {
  const made = [
    { slot: 4, keys: [wallet] },
    { slot: 9, keys: [wallet] },
  ];
  const wanted = { addresses: [wallet], fromBlock: 3, toBlock: 10 };
  expect(slotsOf(await findBlocksOf(openSession(made, { finalSlot: 10 }).session, wanted))).toEqual([4, 9]);
  await expect(findBlocksOf(openSession(made, { finalSlot: 6 }).session, wanted)).rejects.toMatchObject({
    code: 'block_not_found',
    publicMessage: 'block 10 is not known to the node',
  });
});

/** Everybody else pays, in every slot: the wallet in some. */
const busy = Array.from({ length: 40 }, (_, slot) => [
  { slot, keys: [other] },
  ...(slot % 10 === 5 ? [{ slot, keys: [other, wallet] }] : []),
]).flat();
const wanted = { addresses: [wallet], fromBlock: 3, toBlock: 39 };

describe('an index of signatures that is not whole', () => {
  it('is not believed where it ends above the range', async () => {
    expect(slotsOf(await findBlocksOf(openSession(busy).session, wanted))).toEqual([5, 15, 25, 35]);
    await expect(findBlocksOf(openSession(busy, { indexedFrom: 20 }).session, wanted)).rejects.toMatchObject({
      code: 'block_not_found',
      publicMessage: "the node's index of signatures does not reach down to block 3",
    });
    const above = { ...wanted, fromBlock: 20 };
    expect(slotsOf(await findBlocksOf(openSession(busy, { indexedFrom: 20 }).session, above))).toEqual([
      25, 35,
    ]);
  });

  it('is not believed where it lists nothing at all', async () => {
    await expect(findBlocksOf(openSession(busy, { indexedFrom: 99 }).session, wanted)).rejects.toMatchObject({
      code: 'block_not_found',
    });
  });

  it('is not believed where the range begins in a hole of what the node keeps', async () => {
    await expect(findBlocksOf(openSession(busy, { hole: [2, 30] }).session, wanted)).rejects.toMatchObject({
      code: 'block_not_found',
    });
  });

  it('is found out by the one transaction that there is to ask about', async () => {
    const lonely = [{ slot: 4, keys: [wallet] }];
    const range = { addresses: [wallet], fromBlock: 1, toBlock: 10 };
    expect(slotsOf(await findBlocksOf(openSession(lonely).session, range))).toEqual([4]);
    await expect(findBlocksOf(openSession(lonely, { indexedFrom: 5 }).session, range)).rejects.toMatchObject({
      code: 'block_not_found',
    });
  });

  it('is not needed for blocks without transactions, which are passed a few at a time', async () => {
    const { session, asked } = openSession([{ slot: 30, keys: [wallet] }], { indexedFrom: 30 });
    const pages = [];
    for (let fromBlock = 1; fromBlock <= 39; ) {
      const page = await findBlocksOf(session, { ...wanted, fromBlock });
      pages.push(page.toBlock, ...slotsOf(page));
      fromBlock = page.toBlock + 1;
    }
    expect(pages).toEqual([8, 16, 24, 39, 30]);
    expect(asked.filter((method) => method === 'getTokenAccountsByOwner')).toHaveLength(2);
  });
});
