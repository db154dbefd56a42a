import { toNetworkDocument } from '@chainwatch/chain-core';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { conflict, notFound } from '@chainwatch/problem';
import { announceChain } from '../../chains/announce-chain.ts';
import { recordChange } from '../../management/record-change.ts';
import { findFixedDifferences } from '../../networks/fixed-members.ts';
import { findBuiltIn, findKnownNetwork } from '../../networks/known-networks.ts';
import { lockNetworks, removeNetwork } from '../../networks/network-store.ts';
import { chainParams } from '../../records/path-schemas.ts';
import { defineRoute } from '../../server/define-route.ts';

export const deleteNetwork = defineRoute({
  method: 'DELETE',
  path: '/networks/:chain_gid',
  permission: 'api:blockchain:write',
  summary: 'Forget what was said of a network: it is what the release says, or is not known',
  params: chainParams,
  responses: { 204: undefined },
  problems: [409],
  handle: async ({ params, principal, requestId }, deps) => {
    const gid = normalizeChainGid(params.chain_gid);
    await deps.db.transaction(async (sql) => {
      await lockNetworks(sql);
      const known = await findKnownNetwork(sql, gid);
      if (known === undefined) throw notFound(`The network ${gid} is not known.`);
      if (known.source === 'file')
        throw conflict(`The network ${gid} is in NETWORKS_FILE of the operator: remove it there.`);
      if (known.source === 'built_in') throw conflict(`The network ${gid} is part of this release.`);
      const builtIn = findBuiltIn(gid);
      if (known.isUsed && builtIn === undefined)
        throw conflict(`The network ${gid} is in use: this service has its blockchain.`);
      const fixed = known.isUsed && builtIn !== undefined ? findFixedDifferences(known.network, builtIn) : [];
      if (fixed.length > 0)
        throw conflict(
          `The network ${gid} was used, and the release says something else of members that are fixed: ${fixed.join(', ')}.`,
        );
      await removeNetwork(sql, gid, builtIn);
      await recordChange(
        sql,
        { principal, requestId },
        {
          action: 'workspace.network_deleted',
          targetId: principal.workspaceId,
          from: { chain_gid: gid, document: toNetworkDocument(known.network) },
        },
      );
    });
    await deps.networks.refresh();
    announceChain(deps, gid);
    return { status: 204 };
  },
});
