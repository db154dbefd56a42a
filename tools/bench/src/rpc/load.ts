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

export function requestOf(port: number, path: string, key: string, body: string | Buffer): Buffer {
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
    let pending: Buffer = EMPTY;
    let skipping = 0;
    socket.on('data', (data: Buffer) => {
      let bytes: Buffer = pending.length === 0 ? data : Buffer.concat([pending, data]);
      pending = EMPTY;
      for (;;) {
        if (skipping > 0) {
          const skipped = Math.min(skipping, bytes.length);
          skipping -= skipped;
          bytes = bytes.subarray(skipped);
          if (skipping > 0) return;
          finish(0, '');
          if (answered === count) return;
        }
        const headEnd = bytes.indexOf('\r\n\r\n');
        if (headEnd === -1) break;
        const head = bytes.toString('latin1', 0, headEnd);
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
        const status = Number(head.slice(9, 12));
        const end = headEnd + 4 + length;
        if (bytes.length < end && onSample === undefined) {
          skipping = end - bytes.length;
          return;
        }
        if (bytes.length < end) break;
        const body = onSample === undefined ? '' : bytes.toString('utf8', headEnd + 4, end);
        bytes = bytes.subarray(end);
        finish(status, body);
        if (answered === count) return;
      }
      pending = bytes;
    });
    const finish = (status: number, body: string): void => {
      const index = first + answered;
      const began = startedAt[answered]!;
      answered += 1;
      onSample?.({ status, body, startedAt: began, ms: performance.now() - began }, index);
      if (answered === count) {
        socket.destroy();
        resolve();
      } else send();
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on(
      'close',
      () =>
        answered < count && reject(new Error(`a connection closed after ${answered} of ${count} answers`)),
    );
  });
}

const EMPTY: Buffer = Buffer.alloc(0);
