// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describeAddresses, type ConcernedAddress } from './describe-addresses.ts';

const concerned = (metadata: Record<string, unknown> | undefined, id = 'a'): ConcernedAddress => ({
  id,
  display: `0x${id}`,
  own: { label: 'Order 7', groups: ['shop'], metadata },
});
/** `{"k":"…"}` of that many bytes. */
const ofBytes = (bytes: number): Record<string, unknown> => ({ k: 'x'.repeat(bytes - '{"k":""}'.length) });

it('carries what the user says of an address', () => {
  expect(describeAddresses([concerned({ customer: 7 })])).toEqual([
    {
      address_id: 'a',
      address: '0xa',
      label: 'Order 7',
      groups: ['shop'],
      metadata: { customer: 7 },
      metadata_truncated: false,
    },
  ]);
});

it.each([
  ['4 KiB', ofBytes(4_096), false],
  ['a byte more', ofBytes(4_097), true],
  ['characters of several bytes', { k: 'é'.repeat(2_048) }, true],
  ['what was not read', undefined, true],
  ['nothing', {}, false],
])('leaves out metadata beyond 4 KiB: %s', (_name, metadata, isTruncated) => {
  const [shown] = describeAddresses([concerned(metadata)]);
  expect(shown).toMatchObject({
    label: 'Order 7',
    metadata: isTruncated ? {} : metadata,
    metadata_truncated: isTruncated,
  });
});

it('carries at most 64 KiB of metadata in an event, and goes on with what still fits', () => {
  const shown = describeAddresses([
    ...Array.from({ length: 15 }, (_, at) => concerned(ofBytes(4_096), String(at))),
    concerned(ofBytes(4_000), 'fits'),
    concerned(ofBytes(97), 'too much'),
    concerned(ofBytes(96), 'last'),
    concerned({}, 'none'),
  ]);
  expect(shown.filter((one) => one.metadata_truncated).map((one) => one.address_id)).toEqual(['too much']);
});

it('never carries more, and never says that something is whole when it is not', () => {
  const metadata = fc.dictionary(
    fc.string({ maxLength: 20 }),
    fc.string({ unit: 'grapheme', maxLength: 900 }),
    {
      maxKeys: 8,
    },
  );
  fc.assert(
    fc.property(fc.array(metadata, { maxLength: 40 }), (all) => {
      const shown = describeAddresses(all.map((one, at) => concerned(one, String(at))));
      const bytes = shown.map((one) => Buffer.byteLength(JSON.stringify(one.metadata)));
      expect(Math.max(0, ...bytes)).toBeLessThanOrEqual(4_096);
      const full = bytes.filter((each) => each > 2);
      expect(full.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(65_536);
      for (const [at, one] of shown.entries())
        expect(one.metadata).toEqual(one.metadata_truncated ? {} : { ...all[at] });
    }),
  );
});

it.each([
  ['100 addresses', 250, { label: null, groups: [] }, 100],
  [
    '256 KiB of labels and groups',
    100,
    { label: '\u0001'.repeat(255), groups: Array.from({ length: 20 }, () => 'é'.repeat(64)) },
    60,
  ],
])('ends with the first %s', (_name, count, own, fewest) => {
  const all = Array.from({ length: count }, (_, at) => ({
    ...concerned({}, String(at)),
    own: { ...own, metadata: {} },
  }));
  const shown = describeAddresses(all);
  expect(shown.map((one) => one.address_id)).toEqual(all.slice(0, shown.length).map(({ id }) => id));
  expect(shown.length).toBeGreaterThanOrEqual(fewest);
  expect(shown.length).toBeLessThanOrEqual(100);
  expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThan(300_000);
});
