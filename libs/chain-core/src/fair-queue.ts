// SPDX-License-Identifier: Apache-2.0
export interface FairQueueOptions {
  /** Most work under way at once. */
  readonly atOnce: number;
  /** Most work of one part under way at once; default: no limit of its own. */
  readonly atOncePerPart?: number;
  /** An owner never has more under way than it leaves free for the others; default false. */
  readonly leavesRoom?: boolean;
}

/** Where a caller stands in the queue. */
export interface QueuePlace {
  /** Whose turn it is: a workspace, a client. A string, or an object that stands for the owner. */
  readonly owner: unknown;
  /** A part of the owner, such as a key of a workspace. No two owners share a part; default: the owner itself. */
  readonly part?: unknown;
  /** Waits until nobody else waits. */
  readonly isPatient?: boolean;
  /** A caller that aborts leaves the queue. */
  readonly signal?: AbortSignal;
}

interface Place {
  readonly owner: unknown;
  readonly part: unknown;
}

interface Waiter extends Place {
  readonly begin: () => void;
}

/**
 * Bounds the work under way, and shares it fairly: owners take turns, then the parts of an owner, then first come, first
 * served. An owner with much to do waits behind each of the others once a turn.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #owners = new Counts();
  readonly #parts = new Counts();
  readonly #waiting = new Rotation();
  readonly #patient = new Rotation();
  #underWay = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** True while a caller would have to wait, whoever it is. */
  get isFull(): boolean {
    return this.#underWay >= this.#options.atOnce;
  }

  /** Callers that wait. */
  get waiting(): number {
    return this.#waiting.size + this.#patient.size;
  }

  /** Does the work in its turn. @throws what the work throws, or the signal's reason while it waits */
  async run<T>(place: QueuePlace, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(place);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Takes a turn that needs no wait. @returns what ends it; undefined where the caller has to wait */
  tryEnter({ owner, part = owner }: Pick<QueuePlace, 'owner' | 'part'>): (() => void) | undefined {
    const place = { owner, part };
    return this.#waiting.has(place) || !this.#hasRoom(place) ? undefined : this.#begin(place);
  }

  /**
   * Waits for a turn. @returns what ends it; further calls of it do nothing
   * @throws the signal's reason
   */
  enter({ owner, part = owner, isPatient = false, signal }: QueuePlace): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason);
      const rotation = isPatient ? this.#patient : this.#waiting;
      const waiter = {
        owner,
        part,
        begin: () => {
          signal?.removeEventListener('abort', withdraw);
          resolve(this.#begin(waiter));
        },
      };
      const withdraw = (): void => {
        rotation.delete(waiter);
        reject(signal?.reason);
      };
      if (!rotation.has(waiter) && this.#hasRoom(waiter)) return waiter.begin();
      rotation.add(waiter);
      signal?.addEventListener('abort', withdraw, { once: true });
    });
  }

  #begin(place: Place): () => void {
    this.#count(place, 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#count(place, -1);
      if (this.waiting > 0) this.#serve();
    };
  }

  #count({ owner, part }: Place, by: number): void {
    this.#underWay += by;
    this.#owners.add(owner, by);
    this.#parts.add(part, by);
  }

  readonly #hasRoom = ({ owner, part }: Place): boolean => {
    const { atOnce, atOncePerPart = atOnce, leavesRoom = false } = this.#options;
    const free = atOnce - this.#underWay;
    return free > 0 && this.#parts.of(part) < atOncePerPart && (!leavesRoom || this.#owners.of(owner) < free);
  };

  #serve(): void {
    for (;;) {
      const next = this.#waiting.take(this.#hasRoom) ?? this.#patient.take(this.#hasRoom);
      if (next === undefined) return;
      next.begin();
    }
  }
}

/** Waiters by owner and part, in the order of their turns. */
class Rotation {
  readonly #owners = new Map<unknown, Map<unknown, Set<Waiter>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Whether somebody waits in the same place. */
  has({ owner, part }: Place): boolean {
    return this.#owners.get(owner)?.has(part) === true;
  }

  add(waiter: Waiter): void {
    const { owner, part } = waiter;
    this.#size += 1;
    let parts = this.#owners.get(owner);
    if (parts === undefined) this.#owners.set(owner, (parts = new Map()));
    const waiters = parts.get(part);
    if (waiters === undefined) parts.set(part, new Set([waiter]));
    else waiters.add(waiter);
  }

  delete(waiter: Waiter): void {
    const { owner, part } = waiter;
    const parts = this.#owners.get(owner);
    const waiters = parts?.get(part);
    if (parts === undefined || waiters?.delete(waiter) !== true) return;
    this.#size -= 1;
    if (waiters.size === 0) parts.delete(part);
    if (parts.size === 0) this.#owners.delete(owner);
  }

  /** Takes the next waiter that has room; its part and its owner go behind the others. */
  take(hasRoom: (waiter: Waiter) => boolean): Waiter | undefined {
    for (const [owner, parts] of this.#owners)
      for (const [part, waiters] of parts) {
        const [waiter] = waiters;
        if (waiter === undefined || !hasRoom(waiter)) continue;
        this.delete(waiter);
        if (parts.delete(part)) parts.set(part, waiters);
        if (this.#owners.delete(owner)) this.#owners.set(owner, parts);
        return waiter;
      }
    return undefined;
  }
}

class Counts {
  readonly #counts = new Map<unknown, number>();

  of(key: unknown): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: unknown, by: number): void {
    const count = this.of(key) + by;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}
