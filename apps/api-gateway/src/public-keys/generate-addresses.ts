// SPDX-License-Identifier: Apache-2.0
import type { DerivedAddress } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import {
  BaseError,
  notFound,
  serviceUnavailable,
  unprocessableEntity,
  conflict,
} from '@chainwatch/common/problem';
import { announceAddresses } from '../addresses/announce-address.ts';
import type { ApiDeps } from '../api-deps.ts';
import { takeQuota } from '../management/take-quota.ts';
import { recordChange, type Author } from '../management/record-change.ts';
import type { PublicKeyRow } from '../records/public-key.ts';
import { ADDRESSES_PER_CALL_MAX, INDEX_MAX } from './index-limits.ts';
import { deriveAddresses } from './load-derivation.ts';
import { watchFromHead } from '../addresses/watch-address.ts';

export interface Generated {
  readonly indexes: readonly number[];
  readonly createdCount: number;
}

interface Generation {
  readonly key: PublicKeyRow;
  readonly change: number;
  readonly author: Author;
  readonly signal?: AbortSignal;
}

type Deps = Pick<ApiDeps, 'db' | 'bus' | 'logger'>;
type Derived = Map<number, DerivedAddress>;

const ATTEMPTS_MAX = 12;
const AHEAD_MIN = 16;

/** Creates the addresses of these indexes; those that exist stay as they are. */
export async function generateAddresses(
  deps: Deps,
  generation: Generation,
  indexes: readonly number[],
): Promise<Generated> {
  const wanted = [...new Set(indexes)];
  const derived: Derived = new Map();
  return repeat(deps, {
    generation,
    prepare: async () => {
      const missing = await listMissing(deps.db, generation, wanted);
      await derive(generation, derived, missing);
      return async (sql) => ({ indexes: wanted, create: await listMissing(sql, generation, wanted) });
    },
    derived,
  });
}

/**
 * Creates the address at the highest index plus one. Other requests may do the same: some addresses are derived ahead,
 * so that the lock under which the index is chosen is not held while deriving.
 * @throws ProblemError 422 when no index is left
 */
export async function generateNextAddress(deps: Deps, generation: Generation): Promise<Generated> {
  const derived: Derived = new Map();
  let ahead = AHEAD_MIN;
  return repeat(deps, {
    generation,
    prepare: async () => {
      const first = await findNextIndex(deps.db, generation);
      await derive(generation, derived, listRange(first, Math.min(first + ahead - 1, INDEX_MAX)));
      ahead = Math.min(ahead * 4, ADDRESSES_PER_CALL_MAX);
      return async (sql) => {
        const index = await findNextIndex(sql, generation);
        return { indexes: [index], create: [index] };
      };
    },
    derived,
  });
}

interface Plan {
  readonly indexes: readonly number[];
  readonly create: readonly number[];
}

/**
 * Derives without the lock, then decides under it. It repeats this if other requests were faster and the address to
 * create has not been derived.
 */
async function repeat(
  deps: Deps,
  {
    generation,
    prepare,
    derived,
  }: {
    readonly generation: Generation;
    readonly prepare: () => Promise<(sql: Sql) => Promise<Plan>>;
    readonly derived: Derived;
  },
): Promise<Generated> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const decide = await prepare();
    // One connection per key: many requests for one key's addresses must not block the rest of the process.
    const outcome = await inTurn(deps.db.pool, generation.key.id, () =>
      rolledBackWhenOvertaken(
        deps.db.transaction(async (sql) => {
          await lockKey(sql, generation.key);
          const { indexes, create } = await decide(sql);
          if (!create.every((index) => derived.has(index)))
            throw new OvertakenError('the address to create has not been derived yet');
          const addresses = create.map((index) => derived.get(index)!);
          await requireRoom(sql, generation, addresses);
          const inserted = await insertHdAddresses(sql, generation, addresses);
          for (const { id, wasExternal } of inserted)
            if (wasExternal)
              await recordChange(sql, generation.author, {
                action: 'address.derived',
                targetId: id,
                from: { kind: 'external' },
                to: { kind: 'hd' },
              });
          return { indexes, inserted };
        }),
      ),
    );
    if (outcome === undefined) continue;
    announce(deps, generation.key, outcome.inserted);
    return {
      indexes: outcome.indexes,
      createdCount: outcome.inserted.filter(({ wasExternal }) => !wasExternal).length,
    };
  }
  throw serviceUnavailable('Too many addresses of this public key are being generated at once.', {
    retryAfterSeconds: 1,
  });
}

/** @throws ProblemError 422: addresses that the project imported before become derived ones and need no room */
async function requireRoom(
  sql: Sql,
  { key, author }: Generation,
  addresses: readonly DerivedAddress[],
): Promise<void> {
  const { room, problem } = await takeQuota(sql, {
    workspaceId: author.principal.workspaceId,
    quota: 'addresses',
    wanted: addresses.length,
  });
  if (room >= addresses.length) return;
  const { rowCount } = await sql.query(
    'SELECT FROM addresses WHERE project_id = $1 AND chain_family = $2 AND address = ANY ($3)',
    [key.projectId, key.chainFamily, addresses.map(({ address }) => address.canonical)],
  );
  if (room < addresses.length - (rowCount ?? 0)) throw problem;
}

/** The address to create has not been derived yet. Thrown, so that nothing of the attempt is committed. */
class OvertakenError extends BaseError {
  readonly code = 'overtaken';
  readonly retryable = true;
}

