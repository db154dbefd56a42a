import { BaseError } from '@chainwatch/problem';
import type { Logger } from '@chainwatch/telemetry';
import { Worker } from 'node:worker_threads';
import { UnknownContentError, type ActiveChain, type Block, type BlockRef } from '@chainwatch/chain-core';
import type { BacklogReader } from '../model/analyzer-deps.ts';
import type { ThreadReply, ThreadRequest } from './thread-messages.ts';

interface BodyThreadsOptions {
  /** 0: every block is read by the analyzer's own loop. */
  readonly count: number;
  /** body.worker.ts, bundled. */
  readonly entry: URL;
  readonly logger: Pick<Logger, 'error'>;
}

/** Parsed blocks are large and short-lived: a small young generation would copy them too often. */
const YOUNG_MEGABYTES = 64;
/** Pause before a dead thread is started again. */
const REST_MS = 1_000;

/** The thread ended or could not read; the caller reads the block itself. */
class BodyThreadError extends BaseError {
  readonly code = 'body_thread';
  readonly retryable = true;
  constructor(message: string, publicMessage = 'the block could not be read in the background') {
    super(message, { publicMessage });
  }
}

/**
 * Threads that read a backlog of blocks. Fetching, parsing and proving take a whole core; this way the analyzer's
 * loop has its own core for matching and steps. The threads are not used at the head, where a hop between threads
 * would only add latency.
 */
export class BodyThreads {
  readonly #threads: BodyThread[];
  #lastReaderId = 0;

  constructor({ count, ...options }: BodyThreadsOptions) {
    this.#threads = Array.from({ length: count }, () => new BodyThread(options));
  }

  /** Undefined without threads. */
  open = (chain: ActiveChain): BacklogReader | undefined => {
    if (this.#threads.length === 0) return undefined;
    const readerId = ++this.#lastReaderId;
    for (const thread of this.#threads) thread.open({ type: 'open', readerId, chain });
    return {
      readBlock: (ref, signal) => this.#pickThread().read(readerId, ref, signal),
      close: () => {
        for (const thread of this.#threads) thread.close(readerId);
      },
    };
  };

  async stop(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.stop()));
  }

  #pickThread(): BodyThread {
    return this.#threads.reduce((idlest, thread) => (thread.load < idlest.load ? thread : idlest));
  }
}

interface Reading {
  readonly resolve: (block: Block) => void;
  readonly reject: (error: Error) => void;
}

/** One thread, started with the first chain, and started again on demand after it died. */
class BodyThread {
  readonly #options: Omit<BodyThreadsOptions, 'count'>;
  readonly #readers = new Map<number, ThreadRequest>();
  readonly #readings = new Map<number, Reading>();
  #worker: Worker | undefined;
  #lastId = 0;
  #restUntilMs = 0;

  constructor(options: Omit<BodyThreadsOptions, 'count'>) {
    this.#options = options;
  }

  get load(): number {
    return this.#readings.size;
  }

  open(request: Extract<ThreadRequest, { type: 'open' }>): void {
    this.#readers.set(request.readerId, request);
    if (this.#worker === undefined) this.#worker = this.#start();
    else this.#worker.postMessage(request);
  }

  close(readerId: number): void {
    this.#readers.delete(readerId);
    this.#worker?.postMessage({ type: 'close', readerId } satisfies ThreadRequest);
  }

  async read(readerId: number, ref: BlockRef, signal?: AbortSignal): Promise<Block> {
    signal?.throwIfAborted();
    if (Date.now() < this.#restUntilMs) throw new BodyThreadError('the thread ended a moment ago');
    const id = ++this.#lastId;
    const worker = (this.#worker ??= this.#start());
    const onAbort = (): void => {
      worker.postMessage({ type: 'abort', id } satisfies ThreadRequest);
      this.#readings.get(id)?.reject(signal!.reason as Error);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await new Promise<Block>((resolve, reject) => {
        this.#readings.set(id, { resolve, reject });
        worker.postMessage({ type: 'read', readerId, id, ref } satisfies ThreadRequest);
      });
    } finally {
      this.#readings.delete(id);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#options.entry, {
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    });
    worker.unref();
    worker.on('message', (reply: ThreadReply) => {
      const reading = this.#readings.get(reply.id);
      if (reply.type === 'block') reading?.resolve(reply.block);
      else
        reading?.reject(
          reply.unknowns === undefined
            ? new BodyThreadError(reply.message, reply.publicMessage)
            : new UnknownContentError(reply.message, reply.unknowns),
        );
    });
    worker.on('error', (error) => this.#options.logger.error({ err: error }, 'block thread failed'));
    worker.on('exit', (code) => {
      this.#worker = undefined;
      this.#restUntilMs = Date.now() + REST_MS;
      for (const { reject } of this.#readings.values())
        reject(new BodyThreadError(`the thread ended with ${code}`));
    });
    for (const reader of this.#readers.values()) worker.postMessage(reader);
    return worker;
  }
}
