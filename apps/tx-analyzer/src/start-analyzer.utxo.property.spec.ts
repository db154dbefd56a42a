// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import type { Outpoint, Transaction } from '@chainwatch/chain-core';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { outpointKey } from './model/coin.ts';
import { checkEvents } from './spec-world/check-events.ts';
import { playRandomly } from './spec-world/play-randomly.ts';
import { SpecScript } from './spec-world/spec-script.ts';
import { codec, makeUtxoTransaction, utxoNetwork } from './spec-world/spec-utxo-chain.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

const POOL = ['p0', 'p1', 'p2', 'p3', 'p4'];

interface Payment {
  /** Which of the coins there are. */
  readonly inputs: readonly number[];
  readonly outputs: readonly { readonly to: number; readonly share: number }[];
}

// One address is nobody's, and one output in seven has none.
const payment: fc.Arbitrary<Payment> = fc.record({
  inputs: fc.array(fc.nat(1_000), { minLength: 1, maxLength: 3 }),
  outputs: fc.array(fc.record({ to: fc.nat(POOL.length + 1), share: fc.nat(5) }), {
    minLength: 1,
    maxLength: 4,
  }),
});

let postgres: PostgresHandle;
beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());

class Script extends SpecScript<Payment> {
  /** Owner and amount of every output there ever was. */
  readonly outputs = new Map<string, { readonly address: string | undefined; readonly amountRaw: bigint }>();
  #made = 0;

  protected override makeTransactions(payments: readonly Payment[]): Transaction[] {
    const made = [this.#makeCoinbase()];
    for (const each of payments) {
      const transaction = this.#pay(each, this.#listUnspent(made));
      if (transaction !== undefined) made.push(transaction);
    }
    return made;
  }

  /** Three quarters of what still can be mined; what spends the others cannot. */
  protected override keepTransactions(orphaned: readonly Transaction[]): Transaction[] {
    const kept = [this.#makeCoinbase()];
    for (const transaction of orphaned) {
      const unspent = new Set(this.#listUnspent(kept).map(outpointKey));
      const isDropped = /[0-3]$/.test(transaction.hash);
      if (
        transaction.utxo?.isCoinbase === false &&
        !isDropped &&
        transaction.utxo.inputs.every((input) => unspent.has(outpointKey(input)))
      )
        kept.push(transaction);
    }
    return kept;
  }

  override endsOf({ hash, utxo }: Transaction): (string | undefined)[] {
    const all = [...utxo!.inputs, ...utxo!.outputs.map((_, vout) => ({ txid: hash, vout }))];
    return all.map((outpoint) => this.outputs.get(outpointKey(outpoint))?.address);
  }

  /** The chain's UTXO set after `canonical` and `more`. */
  #listUnspent(more: readonly Transaction[]): Outpoint[] {
    const unspent = new Map<string, Outpoint>();
    for (const { hash, utxo } of [...this.canonical.flatMap((block) => block.transactions), ...more]) {
      for (const input of utxo!.inputs) unspent.delete(outpointKey(input));
      for (const vout of utxo!.outputs.keys())
        unspent.set(outpointKey({ txid: hash, vout }), { txid: hash, vout });
    }
    return [...unspent.values()];
  }

  #makeCoinbase(): Transaction {
    this.#made += 1;
    return this.#make(
      [],
      [
        [POOL[this.#made % POOL.length], 1_000n],
        [undefined, 0n],
      ],
    );
  }

  #pay({ inputs, outputs }: Payment, unspent: readonly Outpoint[]): Transaction | undefined {
    const chosen = new Map(
      inputs
        .map((position) => unspent[position % unspent.length]!)
        .map((outpoint) => [outpointKey(outpoint), outpoint]),
    );
    let leftRaw = [...chosen.keys()].reduce((sum, key) => sum + this.outputs.get(key)!.amountRaw, 0n);
    this.#made += 1;
    return this.#make(
      [...chosen.values()],
      outputs.map(({ to, share }) => {
        const amountRaw = (leftRaw * BigInt(share)) / 6n;
        leftRaw -= amountRaw;
        return [to > POOL.length ? undefined : (POOL[to] ?? 'nobody'), amountRaw];
      }),
    );
  }

