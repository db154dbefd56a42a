import type { ChannelQueue } from '../channel-queue/channel-queue.ts';
import { listUnattempted } from '../queue/list-unattempted.ts';
import { parkUnattempted } from '../queue/park-unattempted.ts';
import type { ClaimDeps } from './claim-deps.ts';

/**
 * What the owner before has claimed and not sent. Nothing new of its channel goes ahead of it: until its lease ends, or
 * that owner records an attempt that is still under way there, it counts as a row on its way into the backlog.
 */
export class Leftovers {
  readonly #deps: ClaimDeps;
  readonly #left = new Map<string, ChannelQueue>();

  constructor(deps: ClaimDeps) {
    this.#deps = deps;
  }

  /** Called when channels came or went, before anything new goes to those that came. */
  async find(): Promise<void> {
    const { db, channels, queues, members, options } = this.#deps;
    for (const [id, { channel }] of this.#left) if (!members.owns(channel.id)) this.#forget(id);
    const listed = await listUnattempted(db, members.partitions, options.visibilityMs);
    const left = listed.filter(({ id }) => !queues.has(id) && !this.#left.has(id));
    for (const channel of await channels.listByIds([...new Set(left.map(({ channelId }) => channelId))]))
      queues.of(channel);
    for (const { id, channelId } of left) {
      const queue = queues.find(channelId);
      if (queue === undefined) continue;
      this.#left.set(id, queue);
      queue.park(id);
    }
  }

  /** Moves what is due now into the backlog. */
  async park(): Promise<void> {
    const ids = [...this.#left.keys()];
    if (ids.length === 0) return;
    const claimed = await parkUnattempted(this.#deps.db, ids);
    for (const id of ids) if (!claimed.has(id) || this.#deps.queues.has(id)) this.#forget(id);
  }

  has(id: string): boolean {
    return this.#left.has(id);
  }

  #forget(id: string): void {
    this.#left.get(id)?.parked(id);
    this.#left.delete(id);
  }
}
