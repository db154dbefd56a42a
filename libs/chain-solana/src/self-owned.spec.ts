// SPDX-License-Identifier: Apache-2.0
import { decodeTransaction } from './decode-block.ts';
import { lamportChanges } from './lamports.ts';
import { parseTransaction } from './parse-transaction.ts';
import type { RawTokenBalance, RawTransaction } from './raw-block.ts';
import { describeFixtures, mainnet, readRecordedTransaction } from './spec-fixtures.ts';
import type { Transfer } from '@chainwatch/chain-core';

describeFixtures('a token account that owns itself', () => {
  const recorded = readRecordedTransaction('snap-send-usdc-transfer.getTransaction.json');
  const tx = parseTransaction(recorded);
  const { mint } = recorded.meta!.postTokenBalances![0]!;

  /** The same transaction, the accounts at `indexes` their own owners. */
  function transfersWith(indexes: readonly number[]): readonly Transfer[] {
    const own = (list: readonly RawTokenBalance[] | null | undefined) =>
      list?.map((one) =>
        indexes.includes(one.accountIndex) ? { ...one, owner: tx.keyAt(one.accountIndex) } : one,
      );
    const meta = {
      ...recorded.meta!,
      preTokenBalances: own(recorded.meta!.preTokenBalances),
      postTokenBalances: own(recorded.meta!.postTokenBalances),
    };
    const parsed = parseTransaction({ ...recorded, meta } as RawTransaction);
    return decodeTransaction(mainnet, {
      index: 0,
      tx: parsed,
      changes: lamportChanges(parsed),
    }).transfers.filter(({ assetGid }) => assetGid.endsWith(`:${mint}`));
  }

  const [byOwner, byAccount] = transfersWith([]) as [Transfer, Transfer];
  const indexOf = (address: string): number =>
    [...recorded.meta!.preTokenBalances!, ...recorded.meta!.postTokenBalances!].find(
      (one) => tx.keyAt(one.accountIndex) === address,
    )!.accountIndex;
  const amountRaw = 10_000n;

  it('is not there in the recorded transfer: owners, then accounts', () => {
    expect(transfersWith([])).toMatchObject([{ amountRaw }, { amountRaw }]);
    expect(new Set([byOwner.from, byOwner.to, byAccount.from, byAccount.to]).size).toBe(4);
  });

  it('receives once: its payer’s owner pays it, its payer’s account pays nobody who is told twice', () => {
    const transfers = transfersWith([indexOf(byAccount.to!)]);
    expect(transfers.map(({ index: _, type: _type, assetGid: _gid, ...rest }) => rest)).toEqual([
      { from: byOwner.from, to: byAccount.to, amountRaw },
      { from: byAccount.from, amountRaw },
    ]);
  });

  it('pays once', () => {
    const transfers = transfersWith([indexOf(byAccount.from!)]);
    expect(transfers.map(({ index: _, type: _type, assetGid: _gid, ...rest }) => rest)).toEqual([
      { from: byAccount.from, to: byOwner.to, amountRaw },
      { to: byAccount.to, amountRaw },
    ]);
  });

  it('on both sides is told by the one transfer between the two', () => {
    const transfers = transfersWith([indexOf(byAccount.from!), indexOf(byAccount.to!)]);
    expect(transfers.map(({ from, to }) => [from, to])).toEqual([[byAccount.from, byAccount.to]]);
    expect(transfers.map(({ index }) => index)).toEqual([
      ...transfersWith([])
        .slice(0, 1)
        .map(({ index }) => index),
    ]);
  });
});
