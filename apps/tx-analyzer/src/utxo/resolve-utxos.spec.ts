// SPDX-License-Identifier: Apache-2.0
import type { Block, Outpoint, Transaction } from '@chainwatch/chain-core';
import { outpointKey } from '../model/coin.ts';
import type { KnownCoin } from '../model/coin.ts';
import { resolveUtxos, type ResolvedUtxos } from './resolve-utxos.ts';
import { SILENT } from '../spec-world/spec-chain.ts';
import { codec, COIN, makeUtxoTransaction, utxoNetwork } from '../spec-world/spec-utxo-chain.ts';
import { UtxoFinder } from './utxo-finder.ts';

const at = (number: number): Pick<Block, 'number' | 'hash'> => ({ number, hash: `block ${number}` });
const FOREIGN: Outpoint = { txid: 'f0', vout: 0 };

/** Addresses that are watched, each from a block on; coins that the database knows. */
class Given {
  readonly asked: string[][] = [];
  readonly #watched: Readonly<Record<string, number>>;
  readonly #coins: ReadonlyMap<string, KnownCoin>;

  constructor(watched: Readonly<Record<string, number>>, coins: readonly (Outpoint & KnownCoin)[] = []) {
    this.#watched = watched;
    this.#coins = new Map(
      coins.map((coin) => [outpointKey(coin), { address: coin.address, amountRaw: coin.amountRaw }]),
    );
  }

  async resolve(...blocks: readonly (readonly Transaction[])[]): Promise<ResolvedUtxos> {
    return this.#resolve(blocks.map((transactions, position) => ({ block: at(position + 1), transactions })));
  }

  async resolvePending(transactions: readonly Transaction[]): Promise<ResolvedUtxos> {
    return this.#resolve([{ transactions }]);
  }

  async #resolve(
    batches: readonly { block?: Pick<Block, 'number' | 'hash'>; transactions: readonly Transaction[] }[],
  ): Promise<ResolvedUtxos> {
    const scripts = new Set(Object.keys(this.#watched).map(codec.matchKeyOf));
    const finder = new UtxoFinder({ scripts, coins: this.#coins });
    const found = batches.map(({ transactions, ...rest }) => ({
      ...rest,
      transactions: finder.find(transactions),
    }));
    return resolveUtxos(
      {
        nativeGid: COIN,
        scripts,
        findAddress: (matchKey) => codec.findAddress(utxoNetwork, matchKey),
        readCoins: async () => this.#coins,
        confirmAddresses: async (addresses) => {
          this.asked.push([...addresses].sort());
          return new Map(
            [...addresses]
              .filter((address) => address in this.#watched)
              .map((address) => [
                address,
                [{ id: address, projectId: 'p', address, fromBlock: this.#watched[address]!, own: SILENT }],
              ]),
          );
        },
      },
      found,
    );
  }
}

describe('resolveUtxos', () => {
  it('leaves out what concerns nobody, without asking for it', async () => {
    const given = new Given({ alice: 0 });
    const { transactions, changes } = await given.resolve([
      makeUtxoTransaction('1', [FOREIGN], [['bob', 5n]]),
    ]);
    expect(transactions).toEqual([[]]);
    expect(changes.isEmpty).toBe(true);
    expect(given.asked).toEqual([[]]);
  });

  it('makes a leg of every output with an address, and coins of those that are watched', async () => {
    const payment = makeUtxoTransaction(
      '1',
      [FOREIGN, { txid: 'f0', vout: 1 }],
      [
        ['bob', 5n],
        [undefined, 0n],
        ['alice', 3n],
        ['alice', 2n],
      ],
    );
    const { transactions, changes } = await new Given({ alice: 0 }).resolve([payment]);
    expect(transactions).toEqual([
      [
        {
          ...payment,
          transfers: [
            { index: 2, type: 'native', assetGid: COIN, to: 'bob', amountRaw: 5n },
            { index: 4, type: 'native', assetGid: COIN, to: 'alice', amountRaw: 3n },
            { index: 5, type: 'native', assetGid: COIN, to: 'alice', amountRaw: 2n },
          ],
        },
      ],
    ]);
    expect(changes.spent).toEqual([]);
    expect(changes.created).toEqual([
      { txid: payment.hash, vout: 2, address: 'alice', amountRaw: 3n, isCoinbase: false, block: at(1) },
      { txid: payment.hash, vout: 3, address: 'alice', amountRaw: 2n, isCoinbase: false, block: at(1) },
    ]);
  });

  it('makes a leg of every input that spends a known coin, and tells the fee when all are known', async () => {
    const coins = [{ txid: 'c', vout: 7, address: 'alice', amountRaw: 9n }];
    const known = makeUtxoTransaction(
      '1',
      [{ txid: 'c', vout: 7 }],
      [
        ['bob', 5n],
        [undefined, 1n],
      ],
    );
    const mixed = makeUtxoTransaction('2', [FOREIGN, { txid: 'c', vout: 7 }], [['bob', 5n]]);
    const { transactions, changes } = await new Given({ alice: 0 }, coins).resolve([known, mixed]);
    expect(transactions[0]![0]).toMatchObject({
      transfers: [
        { index: 0, from: 'alice', amountRaw: 9n },
        { index: 1, to: 'bob', amountRaw: 5n },
      ],
      fee: { assetGid: COIN, amountRaw: 3n },
    });
    expect(transactions[0]![0]!.fee).not.toHaveProperty('payer');
    expect(transactions[0]![0]!.transfers[0]).not.toHaveProperty('to');
    expect(transactions[0]![1]!.transfers.map(({ index }) => index)).toEqual([1, 2]);
    expect(transactions[0]![1]!.fee).toBeUndefined();
    expect(changes.created).toEqual([]);
    expect(changes.spent).toEqual([{ txid: 'c', vout: 7, spend: { by: mixed.hash, block: at(1) } }]);
  });

  it('asks for the owners of the coins that are spent', async () => {
    const given = new Given({ alice: 0 }, [{ txid: 'c', vout: 0, address: 'once watched', amountRaw: 9n }]);
    await given.resolve([
      makeUtxoTransaction(
        '1',
        [{ txid: 'c', vout: 0 }],
        [
          ['alice', 5n],
          ['bob', 3n],
        ],
      ),
    ]);
    expect(given.asked).toEqual([['alice', 'once watched']]);
  });

  it('follows a chain of payments inside one block and over the blocks of a step', async () => {
    const one = makeUtxoTransaction('1', [FOREIGN], [['alice', 9n]]);
    const two = makeUtxoTransaction(
      '2',
      [{ txid: one.hash, vout: 0 }],
      [
        ['bob', 1n],
        ['alice', 7n],
      ],
    );
    const three = makeUtxoTransaction('3', [{ txid: two.hash, vout: 1 }], [['bob', 7n]]);
    const { transactions, changes } = await new Given({ alice: 0 }).resolve([one, two], [three]);
    expect(transactions.map((list) => list.map(({ hash }) => hash))).toEqual([
      [one.hash, two.hash],
      [three.hash],
    ]);
    expect(transactions[0]![1]!.fee?.amountRaw).toBe(1n);
    expect(transactions[1]![0]).toMatchObject({
      fee: { amountRaw: 0n },
      transfers: [{ from: 'alice', amountRaw: 7n }, { to: 'bob' }],
    });
    expect(changes.spent).toEqual([]);
    expect(changes.created.map(({ vout, block, spend }) => ({ vout, block, spend }))).toEqual([
      { vout: 0, block: at(1), spend: { by: two.hash, block: at(1) } },
      { vout: 1, block: at(1), spend: { by: three.hash, block: at(2) } },
    ]);
  });

  it('makes no coin of what was paid before the address counts', async () => {
    const one = makeUtxoTransaction('1', [FOREIGN], [['alice', 9n]]);
    const two = makeUtxoTransaction('2', [{ txid: one.hash, vout: 0 }], [['alice', 8n]]);
    const { changes, transactions } = await new Given({ alice: 2 }).resolve([one], [two]);
    expect(transactions[1]![0]!.transfers.map(({ from, to }) => [from, to])).toEqual([[undefined, 'alice']]);
    expect(changes.created.map(({ txid }) => txid)).toEqual([two.hash]);
    expect(changes.spent).toEqual([]);
  });

  it('knows a coinbase, which has no fee', async () => {
    const coinbase = makeUtxoTransaction('1', [], [['alice', 50n]]);
    const { transactions, changes } = await new Given({ alice: 0 }).resolve([coinbase]);
    expect(transactions[0]![0]).not.toHaveProperty('fee');
    expect(transactions[0]![0]!.transfers).toEqual([
      { index: 0, type: 'native', assetGid: COIN, to: 'alice', amountRaw: 50n },
    ]);
    expect(changes.created).toMatchObject([{ isCoinbase: true }]);
  });

  it('makes one coin of two coinbases with one txid, in the block of the first', async () => {
    const coinbase = makeUtxoTransaction('1', [], [['alice', 50n]]);
    const { changes } = await new Given({ alice: 0 }).resolve([coinbase], [coinbase]);
    expect(changes.created).toMatchObject([{ amountRaw: 50n, block: at(1) }]);
  });

  it('makes the coin again when the first one was spent before the second coinbase', async () => {
    const coinbase = makeUtxoTransaction('1', [], [['alice', 50n]]);
    const spend = makeUtxoTransaction('2', [{ txid: coinbase.hash, vout: 0 }], [['bob', 50n]]);
    const { changes } = await new Given({ alice: 0 }).resolve([coinbase], [spend], [coinbase]);
    expect(changes.created).toMatchObject([{ amountRaw: 50n, block: at(3) }]);
    expect(changes.created[0]).not.toHaveProperty('spend');
  });

  it('takes transactions without a block, at whatever height an address counts from', async () => {
    const one = makeUtxoTransaction('1', [FOREIGN], [['alice', 9n]]);
    const two = makeUtxoTransaction('2', [{ txid: one.hash, vout: 0 }], [['bob', 8n]]);
    const { transactions, changes } = await new Given({ alice: 1_000_000 }).resolvePending([one, two]);
    expect(transactions[0]![1]).toMatchObject({
      fee: { amountRaw: 1n },
      transfers: [{ from: 'alice' }, { to: 'bob' }],
    });
    expect(changes.created).toEqual([
      {
        txid: one.hash,
        vout: 0,
        address: 'alice',
        amountRaw: 9n,
        isCoinbase: false,
        spend: { by: two.hash },
      },
    ]);
  });
});
