import type { z } from 'zod';
import type { blockchainSchema } from '../records/blockchain.ts';

type BlockchainRecord = z.infer<typeof blockchainSchema>;

export interface ChainRecords {
  /** The record of a chain by its canonical gid; undefined when it is not in this service. */
  find(gid: string): Promise<BlockchainRecord | undefined>;
  /** It was changed here: whoever asks from now on sees it. */
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
 * Chains for clients that ask again and again how far one is: what is answered was true at most `lifetimeMs` before, and
 * everybody who asks within that time costs one query.
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
      // Neither a failure nor what strangers make up is kept.
      void record.then((found) => found === undefined && drop(), drop);
      return record;
    },
    forget: (gid) => void entries.delete(gid),
  };
}
