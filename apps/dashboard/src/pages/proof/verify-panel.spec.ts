// SPDX-License-Identifier: Apache-2.0
import '../../spec-support/page-request.ts';
import { toTrustedHash } from './verify-panel.tsx';

it.each([
  ['0xAB12', '0xab12', '0xab12'],
  [' ab12\n', '0xab12', '0xab12'],
  ['0xab12', 'ab12', 'ab12'],
  ['AB12', 'cd34', 'ab12'],
  ['', '0xab12', undefined],
  ['  0x ', '0xab12', undefined],
])('writes %j as the proof of %s does', (text, blockHash, expected) => {
  expect(toTrustedHash(text, blockHash)).toBe(expected);
});

it('never makes a hash that was not pasted', () => {
  for (const text of ['0x', 'ab', 'ab1', 'xab12', '0x0xab12'])
    expect(toTrustedHash(text, '0xab12')).not.toBe('0xab12');
});
