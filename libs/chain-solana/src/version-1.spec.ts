// SPDX-License-Identifier: Apache-2.0
import type { Block, ReadBlockOptions } from '@chainwatch/chain-core';
import { parseAccounts, parseTransaction } from './parse-transaction.ts';
import type { RawMeta, RawTransaction } from './raw-block.ts';
import { drawBlock } from './spec-block.ts';
import { devnet, type RecordedBlock } from './spec-fixtures.ts';
import { SpecNode, toAccounts } from './spec-node.ts';
import { verifyBlock, findFeeFault } from './verify-block.ts';
import { SpecRandom } from './wire/spec-draw.ts';
import { signTransaction } from './wire/spec-wire.ts';

const { block: honest, expected, sources } = drawBlock(new SpecRandom(1), 90);
const ref = { number: 449_000_001, hash: honest.blockhash };
const take: ReadBlockOptions = { takeUnknown: true };
/** A payment of version 1 with a priority fee. */
const at = sources.findIndex(
  ({ parts }, index) =>
    parts.config?.priorityFee !== undefined &&
    !expected[index]!.isFailed &&
    expected[index]!.transfers.length > 0,
);
const original = honest.transactions[at]!;

const node = new SpecNode();
beforeAll(() => node.start());
afterAll(() => node.stop());

const read = (options?: ReadBlockOptions): Promise<Block> => node.client.readBlock(ref, undefined, options);
const unprovedIn = ({ transactions }: Block): number[] =>
  transactions.flatMap(({ verification, index }) => (verification === 'unproved' ? [index] : []));
const changed = (change: Partial<RawTransaction>, rewards: object = {}): RecordedBlock => ({
  ...honest,
  rewards: [{ ...honest.rewards![0]!, ...rewards }],
  transactions: honest.transactions.with(at, { ...original, ...change }),
});
const reward = Number(honest.rewards![0]!.lamports);

describe('a block of legacy, version 0 and version 1 transactions', () => {
  it('is read by one question, with memos, transfers and fees, and proved', async () => {
    node.tell(honest);
    const block = await read();
    expect(node.asked).toEqual(['full 1']);
    expect([block.unknowns, unprovedIn(block)]).toEqual([undefined, []]);
    expect(
      block.transactions.map(({ hash, isFailed, memo, fee, transfers }) => ({
        hash,
        isFailed,
        memo,
        fee: fee!.amountRaw,
        transfers: transfers
          .map(({ type, from, to, amountRaw }) => `${type} ${from} ${to} ${amountRaw}`)
          .sort(),
      })),
    ).toEqual(expected);
  });

  it('draws what it says', () => {
    const ofVersion1 = expected.filter((_, index) => sources[index]!.parts.version === 1);
    expect(ofVersion1).toHaveLength(30);
    expect([
      ofVersion1.some(({ isFailed }) => isFailed),
      ofVersion1.some(({ memo }) => memo?.includes('\n') === true),
      ofVersion1.some(({ transfers }) => transfers.length === 4),
      sources.some(({ parts }) => parts.lookups !== undefined),
    ]).toEqual([true, true, true, true]);
  });

  it('is not proved by the reward without any one of its transactions', () => {
    for (const left of honest.transactions.keys()) {
      const { fees } = verifyBlock(ref, {
        chainGid: devnet.gid,
        raw: { ...honest, transactions: honest.transactions.toSpliced(left, 1) },
        take: (one) => one,
      });
      expect(fees).toBe('other');
    }
  });

  it('is refused where a signature is not that of the message', async () => {
    const { block, sources: few } = drawBlock(new SpecRandom(2), 6);
    const position = few.findIndex(({ parts }) => parts.version === 1);
    const transaction = block.transactions[position]!;
    const bytes = Buffer.from((transaction.transaction as readonly string[])[0]!, 'base64');
    bytes[bytes.length - 64 * few[position]!.secrets.length]! ^= 1;
    const forged: RawTransaction = { ...transaction, transaction: [bytes.toString('base64'), 'base64'] };
    node.tell({ ...block, transactions: block.transactions.with(position, forged) });
    await expect(node.client.readBlock({ number: ref.number, hash: block.blockhash })).rejects.toMatchObject({
      code: 'incomplete_block',
      message: expect.stringContaining('signature') as string,
    });
  });

  it.each([
    ['is told as version 0', { version: 0 }],
    ['is told as legacy', { version: 'legacy' }],
    ['is told as version 2', { version: 2 }],
    [
      'has looked up an address',
      { meta: { ...original.meta!, loadedAddresses: { writable: [], readonly: [honest.blockhash] } } },
    ],
  ])('is refused where version 1 %s', (_what, change) => {
    expect(() =>
      verifyBlock(ref, { chainGid: devnet.gid, raw: changed(change), take: (one) => one }),
    ).toThrow(expect.objectContaining({ code: 'incomplete_block' }) as Error);
  });

  it('is refused where version 0 is told as version 1', () => {
    const position = sources.findIndex(({ parts }) => parts.version === 0);
    const told = { ...honest.transactions[position]!, version: 1 };
    expect(() => parseTransaction(told)).toThrow(RangeError);
    expect(() => parseTransaction({ ...told, version: undefined })).not.toThrow();
  });
});

