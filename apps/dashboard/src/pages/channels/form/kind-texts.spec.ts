// SPDX-License-Identifier: Apache-2.0
import type { Channel } from '../../../api/queries.ts';
import { textsOf, valuesOf } from './channel-draft.ts';

it('writes what the API takes', () => {
  expect(valuesOf('kafka', { brokers: 'a:1, b:2', topic: 't', tls: 'false' })).toEqual({
    brokers: ['a:1', 'b:2'],
    topic: 't',
    tls: false,
  });
  expect(valuesOf('sqs', { queue_url: ' https://q ', auth: 'AKIA:s3:cret' })).toEqual({
    queue_url: 'https://q',
    region: null,
    auth: { access_key_id: 'AKIA', secret_access_key: 's3:cret' },
  });
  expect(valuesOf('redis_stream', { url: 'redis://a', stream: 's', max_length: '5000' })).toEqual({
    url: 'redis://a',
    stream: 's',
    max_length: 5_000,
  });
});

it('fills fields with what is stored, and writes the same again without secrets', () => {
  const shown = (kind: string, config: object) => textsOf({ kind, config } as unknown as Channel);
  expect(shown('email', { recipients: [{ address: 'a@b.c', status: 'confirmed' }] })).toEqual({
    recipients: 'a@b.c',
  });
  expect(shown('telegram', { bot_token: '1:***', chat_id: -5 })).toEqual({ bot_token: '', chat_id: '-5' });
  const kafka = { brokers: ['a:1', 'b:2'], topic: 't', tls: false };
  expect(valuesOf('kafka', shown('kafka', kafka))).toEqual(kafka);
  const sqs = { queue_url: 'https://q', region: null, auth: { access_key_id: 'AKIA' } };
  expect(valuesOf('sqs', shown('sqs', sqs))).toEqual({ queue_url: 'https://q', region: null });
});
