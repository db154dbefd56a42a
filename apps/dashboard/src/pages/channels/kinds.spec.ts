// SPDX-License-Identifier: Apache-2.0
import { CHANNEL_KINDS } from '@chainwatch/sdk/catalogue';
import { describeKind, KIND_NAMES, targetOf, type Kind } from './kinds.ts';
import type { Channel } from '../../api/queries.ts';

it('offers every kind of the API, and asks for all that it needs', () => {
  expect([...KIND_NAMES].sort()).toEqual(Object.keys(CHANNEL_KINDS).sort());
  for (const kind of KIND_NAMES) {
    const asked = describeKind(kind).fields.filter(({ isOptional }) => !isOptional);
    expect([kind, asked.map(({ name }) => name).sort()]).toEqual([
      kind,
      CHANNEL_KINDS[kind].fields.map(({ name }) => name).sort(),
    ]);
  }
});

it('shows a kind that it has no words for', () => {
  const toy = {
    summary: 'Create a channel that rings a bell',
    fields: [
      { name: 'door_url', type: 'string', description: 'The bell.' },
      { name: 'times', type: 'integer', description: 'How often.' },
    ],
  };
  const { title, about, fields } = describeKind('toy' as Kind, { toy });
  expect([title, about]).toEqual(['Toy', 'Create a channel that rings a bell']);
  expect(
    fields.map(({ label, hint, toValue = String }) => [label, hint, toValue('3'), toValue('x')]),
  ).toEqual([
    ['Door url', 'The bell.', '3', 'x'],
    ['Times', 'How often.', 3, 'x'],
  ]);
  expect(describeKind('newer_kind' as Kind)).toEqual({ title: 'Newer kind', about: '', fields: [] });
  expect(targetOf({ kind: 'toy', config: {} } as unknown as Channel)).toBe('Toy');
});

it('shows where a channel delivers to', () => {
  const target = (kind: string, config: object): string => targetOf({ kind, config } as unknown as Channel);
  expect([
    target('redis_stream', { url: 'redis://a', stream: 's' }),
    target('rabbitmq', { url: 'amqp://a', exchange: '', routing_key: 'r' }),
    target('rabbitmq', { url: 'amqp://a', exchange: 'x', routing_key: 'r' }),
    target('kafka', { brokers: ['a:1', 'b:2'], topic: 't' }),
    target('sqs', { queue_url: 'https://q' }),
  ]).toEqual(['redis://a · s', 'amqp://a · r', 'amqp://a · x / r', 'a:1, b:2 · t', 'https://q']);
});
