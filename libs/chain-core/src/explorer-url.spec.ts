// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { buildExplorerUrl } from './explorer-url.ts';

const EXPLORER = {
  address: 'https://explorer.example.com/address/{address}',
  transaction: 'https://explorer.example.com/tx?id={hash}#top',
  block: 'https://explorer.example.com/{number}/{hash}',
};

it('fills in what the page is about', () => {
  expect([
    buildExplorerUrl(EXPLORER, { address: '0xab' }),
    buildExplorerUrl(EXPLORER, { transaction: '0xcd' }),
    buildExplorerUrl(EXPLORER, { block: { number: 12, hash: '0xef' } }),
  ]).toEqual([
    'https://explorer.example.com/address/0xab',
    'https://explorer.example.com/tx?id=0xcd#top',
    'https://explorer.example.com/12/0xef',
  ]);
});

it('has no page where a template or a value is missing', () => {
  expect(buildExplorerUrl(undefined, { address: '0xab' })).toBeUndefined();
  expect(buildExplorerUrl({}, { transaction: '0xab' })).toBeUndefined();
  expect(buildExplorerUrl(EXPLORER, { block: { number: 12, hash: null } })).toBeUndefined();
  expect(buildExplorerUrl({ address: 'https://e.example.com/{other}' }, { address: 'a' })).toBeUndefined();
});

it.each([
  'javascript:alert(1)//{address}',
  'data:text/html,{address}',
  '/address/{address}',
  'https://{address}/',
  'https://{address}.example.com/',
  'https://explorer.example.com:{address}/',
])('refuses the template %s', (address) => {
  expect(buildExplorerUrl({ address }, { address: 'evil' })).toBeUndefined();
});

it('lets no value leave its place', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii', minLength: 1 }), (address) => {
      const text = buildExplorerUrl(EXPLORER, { address });
      if (text === undefined) return;
      const url = new URL(text);
      expect([url.origin, url.search, url.hash, url.username]).toEqual([
        'https://explorer.example.com',
        '',
        '',
        '',
      ]);
    }),
  );
  expect(buildExplorerUrl(EXPLORER, { address: '../../x?y#z' })).toBe(
    'https://explorer.example.com/address/..%2F..%2Fx%3Fy%23z',
  );
});
