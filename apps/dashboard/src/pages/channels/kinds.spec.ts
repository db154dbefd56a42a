import { CHANNEL_KINDS } from '@chainwatch/sdk/catalogue';
import { describeKind, KIND_NAMES, targetOf, type Kind } from './kinds.ts';
import type { Channel } from '../../api/queries.ts';

it('offers every kind of the API, and asks for all that it needs', () => {
  expect([...KIND_NAMES].sort()).toEqual(Object.keys(CHANNEL_KINDS).sort());
  for (const kind of KIND_NAMES)
    expect([kind, describeKind(kind).fields.map(({ name }) => name)]).toEqual([
      kind,
      CHANNEL_KINDS[kind].fields.map(({ name }) => name),
    ]);
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
