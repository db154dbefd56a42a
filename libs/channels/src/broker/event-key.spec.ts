// SPDX-License-Identifier: Apache-2.0
import { eventKeyOf } from './event-key.ts';

it.each<[string, object, string]>([
  ['its address', { address: 'a', addresses: [{ address: 'b' }], chain_gid: 'eip155:1' }, 'a'],
  ['the first of its addresses', { addresses: [{ address: 'b' }, { address: 'c' }] }, 'b'],
  ['its chain', { addresses: [], chain_gid: 'eip155:1' }, 'eip155:1'],
  ['the chain of its transaction', { transaction: { chain_gid: 'eip155:1' } }, 'eip155:1'],
  ['its type', {}, 'channel.failed'],
])('is %s', (_what, data, key) => {
  expect(eventKeyOf({ payload: JSON.stringify({ data }), eventType: 'channel.failed' })).toBe(key);
});

it('is the type of an event without data', () => {
  expect(eventKeyOf({ payload: '{}', eventType: 'channel.failed' })).toBe('channel.failed');
});
