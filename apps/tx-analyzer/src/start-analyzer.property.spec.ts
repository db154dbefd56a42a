// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import type { Transaction } from '@chainwatch/chain-core';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { NATIVE, TOKEN } from '@chainwatch/data/testing';
import { makeTransaction } from './spec-world/spec-chain.ts';
import { checkEvents } from './spec-world/check-events.ts';
import { playRandomly } from './spec-world/play-randomly.ts';
import { participantsOf, SpecScript, type SpecWatch } from './spec-world/spec-script.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

const POOL = Array.from({ length: 5 }, (_, index) => `0x${String(index).repeat(40)}`);

interface Payment {
  readonly from: number;
  readonly to: number;
  readonly amount: bigint;
  readonly isToken: boolean;
  readonly isFailed: boolean;
}

const index = fc.integer({ min: 0, max: POOL.length - 1 });
const payment: fc.Arbitrary<Payment> = fc.record({
  from: index,
  to: index,
  amount: fc.bigInt(0n, 10n),
  isToken: fc.boolean(),
  isFailed: fc.nat(7).map((die) => die === 0),
});
let postgres: PostgresHandle;
beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());

class Script extends SpecScript<Payment> {
  protected override makeTransactions(payments: readonly Payment[]): Transaction[] {
    return payments.map((each, position) => this.#pay(each, `${this.salt}:${position}`));
  }

  /** Mined again, a transaction may do something else: here a paid one pays the next address. */
  protected override keepTransactions(orphaned: readonly Transaction[]): Transaction[] {
    return orphaned.map((transaction) => ({
      ...transaction,
      transfers: transaction.transfers.map((transfer) => ({
        ...transfer,
        to: POOL[(POOL.indexOf(transfer.to!) + 1) % POOL.length]!,
      })),
    }));
  }

  override endsOf(transaction: Transaction): (string | undefined)[] {
    return [transaction.from, ...transaction.transfers.flatMap(({ from, to }) => [from, to])];
  }

  #pay({ from, to, amount, isToken, isFailed }: Payment, name: string): Transaction {
    const [sender, recipient] = [POOL[from]!, POOL[to]!];
    const transfer = {
      index: 0,
      from: sender,
      to: recipient,
      amountRaw: amount,
      ...(isToken
        ? ({ type: 'token', assetGid: TOKEN, logIndex: 0 } as const)
        : ({ type: 'native', assetGid: NATIVE } as const)),
    };
    return makeTransaction(name, {
      from: sender,
      to: recipient,
      isFailed,
      fee: { assetGid: NATIVE, amountRaw: 21n, payer: sender },
      transfers: isFailed ? [] : [transfer],
    });
  }
}

async function check(script: Script): Promise<void> {
  const { world, projects } = script;
  const watched: readonly SpecWatch[] = [
    ...script.watched.values(),
    ...script.early.map((entry) => ({ ...entry, fromBlock: 0 })),
  ];
  const counts = ({ fromBlock, historyFrom = fromBlock }: SpecWatch, number: number): boolean =>
    fromBlock <= number || (historyFrom <= number && number <= script.finalized);
  const expected = script.canonical.flatMap((block) =>
    block.transactions.flatMap((transaction) =>
      projects.flatMap((projectId) => {
        const own = watched
          .filter((entry) => entry.projectId === projectId && counts(entry, block.number))
          .map((entry) => entry.address);
        const participants = participantsOf(script.endsOf(transaction), own);
        if (participants.length === 0) return [];
        const isFinal = script.isConfirmed(projectId, block, transaction);
        const status = transaction.isFailed ? 'failed' : isFinal ? 'confirmed' : 'detected';
        const transfers = transaction.transfers
          .map((transfer) => ({
            amount: String(transfer.amountRaw),
            monitored: [...new Set([transfer.from!, transfer.to!])]
              .filter((address) => own.includes(address))
              .sort(),
          }))
          .filter(({ monitored }) => monitored.length > 0);
        return [
          {
            projectId,
            hash: transaction.hash,
            status,
            isFinal,
            blockHash: block.hash,
            participants,
            transfers,
          },
        ];
      }),
    ),
  );
  const key = (row: { projectId: string; hash: string }) => `${row.projectId}|${row.hash}`;
  const byKey = <T extends { projectId: string; hash: string }>(rows: readonly T[]) =>
    [...rows].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const read = () =>
    world.rows<{ projectId: string; hash: string; status: string; epoch: number }>(
      `SELECT project_id AS "projectId", hash, status, confirmed_at IS NOT NULL AS "isFinal", block_hash AS "blockHash",
       COALESCE((SELECT json_agg(a.address ORDER BY a.address) FROM transaction_addresses ta JOIN addresses a ON a.id = ta.address_id WHERE ta.transaction_id = t.id), '[]') AS participants,
       COALESCE((SELECT json_agg(json_build_object('amount', amount_raw::text, 'monitored', (SELECT array_agg(m ORDER BY m) FROM unnest(monitored_addresses) m)) ORDER BY index) FROM transfers f WHERE f.transaction_id = t.id), '[]') AS transfers
     FROM transactions t WHERE status <> 'reorged'`,
    );
  // Late addresses are found at the next look, which is not an entry of the feed.
  await waitFor(async () => {
    expect(byKey(await read())).toEqual(byKey(expected));
    return true;
  });
  await checkEvents(script);
}

describe('startAnalyzer, whatever happens', () => {
  it('ends where the chain is, with every event once', async () => {
    await playRandomly({
      postgres,
      payment,
      pool: POOL,
      create: (world, projects) => new Script(world, projects, POOL),
      check,
    });
  }, 600_000);
});
