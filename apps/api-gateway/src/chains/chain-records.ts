// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import type { blockchainSchema } from '../records/blockchain.ts';

type BlockchainRecord = z.infer<typeof blockchainSchema>;

export interface ChainRecords {
  /** The record of a chain by its canonical gid; undefined if the chain is not registered. */
  find(gid: string): Promise<BlockchainRecord | undefined>;
  /** The chain was changed here: the next caller reads it again. */
  forget(gid: string): void;
}

interface ChainRecordsOptions {
  readonly read: (gid: string) => Promise<BlockchainRecord | undefined>;
  readonly lifetimeMs: number;
  readonly now?: () => number;
}

interface Entry {
  readonly record: Promise<BlockchainRecord | undefined>;
  readonly freshUntilMs: number;
}

/**
 * Chain records for clients that poll a chain's progress. An answer is at most `lifetimeMs` old, and all callers within
 * that time share one query.
 */
export function createChainRecords({ read, lifetimeMs, now = Date.now }: ChainRecordsOptions): ChainRecords {
  const entries = new Map<string, Entry>();
  return {
    find(gid) {
      const known = entries.get(gid);
      if (known && known.freshUntilMs > now()) return known.record;
      const record = read(gid);
      const entry = { record, freshUntilMs: now() + lifetimeMs };
      entries.set(gid, entry);
      const drop = (): void => {
        if (entries.get(gid) === entry) entries.delete(gid);
      };
      // Failures and unknown gids are not cached: a client can invent any number of gids.
      void record.then((found) => found === undefined && drop(), drop);
      return record;
    },
    forget: (gid) => void entries.delete(gid),
  };
}
