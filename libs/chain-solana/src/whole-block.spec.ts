// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFailoverClient } from '@chainwatch/chain-core';
import type { Block, BlockRef, ChainClient } from '@chainwatch/chain-core';
import { Keypair, SystemProgram, Transaction as Legacy } from '@solana/web3.js';
import { isLeaderPay } from './verify-fees.ts';
import { parseTransaction } from './parse-transaction.ts';
import type { RawReward, RawTokenBalance, RawTransaction } from './raw-block.ts';
import { SolanaClient } from './solana-client.ts';
import {
  describeFixtures,
  devnet,
  mainnet,
  readRecordedBlock,
  slotOf,
  wholeBlocks,
  type RecordedBlock,
} from './spec-fixtures.ts';

// What stands behind the list of a block's transactions. The blocks are recorded ones of the development network; what
// coming features do to them (SIMD-0290, SIMD-0123, empty blocks of Alpenglow) is made here: stand-ins, not recorded.

const take = { takeUnknown: true };
const signatureOf = (raw: RawTransaction): string => parseTransaction(raw).signature;

/** A node with one block. */
class SpecNode {
  readonly asked: string[] = [];
  block!: RecordedBlock;
  /** Absent: those of the block. */
  listed: readonly string[] | undefined;
  isAway = false;
  answers: Readonly<Record<string, unknown>> = {};
  #server!: Server;

  async start(): Promise<this> {
    this.#server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
            id: number;
            method: string;
            params: [number, { transactionDetails: string }];
          };
          res.end(JSON.stringify({ jsonrpc: '2.0', id, ...this.#answer(method, params) }));
        });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => this.#server.once('listening', resolve));
    return this;
  }

