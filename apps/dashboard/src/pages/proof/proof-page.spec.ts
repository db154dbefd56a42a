// SPDX-License-Identifier: Apache-2.0
import '../../spec-support/page-request.ts';
import { measureProof } from './proof-page.tsx';

it('counts nodes and bytes of each part', () => {
  expect(
    measureProof({
      header: '0xaabbcc',
      branch: { transaction: ['0x0011', '0x22'], receipt: ['0x33'] },
      item: { index: 3, transaction: '0x0102', receipt: '0x03' },
    }),
  ).toEqual({
    branches: [
      { name: 'transaction', nodes: 2, bytes: 3 },
      { name: 'receipt', nodes: 1, bytes: 1 },
    ],
    items: [
      { name: 'header', bytes: 3 },
      { name: 'transaction', bytes: 2 },
      { name: 'receipt', bytes: 1 },
    ],
  });
});

it('counts a level without a sibling as no bytes', () => {
  const { branches } = measureProof({
    header: 'aa',
    branch: { transaction: ['bb', null] },
    item: { index: 0, transaction: 'cc' },
  });
  expect(branches).toEqual([{ name: 'transaction', nodes: 2, bytes: 1 }]);
});

it('has nothing to count without a proof', () => {
  expect(measureProof({ header: null, branch: null, item: null })).toEqual({ branches: [], items: [] });
});
