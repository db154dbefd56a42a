// SPDX-License-Identifier: Apache-2.0
import { Harness } from './harness.ts';
import type { TestChain } from './test-chain.ts';
import type { TransactionRecord } from './transaction-record.ts';

interface MemoRecord extends TransactionRecord {
  readonly memo: string | null;
}

export interface MemoProof<C extends TestChain> {
  readonly chain: C;
  /** An address that the payments go to. */
  readonly receiver: (chain: C) => string;
  /** Pays with what is to be read as a memo: each of `parts` where the chain has a place for it. */
  readonly pay: (chain: C, parts: readonly Buffer[]) => Promise<unknown>;
  readonly mine: (chain: C) => Promise<unknown>;
  /** The most parts that a transaction takes. */
  readonly partsMax: number;
}

const TEXT = 'Bestellung 1042 – naïve 💸';

/** Memos of transactions on a local chain, in records and in events. */
export function describeMemos<C extends TestChain>({
  chain,
  receiver,
  pay,
  mine,
  partsMax,
}: MemoProof<C>): void {
  const harness = new Harness(chain);
  beforeAll(() => harness.start());
  afterAll(() => harness.stop());

  const cases: readonly (readonly [parts: readonly Buffer[], memo: string | null])[] = [
    [[Buffer.from(TEXT)], TEXT],
    [[Buffer.from('ff00', 'hex')], null],
    [[], null],
    ...(partsMax > 1 ? [[[Buffer.from('one'), Buffer.from('two')], 'one\ntwo'] as const] : []),
  ];

  it('stand in records and in every event', async () => {
    await harness.watch(receiver(harness.chain));
    const found: (string | null)[] = [];
    for (const [parts] of cases) {
      const before = await listMemos();
      await pay(harness.chain, parts);
      await mine(harness.chain);
      await harness.until('the payment to be detected', 60_000, async () => {
        const added = [...(await listMemos())].filter(([hash]) => !before.has(hash));
        if (added.length > 0) found.push(added[0]![1]);
        return added.length > 0;
      });
    }
    expect(found).toEqual(cases.map(([, memo]) => memo));
    await harness.settle();
    const memos = await listMemos();
    const events = [...harness.receiver.events.values()].filter(({ transactionHash }) =>
      memos.has(transactionHash ?? ''),
    );
    expect(new Set(events.map(({ type }) => type))).toContain('transaction.confirmed');
    for (const { body, transactionHash } of events)
      expect((body['data'] as { transaction: MemoRecord }).transaction.memo).toBe(
        memos.get(transactionHash!),
      );
  });

  async function listMemos(): Promise<Map<string, string | null>> {
    const records = await harness.project.listAll<MemoRecord>('/transactions');
    return new Map(records.map(({ hash, memo }) => [hash, memo]));
  }
}
