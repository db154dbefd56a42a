// SPDX-License-Identifier: Apache-2.0
import { hasSameEndpoints, listEndpoints, type SealedEndpoints } from './list-endpoints.ts';

/** Opens what it is given where the context is the right one. */
const opener = {
  open(sealed: string, context: string): string {
    const [url, own] = sealed.split(' for ');
    if (own !== context) throw new Error(`expected ${own}, got ${context}`);
    return url!;
  },
};
const chain = (change: Partial<SealedEndpoints> = {}): SealedEndpoints => ({
  gid: 'eip155:1',
  endpointSealed: 'http://first for endpoint:eip155:1',
  otherEndpointsSealed: {},
  moreEndpoints: [
    { id: 'b', urlSealed: 'http://second for chain_endpoint:b', weight: 3 },
    { id: 'a', urlSealed: 'http://third for chain_endpoint:a', weight: 1 },
  ],
  ...change,
});
const urlsOf = (row: SealedEndpoints, configured?: readonly string[]): string[] =>
  listEndpoints(row, opener, configured).map(({ endpointUrl }) => endpointUrl);

it('lists the one that was set first, then further ones, then those of the configuration, each once', () => {
  expect(urlsOf(chain(), ['http://third', 'http://fourth', 'http://first'])).toEqual([
    'http://first',
    'http://second',
    'http://third',
    'http://fourth',
  ]);
  expect(urlsOf(chain({ endpointSealed: null }))).toEqual(['http://second', 'http://third']);
  expect(urlsOf(chain({ moreEndpoints: undefined }), ['http://x'])).toEqual(['http://first', 'http://x']);
});

it('knows a chain whose nodes have changed', () => {
  expect(hasSameEndpoints(chain(), chain())).toBe(true);
  expect(hasSameEndpoints(chain(), chain({ moreEndpoints: [] }))).toBe(false);
  const { moreEndpoints } = chain();
  expect(hasSameEndpoints(chain(), chain({ moreEndpoints: moreEndpoints!.toReversed() }))).toBe(false);
});
