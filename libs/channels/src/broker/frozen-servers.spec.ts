// SPDX-License-Identifier: Apache-2.0
import { createDial } from '@chainwatch/outbound';
import { findRabbitMq, startNats, startRabbitMq, startRedis, startTcpProxy } from '@chainwatch/testing';
import { findChannelKind } from '../channel-kinds.ts';

interface Kind {
  readonly kind: string;
  start(): Promise<{ readonly port: number; stop(): Promise<unknown> }>;
  readonly config: (port: number) => object;
}

const KINDS: readonly Kind[] = [
  {
    kind: 'redis_stream',
    start: startRedis,
    config: (port) => ({ url: `redis://127.0.0.1:${port}`, stream: 'payments' }),
  },
  {
    kind: 'nats',
    start: startNats,
    config: (port) => ({ url: `nats://127.0.0.1:${port}`, subject: 'payments' }),
  },
  {
    kind: 'rabbitmq',
    start: startRabbitMq,
    config: (port) => ({ url: `amqp://127.0.0.1:${port}`, exchange: 'amq.fanout', routing_key: 'payments' }),
  },
];

test.each(KINDS.filter(({ kind }) => kind !== 'rabbitmq' || findRabbitMq() !== undefined))(
  'a message after one that a hanging $kind server did not confirm goes over a new connection',
  async ({ kind: name, start, config }) => {
    const server = await start();
    const proxy = await startTcpProxy(server.port);
    const kind = findChannelKind(name)!;
    const sender = kind.createSender({ dial: createDial({ allow: ['127.0.0.0/8'] }) } as never, {});
    const send = (timeoutMs: number) =>
      sender.send({
        target: kind.open(config(proxy.port), {}, []),
        channelId: 'c',
        attemptId: 'a',
        event: { eventId: 'e', eventType: 'transaction.detected', payload: '{}' },
        body: '{}',
        contentType: 'application/json',
        traceparent: undefined,
        timeoutMs,
      });
    // No queue is bound to the exchange: the server says so over an open connection.
    const answered = name === 'rabbitmq' ? 'not_acknowledged' : undefined;
    expect((await send(20_000)).errorCode).toBe(answered);
    proxy.freeze();
    expect((await send(1_000)).errorCode).toBe('timeout');
    expect((await send(20_000)).errorCode).toBe(answered);
    await sender.close!();
    await proxy.stop();
    await server.stop();
  },
  120_000,
);
