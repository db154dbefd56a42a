// SPDX-License-Identifier: Apache-2.0
import { CHANNEL_KINDS } from '@chainwatch/sdk/catalogue';
import type { Kind } from './kinds.ts';
import { describeProof, takesProofs } from './proofs.ts';

it('offers proofs for kinds whose receivers are programs, and for no other kind', () => {
  expect((Object.keys(CHANNEL_KINDS) as Kind[]).filter(takesProofs).sort()).toEqual([
    'http_batch',
    'kafka',
    'nats',
    'rabbitmq',
    'redis_stream',
    'sqs',
    'webhook',
  ]);
  expect(takesProofs('newer_kind' as Kind)).toBe(false);
});

it('says what a value means, and shows one of a newer API as it is', () => {
  expect([describeProof('none'), describeProof('newer')]).toEqual([
    'None. Events have no proof. Receivers can fetch it later.',
    'newer',
  ]);
});
