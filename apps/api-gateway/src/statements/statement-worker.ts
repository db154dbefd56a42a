// SPDX-License-Identifier: Apache-2.0
import type { Database } from '@chainwatch/data/db';
import type { Logger } from '@chainwatch/platform/telemetry';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { composeStatement } from './compose-statement.ts';
import { publishKey, type StatementSigner } from './signing-key.ts';
import { StatementImpossibleError, StatementLostError, WindowChangedError } from './statement-errors.ts';
import { openFormat } from './statement-formats.ts';
import {
  claimStatement,
  completeStatement,
  giveUpStatement,
  renewStatement,
  storePart,
  type ClaimedStatement,
} from './statement-store.ts';

export interface StatementWorkerOptions {
  /** Its own pool, which it closes: it reads for minutes. */
  readonly db: Database;
  readonly signer: StatementSigner;
  readonly logger: Pick<Logger, 'warn'>;
  /** Pause between two looks while nothing is queued. Default 1,000. */
  readonly pauseMs?: number;
}

const PAUSE_MS = 1_000;
const RENEW_MS = 5_000;

/**
 * Writes queued statements, one at a time. Any number of replicas may run it: a statement is written by one of them, and
 * begun again by another when that one dies.
 */
export class StatementWorker {
  readonly #options: StatementWorkerOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #wake: () => void = () => undefined;
  #isCalled = false;

  constructor(options: StatementWorkerOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** There is something to do. */
  call(): void {
    this.#isCalled = true;
    this.#wake();
  }

  /** A statement that is being written is queued again. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await this.#running;
    await this.#options.db.close();
  }

  async #run(): Promise<void> {
    const { db, signer, logger } = this.#options;
    const { signal } = this.#stopping;
    let isPublished = false;
    while (!signal.aborted) {
      this.#isCalled = false;
      try {
        if (!isPublished) await publishKey(db, signer);
        isPublished = true;
        const claimed = await claimStatement(db);
        if (claimed !== undefined) {
          await this.#write(claimed);
          continue;
        }
      } catch (error) {
        logger.warn({ err: error }, 'failed to write statements, will retry');
      }
      await this.#rest();
    }
  }

  #rest(): Promise<void> {
    if (this.#isCalled || this.#stopping.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#options.pauseMs ?? PAUSE_MS);
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #write(claimed: ClaimedStatement): Promise<void> {
    const { db, logger } = this.#options;
    const writing = new AbortController();
    const signal = AbortSignal.any([writing.signal, this.#stopping.signal]);
    const progress = { addresses: 0, movements: 0, gaps: 0, unexplained: 0 };
    const renewing = setInterval(() => {
      renewStatement(db, claimed, progress).catch((error: unknown) => {
        // Any other failure is unknown: the next renewal, or the next part, tells.
        if (error instanceof StatementLostError) writing.abort(error);
      });
    }, RENEW_MS);
    try {
      await this.#compose(claimed, { signal, progress });
    } catch (error) {
      if (error instanceof StatementLostError) return;
      if (this.#stopping.signal.aborted)
        return await giveUpStatement(db, claimed, { reason: null, then: 'queue' });
      if (!(error instanceof StatementImpossibleError))
        logger.warn({ err: error, statement_id: claimed.id }, 'failed to write statement');
      await giveUpStatement(db, claimed, describeFailure(error));
    } finally {
      clearInterval(renewing);
    }
  }

  async #compose(
    claimed: ClaimedStatement,
    { signal, progress }: Pick<Parameters<typeof composeStatement>[0], 'signal' | 'progress'>,
  ): Promise<void> {
    const { db, signer } = this.#options;
    const format = openFormat(claimed.format);
    const writer = new DocumentWriter((index, bytes) => {
      signal.throwIfAborted();
      return storePart(db, claimed, { index, bytes });
    });
    await writer.write(format.head);
    const emit: Parameters<typeof composeStatement>[0]['emit'] = (line) => writer.write(format.write(line));
    await composeStatement({ db, statement: claimed, signal, progress, emit });
    await writer.write(format.tail);
    let value = '';
    const { size, digest } = await writer.finish((made) => {
      value = signer.sign(made).toString('base64');
      const line = {
        type: 'signature',
        kid: signer.kid,
        algorithm: 'Ed25519',
        sha256: made.toString('hex'),
        value,
      };
      return format.isSelfSigned ? `${JSON.stringify(line)}\n` : '';
    });
    await publishKey(db, signer);
    await completeStatement(db, claimed, {
      ...{ size, sha256: digest.toString('hex'), signature: value, kid: signer.kid, progress },
    });
  }
}

function describeFailure(error: unknown): Parameters<typeof giveUpStatement>[2] {
  if (error instanceof StatementImpossibleError) return { reason: error.message, then: 'fail' };
  const isChanged = error instanceof WindowChangedError;
  return {
    reason: isChanged
      ? 'Blocks of the period were replaced while the statement was written.'
      : 'The service failed to write the statement.',
    then: 'retry',
  };
}

const compress = promisify(gzip);

/** Characters that are collected for one part. */
const PART_LENGTH = 524_288;

interface FinishedDocument {
  /** Bytes. */
  readonly size: number;
  /** Of the document up to the line of its own signature. */
  readonly digest: Buffer;
}

/** Writes a document in parts, each a gzip member, and digests it on the way. It holds one part in memory. */
export class DocumentWriter {
  readonly #store: (index: number, bytes: Buffer) => Promise<void>;
  readonly #hash = createHash('sha256');
  #texts: string[] = [];
  #length = 0;
  #size = 0;
  #count = 0;

  /** @param store keeps a part; the next one waits for it */
  constructor(store: (index: number, bytes: Buffer) => Promise<void>) {
    this.#store = store;
  }

  async write(text: string): Promise<void> {
    if (text === '') return;
    this.#texts.push(text);
    this.#length += text.length;
    if (this.#length >= PART_LENGTH) await this.#flush();
  }

  /** @param signed what follows the digested text: made of the digest, and not part of it */
  async finish(signed: (digest: Buffer) => string): Promise<FinishedDocument> {
    await this.#flush();
    const digest = this.#hash.digest();
    const rest = Buffer.from(signed(digest));
    if (rest.length > 0) await this.#storePart(rest);
    return { size: this.#size, digest };
  }

  async #flush(): Promise<void> {
    if (this.#length === 0) return;
    const bytes = Buffer.from(this.#texts.join(''));
    this.#texts = [];
    this.#length = 0;
    this.#hash.update(bytes);
    await this.#storePart(bytes);
  }

  async #storePart(bytes: Buffer): Promise<void> {
    this.#size += bytes.length;
    await this.#store(this.#count, await compress(bytes));
    this.#count += 1;
  }
}
