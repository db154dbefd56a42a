import type { Lease, LeaseStore } from '@chainwatch/bus';

export interface FakeLeases extends LeaseStore {
  /** Who holds it; undefined when it is free. */
  ownerOf(name: string): string | undefined;
  /** Gives it to somebody else, as after a long pause of the holder: the holder's `lost` is aborted. */
  steal(name: string, owner: string): void;
  clear(): void;
}

interface Held {
  readonly owner: string;
  readonly lost: AbortController;
}

/** Leases in memory that never expire by themselves. */
export function createFakeLeases(): FakeLeases {
  const held = new Map<string, Held>();
  return {
    async tryAcquire(name, owner): Promise<Lease | undefined> {
      if (held.has(name)) return undefined;
      const mine: Held = { owner, lost: new AbortController() };
      held.set(name, mine);
      return {
        name,
        lost: mine.lost.signal,
        async release() {
          if (held.get(name) === mine) held.delete(name);
        },
      };
    },
    ownerOf: (name) => held.get(name)?.owner,
    steal(name, owner) {
      const before = held.get(name);
      held.set(name, { owner, lost: new AbortController() });
      before?.lost.abort(new Error(`the lease ${name} was lost to ${owner}`));
    },
    clear: () => held.clear(),
  };
}