describe('a configuration value that is not known', () => {
  it('leaves that transaction unproved, which its accounts tell', async () => {
    const { parts, secrets } = sources[at]!;
    const config = { ...parts.config, unknown: [{ bit: 6, word: 3 }] };
    const bytes = signTransaction({ ...parts, config }, secrets);
    node.tell(changed({ transaction: [bytes.toString('base64'), 'base64'] }), {
      accounts: honest.transactions.map(toAccounts),
    });
    await expect(read()).rejects.toMatchObject({
      code: 'unknown_content',
      unknowns: [{ kind: 'transaction-config:6', transactionHash: expected[at]!.hash }],
    });
    const block = await read(take);
    expect(unprovedIn(block)).toEqual([at]);
    expect(node.asked).toEqual(['full 1', 'accounts 1', 'full 1', 'accounts 1']);
  });
});

describe('the fee of version 1', () => {
  /** The payer pays `more` lamports than its configuration says. */
  const withFee = (more: number): RawMeta => {
    const { fee, postBalances, ...meta } = original.meta!;
    const [first, ...others] = postBalances;
    return { ...meta, fee: fee + more, postBalances: [Number(first) - more, ...others] };
  };

  it.each([
    ['more', 7],
    ['less', -1],
    ['another signature', 5_000],
  ])('is %s than its bytes say: that transaction is unproved, and the chain goes on', async (_what, more) => {
    // What is paid beyond signatures is the leader's.
    node.tell(changed({ meta: withFee(more) }, { lamports: reward + (more === 5_000 ? 2_500 : more) }));
    await expect(read()).rejects.toMatchObject({
      code: 'unknown_content',
      unknowns: [
        {
          kind: 'transaction-fee:version-1',
          transactionHash: expected[at]!.hash,
          expected: `${expected[at]!.fee} lamports`,
          got: `${expected[at]!.fee + BigInt(more)} lamports`,
        },
      ],
    });
    const block = await read(take);
    expect(unprovedIn(block)).toEqual([at]);
    expect(block.transactions[at]).toMatchObject({ hash: expected[at]!.hash, memo: expected[at]!.memo });
    expect(node.asked).toEqual(['full 1', 'full 1']);
  });

  it('may follow other rules than the reward of the leader, too: nothing is proved, and the chain goes on', async () => {
    node.tell(changed({ meta: withFee(9) }, { lamports: reward + 1 }));
    const block = await read(take);
    expect(unprovedIn(block)).toEqual(honest.transactions.map((_, index) => index));
    expect(node.asked).toEqual(['full 1', 'signatures 1']);
  });

  it('counts signatures that precompiles check, and is no fault where nothing was paid', () => {
    const faultOf = (raw: RawTransaction): unknown => findFeeFault(parseTransaction(raw));
    const precompiled = sources.findIndex(
      ({ parts, secrets }, index) =>
        parts.version === 1 &&
        expected[index]!.fee - (parts.config!.priorityFee ?? 0n) > BigInt(secrets.length) * 5_000n,
    );
    expect(faultOf(honest.transactions[precompiled]!)).toBeUndefined();
    expect(faultOf({ ...original, meta: withFee(1) })).toMatchObject({ kind: 'transaction-fee:version-1' });
    expect(faultOf({ ...original, meta: { ...original.meta!, fee: 0 } })).toBeUndefined();
    const earlier = honest.transactions[sources.findIndex(({ parts }) => parts.version === 0)]!;
    expect(faultOf({ ...earlier, meta: { ...earlier.meta!, fee: 1 } })).toBeUndefined();
  });
});

describe('a version above 1', () => {
  const message = { accountKeys: [honest.blockhash], instructions: [] };
  const meta: RawMeta = { err: null, fee: 5_000, preBalances: [2], postBalances: [1] };

  it('is unknown in every encoding, and its accounts are read where they are asked for', () => {
    const unknown = expect.objectContaining({ kind: 'transaction-version:2' }) as Error;
    const byAccounts = {
      transaction: { signatures: ['s'], accountKeys: [honest.blockhash] },
      meta,
      version: 2,
    };
    expect(() => parseTransaction({ transaction: { signatures: ['s'], message }, meta, version: 2 })).toThrow(
      unknown,
    );
    expect(() => parseTransaction(byAccounts)).toThrow(unknown);
    expect(() => parseTransaction({ transaction: ['ggE=', 'base64'], meta, version: 2 })).toThrow(unknown);
    expect(parseAccounts(byAccounts)).toMatchObject({ signature: 's', keyCount: 1 });
  });
});

describe('version 1 in JSON', () => {
  const of = (transactionConfig: unknown, loaded: readonly string[] = []): RawTransaction => ({
    transaction: {
      signatures: ['s'],
      message: { accountKeys: [honest.blockhash], instructions: [], transactionConfig } as never,
    },
    meta: {
      err: null,
      fee: 5_012,
      preBalances: [2],
      postBalances: [1],
      loadedAddresses: { writable: loaded, readonly: [] },
    },
    version: 1,
  });
  const config = { computeUnitLimit: 7, heapSize: null, loadedAccountsDataSizeLimit: null, priorityFee: 12 };

  it('has its configuration, and a fee to be checked', () => {
    const tx = parseTransaction(of(config));
    expect(tx.config).toEqual({
      computeUnitLimit: 7,
      heapSize: undefined,
      loadedAccountsDataSizeLimit: undefined,
      priorityFee: 12n,
    });
    expect(findFeeFault(tx)).toBeUndefined();
    expect(findFeeFault(parseTransaction(of({ ...config, priorityFee: 11 })))).toMatchObject({
      expected: '5011 lamports',
      got: '5012 lamports',
    });
  });

  it('is refused without it, and with looked-up addresses', () => {
    expect(() => parseTransaction(of(null))).toThrow(TypeError);
    expect(() => parseTransaction(of(config, [honest.blockhash]))).toThrow(RangeError);
  });
});
