// SPDX-License-Identifier: Apache-2.0
import type { Database } from '../db/index.ts';
import { beat, endBeat, removeDead } from './beats-table.ts';
import { renewIdle, type OwnedShare } from './owned-share.ts';
import type { Replica } from './plan-shares.ts';
import type { Timing } from './timing.ts';

export interface ProcessLeaseOptions {
  readonly db: Database;
  readonly kind: string;
  readonly timing: Pick<Timing, 'beatMs' | 'renewMs'>;
  /** What the heartbeat says of this replica. */
  readonly describe: () => Replica;
  /** What it owns now. */
  readonly listShares: () => readonly OwnedShare[];
}

/** The lease of this process on all its shares of a kind, which is its heartbeat, from its construction to end(). */
export class ProcessLease {
  /** A replica of the former release lives, which looks at the leases of shares alone: they are renewed as well. */
  hasFormer = false;
  readonly #options: ProcessLeaseOptions;
  readonly #renewing: NodeJS.Timeout;
  #isRenewing = false;
  #isLeaving = false;
  /** What the last heartbeat said. */
  #said = '';

  constructor(options: ProcessLeaseOptions) {
    this.#options = options;
    this.#renewing = setInterval(() => void this.#renew(), options.timing.renewMs);
  }

  /** Says at once what others do not know of this replica yet. */
  async sayNews(): Promise<void> {
    if (this.#said === '') await removeDead(this.#options.db);
    if (this.#said !== asText(this.#options.describe())) await this.#beat();
  }

  /** From here on the replica does not count any more, and owns what it has until end(). */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    await this.#beat().catch(() => undefined);
  }

  /** All of its shares are free. If this fails, the row ends by itself. */
  async end(): Promise<void> {
    clearInterval(this.#renewing);
    const { db, kind, describe } = this.#options;
    await endBeat(db, kind, describe().owner).catch(() => undefined);
  }

  /** A share that is not renewed may still be ours: the clock decides. */
  async #renew(): Promise<void> {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    try {
      await this.#beat();
      if (this.hasFormer) await this.#renewShares();
    } catch {
      // The next renewal follows soon.
    } finally {
      this.#isRenewing = false;
    }
  }

  /** A share that had ended by our clock before the answer came may be somebody else's by now: it is not renewed. */
  async #beat(): Promise<void> {
    const { db, kind, timing, describe, listShares } = this.#options;
    const me = describe();
    const sentAtMs = performance.now();
    const tokens = await beat(db, { kind, me, beatMs: this.#isLeaving ? 0 : timing.beatMs });
    this.#said = asText(me);
    for (const share of listShares())
      if (share.isOurs && tokens.get(share.claim.share) === share.token) share.noteRenewed(sentAtMs);
  }

  async #renewShares(): Promise<void> {
    const { db, kind, describe, listShares } = this.#options;
    const claims = listShares()
      .filter(({ isIdle }) => isIdle)
      .map(({ claim }) => claim);
    if (claims.length > 0) await renewIdle(db, { kind, owner: describe().owner, claims });
  }
}

function asText({ ready, declined }: Replica): string {
  return JSON.stringify([[...ready], [...declined]]);
}
