// SPDX-License-Identifier: Apache-2.0
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { compareHash, hashApiKey } from '@chainwatch/common/api-key';
import type { ApiKeyType } from '@chainwatch/common/api-key';
import type { Database } from '../db/index.ts';
import type { Principal } from './principal.ts';

/** In case the pushed revocation is lost: no key is accepted for longer than this after the database forgot it. */
const LIFETIME_MS = 10_000;
/** How long an unknown key is not looked up again. Short, because a key may have been tried just before it was made. */
const UNKNOWN_MS = 2_000;
const SIZE_MAX = 10_000;

interface KeyRow {
  readonly id: string;
  readonly type: ApiKeyType;
  readonly workspace_id: string;
  readonly project_id: string | null;
  readonly is_operator: boolean;
  readonly permissions: string[];
  readonly key_hash: Buffer;
  readonly expires_at: Date | null;
}

interface Entry {
  readonly principal: Principal;
  readonly freshUntilMs: number;
}

interface KeyStoreOptions {
  readonly db: Pick<Database, 'query'>;
  readonly now?: () => number;
  /** Default 10,000: the longest delay of a revocation if no message arrives. */
  readonly lifetimeMs?: number;
}

export interface KeyStore {
  /**
   * What `findPrincipal` would answer without asking the database; undefined if it would ask.
   * @param bearer a connection, which usually brings the same key again: the hash of its last key is kept for as long
   * as the connection exists
   */
  findCached(key: string, bearer?: object): Principal | undefined;
  /** Whether the key was valid once, as far as this process knows. */
  hasSeen(key: string): boolean;
  /** The owner of a well-formed key; undefined when it is unknown, revoked or expired. */
  findPrincipal(key: string): Promise<Principal | undefined>;
  /** Forgets a key, at once or from `endsAtMs` on; the hash is hexadecimal. */
  revoke(keyHash: string, endsAtMs?: number): void;
}

/** Finds keys by the hash of the whole key, in the database and a small cache. A key is looked up once at a time. */
export function createKeyStore({ db, now = Date.now, lifetimeMs = LIFETIME_MS }: KeyStoreOptions): KeyStore {
  const entries = new LRUCache<string, Entry>({ max: SIZE_MAX });
  /** Announced ends of keys, in milliseconds. They are kept because a message may overtake a look-up in flight. */
  const ends = new LRUCache<string, number>({ max: SIZE_MAX });
  /** Until when a hash counts as unknown. */
  const unknown = new LRUCache<string, number>({ max: SIZE_MAX });
  const lookUps = new Map<string, Promise<Principal | undefined>>();
  const borne = new WeakMap<object, { readonly key: string; readonly id: string }>();
  const findEntry = (id: string): Principal | undefined => {
    const cached = entries.get(id);
    return cached && cached.freshUntilMs > now() ? cached.principal : undefined;
  };
  const forget = (id: string): undefined => {
    entries.delete(id);
    unknown.set(id, now() + UNKNOWN_MS);
  };
  const lookUp = async (id: string, keyHash: Uint8Array): Promise<Principal | undefined> => {
    const row = await readKey(db, keyHash);
    if (!row || !compareHash(keyHash, row.key_hash)) return forget(id);
    const expiresAtMs = Math.min(
      row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
      ends.get(id) ?? Number.POSITIVE_INFINITY,
    );
    if (expiresAtMs <= now()) return forget(id);
    const principal = toPrincipal(row);
    entries.set(id, { principal, freshUntilMs: Math.min(now() + lifetimeMs, expiresAtMs) });
    return principal;
  };
  return {
    findCached(key, bearer) {
      const known = bearer && borne.get(bearer);
      if (known?.key === key) return findEntry(known.id);
      // The one-shot function, without a hash object, because the RPC gateway calls this for every call.
      const id = hash('sha256', key, 'hex');
      if (bearer !== undefined) borne.set(bearer, { key, id });
      return findEntry(id);
    },
    hasSeen(key) {
      return entries.has(hash('sha256', key, 'hex'));
    },
    async findPrincipal(key) {
      const keyHash = hashApiKey(key);
      const id = Buffer.from(keyHash).toString('hex');
      const cached = findEntry(id);
      if (cached || (unknown.get(id) ?? 0) > now()) return cached;
      const running = lookUps.get(id) ?? lookUp(id, keyHash).finally(() => lookUps.delete(id));
      lookUps.set(id, running);
      return running;
    },
    revoke(keyHash, endsAtMs = 0) {
      const id = keyHash.toLowerCase();
      ends.set(id, Math.min(endsAtMs, ends.get(id) ?? Number.POSITIVE_INFINITY));
      const entry = entries.get(id);
      if (entry && endsAtMs < entry.freshUntilMs) entries.set(id, { ...entry, freshUntilMs: endsAtMs });
    },
  };
}

async function readKey(db: Pick<Database, 'query'>, hash: Uint8Array): Promise<KeyRow | undefined> {
  const { rows } = await db.query<KeyRow>(
    `WITH used AS (
       UPDATE api_keys SET last_used_at = now()
       WHERE key_hash = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
     )
     SELECT k.id, k.type, k.workspace_id, k.project_id, w.is_operator, k.permissions, k.key_hash, k.expires_at
     FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id WHERE k.key_hash = $1 AND k.revoked_at IS NULL`,
    [Buffer.from(hash)],
  );
  return rows[0];
}

function toPrincipal(row: KeyRow): Principal {
  return {
    keyId: row.id,
    keyType: row.type,
    workspaceId: row.workspace_id,
    projectId: row.project_id ?? '',
    isOperator: row.is_operator,
    permissions: row.permissions,
  };
}
