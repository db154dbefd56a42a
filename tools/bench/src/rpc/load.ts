// SPDX-License-Identifier: Apache-2.0
import { connect, type Socket } from 'node:net';

export interface Sample {
  readonly status: number;
  readonly ms: number;
  readonly startedAt: number;
  readonly body: string;
}

export interface LoadOptions {
  readonly port: number;
  /** The whole request, head and body. */
  readonly request: (index: number) => Buffer;
  readonly count: number;
  readonly connections: number;
  /** Requests sent ahead on each connection. Default 1. */
  readonly pipelining?: number;
  /** Called for each answer; without it bodies are not decoded. */
  readonly onSample?: (sample: Sample, index: number) => void;
}

export function requestOf(
  port: number,
  { path, key, body }: { readonly path: string; readonly key: string; readonly body: string | Buffer },
): Buffer {
  const bytes = Buffer.from(body);
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nX-Api-Key: ${key}\r\nContent-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

/** Sends `count` requests over so many connections and resolves when all are answered: a socket and a scan for the length. */
export async function runLoad(options: LoadOptions): Promise<void> {
  const share = Math.ceil(options.count / options.connections);
  const connections = Array.from({ length: options.connections }, (_, index) =>
    runConnection(options, index * share, Math.min(share, options.count - index * share)),
  );
  await Promise.all(connections);
}

function runConnection(
  { port, request, pipelining = 1, onSample }: LoadOptions,
  first: number,
  count: number,
): Promise<void> {
  if (count <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const startedAt: number[] = [];
    let sent = 0;
    let answered = 0;
    const send = (): void => {
      while (sent < count && sent - answered < pipelining) {
        startedAt.push(performance.now());
        socket.write(request(first + sent++));
      }
    };
    const finish = (status: number, body: string): void => {
      const index = first + answered;
      const began = startedAt[answered]!;
      answered += 1;
      onSample?.({ status, body, startedAt: began, ms: performance.now() - began }, index);
      if (answered < count) return send();
      socket.destroy();
      resolve();
    };
    const reader = new AnswerReader(onSample !== undefined, finish);
    socket.on('data', (data: Buffer) => reader.read(data));
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on(
      'close',
      () =>
        answered < count && reject(new Error(`a connection closed after ${answered} of ${count} answers`)),
    );
  });
}

/** Finds where answers end, by their content-length. */
class AnswerReader {
  readonly #wantsBody: boolean;
  readonly #finish: (status: number, body: string) => void;
  #pending: Buffer = EMPTY;
  /** Bytes of a body that nobody wants and that are still to come. */
  #skipping = 0;

  constructor(wantsBody: boolean, finish: (status: number, body: string) => void) {
    this.#wantsBody = wantsBody;
    this.#finish = finish;
  }

  read(data: Buffer): void {
    let rest: Buffer | undefined = this.#pending.length === 0 ? data : Buffer.concat([this.#pending, data]);
    this.#pending = EMPTY;
    while (rest !== undefined && rest.length > 0)
      rest = this.#skipping > 0 ? this.#skip(rest) : this.#readOne(rest);
  }

  #skip(bytes: Buffer): Buffer {
    const skipped = Math.min(this.#skipping, bytes.length);
    this.#skipping -= skipped;
    if (this.#skipping === 0) this.#finish(0, '');
    return bytes.subarray(skipped);
  }

  /** What stands behind the first answer; undefined when that is not whole. */
  #readOne(bytes: Buffer): Buffer | undefined {
    const headEnd = bytes.indexOf('\r\n\r\n');
    const head = bytes.toString('latin1', 0, Math.max(0, headEnd));
    const end = headEnd + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const isWhole = headEnd !== -1 && bytes.length >= end;
    if (!isWhole) {
      if (headEnd === -1 || this.#wantsBody) this.#pending = bytes;
      else this.#skipping = end - bytes.length;
      return undefined;
    }
    this.#finish(Number(head.slice(9, 12)), this.#wantsBody ? bytes.toString('utf8', headEnd + 4, end) : '');
    return bytes.subarray(end);
  }
}

const EMPTY: Buffer = Buffer.alloc(0);
