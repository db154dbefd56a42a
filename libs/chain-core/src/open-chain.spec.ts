// SPDX-License-Identifier: Apache-2.0
import type { ChainClient, ChainClientOptions, ChainFamily, Dial } from './chain-family.ts';
import { ChainNotConfiguredError } from './errors.ts';
import type { NetworkCatalogue } from './network-catalogue.ts';
import type { Network } from './network.ts';
import { createChainOpener, type ActiveChain } from './open-chain.ts';

const GID = 'eip155:31337';
const network = { gid: GID } as Network;
const chain: ActiveChain = { gid: GID, family: 'evm', endpointSealed: null, otherEndpointsSealed: {} };
const created: ChainClientOptions[] = [];
const family = {
  catalogue: { networks: [network] } as unknown as NetworkCatalogue,
  createClient: (options: ChainClientOptions) => {
    if (!options.endpointUrl.startsWith('http')) throw new Error(`${options.endpointUrl} is not a URL`);
    created.push(options);
    return { network, label: options.endpointUrl, close: () => undefined } as ChainClient;
  },
} as Partial<ChainFamily> as ChainFamily;
const opener = { open: (sealed: string, context: string) => `http://${context}/${sealed}` };
const open = createChainOpener({ findFamily: async () => family, opener });
const urls = (): string[] => created.map(({ endpointUrl }) => endpointUrl);

beforeEach(() => void created.splice(0));

it('opens the endpoint set over the API first, then those of the configuration, each once', async () => {
  const dial = {} as Dial;
  const asked: string[] = [];
  const findFamily = async (namespace: string): Promise<ChainFamily> => (asked.push(namespace), family);
  const configured = createChainOpener({
    findFamily,
    opener,
    dial,
    endpoints: { [GID]: ['http://one', 'http://two', 'http://one'] },
    timeoutMs: 5,
  });
  expect(
    (await configured({ ...chain, endpointSealed: 'a', otherEndpointsSealed: { evm: 'b' } })).network,
  ).toBe(network);
  expect(urls()).toEqual([`http://endpoint:${GID}/a`, 'http://one', 'http://two']);
  expect(created[0]).toEqual({
    network,
    endpointUrl: `http://endpoint:${GID}/a`,
    otherUrls: { evm: `http://evm_endpoint:${GID}/b` },
    dial,
    timeoutMs: 5,
  });
  expect(asked).toEqual(['eip155']);
});

it('gives every node the index beside it, where its chain has one', async () => {
  const endpoints = { [GID]: ['http://one', 'http://two'] };
  await createChainOpener({
    findFamily: async () => family,
    opener,
    endpoints,
    indexes: { [GID]: 'http://index', other: 'http://other' },
  })(chain);
  await createChainOpener({
    findFamily: async () => family,
    opener,
    endpoints,
    indexes: { other: 'http://other' },
  })(chain);
  expect(created.map(({ indexUrl }) => indexUrl)).toEqual([
    'http://index',
    'http://index',
    undefined,
    undefined,
  ]);
});

it('takes the endpoint of another interface where there is no other', async () => {
  await open({ ...chain, otherEndpointsSealed: { evm: 'b' } });
  expect(created).toEqual([{ network, endpointUrl: `http://evm_endpoint:${GID}/b`, interfaceName: 'evm' }]);
});

it.each([
  ['chain family evm is not configured in this build', { findFamily: async () => undefined }, chain],
  ['eip155:5 is not among the known networks', {}, { ...chain, gid: 'eip155:5' }],
  ['no endpoint is configured', {}, chain],
] as const)('says that %s', async (message, options, row) => {
  await expect(
    createChainOpener({ findFamily: async () => family, opener, ...options })(row),
  ).rejects.toThrow(new ChainNotConfiguredError(message));
});

it('says why an endpoint cannot be used, and to the public without it', async () => {
  const secret = createChainOpener({ findFamily: async () => family, opener: { open: () => 'key-in-here' } });
  await expect(secret({ ...chain, endpointSealed: 'a' })).rejects.toMatchObject({
    code: 'chain_not_configured',
    message: 'the endpoint cannot be used: key-in-here is not a URL',
    publicMessage: 'the endpoint cannot be used: an internal fault, the log of the service tells more',
  });
});
