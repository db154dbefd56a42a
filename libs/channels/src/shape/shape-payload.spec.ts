// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { shapePayload, type Shape } from './shape-payload.ts';

const event = {
  event_id: '6f1d1f4e-0000-5000-8000-000000000001',
  type: 'transaction.confirmed',
  api_version: 'v1',
  created_at: '2026-01-01T00:00:01.000Z',
  is_test_message: false,
  project_id: '6f1d1f4e-0000-4000-8000-000000000001',
  sequence: 18_231,
  data: {
    transaction: {
      chain_gid: 'eip155:1',
      hash: '0x5c',
      fee: null,
      transfers: [
        { index: 0, to: 'a', amount: '1' },
        { index: 1, to: 'b', amount: null },
      ],
    },
    addresses: [{ metadata: JSON.parse('{"__proto__":{"a":1},"b":2}') as object }],
    proof: { type: 'link', url: 'https://example.com' },
  },
};
const payload = JSON.stringify(event);
const shape = (more: Partial<Shape>, text = payload) =>
  JSON.parse(shapePayload(text, { fields: undefined, format: 'native', ...more })) as typeof event & {
    [member: string]: unknown;
  };

it('keeps what is named, through lists, with null as null, and the envelope and the proof always', () => {
  const fields = ['data.transaction.transfers.amount', 'data.transaction.fee.amount', 'type', 'data.nothing'];
  const { data, ...envelope } = shape({ fields });
  const { data: _all, ...whole } = event;
  expect(envelope).toEqual(whole);
  expect(data).toEqual({
    transaction: { fee: null, transfers: [{ amount: '1' }, { amount: null }] },
    proof: event.data.proof,
  });
});

it.each([
  [['data'], event.data],
  [
    ['data.transaction', 'data.transaction.hash'],
    { transaction: event.data.transaction, proof: event.data.proof },
  ],
  [
    ['data.transaction.hash', 'data.transaction'],
    { transaction: event.data.transaction, proof: event.data.proof },
  ],
  [['type'], { proof: event.data.proof }],
])('%j keeps the widest', (fields, expected) => {
  expect(shape({ fields }).data).toEqual(expected);
});

it('keeps members whose names mean something to the language', () => {
  const text = shapePayload(payload, { fields: ['data.addresses.metadata'], format: 'cloudevents' });
  expect(text).toContain('"metadata":{"__proto__":{"a":1},"b":2}');
});

it('writes CloudEvents 1.0 with its attributes alone, and nothing is lost', () => {
  const written = shape({ format: 'cloudevents' });
  expect(written).toEqual({
    specversion: '1.0',
    id: event.event_id,
    source: `/projects/${event.project_id}`,
    type: 'transaction.confirmed',
    subject: 'eip155:1/0x5c',
    time: event.created_at,
    datacontenttype: 'application/json',
    apiversion: 'v1',
    projectid: event.project_id,
    istestmessage: false,
    chainsequence: '18231',
    data: event.data,
  });
  // The standard's names ("Naming Conventions" of its specification), and no value that is null.
  expect(Object.keys(written).filter((name) => !/^[a-z0-9]{1,20}$/.test(name))).toEqual([]);
});

it.each([
  [{ sequence: null, is_historical: true }, { ishistorical: true }, ['chainsequence']],
  [{ data: { address: '0x1', chain_gid: 'eip155:1' } }, { subject: 'eip155:1/0x1' }, []],
  [{ data: { channel: { id: 'c' } } }, { subject: 'c' }, []],
  [{ data: {} }, {}, ['subject', 'ishistorical']],
])('an event with %j', (more, expected, absent) => {
  const written = shape({ format: 'cloudevents' }, JSON.stringify({ ...event, ...more }));
  expect(written).toMatchObject(expected);
  expect(Object.keys(written)).toEqual(expect.not.arrayContaining([...absent, 'is_historical', '']));
  for (const name of absent) expect(written).not.toHaveProperty(name);
});

it('composes: the subject is that of the whole event, the data is what was kept', () => {
  const written = shape({ fields: ['data.transaction.transfers.to'], format: 'cloudevents' });
  expect(written.subject).toBe('eip155:1/0x5c');
  expect(written.data).toEqual({
    transaction: { transfers: [{ to: 'a' }, { to: 'b' }] },
    proof: event.data.proof,
  });
});

it('makes the same bytes of the same event, whatever the order of the fields', () => {
  const fields = [
    'data.transaction.hash',
    'data.transaction.transfers.to',
    'data.addresses',
    'data.transaction.fee',
  ];
  fc.assert(
    fc.property(
      fc.shuffledSubarray(fields, { minLength: 4 }),
      fc.constantFrom('native', 'cloudevents'),
      (some, format) => {
        expect(shapePayload(payload, { fields: some, format })).toBe(
          shapePayload(payload, { fields, format }),
        );
      },
    ),
  );
});
