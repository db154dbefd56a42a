// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDial } from '@chainwatch/outbound';
import { createCertificate } from '@chainwatch/testing';
import { findChannelKind } from '../channel-kinds.ts';
import type { SentMessage } from '../sender.ts';
import { watchProcess } from './guard/spec-customers.ts';
import { startLiar, type Lie, type Protocol } from './guard/spec-liars.ts';

const folder = mkdtempSync(join(tmpdir(), 'channels-'));
const { path, keyPath } = createCertificate(folder);
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
watchProcess();

const KINDS: Readonly<Record<string, (server: string) => object>> = {
  redis_stream: (server) => ({ url: `rediss://${server}/1`, stream: 'payments' }),
  rabbitmq: (server) => ({ url: `amqps://${server}`, routing_key: 'payments' }),
  kafka: (server) => ({ brokers: [server], topic: 'payments', tls: true }),
};

/** To a server by its name, and the names that it was asked for in the handshake. */
async function sendTo(
  name: string,
  lie?: Lie,
): Promise<{ readonly sent: SentMessage; readonly names: readonly string[] }> {
  const names: string[] = [];
  const server = await startLiar(name as Protocol, lie, {
    tls: {
      cert: readFileSync(path),
      key: readFileSync(keyPath),
      SNICallback(asked, callback) {
        names.push(asked);
        callback(null);
      },
    },
  });
  const kind = findChannelKind(name)!;
  const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
  const dial = createDial({ allow: ['127.0.0.0/8'], resolve });
  const sender = kind.createSender({ dial } as never, {});
  const sent = await sender.send({
    target: kind.open(KINDS[name]!(`broker.test:${server.port}`), {}, []),
    channelId: 'c',
    attemptId: 'a',
    event: { eventId: 'e', eventType: 'transaction.detected', payload: '{}' },
    body: '{}',
    contentType: 'application/json',
    traceparent: undefined,
    timeoutMs: 3_000,
  });
  await sender.close!();
  await server.stop();
  return { sent, names };
}

test.each(Object.keys(KINDS))(
  'a %s channel speaks TLS with a server whose certificate it trusts',
  async (name) => {
    expect((await sendTo(name)).sent).toMatchObject({ errorCode: 'tls_error' });
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const { sent, names } = await sendTo(name);
    expect(sent.errorCode).toBeUndefined();
    expect(names[0]).toBe('broker.test');
  },
);

test.each(Object.keys(KINDS))(
  'what a %s server says over TLS breaks its own connection alone',
  async (name) => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    for (const bytes of [Buffer.alloc(4), Buffer.alloc(64, 7), Buffer.from('*99999999999\r\n')]) {
      const { sent } = await sendTo(name, (step, honest) => (step === 'opened' ? bytes : honest));
      expect(sent.errorCode).toBeDefined();
    }
  },
);
