// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

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
