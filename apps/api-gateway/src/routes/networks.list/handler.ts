// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { readKnownNetworks } from '../../networks/known-networks.ts';
import { baseOf } from '../../records/logo.ts';
import { networkRecordSchema, toNetworkRecord } from '../../records/network.ts';
import { defineRoute } from '../../define-route.ts';

export const listNetworksRoute = defineRoute({
  method: 'GET',
  path: '/networks',
  permission: 'any',
  summary: 'Every network that this service can follow',
  responses: {
    200: z.object({
      items: z.array(networkRecordSchema).meta({ description: 'Those of the release first.' }),
    }),
  },
  handle: async ({ origin }, deps) => {
    const base = baseOf(origin, deps);
    const known = await readKnownNetworks(deps.db);
    return {
      status: 200,
      body: { items: known.map(({ network, ...rest }) => toNetworkRecord(network, { ...rest, base })) },
    };
  },
});