async function rolledBackWhenOvertaken<T>(transaction: Promise<T>): Promise<T | undefined> {
  try {
    return await transaction;
  } catch (error) {
    if (error instanceof OvertakenError) return undefined;
    throw error;
  }
}

/** The lock is held to the end of the transaction: other requests that generate for the same key wait. */
async function lockKey(sql: Sql, { id }: PublicKeyRow): Promise<void> {
  const { rowCount } = await sql.query('SELECT FROM public_keys WHERE id = $1 FOR NO KEY UPDATE', [id]);
  if (rowCount === 0) throw notFound(`There is no public key ${id} in this project.`);
}

async function derive(
  { key, change, signal }: Generation,
  derived: Derived,
  indexes: readonly number[],
): Promise<void> {
  const missing = indexes.filter((index) => !derived.has(index));
  for (const address of await deriveAddresses(key, { change, indexes: missing, signal }))
    derived.set(address.index, address);
}

async function listMissing(
  sql: Sql,
  { key, change }: Generation,
  indexes: readonly number[],
): Promise<number[]> {
  // Subtracted in JavaScript: for tables without statistics the planner would choose a nested loop, a thousand rows
  // times thousands.
  const { rows } = await sql.query<{ derivation_index: number }>(
    'SELECT derivation_index FROM addresses WHERE public_key_id = $1 AND derivation_change = $2 AND derivation_index = ANY ($3::bigint[])',
    [key.id, change, indexes],
  );
  const existing = new Set(rows.map((row) => row.derivation_index));
  return indexes.filter((index) => !existing.has(index));
}

async function findNextIndex(sql: Sql, { key, change }: Generation): Promise<number> {
  const { rows } = await sql.query<{ highest: number | null }>(
    'SELECT max(derivation_index) AS highest FROM addresses WHERE public_key_id = $1 AND derivation_change = $2',
    [key.id, change],
  );
  const next = (rows[0]?.highest ?? -1) + 1;
  if (next > INDEX_MAX)
    throw unprocessableEntity(`The public key has no index left: its highest one is ${INDEX_MAX}.`);
  return next;
}

function listRange(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
}

interface InsertedAddress {
  readonly id: string;
  readonly address: string;
  readonly isMonitored: boolean;
  /** The project had imported the address before. */
  readonly wasExternal: boolean;
}

/**
 * Registers derived addresses of one chain (receive or change) of a key. An address that the project imported before
 * becomes HD; it keeps its label, metadata, monitoring and everything found for it.
 * @throws ProblemError 409 when an address belongs to another key of the project
 */
async function insertHdAddresses(
  sql: Sql,
  { key, change }: Generation,
  derived: readonly DerivedAddress[],
): Promise<InsertedAddress[]> {
  if (derived.length === 0) return [];
  const { rows } = await sql.query<InsertedAddress>(
    `INSERT INTO addresses (project_id, chain_family, address, display, kind, format, public_key_id, derivation_change, derivation_index)
     SELECT $1, $2, d.address, d.display, 'hd', $3, $4, $5, d.index
     FROM unnest($6::text[], $7::text[], $8::bigint[]) AS d (address, display, index) ORDER BY d.address
     ON CONFLICT (project_id, chain_family, address) DO UPDATE
     SET kind = 'hd', format = excluded.format, public_key_id = excluded.public_key_id, derivation_change = excluded.derivation_change,
       derivation_index = excluded.derivation_index, updated_at = now(),
       is_used = addresses.is_used OR EXISTS (SELECT FROM transaction_addresses t JOIN transactions x ON x.id = t.transaction_id WHERE t.address_id = addresses.id AND NOT x.is_withheld)
         OR EXISTS (SELECT FROM utxos u WHERE u.chain_gid = $9 AND u.address = addresses.address)
     WHERE addresses.kind = 'external'
     RETURNING id, address, is_monitored AS "isMonitored", imported_at IS NOT NULL AS "wasExternal"`,
    [
      key.projectId,
      key.chainFamily,
      key.addressFormat,
      key.id,
      change,
      derived.map(({ address }) => address.canonical),
      derived.map(({ address }) => address.display),
      derived.map(({ index }) => index),
      key.chainGid,
    ],
  );
  if (rows.length < derived.length)
    throw conflict('An address of this key belongs to another public key of the project already.');
  const added = rows.filter(({ wasExternal }) => !wasExternal).map(({ id }) => id);
  await watchFromHead(sql, {
    ids: added,
    chainFamily: key.chainFamily,
    networkGids: derived[0]?.address.networkGids,
  });
  return rows;
}

function announce(
  deps: Deps,
  { projectId, chainFamily }: PublicKeyRow,
  inserted: readonly InsertedAddress[],
): void {
  announceAddresses(
    deps,
    inserted.map((address) => ({ ...address, projectId, chainFamily })),
  );
}

const lastOf = new WeakMap<object, Map<string, Promise<unknown>>>();

/** Runs work with the same name one at a time, in the order of the calls; each `scope` has its own names. */
async function inTurn<T>(scope: object, name: string, work: () => Promise<T>): Promise<T> {
  const last = lastOf.get(scope) ?? new Map<string, Promise<unknown>>();
  lastOf.set(scope, last);
  const own = (last.get(name) ?? Promise.resolve()).then(work);
  // A failure has been reported to the caller that asked for the work.
  const settled = own.catch(() => undefined);
  last.set(name, settled);
  try {
    return await own;
  } finally {
    if (last.get(name) === settled) last.delete(name);
  }
}
