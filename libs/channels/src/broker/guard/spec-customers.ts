// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { createDial, createHttpClient } from '@chainwatch/outbound';
import { findChannelKind } from '../../channel-kinds.ts';
import { createMailer, type Mailer, type MailServer } from '../../email/mail-server.ts';
import type { SentMessage, Sender } from '../../sender.ts';
import { join, startLiar, type Liar, type Lie, type Protocol } from './spec-liars.ts';

const TIMEOUT_MS = 1_500;
/**
 * Of the processor, in one turn of the event loop: the lies that block it take more. A slow machine may take as long as ten
 * times copying and hashing 64 MiB.
 */
const TURN_MS_MAX = 1_500;
const PIECES_MAX = 10;

const dial = createDial({ allow: ['127.0.0.0/8'] });
const http = createHttpClient({ dial, connectTimeoutMs: 5_000 });

/** What ends a service (libs/platform/src/telemetry/run-service.ts). */
const escaped: unknown[] = [];
const note = (error: unknown): void => void escaped.push(error);
let turnMsMax = 0;
let usage = process.cpuUsage();
let clock: NodeJS.Timeout;
const liars: Liar[] = [];

/** Nothing that a liar says in a test reaches the process, or holds it up. Liars are stopped after it. */
export function watchProcess(): void {
  beforeAll(() => void process.on('uncaughtException', note).on('unhandledRejection', note));
  afterAll(() => {
    process.off('uncaughtException', note).off('unhandledRejection', note);
    http.close();
  });
  beforeEach(() => {
    escaped.length = 0;
    turnMsMax = 0;
    usage = process.cpuUsage();
    clock = setInterval(() => {
      const { user, system } = process.cpuUsage(usage);
      turnMsMax = Math.max(turnMsMax, (user + system) / 1_000);
      usage = process.cpuUsage();
    }, 20);
  });
  afterEach(async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    clearInterval(clock);
    await Promise.all(liars.splice(0).map((liar) => liar.stop()));
    expect(escaped).toEqual([]);
    if (turnMsMax >= TURN_MS_MAX) expect(turnMsMax).toBeLessThan(PIECES_MAX * measurePieceMs());
  });
}

/** @returns the processor's milliseconds for copying and hashing 64 MiB, the most of three */
function measurePieceMs(): number {
  return Math.max(
    ...[1, 2, 3].map(() => {
      const before = process.cpuUsage();
      createHash('sha256')
        .update(Buffer.concat([Buffer.alloc(64 * 1_048_576, 'x')]))
        .digest();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    }),
  );
}

export const start = async (...lie: Parameters<typeof startLiar>): Promise<Liar> => {
  const liar = await startLiar(...lie);
  liars.push(liar);
  return liar;
};

const SECRETS = [{ secret: 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST', expiresAtMs: undefined }];
const AUTH = { access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: 'x'.repeat(40) };

interface Place {
  readonly protocol: Protocol;
  readonly config: (port: number) => object;
  readonly credentials?: object;
}

export const PLACES: Readonly<Record<string, Place>> = {
  redis_stream: {
    protocol: 'redis_stream',
    config: (port) => ({ url: `redis://127.0.0.1:${port}/1`, stream: 'payments' }),
  },
  rabbitmq: {
    protocol: 'rabbitmq',
    config: (port) => ({ url: `amqp://127.0.0.1:${port}`, routing_key: 'payments' }),
  },
  kafka: {
    protocol: 'kafka',
    config: (port) => ({ brokers: [`127.0.0.1:${port}`], topic: 'payments', tls: false }),
  },
  nats: {
    protocol: 'nats',
    config: (port) => ({ url: `nats://127.0.0.1:${port}`, subject: 'payments' }),
  },
  webhook: {
    protocol: 'http',
    config: (port) => ({ url: `http://127.0.0.1:${port}/`, headers: {}, auth: { type: 'none' } }),
  },
  http_batch: {
    protocol: 'http',
    config: (port) => ({ url: `http://127.0.0.1:${port}/`, headers: {}, auth: { type: 'none' } }),
  },
  sqs: {
    protocol: 'http',
    config: (port) => ({
      queue_url: `http://127.0.0.1:${port}/1/q`,
      region: 'eu-central-1',
      auth: { access_key_id: AUTH.access_key_id },
    }),
    credentials: { auth: AUTH },
  },
};

/** The sender of a kind as a notifier has it, for servers of several customers. */
export class Channels {
  readonly #kind: string;
  readonly #sender: Sender;

  constructor(kind: string) {
    this.#kind = kind;
    this.#sender = findChannelKind(kind)!.createSender({ dial, http, userAgent: 'spec' }, {});
  }

  send(port: number, more: { credentials?: object; timeoutMs?: number } = {}): Promise<SentMessage> {
    const { credentials = PLACES[this.#kind]!.credentials ?? {}, timeoutMs = TIMEOUT_MS } = more;
    const config = PLACES[this.#kind]!.config(port);
    return this.#sender.send({
      target: findChannelKind(this.#kind)!.open(config, credentials, SECRETS),
      channelId: 'c',
      attemptId: 'a',
      event: { eventId: 'e', eventType: 'transaction.detected', payload: '{}' },
      body: '{}',
      contentType: 'application/json',
      traceparent: undefined,
      timeoutMs,
    });
  }

  close(): Promise<void> | undefined {
    return this.#sender.close?.();
  }
}

/** What came of a message to a liar, while another customer's server gets its messages. */
export async function hear(
  kind: string,
  lie: Lie,
  more: { credentials?: object } = {},
): Promise<SentMessage> {
  const channels = new Channels(kind);
  const { protocol } = PLACES[kind]!;
  const [liar, honest] = await Promise.all([start(protocol, lie), start(protocol)]);
  const [sent, other] = await Promise.all([
    channels.send(liar.port, more),
    kind === 'sqs' ? undefined : channels.send(honest.port),
  ]);
  const later = kind === 'sqs' ? undefined : await channels.send(honest.port);
  await channels.close();
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect([other?.errorCode, later?.errorCode]).toEqual([undefined, undefined]);
  return sent;
}

export const instead =
  (step: string, bytes: Buffer | string): Lie =>
  (at, honest) =>
    at === step ? Buffer.from(bytes as string) : honest;
export const behind =
  (step: string, bytes: Buffer | string): Lie =>
  (at, honest) =>
    at === step ? join(honest, Buffer.from(bytes as string)) : honest;

export const mailTo = (port: number): ReturnType<Mailer['send']> => {
  const server = {
    url: `smtp://127.0.0.1:${port}`,
    from: 'a@example.com',
    isEncrypted: false,
    publicUrl: '',
  };
  const mailer = createMailer(server as MailServer);
  return mailer
    .send({ to: 'b@example.com', subject: 's', text: 't', id: 'i' }, TIMEOUT_MS)
    .finally(mailer.close);
};
