// SPDX-License-Identifier: Apache-2.0
import { createDial } from '@chainwatch/outbound';
import { sendTo, startLiar, type Liar } from '../broker/guard/spec-liars.ts';
import { findChannelKind } from '../channel-kinds.ts';
import type { SentMessage } from '../sender.ts';

const kind = findChannelKind('kafka')!;
const liars: Liar[] = [];
afterEach(() => Promise.all(liars.splice(0).map((liar) => liar.stop())));
const start = async (...given: Parameters<typeof startLiar>): Promise<Liar> => {
  const liar = await startLiar(...given);
  liars.push(liar);
  return liar;
};

async function send(server: string, auth: object = { type: 'none' }): Promise<SentMessage> {
  const dial = createDial({ allow: ['127.0.0.1/32', '::1/128'] });
  const sender = kind.createSender({ dial } as never, {});
  const sent = await sender.send({
    target: kind.open({ brokers: [server], topic: 'payments', tls: false }, { auth }, []),
    channelId: 'c',
    attemptId: 'a',
    event: { eventId: 'e', eventType: 'transaction.detected', payload: '{}' },
    body: '{}',
    contentType: 'application/json',
    traceparent: undefined,
    timeoutMs: 5_000,
  });
  await sender.close!();
  return sent;
}

const WRITTEN = JSON.stringify({ partition: 0, offset: '7' });

test('writes to a server with an IPv6 address, and to one that the cluster names', async () => {
  const leader = await start('kafka', undefined, { host: '::1' });
  const first = await start('kafka', sendTo('::1', leader.port), { host: '::1' });
  const named = await start('kafka', sendTo('::1', leader.port));
  expect(await send(`[::1]:${first.port}`)).toMatchObject({ errorCode: undefined, responseBody: WRITTEN });
  expect(await send(`127.0.0.1:${named.port}`)).toMatchObject({
    errorCode: undefined,
    responseBody: WRITTEN,
  });
  expect(leader.heard()).toBe(2);
});

test.each([
  ['plain', 'anything', undefined],
  ['scram-sha-256', 'secret', undefined],
  ['scram-sha-256', 'another', 'authentication_failed'],
  ['scram-sha-512', 'secret', 'authentication_failed'],
])('logs in with %s and the password %s: %s', async (type, password, code) => {
  const server = await start('kafka');
  const sent = await send(`127.0.0.1:${server.port}`, { type, username: 'ada', password });
  expect(sent.errorCode).toBe(code);
});

test.each(['127.0.0.2', '10.255.255.1', '169.254.169.254', 'fd00::1', '::ffff:127.0.0.2', '[fd00__1]'])(
  'sends nothing to the blocked address %s that a cluster names',
  async (address) => {
    const inside = await start('kafka', undefined, { host: '127.0.0.2' });
    const liar = await start('kafka', sendTo(address, inside.port));
    expect(await send(`127.0.0.1:${liar.port}`)).toMatchObject({ errorCode: 'blocked_address' });
    expect(inside.heard()).toBe(0);
  },
);
