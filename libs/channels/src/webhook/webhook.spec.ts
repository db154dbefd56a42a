// SPDX-License-Identifier: Apache-2.0
import { Webhook } from 'standardwebhooks';
import { buildWebhookHeaders, maskHeaders } from './webhook.ts';
import type { WebhookAuth } from './webhook-config.ts';

const secret = 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST';
const payload =
  '{"event_id":"6f1d1f4e-0000-5000-8000-000000000001","type":"transaction.detected","is_test_message":true}';

function build(
  auth: WebhookAuth,
  headers: Record<string, string> = {},
  secrets: string[] = [secret],
  { timestamp = 1_700_000_000, standardWebhooks = false } = {},
) {
  return buildWebhookHeaders({
    channel: { headers, auth, secrets, standardWebhooks },
    event: { eventId: 'e', eventType: 'transaction.detected', payload },
    attemptId: 'd',
    traceparent: undefined,
    timestamp,
    userAgent: 'u',
  });
}

test('signs as the vector of the contract says', () => {
  expect(build({ type: 'none' })['x-webhook-signature']).toBe(
    't=1700000000,v1=7e101e4721bcef53f62d90212d173b6599ac1e8751960c9faaf76dc724b498f6',
  );
});

test('never signs without a secret', () => {
  expect(() => build({ type: 'none' }, {}, [])).toThrow('no secret');
});

test.each<[WebhookAuth, Record<string, string>]>([
  [
    { type: 'basic', username: 'u', password: 'p:ä' },
    { authorization: `Basic ${Buffer.from('u:p:ä').toString('base64')}` },
  ],
  [{ type: 'bearer', token: 't' }, { authorization: 'Bearer t' }],
  [{ type: 'header', name: 'X-Token', value: 'v' }, { 'x-token': 'v' }],
])('authenticates with %j and masks it in the record', (auth, expected) => {
  const headers = build(auth);
  expect(headers).toMatchObject(expected);
  for (const name of Object.keys(expected)) expect(maskHeaders(headers, auth)[name]).toBe('***');
});

test('lets a channel set headers of its own, but none of ours', () => {
  const headers = build(
    { type: 'none' },
    {
      'X-Own': '1',
      'X-Webhook-Event-Id': 'forged',
      'Content-Length': '0',
      'Transfer-Encoding': 'chunked',
      Host: 'x',
    },
  );
  expect(headers).toMatchObject({ 'x-own': '1', 'x-webhook-event-id': 'e' });
  for (const name of ['content-length', 'transfer-encoding', 'host']) expect(headers[name]).toBeUndefined();
});

describe('with Standard Webhooks', () => {
  const timestamp = Math.floor(Date.now() / 1_000);
  const next = 'svc_whsec_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123';

  it('the library of theirs verifies the delivery, with either secret of a rotation and no other', () => {
    const headers = build({ type: 'none' }, { 'Webhook-Id': 'forged' }, [next, secret], {
      timestamp,
      standardWebhooks: true,
    });
    expect(headers).toMatchObject({ 'webhook-id': 'e', 'x-webhook-event-id': 'e' });
    for (const one of [secret, next])
      expect(new Webhook(one, { format: 'raw' }).verify(payload, headers)).toEqual(JSON.parse(payload));
    const verify = (body: string, key = secret): unknown =>
      new Webhook(key, { format: 'raw' }).verify(body, headers);
    expect(() => verify(`${payload} `)).toThrow('No matching signature');
    expect(() => verify(payload, 'svc_whsec_other')).toThrow('No matching signature');
  });

  it('without it, none of these headers is sent', () => {
    const headers = build({ type: 'none' }, {}, [secret], { timestamp });
    expect(Object.keys(headers).filter((name) => name.startsWith('webhook-'))).toEqual([]);
  });
});
