import { ChainClientError } from '@chainwatch/chain-core';
import { findBlocksOf } from './find-blocks-of.ts';
import { solanaNetworks } from './networks.ts';
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
}

/** A node with these transactions, one signature each, in the order of their slots. */
function openSession(made: readonly Made[], { firstSlot = 0, finalSlot = Infinity } = {}) {
  const signatureOf = (position: number): string => `signature ${position}`;
  const asked: string[] = [];
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
      const all = made
        .filter(({ slot }) => slot <= finalSlot)
        .map(({ slot, keys }, position) => ({ slot, keys, signature: signatureOf(position) }))
        .filter(({ keys }) => keys.includes(String(account)))
        .toReversed();
      const from = before === undefined ? 0 : all.findIndex(({ signature }) => signature === before) + 1;
      return all.slice(from, from + limit).map(({ slot, signature }) => ({ slot, signature }));
    },
    getTransaction: ([signature]) => {
      const { keys, owns = {} } = made[Number(String(signature).split(' ')[1])]!;
      const balances = Object.entries(owns).map(([account, owner]) => ({
        accountIndex: keys.indexOf(account),
        owner,
      }));
      return {
        transaction: { message: { accountKeys: keys } },
        meta: { preTokenBalances: [], postTokenBalances: balances },
      };
    },
    getBlock: ([slot]) => ({
      blockhash: key('B'),
      previousBlockhash: key('A'),
      parentSlot: Number(slot) - 1,
      blockTime: 1,
    }),
  };
  const rpc = {
    call: async (method: string, params: readonly unknown[]) => {
      asked.push(method);
      return answers[method]!(params);
    },
  } as unknown as RpcClient;
  const session: Session = {
    network: solanaNetworks[0]!,
    rpc,
    slots: new SlotBook(),
    touches: new TouchBook(),
    signatures: new SignatureBook(),
    versions: { max: 0 },
  };
  return { session, asked };
}

const slotsOf = ({ refs }: Awaited<ReturnType<typeof findBlocksOf>>) => refs.map(({ number }) => number);

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
