// SPDX-License-Identifier: Apache-2.0
import { NetworkCatalogue } from './network-catalogue.ts';
import { networkSchema } from './network-schema.ts';
import { findNetworkOf } from './open-chain.ts';

const DOCUMENT = {
  gid: 'eip155:7',
  family: 'evm',
  name: 'seven',
  short_name: 'sv',
  display_name: 'Seven',
  token_namespace: 'erc20',
  confirmation: { type: 'depth', depth: 3 },
  block_time_ms: 1_000,
};
const other = { ...DOCUMENT, block_time_ms: 5 };

it('forgets what a document said once it is gone, and knows no other network without one', () => {
  const catalogue = new NetworkCatalogue(networkSchema, [DOCUMENT]);
  const [own] = catalogue.builtIn;
  expect(findNetworkOf({ gid: 'eip155:7', document: other }, { catalogue }).blockTimeMs).toBe(5);
  expect(catalogue.networks.map(({ blockTimeMs }) => blockTimeMs)).toEqual([5]);
  expect(findNetworkOf({ gid: 'eip155:7', document: null }, { catalogue })).toBe(own);
  expect(catalogue.networks).toEqual([own]);
  findNetworkOf({ gid: 'eip155:8', document: { ...DOCUMENT, gid: 'eip155:8' } }, { catalogue });
  expect(() => findNetworkOf({ gid: 'eip155:8', document: null }, { catalogue })).toThrow(
    'eip155:8 is not among the known networks',
  );
});
