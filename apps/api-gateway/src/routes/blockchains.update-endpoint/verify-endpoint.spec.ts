// SPDX-License-Identifier: Apache-2.0
import { WrongChainError } from '@chainwatch/chain-core';
import type { ChainClientOptions } from '@chainwatch/chain-core';
import { createDial } from '@chainwatch/outbound';
import { createFakeClient, network } from '@chainwatch/data/testing';
import { verifyEndpoint } from './verify-endpoint.ts';

const dial = createDial({ allow: ['127.0.0.0/8'] });
const settings = { nodeTimeoutMs: 700 } as Parameters<typeof verifyEndpoint>[1]['settings'];
const { signal } = new AbortController();

/** Any family: the route knows none of them. */
async function verify(
  endpoint: { endpointUrl: string; interfaceName?: string },
  { failure, askNode = true }: { failure?: Error; askNode?: boolean } = {},
) {
  const created: ChainClientOptions[] = [];
  let closed = 0;
  const createClient = (options: ChainClientOptions) => {
    created.push(options);
    return createFakeClient({
      verifyChain: async () => {
        if (failure) throw failure;
      },
      close: () => void (closed += 1),
    });
  };
  const problem: unknown = await verifyEndpoint(
    { network, family: { createClient }, endpoint, askNode, signal },
    { dial, settings },
  ).catch((error: unknown) => error);
  expect(closed).toBe(created.length);
  return { created, problem };
}

it.each([
  { endpointUrl: 'http://127.0.0.1:1' },
  { endpointUrl: 'http://127.0.0.1:1/jsonrpc', interfaceName: 'evm' },
])('asks a client of the family, through the guarded dial: %j', async (endpoint) => {
  const { created, problem } = await verify(endpoint);
  expect(problem).toBeUndefined();
  expect(created).toEqual([{ network, ...endpoint, dial, timeoutMs: 700 }]);
});

it('is 422 with the reason for a node of another chain', async () => {
  const { problem } = await verify(
    { endpointUrl: 'http://127.0.0.1:1' },
    { failure: new WrongChainError('node serves another chain: expected 1, got 2') },
  );
  expect(problem).toMatchObject({
    status: 422,
    publicMessage: 'node serves another chain: expected 1, got 2',
  });
});

it('is 502 for whatever else fails, without the reason', async () => {
  const { problem } = await verify(
    { endpointUrl: 'http://127.0.0.1:1' },
    { failure: new Error('connect to 10.1.2.3 refused') },
  );
  expect(problem).toMatchObject({ status: 502, publicMessage: expect.not.stringContaining('10.1.2.3') });
});

it('asks no blocked address, and no node at all when told not to', async () => {
  const blocked = await verify({ endpointUrl: 'http://169.254.169.254/' }, { askNode: false });
  expect([blocked.problem, blocked.created]).toEqual([expect.objectContaining({ status: 422 }), []]);
  expect(await verify({ endpointUrl: 'http://127.0.0.1:1' }, { askNode: false })).toEqual({
    created: [],
    problem: undefined,
  });
});
