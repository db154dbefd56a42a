// SPDX-License-Identifier: Apache-2.0
import { ConnectionLostError, TimeoutError } from './errors.ts';

/** A connection to a server of a customer. */
export interface Connection {
  isClosed(): boolean;
  /** Told once, when it is closed. */
  onClosed(listener: (cause: unknown) => void): void;
  close(): Promise<void>;
  /** Ends it without a word to the server, and takes nothing more from it. */
  destroy(): void;
  /** Whether an error is the server's own word about a message, which counts although it closed the connection after it. */
  isRefusal?(error: unknown): boolean;
}

export interface Opening {
  readonly timeoutMs: number;
  /** Nobody waits any more: what has been opened so far is ended. */
  readonly signal: AbortSignal;
}

export interface ConnectionOptions<T, C extends Connection> {
  /** Targets of one key share a connection. */
  keyOf(target: T): string;
  /** @throws when it cannot be opened in time */
  open(target: T, opening: Opening): Promise<C>;
  /** A connection that nothing went through for so long is closed. */
  readonly idleMs: number;
}

interface Kept<C> {
  readonly key: string;
  readonly opening: Promise<C>;
  /** Told when it is closed: a client may forget what waits for an answer. */
  readonly waiting: Set<(error: Error) => void>;
  usedAtMs: number;
  underWay: number;
  /** A message went through it: the server may have closed it since. */
  isProved: boolean;
}

const CONNECTIONS_MAX = 1_000;
const CLOSE_MS_MAX = 2_000;

/** Connections to servers of customers: one for each key, closed when unused, forgotten when lost. */
export class Connections<T, C extends Connection> {
  readonly #options: ConnectionOptions<T, C>;
  readonly #kept = new Map<string, Kept<C>>();
  readonly #sweeping: NodeJS.Timeout;

  constructor(options: ConnectionOptions<T, C>) {
    this.#options = options;
    this.#sweeping = setInterval(
      () => this.#closeUnused(Date.now() - options.idleMs),
      Math.max(20, options.idleMs / 4),
    );
    this.#sweeping.unref();
  }

  /**
   * Does the work through the target's connection, and once more through a new one where the server closed the kept one as
   * the message came: an id in the message lets a receiver drop what comes twice.
   * @throws TimeoutError, ConnectionLostError, or what the work throws
   */
  async through<R>(
    target: T,
    timeoutMs: number,
    work: (connection: C, leftMs: number) => Promise<R>,
  ): Promise<R> {
    const untilMs = performance.now() + timeoutMs;
    const kept = this.#take(target, timeoutMs);
    const { isProved } = kept;
    try {
      return await this.#within(kept, timeoutMs, work);
    } catch (error) {
      if (!isProved || !(error instanceof ConnectionLostError)) throw error;
      const leftMs = Math.max(1, untilMs - performance.now());
      return this.#within(this.#take(target, leftMs), leftMs, work);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    const kept = [...this.#kept.values()];
    this.#kept.clear();
    await Promise.all(kept.map(end));
  }

  #take(target: T, timeoutMs: number): Kept<C> {
    const key = this.#options.keyOf(target);
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    if (this.#kept.size >= CONNECTIONS_MAX) this.#closeUnused(Infinity, 1);
    const kept: Kept<C> = {
      key,
      opening: openInTime((signal) => this.#options.open(target, { timeoutMs, signal }), timeoutMs),
      waiting: new Set(),
      usedAtMs: Date.now(),
      underWay: 0,
      isProved: false,
    };
    this.#kept.set(key, kept);
    const forget = (cause?: unknown): void => {
      this.#forget(kept);
      for (const fail of kept.waiting) fail(new ConnectionLostError(cause));
    };
    kept.opening.then((connection) => connection.onClosed(forget), forget);
    return kept;
  }

  #forget(kept: Kept<C>): void {
    if (this.#kept.get(kept.key) === kept) this.#kept.delete(kept.key);
  }

  async #within<R>(
    kept: Kept<C>,
    timeoutMs: number,
    work: (connection: C, leftMs: number) => Promise<R>,
  ): Promise<R> {
    const untilMs = performance.now() + timeoutMs;
    kept.underWay += 1;
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new TimeoutError(timeoutMs)), timeoutMs);
    });
    try {
      const done = kept.opening.then((connection) =>
        whileOpen(connection, kept.waiting, () => work(connection, Math.max(1, untilMs - performance.now()))),
      );
      const result = await Promise.race([done, deadline]);
      kept.isProved = true;
      return result;
    } catch (error) {
      // A connection that hangs is not used again: the next message opens a new one, although nobody may tell for long
      // that this one is closed.
      if (error instanceof TimeoutError) {
        this.#forget(kept);
        void end(kept);
      }
      throw error;
    } finally {
      clearTimeout(timer);
      kept.underWay -= 1;
      kept.usedAtMs = Date.now();
    }
  }

  #closeUnused(usedBeforeMs: number, countMax = Infinity): void {
    const unused = [...this.#kept]
      .filter(([, { underWay, usedAtMs }]) => underWay === 0 && usedAtMs < usedBeforeMs)
      .sort(([, a], [, b]) => a.usedAtMs - b.usedAtMs);
    for (const [key, kept] of unused.slice(0, countMax)) {
      this.#kept.delete(key);
      void end(kept);
    }
  }
}

/** @throws ConnectionLostError when the connection is closed meanwhile */
function whileOpen<R>(
  connection: Connection,
  waiting: Set<(error: Error) => void>,
  work: () => Promise<R>,
): Promise<R> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      const isLost = connection.isClosed() && connection.isRefusal?.(error) !== true;
      reject(isLost && !(error instanceof ConnectionLostError) ? new ConnectionLostError(error) : error);
    };
    waiting.add(fail);
    void work()
      .then(resolve, fail)
      .finally(() => waiting.delete(fail));
  });
}

/** A client may forget an opening whose server died in it. One that is opened too late is closed. @throws TimeoutError */
function openInTime<C extends Connection>(
  open: (signal: AbortSignal) => Promise<C>,
  timeoutMs: number,
): Promise<C> {
  return new Promise((resolve, reject) => {
    const late = new AbortController();
    const timer = setTimeout(() => {
      reject(new TimeoutError(timeoutMs));
      late.abort();
    }, timeoutMs);
    open(late.signal)
      .then((connection) => (late.signal.aborted ? leave(connection) : resolve(connection)), reject)
      .finally(() => clearTimeout(timer));
  });
}

async function end<C extends Connection>({ opening }: Kept<C>): Promise<void> {
  await forAMoment(opening.then(leave, () => undefined));
}

async function leave(connection: Connection): Promise<void> {
  await forAMoment(connection.close().catch(() => undefined));
  connection.destroy();
}

/** Waits for a server that does not answer the farewell no longer. */
async function forAMoment(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_MS_MAX)))]);
  clearTimeout(timer);
}