  client(): SolanaClient {
    const { port } = this.#server.address() as AddressInfo;
    return new SolanaClient({ network: devnet, endpointUrl: `http://127.0.0.1:${port}` });
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(method: string, params: readonly [number, { readonly transactionDetails: string }]): object {
    if (method === 'getGenesisHash') return { result: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' };
    if (method in this.answers) {
      this.asked.push(method);
      return this.answers[method] as object;
    }
    if (method !== 'getBlock') return { error: { code: -32601, message: 'Method not found' } };
    const details = params[1].transactionDetails;
    this.asked.push(details);
    if (this.isAway) return { error: { code: -32004, message: 'Block not available for slot' } };
    const { transactions, ...rest } = this.block;
    if (details === 'none') return { result: rest };
    return details === 'signatures'
      ? { result: { ...rest, signatures: this.listed ?? transactions.map(signatureOf) } }
      : { result: { ...rest, transactions } };
  }
}

describeFixtures('the list of a block', () => {
  const file = wholeBlocks.find((name) => name.includes('443787702') && name.includes('base64'))!;
  const honest = readRecordedBlock(file);
  const ref: BlockRef = { number: slotOf(file), hash: honest.blockhash };
  const empty: RecordedBlock = { ...honest, transactions: [], rewards: [] };
  const withReward = (change: (fee: RawReward) => RawReward | undefined): RecordedBlock => ({
    ...honest,
    rewards: honest.rewards!.flatMap((one) => (one.rewardType === 'Fee' ? (change(one) ?? []) : [one])),
  });
  /** The leader gets a commission, and the rest is kept for later (SIMD-0123). */
  const shared = withReward((fee) => ({ ...fee, lamports: Math.floor(Number(fee.lamports) / 10) }));
  let one: SpecNode;
  let two: SpecNode;
  let clients: ChainClient[] = [];

  beforeEach(async () => {
    [one, two] = await Promise.all([new SpecNode().start(), new SpecNode().start()]);
  });
  afterEach(() => {
    for (const client of clients) client.close();
    clients = [];
    one.stop();
    two.stop();
  });

  const open = (...nodes: readonly SpecNode[]): ChainClient => {
    const client = createFailoverClient(nodes.map((node) => node.client()));
    clients.push(client);
    return client;
  };
  const alone = (block: RecordedBlock, options?: typeof take): Promise<Block> => {
    one.block = block;
    return open(one).readBlock(ref, undefined, options);
  };
  const beside = (block: RecordedBlock, options?: typeof take): Promise<Block> => {
    one.block = two.block = block;
    return open(one, two).readBlock(ref, undefined, options);
  };
  /** Of the block, then of its transactions: what they did stands in no root, so they are `attested` at most. */
  const verificationsOf = ({ verification, transactions }: Block): unknown[] => [
    verification,
    ...new Set(transactions.map((transaction) => transaction.verification)),
  ];
  const kindsOf = ({ unknowns = [] }: Block): string[] => unknowns.map(({ kind }) => kind);

  describe('from a node that leaves out token balances', () => {
    const stripBy = (strip: (balances: readonly RawTokenBalance[]) => unknown): RecordedBlock => ({
      ...honest,
      transactions: honest.transactions.map((transaction) => ({
        ...transaction,
        meta: {
          ...transaction.meta!,
          preTokenBalances: strip(transaction.meta!.preTokenBalances ?? []) as RawTokenBalance[],
          postTokenBalances: strip(transaction.meta!.postTokenBalances ?? []) as RawTokenBalance[],
        },
      })),
    });
    it.each([
      ['lists', () => []],
      ['all of them', () => null],
      ['members', () => undefined],
      ['owners', (balances: readonly RawTokenBalance[]) => balances.map(({ owner: _, ...rest }) => rest)],
    ])('(%s) is no silent gap', async (_what, strip) => {
      const stripped = stripBy(strip);
      await expect(alone(stripped)).rejects.toThrow('token-balances:missing');
      const block = await alone(stripped, take);
      expect(kindsOf(block)).toEqual(['token-balances:missing']);
      const partial = block.transactions.filter(({ partialFor }) => partialFor !== undefined);
      expect(partial.length).toBeGreaterThan(0);
      expect(new Set(partial.map(({ verification }) => verification))).toEqual(new Set(['unproved']));

      two.block = honest;
      const client = open(one, two);
      const other = await client.readBlock(ref);
      expect(other.transactions.filter(({ partialFor }) => partialFor !== undefined)).toEqual([]);
    });

    it('has no unknown part in a block of 2021', async () => {
      const old = { ...stripBy(() => []), blockTime: 1_630_000_000 };
      expect(kindsOf(await alone(old))).toEqual([]);
    });
  });

  it('is proved by the reward of the leader, whichever account collects it (SIMD-0232), with one request', async () => {
    const block = await beside(withReward((fee) => ({ ...fee, pubkey: '11111111111111111111111111111111' })));
    expect(verificationsOf(block)).toEqual([undefined, 'attested']);
    expect([one.asked, two.asked]).toEqual([['full'], []]);
  });

  describe('with transactions whose payer could not pay (SIMD-0290)', () => {
    const payer = Keypair.generate();
    const unpaid = ((): RawTransaction => {
      const transaction = new Legacy({
        feePayer: payer.publicKey,
        recentBlockhash: honest.previousBlockhash,
      });
      const to = Keypair.generate().publicKey;
      transaction.add(SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: 5 }));
      transaction.sign(payer);
      return {
        transaction: [transaction.serialize().toString('base64'), 'base64'],
        meta: {
          err: 'InsufficientFundsForFee',
          fee: 0,
          preBalances: [7, 0, 1],
          postBalances: [7, 0, 1],
        },
        version: 'legacy',
      };
    })();
    const held = { ...honest, transactions: [unpaid, ...honest.transactions] };

    it('is proved without them: nothing was paid for their signatures', async () => {
      const block = await alone(held);
      expect(verificationsOf(block)).toEqual([undefined, 'attested']);
      const known = await alone(honest);
      expect(block.transactions.map(({ hash }) => hash)).toEqual(known.transactions.map(({ hash }) => hash));
    });

    it('reports none of them: the same signature may be executed in a later block, and is reported there', async () => {
      const paid = {
        ...unpaid,
        meta: {
          ...unpaid.meta!,
          err: null,
          fee: 5_000,
          preBalances: [9_000, 0, 1],
          postBalances: [3_995, 5, 1],
        },
      };
      const rewarded = withReward((fee) => ({ ...fee, lamports: Number(fee.lamports) + 2_500 }));
      expect((await alone(held)).transactions.map(({ hash }) => hash)).not.toContain(signatureOf(unpaid));
      const later = await alone({ ...rewarded, transactions: [paid, ...honest.transactions] });
      expect(later.verification).toBeUndefined();
      expect(later.transactions[0]).toMatchObject({ hash: signatureOf(unpaid), isFailed: false });
    });

    it('does not let a node hide a payment as one of them', async () => {
      const hidden = honest.transactions.findIndex(({ meta }) => meta?.err === null);
      const { meta, ...rest } = honest.transactions[hidden]!;
      const lie = {
        ...rest,
        meta: { ...meta!, err: 'InsufficientFundsForFee', fee: 0, postBalances: meta!.preBalances },
      };
      await expect(
        alone({ ...honest, transactions: honest.transactions.with(hidden, lie) }),
      ).rejects.toMatchObject({ code: 'unknown_content' });
    });
  });

  describe('whose leader was paid another amount (SIMD-0123)', () => {
    it('goes on with an incident where one node stands alone, and nothing in it is proved', async () => {
      await expect(alone(shared)).rejects.toMatchObject({
        code: 'unknown_content',
        unknowns: [{ kind: 'leader-reward:fee' }],
      });
      const block = await alone(shared, take);
      expect(verificationsOf(block)).toEqual(['unproved', 'unproved']);
      expect(one.asked.slice(-2)).toEqual(['full', 'signatures']);
    });

    it('is agreed, without an incident, where a node of another operator lists the same', async () => {
      const block = await beside(shared);
      expect([verificationsOf(block), kindsOf(block)]).toEqual([['agreed', 'attested'], []]);
      expect([one.asked, two.asked]).toEqual([['full'], ['signatures']]);
    });

    it.each([
      ['one more', (all: readonly string[]) => [...all, 'x']],
      ['one less', (all: readonly string[]) => all.slice(1)],
      ['another one', (all: readonly string[]) => all.with(0, 'x')],
      ['another order', (all: readonly string[]) => all.toReversed()],
    ])('is not where that one lists %s', async (_what, change) => {
      two.listed = change(honest.transactions.map(signatureOf));
      const block = await beside(shared, take);
      expect(verificationsOf(block)).toEqual(['unproved', 'unproved']);
      expect(kindsOf(block)).toEqual(['leader-reward:fee', 'transaction-list:disputed']);
    });

    it('is refused where the node lists other transactions than it gives', async () => {
      one.listed = honest.transactions.map(signatureOf).slice(1);
      await expect(alone(shared, take)).rejects.toMatchObject({ code: 'incomplete_block' });
      one.listed = one.listed.toReversed();
      await expect(alone(shared, take)).rejects.toMatchObject({ code: 'incomplete_block' });
    });

    it('keeps what is false in itself out all the same: an amount, a signature, the same transaction twice', async () => {
      const [first] = honest.transactions;
      const more = {
        ...first!,
        meta: { ...first!.meta!, postBalances: first!.meta!.postBalances.with(0, 1) },
      };
      await expect(
        alone({ ...shared, transactions: honest.transactions.with(0, more) }, take),
      ).rejects.toMatchObject({ code: 'incomplete_block' });
      const block = await alone(honest);
      const { index } = block.transactions[0]!;
      const twice = [...honest.transactions, honest.transactions[index]!];
      await expect(alone({ ...shared, transactions: twice }, take)).rejects.toMatchObject({
        code: 'incomplete_block',
      });
    });
  });

  describe('that is empty', () => {
    it('is attested by one node that lists nothing either, and says so', async () => {
      const block = await alone(empty);
      expect([block.verification, kindsOf(block), one.asked]).toEqual([
        'attested',
        [],
        ['full', 'signatures'],
      ]);
    });

    it('is refused where the node lists transactions: it lost their data', async () => {
      one.listed = honest.transactions.map(signatureOf);
      await expect(alone(empty, take)).rejects.toMatchObject({ code: 'incomplete_block' });
    });

    it('is agreed where a node of another operator has it empty, too', async () => {
      expect((await beside(empty)).verification).toBe('agreed');
      expect([one.asked, two.asked]).toEqual([['full'], ['signatures']]);
    });

    it('is an incident where that one has transactions', async () => {
      one.block = empty;
      two.block = honest;
      const block = await open(one, two).readBlock(ref, undefined, take);
      expect([block.verification, kindsOf(block)]).toEqual(['unproved', ['transaction-list:disputed']]);
      // Every endpoint is asked before an incident stands: the other one has the block whole.
      expect((await open(one, two).readBlock(ref)).verification).toBeUndefined();
    });

    it('is attested while the other node does not answer', async () => {
      one.block = empty;
      two.block = empty;
      two.isAway = true;
      expect((await open(one, two).readBlock(ref)).verification).toBe('attested');
    });
  });

  it('is attested, with all in it, where the node keeps no rewards', async () => {
    const block = await alone({ ...honest, rewards: [] });
    expect(verificationsOf(block)).toEqual(['attested', 'attested']);
    const agreed = await beside({ ...honest, rewards: null });
    // The list is that of both, the effects are one node's word.
    expect(verificationsOf(agreed)).toEqual(['agreed', 'attested']);
  });

  describe('rewards', () => {
    const account = '11111111111111111111111111111111';
    const withKind = (rewardType: string): RecordedBlock => ({
      ...honest,
      rewards: [...honest.rewards!, { pubkey: account, lamports: 5, rewardType }],
    });

    it('book no stake that merely becomes withdrawable as income, and read the balance again', async () => {
      const block = await alone(withKind('DeactivatedStake'));
      expect(kindsOf(block)).toEqual([]);
      expect(block.balanceChanges.at(-1)).toEqual({
        address: account,
        assetGid: devnet.native!.gid,
        reason: 'other',
      });
    });

    it.each([
      ['Rent', 'reward'],
      ['Staking', 'staking_reward'],
      ['Voting', 'staking_reward'],
    ])('of the kind %s are told as %s', async (kind, reason) => {
      expect((await alone(withKind(kind))).balanceChanges.at(-1)).toMatchObject({ amountRaw: 5n, reason });
    });

    it('of a kind that is not known are an incident and no income; the transactions stay proved', async () => {
      await expect(alone(withKind('Surprise'))).rejects.toMatchObject({
        code: 'unknown_content',
        unknowns: [{ kind: 'reward-type:Surprise' }],
      });
      const block = await alone(withKind('Surprise'), take);
      expect(verificationsOf(block)).toEqual([undefined, 'attested']);
      expect(block.balanceChanges.at(-1)).toMatchObject({ address: account, reason: 'other' });
      expect(block.balanceChanges.at(-1)!.amountRaw).toBeUndefined();
    });
  });

  describe('finality', () => {
    const certificate = (slot: number) => ({ result: { block: { slot, blockId: [] }, signature: {} } });

    it.each([
      [
        'a cluster that migrated: the confirmed head is final',
        certificate(100),
        ['getAgGenesisCert', 'getSlot', 'none'],
      ],
    ])('of %s', async (_what, cert, asked) => {
      one.block = honest;
      one.answers = { getAgGenesisCert: cert, getSlot: { result: ref.number } };
      const client = open(one);
      expect(await client.findFinalized()).toEqual(ref);
      expect(one.asked).toEqual(asked);
      // The certificate never changes.
      await client.findFinalized();
      expect(one.asked.filter((each) => each === 'getAgGenesisCert')).toHaveLength(1);
    });

    it.each([
      ['has not migrated', { result: null }],
      [
        'has a node that does not know the question',
        { error: { code: -32601, message: 'Method not found' } },
      ],
      ['migrates above its head', certificate(ref.number)],
      ['answers something else', { result: { block: 'x' } }],
    ])('of a cluster that %s is what the node calls final', async (_what, cert) => {
      one.block = honest;
      one.answers = { getAgGenesisCert: cert, getSlot: { result: ref.number } };
      const client = open(one);
      expect(await client.findFinalized()).toEqual(ref);
      expect(one.asked.at(-2)).toBe('getSlot');
    });
  });
});

describe('what a leader is paid', () => {
  // Two signatures and 100,000 lamports on top.
  const fees = { total: 110_000n, base: 10_000n, unexplained: 0n };
  it.each([
    ['half of all, before SIMD-0096', 55_000n, { chainGid: mainnet.gid, slot: 320_111_999 }, true],
    ['half of all, since', 55_000n, { chainGid: mainnet.gid, slot: 320_112_000 }, false],
    ['all but half of the base fee, before', 105_000n, { chainGid: mainnet.gid, slot: 320_111_999 }, false],
    ['all but half of the base fee, since', 105_000n, { chainGid: mainnet.gid, slot: 320_112_000 }, true],
    ['half of all, where the beginning is not known', 55_000n, { chainGid: devnet.gid, slot: 9 }, true],
    ['all but half of the base fee, there', 105_000n, { chainGid: devnet.gid, slot: 9 }, true],
    ['a tenth', 10_500n, { chainGid: mainnet.gid, slot: 460_000_000 }, false],
  ])('%s', (_what, reward, at, isPaid) => {
    expect(isLeaderPay(reward, fees, at)).toBe(isPaid);
  });
});
