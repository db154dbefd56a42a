// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import {
  describeFixtures,
  readRecordedBlock,
  slotOf,
  wholeBlocks,
  type RecordedBlock,
} from './spec-fixtures.ts';
import { SpecNode, toAccounts } from './spec-node.ts';

const take = { takeUnknown: true };

const node = new SpecNode();
describeFixtures('unknown: a real block', () => {
  const file = wholeBlocks.find((name) => name.includes('443787702') && name.includes('base64'))!;
  const honest = readRecordedBlock(file);
  const ref = { number: slotOf(file), hash: honest.blockhash };
  const accounts = honest.transactions.map(toAccounts);
  const read = (options?: typeof take): Promise<Block> => node.client.readBlock(ref, undefined, options);
  let known: Block;
  /** The transaction that moves most. */
  let at: number;

  beforeAll(async () => {
    await node.start();
    known = await node.tell(honest).client.readBlock(ref);
    at = known.transactions.reduce((most, one) =>
      one.transfers.length > most.transfers.length ? one : most,
    ).index;
  });
  afterAll(() => node.stop());

  const withTransaction = (index: number, change: object): RecordedBlock => ({
    ...honest,
    transactions: honest.transactions.with(index, { ...honest.transactions[index]!, ...change }),
  });
  /** Bytes that begin with their version, as those of version 1 do; here with nothing else that could be read. */
  const opaque = (version: number) => ({
    version,
    transaction: [
      Buffer.from([128 + version, 1, 0, 1, ...Buffer.alloc(300, 7)]).toString('base64'),
      'base64',
    ],
  });
  const markedAt = (block: Block): number[] =>
    block.transactions.flatMap(({ verification, index }) => (verification === 'unproved' ? [index] : []));
  const withoutMarks = ({ transactions }: Block) => transactions.map(({ verification: _, ...one }) => one);

  it('is taken as it is, with one question', async () => {
    node.tell(honest);
    expect(await read()).toEqual(known);
    expect(node.asked).toEqual(['full 1']);
    expect([
      known.unknowns,
      markedAt(known),
      known.transactions.length > 1,
      known.transactions.find(({ index }) => index === at)!.transfers.length > 0,
    ]).toEqual([undefined, [], true, true]);
  });

  describe('(a) with a version of transactions that is not known', () => {
    const told = (): RecordedBlock => withTransaction(at, opaque(2));

    it('is asked for as the node says, and refused by its version', async () => {
      node.tell(told(), { accounts });
      await expect(read()).rejects.toMatchObject({
        code: 'unknown_content',
        retryable: true,
        unknowns: [
          {
            kind: 'transaction-version:2',
            transactionHash: known.transactions.find(({ index }) => index === at)!.hash,
          },
        ],
      });
      expect(node.asked).toEqual(['full 1', 'full 2', 'accounts 2']);
    });

    it('is taken with what its accounts tell: all transfers, that one unproved', async () => {
      node.tell(told(), { accounts });
      const block = await read(take);
      expect(block.unknowns).toMatchObject([{ kind: 'transaction-version:2' }]);
      expect(markedAt(block)).toEqual([at]);
      expect(withoutMarks(block).map(({ hash }) => hash)).toEqual(known.transactions.map(({ hash }) => hash));
      expect(withoutMarks(block).find(({ index }) => index === at)).toMatchObject({
        ...withoutMarks(known).find(({ index }) => index === at),
      });
      // The version that the node asked for is remembered.
      await read(take);
      expect(node.asked).toEqual(['full 1', 'full 2', 'accounts 2', 'full 2', 'accounts 2']);
    });

    it('is followed by its header all the same, and its bytes speak where the node tells no version', async () => {
      node.tell(told(), { accounts });
      expect(await node.client.findHeaderByNumber(ref.number)).toMatchObject(ref);
      const { version: _, ...bytesAlone } = opaque(3);
      node.tell(withTransaction(at, { ...bytesAlone, version: undefined }), { accounts });
      await expect(read()).rejects.toMatchObject({
        code: 'unknown_content',
        unknowns: [{ kind: 'transaction-version:3' }],
      });
    });

    it('is no pretext: what is missing, made up or another block is refused', async () => {
      const others = (index: number): RecordedBlock => ({
        ...told(),
        transactions: told().transactions.toSpliced(index, 1),
      });
      const left = at === 0 ? 1 : 0;
      node.tell(others(left), { accounts });
      await expect(read(take)).rejects.toMatchObject({ code: 'incomplete_block' });
      node.tell(told(), { accounts: accounts.slice(1) });
      await expect(read(take)).rejects.toMatchObject({ code: 'incomplete_block' });
      const balances = accounts[at]!.meta!.postBalances;
      node.tell(told(), {
        accounts: accounts.with(at, {
          ...accounts[at]!,
          meta: { ...accounts[at]!.meta!, postBalances: balances.with(0, Number(balances[0]) + 1) },
        }),
      });
      await expect(read(take)).rejects.toMatchObject({
        code: 'incomplete_block',
        message: expect.stringContaining('lamports') as string,
      });
      node.tell(told(), { accounts, extra: { blockhash: 'another' } });
      await expect(read(take)).rejects.toMatchObject({ code: 'block_not_found' });
    });

    it('leaves no transaction proved where the leader was paid by other rules, and needs the list of signatures', async () => {
      const rewards = honest.rewards!.map((one) =>
        one.rewardType === 'Fee' ? { ...one, lamports: Number(one.lamports) + 1 } : one,
      );
      node.tell({ ...told(), rewards }, { accounts });
      expect(markedAt(await read(take))).toEqual(known.transactions.map(({ index }) => index));
      expect(node.asked.at(-1)).toBe('signatures 2');
    });

    it('is asked for with the highest version there can be where the node does not say which', async () => {
      node.tell(told(), { accounts, isTerse: true });
      expect(markedAt(await read(take))).toEqual([at]);
      expect(node.asked).toEqual(['full 1', 'full 255', 'accounts 255']);
    });

    it('gives up where the node wants what it was given', async () => {
      node.tell(withTransaction(at, { version: 300 }), { accounts });
      await expect(read()).rejects.toMatchObject({ code: 'node_error', nodeCode: -32015 });
      expect(node.asked).toEqual(['full 1', 'full 255']);
    });
  });

  it('(b) with members that are not known, in a transaction, its meta and its balances: nothing rests on them', async () => {
    const { meta } = honest.transactions[at]!;
    node.tell(
      withTransaction(at, {
        future: 1,
        meta: {
          ...meta,
          future: { of: 'it' },
          preTokenBalances: meta!.preTokenBalances?.map((one) => ({ ...one, future: 1 })),
        },
      }),
    );
    expect(await read()).toEqual(known);
  });

  describe('(b) with a reward of a kind that is not known', () => {
    const surprise = { pubkey: '11111111111111111111111111111111', lamports: 5, rewardType: 'Surprise' };

    it('in place of the fees: refused by its kind, and taken as the word of the node', async () => {
      const rewards = honest.rewards!.flatMap((one) =>
        one.rewardType === 'Fee' ? [{ ...one, lamports: 1 }, surprise] : [one],
      );
      node.tell({ ...honest, rewards });
      await expect(read()).rejects.toMatchObject({
        code: 'unknown_content',
        unknowns: [{ kind: 'reward-type:Surprise' }, { kind: 'leader-reward:fee' }],
      });
      const block = await read(take);
      expect(markedAt(block)).toEqual(known.transactions.map(({ index }) => index));
      expect(withoutMarks(block)).toEqual(withoutMarks(known));
    });
  });

  it('(c) with a member of its header that is not known: nothing rests on it, in blocks and headers', async () => {
    node.tell(honest, { extra: { parentBankHash: 'x', future: [] } });
    expect(await read()).toEqual(known);
    expect(await node.client.findHeaderByNumber(ref.number)).toMatchObject(ref);
  });
});
