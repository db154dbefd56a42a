// SPDX-License-Identifier: Apache-2.0
import { createDial, createHttpClient } from '@chainwatch/outbound';
import { waitFor } from '@chainwatch/testing';
import { findChannelKind } from './channel-kinds.ts';
import { PLACES } from './broker/guard/spec-customers.ts';
import { startLiar } from './broker/guard/spec-liars.ts';

/** More than an answer is awaited. */
const OPENING_MS = 200;
const dial = createDial({ allow: ['127.0.0.0/8'] });
const http = createHttpClient({ dial, connectTimeoutMs: 5_000 });
afterAll(() => http.close());

test.each(Object.keys(PLACES).filter((name) => name !== 'sqs'))(
  'a %s message whose answer is not awaited is sent, and the connection stays for others',
  async (name) => {
    const { protocol, config } = PLACES[name]!;
    let answered = 0;
    const server = await startLiar(
      protocol,
      (step, honest) => {
        if (step === 'answer') answered += 1;
        return honest;
      },
      { lateMs: OPENING_MS },
    );
    const kind = findChannelKind(name)!;
    const sender = kind.createSender({ dial, http, userAgent: 'spec' }, {});
    const send = (answerMs?: number) =>
      sender.send({
        target: kind.open(config(server.port), {}, [
          { secret: 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST', expiresAtMs: undefined },
        ]),
        channelId: 'c',
        attemptId: `a${answerMs}`,
        event: { eventId: 'e', eventType: 'transaction.detected', payload: '{}' },
        body: '{}',
        contentType: 'application/json',
        traceparent: undefined,
        timeoutMs: 20_000,
        answerMs,
      });
    const others = [send(), send()];
    expect(await send(50)).toMatchObject({ errorCode: 'timeout', request: { url: expect.any(String) } });
    others.push(send());
    for (const sent of await Promise.all(others)) expect(sent.errorCode).toBeUndefined();
    await waitFor(async () => answered === 4);
    if (protocol !== 'http') expect(server.heard()).toBe(1);
    await sender.close?.();
    await server.stop();
  },
);
