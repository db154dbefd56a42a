// SPDX-License-Identifier: Apache-2.0
import { toNetworkDocument } from '@chainwatch/chain-core';
import { findSharedNames, normalizeChainGid } from '@chainwatch/chain-registry';
import type { Sql } from '@chainwatch/data/db';
import { conflict, notFound } from '@chainwatch/common/problem';
import { announceChain } from '../../chains/announce-chain.ts';
import { recordChange } from '../../management/record-change.ts';
import { findFixedDifferences } from '../../networks/fixed-members.ts';
import { findBuiltIn, readKnownNetworks } from '../../networks/known-networks.ts';
import { findUnreadable, lockNetworks, removeNetwork } from '../../networks/network-store.ts';
import { chainParams } from '../../records/path-schemas.ts';
import { defineRoute } from '../../define-route.ts';

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
    const recordDeleted = (
      sql: Sql,
      of: { readonly gid: string; readonly document: unknown },
    ): Promise<void> =>
      recordChange(
        sql,
        { principal, requestId },
        {
          action: 'workspace.network_deleted',
          targetId: principal.workspaceId,
          from: { chain_gid: of.gid, document: of.document },
        },
      );
    await deps.db.transaction(async (sql) => {
      await lockNetworks(sql);
      const all = await readKnownNetworks(sql);
      const known = all.find(({ network }) => network.gid === gid);
      const unreadable = await findUnreadable(sql, gid);
      if (unreadable?.source === 'api' && known?.isUsed !== true) {
        await removeNetwork(sql, gid, findBuiltIn(gid));
        await recordDeleted(sql, { gid, document: unreadable.document });
        return;
      }
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
      const others = all.map(({ network }) => network);
      const [shared] = builtIn === undefined ? [] : findSharedNames(builtIn, others);
      if (shared !== undefined)
        throw conflict(
          `The release calls ${gid} ${shared.name}, which is a name of ${shared.gid} now: give that one another name first.`,
        );
      await removeNetwork(sql, gid, builtIn);
      await recordDeleted(sql, { gid, document: toNetworkDocument(known.network) });
    });
    await deps.networks.refresh();
    announceChain(deps, gid);
    return { status: 204 };
  },
});
