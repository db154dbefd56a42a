import { Worker } from 'node:worker_threads';
import { ProblemError, serviceUnavailable } from '@chainwatch/problem';
import type { Author } from '../management/record-change.ts';
import type { Announced, BulkReply, BulkRequest, BulkSettings } from './bulk-messages.ts';

/** A large body, and who sent it. */
export interface BulkCall {
  readonly bytes: Uint8Array;
  readonly author: Author;
  readonly signal: AbortSignal;
  /** Called for each transaction that is committed. */
  readonly onChanged: (first: Announced) => void;
}

interface Running {
  readonly onChanged: (first: Announced) => void;
  readonly resolve: (answer: Buffer) => void;
  readonly reject: (reason: unknown) => void;
}

/** A body of 8 MiB, sixteen at once, is well within it. */
const HEAP_MEGABYTES = 1_024;

/**
 * The thread that carries bulk calls out, with connections of its own: ten thousand addresses take a second of a core,
 * for which other requests must not wait. Started with the first call, and again after it died.
 */
export class BulkThread {
  readonly #settings: BulkSettings;
  readonly #running = new Map<number, Running>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(settings: BulkSettings) {
    this.#settings = settings;
  }

  /** The answer as JSON. @throws ProblemError */
  async importAddresses({ bytes, author, signal, onChanged }: BulkCall): Promise<Buffer> {
    signal.throwIfAborted();
    const worker = (this.#worker ??= this.#start());
    const id = ++this.#lastId;
    const abort = (): void => worker.postMessage({ type: 'abort', id } satisfies BulkRequest);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        this.#running.set(id, { onChanged, resolve, reject });
        worker.postMessage({ type: 'import', id, bytes, author } satisfies BulkRequest);
      });
    } finally {
      this.#running.delete(id);
      signal.removeEventListener('abort', abort);
    }
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const file = import.meta.url.endsWith('.ts') ? './source.worker.mjs' : './bulk.worker.mjs';
    const worker = new Worker(new URL(file, import.meta.url), {
      name: 'api-gateway-bulk',
      execArgv: [],
      workerData: this.#settings,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    });
    worker.unref();
    let cause: unknown;
    worker.on('message', (reply: BulkReply) => this.#take(reply));
    worker.on('error', (error) => (cause = error));
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const { reject } of this.#running.values())
        reject(
          serviceUnavailable('The import ended midway: send it again.', { retryAfterSeconds: 1, cause }),
        );
    });
    return worker;
  }

  #take(reply: BulkReply): void {
    const call = this.#running.get(reply.id);
    switch (reply.type) {
      case 'changed':
        return call?.onChanged(reply.first);
      case 'answer':
        return call?.resolve(Buffer.from(reply.bytes.buffer, reply.bytes.byteOffset, reply.bytes.byteLength));
      case 'problem':
        return call?.reject(new ProblemError(reply.code, reply));
      case 'error':
        return call?.reject(reply.error);
    }
  }
}
