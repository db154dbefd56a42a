// SPDX-License-Identifier: Apache-2.0
import { createDial, BlockedAddressError } from '@chainwatch/outbound';
import { findFreePort } from '@chainwatch/testing';
import { findChannelKind } from '../channel-kinds.ts';
import { NotAcknowledgedError } from './errors.ts';
import { publishOnce } from './publish-once.ts';

const PUBLIC = 'the host resolves into a blocked address range: expected a publicly routable address';
const blocked = new BlockedAddressError('db.example.com', '10.0.0.5', 'private');
const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.5:9092'), { code: 'ECONNREFUSED' });

const recorded = async (error: unknown): Promise<string | undefined> => {
  const sent = await publishOnce({
    request: { url: '', headers: {} },
    publish: () => Promise.reject(error),
    classify: () => undefined,
  });
  return sent.responseBody;
};

test.each<[string, Error, string]>([
  ['a blocked address', blocked, PUBLIC],
  ['one as a cause', new Error(blocked.message, { cause: blocked }), PUBLIC],
  [
    'one of which a library has kept the code',
    Object.assign(new Error(blocked.message), { code: blocked.code }),
    PUBLIC,
  ],
  [
    'one under a name of a library',
    Object.assign(new Error(blocked.message), { originalError: blocked }),
    PUBLIC,
  ],
  ['an address that refused', refused, 'the connection failed: ECONNREFUSED'],
  [
    'several that refused',
    Object.assign(new AggregateError([refused], refused.message), { code: refused.code }),
    'the connection failed: ECONNREFUSED',
  ],
  [
    'what the server says',
    new NotAcknowledgedError(new Error('no queue')),
    'the server did not acknowledge the message: no queue',
  ],
])('the owner of a channel is told of %s', async (_name, error, text) => {
  expect(await recorded(error)).toBe(text);
});

const PLACES: Readonly<Record<string, (host: string) => object>> = {
  redis_stream: (host) => ({ url: `redis://${host}`, stream: 's' }),
  rabbitmq: (host) => ({ url: `amqp://${host}`, routing_key: 'r' }),
  kafka: (host) => ({ brokers: [host], topic: 't', tls: false }),
  nats: (host) => ({ url: `nats://${host}`, subject: 's' }),
};

test.each(
  Object.keys(PLACES).flatMap((kind) =>
    ['10.255.255.1', '127.0.0.1'].map((address) => [kind, address] as const),
  ),
)('a %s channel does not tell that its host is %s', async (name, address) => {
  const resolve = () => Promise.resolve([{ address, family: 4 }]);
  const kind = findChannelKind(name)!;
  const dial = createDial({ allow: ['127.0.0.0/8'], resolve });
  const sender = kind.createSender({ dial } as never, {});
  const sent = await sender.send({
    target: kind.open(PLACES[name]!(`inside.example.com:${await findFreePort()}`), {}, []),
    channelId: 'c',
    attemptId: 'a',
    event: { eventId: 'e', eventType: 'transaction.detected', payload: '{}' },
    body: '{}',
    contentType: 'application/json',
    traceparent: undefined,
    timeoutMs: 5_000,
  });
  expect(sent.errorCode).toBe(address === '127.0.0.1' ? 'connection_refused' : 'blocked_address');
  expect(JSON.stringify(sent)).not.toMatch(/10\.255|127\.0|OUTBOUND_ALLOW/);
  await sender.close!();
});
