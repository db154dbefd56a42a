// SPDX-License-Identifier: Apache-2.0
import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { verifySignature } from '@chainwatch/webhook-signature';
import { SetupError } from '@chainwatch/testing/host';

export interface ReceivedEvent {
  readonly event_id: string;
  readonly type: string;
  readonly sequence?: number;
  readonly data: {
    readonly transaction?: {
      readonly hash: string;
      readonly status: string;
      readonly direction: string;
      readonly block_number: number | null;
    };
    readonly balance_changes?: readonly {
      readonly address: string;
      readonly asset_gid: string;
      readonly delta: string;
    }[];
    readonly address?: string;
    readonly asset_gid?: string;
    readonly previous?: string | null;
    readonly current?: string;
  };
}

export interface ReceiveOptions {
  readonly port: number;
  /** Asked at each delivery; empty means that nothing is verified. */
  readonly secrets: () => readonly string[];
  readonly print: (line: string) => void;
  readonly onEvent?: (event: ReceivedEvent) => void;
}

const BODY_BYTES_MAX = 1_048_576;

/** A webhook receiver as a customer writes it: reads the raw body, verifies, answers 204. @throws SetupError when the port is taken */
export async function receive(options: ReceiveOptions): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((req, res) => {
    void handle(req, options).then((status) => res.writeHead(status).end());
  });
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening').catch(() => {
    throw new SetupError(`Port ${options.port} is in use: choose another one with --port.`);
  });
  return {
    url: `http://127.0.0.1:${options.port}/`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function handle(req: IncomingMessage, { secrets, print, onEvent }: ReceiveOptions): Promise<number> {
  const body = await readBody(req);
  if (req.method !== 'POST' || !body) return 400;
  const known = secrets();
  const verdict =
    known.length > 0
      ? verifySignature({ header: req.headers['x-webhook-signature'], body, secrets: known })
      : undefined;
  if (verdict && !verdict.ok) {
    print(`✗ refused a delivery: ${verdict.reason}`);
    return 401;
  }
  const event = JSON.parse(body.toString()) as ReceivedEvent;
  print(`${verdict ? '✓ signature verified' : '· not verified'}  ${describeEvent(event)}`);
  onEvent?.(event);
  return 204;
}

async function readBody(req: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function describeEvent({ type, data, event_id }: ReceivedEvent): string {
  const { transaction } = data;
  if (transaction) {
    const changes = (data.balance_changes ?? []).map(
      ({ address, asset_gid, delta }) =>
        `${shorten(address)} ${delta.startsWith('-') ? '' : '+'}${delta} ${asset_gid}`,
    );
    const place =
      transaction.block_number === null ? 'in no block yet' : `in block ${transaction.block_number}`;
    return `${type}  tx ${shorten(transaction.hash)} ${place}: ${changes.join(', ')}  (event ${event_id})`;
  }
  if (data.address)
    return `${type}  ${shorten(data.address)} ${data.asset_gid}: ${data.previous ?? '0'} → ${data.current}  (event ${event_id})`;
  return `${type}  (event ${event_id})`;
}

export function shorten(text: string): string {
  return text.length > 14 ? `${text.slice(0, 8)}…${text.slice(-4)}` : text;
}
