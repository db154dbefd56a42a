// SPDX-License-Identifier: Apache-2.0
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { notFound } from '@chainwatch/common/problem';
import { findKnownNetwork } from '../../networks/known-networks.ts';
import { baseOf } from '../../records/logo.ts';
import { networkRecordSchema, toNetworkRecord } from '../../records/network.ts';
import { chainParams } from '../../records/path-schemas.ts';
import { defineRoute } from '../../define-route.ts';

export const getNetwork = defineRoute({
  method: 'GET',
  path: '/networks/:chain_gid',
  permission: 'any',
  summary: 'One network',
  params: chainParams,
  responses: { 200: networkRecordSchema },
  handle: async ({ params, origin }, deps) => {
    const gid = normalizeChainGid(params.chain_gid);
    const known = await findKnownNetwork(deps.db, gid);
    if (known === undefined) throw notFound(`The network ${gid} is not known.`);
    return { status: 200, body: toNetworkRecord(known.network, { ...known, base: baseOf(origin, deps) }) };
  },
});
