// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { Transaction } from 'bitcoinjs-lib';
import { createScriptKey, type KeyedCoin, type ScriptKey } from '../../../devnet/bitcoin/index.ts';
import { findDisagreements } from '../compare.ts';
import type { TransactionRecord } from '../transaction-record.ts';
import { Harness } from '../harness.ts';
import type { Watched } from '../test-chain.ts';
import { BitcoinChain } from './bitcoin-chain.ts';

const AMOUNT = 1_000_000n;
const FEE = 10_000n;

interface PendingRecord extends TransactionRecord {
  readonly confirmations: number;
}

/** What happens before the block, and instead of it. Everything ends with the comparison of the oracle. */
describe('the mempool', () => {
  const harness = new Harness(new BitcoinChain());
  const watched: Watched[] = [];
  beforeAll(() => harness.start());
  afterEach(async () => {
    await harness.settle();
    expect(await findDisagreements(harness, harness.project, watched)).toEqual([]);
  });
  afterAll(() => harness.stop());

  const watchNewKey = async (): Promise<ScriptKey> => {
    const key = harness.chain.actor.book.add(createScriptKey('p2wpkh', randomBytes(32)));
    watched.push(await harness.watch(key.address));
    return key;
  };
  const findRecord = async (hash: string): Promise<PendingRecord | undefined> =>
    (await harness.project.listAll<PendingRecord>(`/transactions?hash=${hash}`))[0];
  const waitForStatus = async (transaction: Transaction, status: string): Promise<PendingRecord> => {
    let record: PendingRecord | undefined;
    await harness.until(`${transaction.getId()} to be ${status}`, 60_000, async () => {
      record = await findRecord(transaction.getId());
      if (record?.status !== status) throw new Error(`it is ${record?.status}`);
      return true;
    });
    return record!;
  };
  /** The types of the events about a transaction, in the order of their sequence. */
  const waitForEvents = async (transaction: Transaction, types: readonly string[]): Promise<void> => {
    await harness.until(`the events ${types.join(', ')}`, 60_000, async () => {
      const events = [...harness.receiver.events.values()]
        .filter(
          ({ transactionHash, type }) =>
            transactionHash === transaction.getId() && type !== 'transaction.progress',
        )
        .sort((one, other) => one.sequence! - other.sequence!);
      const got = events.map(({ type }) => type.replace('transaction.', ''));
      if (JSON.stringify(got) !== JSON.stringify(types)) throw new Error(`they are ${got.join(', ')}`);
      return true;
    });
  };
  /** A confirmed coin of a key that nobody watches, large enough for all of this. */
  const takeCoin = async (): Promise<KeyedCoin> =>
    (await harness.chain.actor.spendable()).find(
      ({ value, key }) => value > AMOUNT * 20n && !watched.some(({ address }) => address === key.address),
    )!;
  /** The rest goes back to where the coin came from, so that whoever does not watch it sees one output alone. */
  const pay = async (coin: KeyedCoin, to: ScriptKey, fee = FEE): Promise<Transaction> => {
    const sent = await harness.chain.actor.send(
      [coin],
      [
        { script: to.script, value: AMOUNT },
        { script: coin.key.script, value: coin.value - AMOUNT - fee },
      ],
    );
    return sent!;
  };
  const spend = (transaction: Transaction, key: ScriptKey, to: ScriptKey): Promise<Transaction | undefined> =>
    harness.chain.actor.send(
      [{ txid: transaction.getId(), vout: 0, value: transaction.outs[0]!.value, key }],
      [{ script: to.script, value: transaction.outs[0]!.value - FEE }],
    );

  it('tells a payment before its block, and the block without a second event', async () => {
    const transaction = await pay(await takeCoin(), await watchNewKey());
    expect(await waitForStatus(transaction, 'pending')).toMatchObject({
      block_number: null,
      block_hash: null,
      confirmations: 0,
      direction: 'in',
    });
    await waitForEvents(transaction, ['detected']);
    await harness.chain.node.mine();
    expect(await waitForStatus(transaction, 'detected')).toMatchObject({
      block_number: await harness.chain.node.readHeight(),
    });
    await harness.chain.finalize();
    await waitForStatus(transaction, 'confirmed');
    await waitForEvents(transaction, ['detected', 'confirmed']);
  });

  it('tells whom a replacement pays, and whom it no longer pays', async () => {
    const [coin, dropped, kept] = [await takeCoin(), await watchNewKey(), await watchNewKey()];
    const first = await pay(coin, dropped);
    await waitForStatus(first, 'pending');
    const second = await pay(coin, kept, FEE * 5n);
    await waitForStatus(second, 'pending');
    expect(await waitForStatus(first, 'failed')).toMatchObject({ replaced_by: second.getId() });
    await waitForEvents(first, ['detected', 'failed']);
    await waitForEvents(second, ['detected']);
  });

  it('follows a chain of unconfirmed parents, and fails all of it with its first link', async () => {
    const coin = await takeCoin();
    const keys = [await watchNewKey(), await watchNewKey(), await watchNewKey()];
    const parent = await pay(coin, keys[0]!);
    const child = (await spend(parent, keys[0]!, keys[1]!))!;
    const grandchild = (await spend(child, keys[1]!, keys[2]!))!;
    for (const transaction of [parent, child, grandchild]) await waitForStatus(transaction, 'pending');
    expect((await findRecord(child.getId()))!.direction).toBe('self');
    const rival = await pay(coin, harness.chain.actor.book.strangers[0]!, FEE * 10n);
    for (const transaction of [parent, child, grandchild]) {
      expect(await waitForStatus(transaction, 'failed')).toMatchObject({ replaced_by: rival.getId() });
      await waitForEvents(transaction, ['detected', 'failed']);
    }
  });

  it('tells a payment again that a reorg puts back into the mempool', async () => {
    const transaction = await pay(await takeCoin(), await watchNewKey());
    await harness.chain.node.mine(2);
    await waitForStatus(transaction, 'detected');
    await harness.chain.node.reorg({ depth: 2 });
    await waitForStatus(transaction, 'pending');
    await waitForEvents(transaction, ['detected', 'reorged', 'detected']);
    await harness.chain.node.mine();
    await waitForStatus(transaction, 'detected');
    await waitForEvents(transaction, ['detected', 'reorged', 'detected']);
  });

  it('tells of a double spend across a reorg', async () => {
    const [coin, victim, thief] = [await takeCoin(), await watchNewKey(), await watchNewKey()];
    const paid = await pay(coin, victim);
    await harness.chain.node.mine(2);
    await waitForStatus(paid, 'detected');
    const rival = harness.chain.actor.make([coin], [{ script: thief.script, value: coin.value - FEE }]);
    await harness.chain.node.reorg({ depth: 2, transactions: [[], [rival]] });
    await waitForStatus(rival, 'detected');
    await waitForEvents(paid, ['detected', 'reorged']);
    expect(
      (await harness.project.get<Record<string, string>>(`/addresses/${victim.address}/balances`))[
        `${harness.chain.gid}/slip44:1`
      ] ?? '0',
    ).toBe('0');
  });

  it('sees a payment that waited before its address was registered', async () => {
    const key = harness.chain.actor.book.add(createScriptKey('p2tr', randomBytes(32)));
    const transaction = await pay(await takeCoin(), key);
    watched.push(await harness.watch(key.address));
    await waitForStatus(transaction, 'pending');
    await waitForEvents(transaction, ['detected']);
  });
});