  #make(
    inputs: readonly Outpoint[],
    outputs: readonly (readonly [string | undefined, bigint])[],
  ): Transaction {
    const transaction = makeUtxoTransaction(String(this.#made), inputs, outputs);
    for (const [vout, [address, amountRaw]] of outputs.entries())
      this.outputs.set(outpointKey({ txid: transaction.hash, vout }), { address, amountRaw });
    return transaction;
  }
}

interface CoinRow {
  readonly txid: string;
  readonly vout: number;
  readonly address: string;
  readonly amount_raw: string;
  readonly is_coinbase: boolean;
  readonly block_number: number;
  readonly block_hash: string;
  readonly spent_by: string | null;
  readonly spent_block_number: number | null;
  readonly spent_block_hash: string | null;
}

/** What the database must hold, told from the chain alone. */
function expectCoinsAndRecords(script: Script): { coins: CoinRow[]; records: object[] } {
  const watched = [...script.watched.values(), ...script.early.map((entry) => ({ ...entry, fromBlock: 0 }))];
  const coins = new Map<string, CoinRow>();
  const records: object[] = [];
  for (const block of script.canonical) {
    for (const transaction of block.transactions) {
      const { hash, utxo } = transaction;
      const { inputs, outputs, isCoinbase } = utxo!;
      const spent = inputs.map((input) => coins.get(outpointKey(input)));
      const ownerOf = (vout: number) => script.outputs.get(outpointKey({ txid: hash, vout }))!.address;
      for (const projectId of script.projects) {
        const own = new Set(
          watched
            .filter((entry) => entry.projectId === projectId && entry.fromBlock <= block.number)
            .map((entry) => entry.address),
        );
        const isSpender = spent.some((coin) => coin !== undefined && own.has(coin.address));
        const legs = [
          ...spent.flatMap((coin, index) =>
            coin !== undefined && own.has(coin.address)
              ? [{ index, from: coin.address, to: null, amount: coin.amount_raw, monitored: [coin.address] }]
              : [],
          ),
          ...outputs.flatMap(({ amountRaw }, vout) => {
            const to = ownerOf(vout);
            if (to === undefined || (!isSpender && !own.has(to))) return [];
            return [
              {
                index: inputs.length + vout,
                from: null,
                to,
                amount: String(amountRaw),
                monitored: own.has(to) ? [to] : [],
              },
            ];
          }),
        ];
        const participants = [...new Set(legs.flatMap((leg) => leg.monitored))].sort();
        if (participants.length === 0) continue;
        const isAllOwn = spent.every((coin) => coin !== undefined && own.has(coin.address));
        const stays = outputs.every(
          ({ amountRaw }, vout) =>
            own.has(ownerOf(vout) ?? '') || (ownerOf(vout) === undefined && amountRaw === 0n),
        );
        const direction = !isSpender
          ? 'in'
          : isAllOwn && stays && legs.some((leg) => leg.to !== null)
            ? 'self'
            : 'out';
        const isFinal = script.isConfirmed(projectId, block, transaction);
        records.push({
          projectId,
          hash,
          status: isFinal ? 'confirmed' : 'detected',
          blockHash: block.hash,
          direction,
          participants,
          legs,
        });
      }
      for (const input of inputs) {
        const coin = coins.get(outpointKey(input));
        if (coin !== undefined)
          coins.set(outpointKey(input), {
            ...coin,
            spent_by: hash,
            spent_block_number: block.number,
            spent_block_hash: block.hash,
          });
      }
      for (const [vout, { amountRaw }] of outputs.entries()) {
        const address = ownerOf(vout);
        if (
          address === undefined ||
          !watched.some((entry) => entry.address === address && entry.fromBlock <= block.number)
        )
          continue;
        coins.set(outpointKey({ txid: hash, vout }), {
          txid: hash,
          vout,
          address,
          amount_raw: String(amountRaw),
          is_coinbase: isCoinbase,
          block_number: block.number,
          block_hash: block.hash,
          spent_by: null,
          spent_block_number: null,
          spent_block_hash: null,
        });
      }
    }
  }
  return { coins: [...coins.values()], records };
}

const sorted = <T extends object>(rows: readonly T[]): string[] =>
  rows.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort();

async function check(script: Script): Promise<void> {
  const { world } = script;
  const expected = expectCoinsAndRecords(script);
  const recordKeys = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();
  // Late addresses are found at the next look, which is not an entry of the feed.
  await waitFor(async () => {
    expect(
      sorted(
        await world.rows<CoinRow>(
          'SELECT txid, vout, address, amount_raw, is_coinbase, block_number, block_hash, spent_by, spent_block_number, spent_block_hash FROM utxos',
        ),
      ),
    ).toEqual(sorted(expected.coins));
    const records = await world.rows(
      `SELECT project_id AS "projectId", hash, status, block_hash AS "blockHash", direction,
         (SELECT json_agg(a.address ORDER BY a.address) FROM transaction_addresses ta JOIN addresses a ON a.id = ta.address_id WHERE ta.transaction_id = t.id) AS participants,
         (SELECT json_agg(json_build_object('index', index, 'from', from_address, 'to', to_address, 'amount', amount_raw::text, 'monitored', monitored_addresses) ORDER BY index) FROM transfers f WHERE f.transaction_id = t.id) AS legs
       FROM transactions t WHERE status <> 'reorged'`,
    );
    expect(recordKeys(records)).toEqual(recordKeys(expected.records));
    return true;
  });
  await checkFees(
    script,
    new Map(expected.coins.map((coin) => [outpointKey(coin), BigInt(coin.amount_raw)])),
  );
  await checkSums(script);
  await checkEvents(script);
}

/** A fee is told when every input is a coin of somebody, known at the time at least; a coin that came late may leave it open. */
async function checkFees(script: Script, known: ReadonlyMap<string, bigint>): Promise<void> {
  const byHash = new Map(
    script.canonical
      .flatMap((block) => block.transactions)
      .map((transaction) => [transaction.hash, transaction.utxo!]),
  );
  for (const row of await script.world.rows<{ hash: string; fee_amount_raw: string | null }>(
    `SELECT hash, fee_amount_raw FROM transactions WHERE status <> 'reorged'`,
  )) {
    const { isCoinbase, inputs, outputs } = byHash.get(row.hash)!;
    const amounts = inputs.map((input) => known.get(outpointKey(input)));
    const isKnown = !isCoinbase && !amounts.includes(undefined);
    const feeRaw =
      amounts.reduce<bigint>((sum, amountRaw) => sum + (amountRaw ?? 0n), 0n) -
      outputs.reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
    if (row.fee_amount_raw !== null || (isKnown && script.watched.size === 0))
      expect([row.hash, row.fee_amount_raw]).toEqual([row.hash, isKnown ? String(feeRaw) : null]);
  }
}

/** The legs of an address add up to its coins. */
async function checkSums({ world, early }: Script): Promise<void> {
  for (const { address, projectId } of early) {
    const [row] = await world.rows<{ moved: string; held: string }>(
      `SELECT COALESCE((SELECT sum(CASE WHEN f.to_address = $1 THEN f.amount_raw ELSE -f.amount_raw END) FROM transfers f JOIN transactions t ON t.id = f.transaction_id
                WHERE f.project_id = $2 AND $1 = ANY(f.monitored_addresses) AND t.status <> 'reorged'), 0)::text AS moved,
              COALESCE((SELECT sum(amount_raw) FROM utxos WHERE address = $1 AND spent_by IS NULL), 0)::text AS held`,
      [address, projectId],
    );
    expect(row!.moved).toBe(row!.held);
  }
}

describe('startAnalyzer on a chain of unspent outputs, whatever happens', () => {
  it('ends with the coins of the chain, with every event once', async () => {
    await playRandomly({
      postgres,
      of: { network: utxoNetwork, utxo: codec },
      payment,
      pool: POOL,
      create: (world, projects) => new Script(world, projects, POOL),
      check,
    });
  }, 600_000);
});
