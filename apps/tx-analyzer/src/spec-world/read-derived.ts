// SPDX-License-Identifier: Apache-2.0
import type { SpecWorld } from './spec-world.ts';

/** When and in which order things were written, and random ids: two runs differ in them. */
const VOLATILE = new Set([
  ...['id', 'event_id', 'transaction_id', 'address_id', 'project_id', 'public_key_id'],
  ...['epoch', 'sequence', 'created_at', 'updated_at', 'detected_at', 'confirmed_at', 'reorged_at'],
  ...['next_attempt_at', 'watch_xid', 'occurred_at', 'confirmations', 'is_unproved'],
]);

/** An event of a transaction without what differs between two runs; `payload` as it is sent. */
interface ToldEvent {
  readonly type: string;
  readonly hash: string;
  readonly verification: string;
  readonly payload: unknown;
}

/**
 * Which evidence comes first is a race: another operator may agree (`agreed`) before a block is read again that proves the
 * same, and it turns `attested` into `agreed`. All three are evidence.
 */
const EVIDENCE: ReadonlySet<unknown> = new Set(['proved', 'agreed', 'attested']);

function withoutVolatile(value: unknown): unknown {
  if (EVIDENCE.has(value)) return 'evidence';
  if (Array.isArray(value)) return value.map(withoutVolatile);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !VOLATILE.has(name))
      .map(([name, item]) => [name, withoutVolatile(item)]),
  );
}

/** Every event of the outbox, in order. */
export async function readTold(world: SpecWorld): Promise<ToldEvent[]> {
  return (await world.events()).map(({ type, payload }) => {
    const told = JSON.parse(payload) as {
      data: { transaction: { hash: string; verification: string } };
    };
    const { hash, verification } = told.data.transaction;
    return { type, hash, verification, payload: withoutVolatile(told.data) };
  });
}

/** Those that no `transaction.reorged` has taken back. What stood behind a transaction at first is history. */
function listStanding(told: readonly ToldEvent[]): object[] {
  return told
    .filter(
      ({ hash }, position) =>
        !told.slice(position).some((later) => later.type === 'transaction.reorged' && later.hash === hash),
    )
    .map(({ type, payload }) => {
      if (type !== 'transaction.detected') return { type, payload };
      const { transaction, ...rest } = payload as { transaction: object };
      return { type, payload: { ...rest, transaction: { ...transaction, verification: undefined } } };
    });
}

const TABLES: Readonly<Record<string, string>> = {
  transactions: `SELECT to_jsonb(t) FROM transactions t WHERE t.status <> 'reorged'`,
  transfers: `SELECT to_jsonb(f) || jsonb_build_object('hash', t.hash) FROM transfers f JOIN transactions t ON t.id = f.transaction_id WHERE t.status <> 'reorged'`,
  participants: `SELECT to_jsonb(p) || jsonb_build_object('hash', t.hash, 'address', a.address) FROM transaction_addresses p JOIN transactions t ON t.id = p.transaction_id JOIN addresses a ON a.id = p.address_id WHERE t.status <> 'reorged'`,
  addresses: 'SELECT to_jsonb(a) FROM addresses a',
  changes: `SELECT to_jsonb(c) || jsonb_build_object('address', a.address) FROM block_changes c JOIN addresses a ON a.id = c.address_id`,
  // What a lie made up and no contract answers for stays known as `invalid`, which is in no listing.
  assets: `SELECT to_jsonb(s) FROM assets s WHERE status <> 'invalid'`,
  projectAssets: `SELECT to_jsonb(s) FROM project_assets s WHERE status <> 'invalid'`,
  blocks: 'SELECT to_jsonb(b) FROM blocks b',
};

/** Whole rows of what is derived from blocks, in an order of their own, and the events that stand. */
export type Derived = Readonly<Record<string, readonly string[]>>;

export async function readDerived(world: SpecWorld): Promise<Derived> {
  const tables = await Promise.all(
    Object.entries(TABLES).map(async ([name, text]) => {
      const rows = await world.rows<{ row: object }>(`SELECT r.row FROM (${text}) AS r (row)`);
      return [name, print(rows.map(({ row }) => row))] as const;
    }),
  );
  return { ...Object.fromEntries(tables), events: print(listStanding(await readTold(world))) };
}

function print(rows: readonly object[]): string[] {
  return rows.map((row) => JSON.stringify(withoutVolatile(row), undefined, 1)).sort();
}
