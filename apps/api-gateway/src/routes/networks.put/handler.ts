// SPDX-License-Identifier: Apache-2.0
import { chainGidSchema } from '@chainwatch/common/caip';
import { networkSchema, toNetworkDocument } from '@chainwatch/chain-core';
import { findSharedNames, listFamilies, normalizeChainGid, readNetwork } from '@chainwatch/chain-registry';
import { conflict, unprocessableEntity } from '@chainwatch/common/problem';
import { announceChain } from '../../chains/announce-chain.ts';
import { recordChange } from '../../management/record-change.ts';
import { findFixedDifferences } from '../../networks/fixed-members.ts';
import { readKnownNetworks } from '../../networks/known-networks.ts';
import { findUnreadable, lockNetworks, readUsedChains, storeNetwork } from '../../networks/network-store.ts';
import { baseOf } from '../../records/logo.ts';
import { networkRecordSchema, toNetworkRecord } from '../../records/network.ts';
import { chainParams } from '../../records/path-schemas.ts';
import { defineRoute } from '../../define-route.ts';

const NETWORKS_MAX = 1_000;

export const putNetwork = defineRoute({
  method: 'PUT',
  path: '/networks/:chain_gid',
  permission: 'api:blockchain:write',
  summary: 'Say what a network is, beside those of the release or in place of one',
  params: chainParams,
  body: networkSchema.extend({
    gid: chainGidSchema.optional().meta({
      description: 'The chain as CAIP-2, as in the path.',
      examples: ['eip155:5042'],
    }),
  }),
  example: toNetworkDocument(listFamilies()[0]!.catalogue.builtIn[0]!),
  responses: { 200: networkRecordSchema, 201: networkRecordSchema },
  problems: [409, 422],
  handle: async ({ params, body, principal, requestId, origin }, deps) => {
    const gid = normalizeChainGid(params.chain_gid);
    if (body.gid !== undefined && normalizeChainGid(body.gid) !== gid)
      throw unprocessableEntity(`The body is of ${body.gid}, the path of ${gid}.`, [
        { name: 'gid', reason: `expected ${gid}, got ${body.gid}` },
      ]);
    const document = { ...body, gid };
    const { network, faults } = readNetwork(document);
    if (network === undefined)
      throw unprocessableEntity(
        `The network is not usable: ${faults.map(({ member, message }) => `${member}: ${message}`).join('; ')}.`,
        faults.map(({ member, message }) => ({ name: member, reason: message })),
      );
    const stored = await deps.db.transaction(async (sql) => {
      await lockNetworks(sql);
      const known = await readKnownNetworks(sql);
      const before = known.find((each) => each.network.gid === gid);
      const unreadable = await findUnreadable(sql, gid);
      const isUsed = (await readUsedChains(sql)).some((chain) => chain.gid === gid);
      if (unreadable !== undefined && (isUsed || unreadable.source === 'file'))
        throw conflict(
          `This release cannot read the document of the network ${gid}. Return to the release that wrote it.`,
        );
      if (before === undefined && known.length >= NETWORKS_MAX)
        throw conflict(`There are ${known.length} networks already; the most are ${NETWORKS_MAX}.`);
      if (before?.source === 'file')
        throw conflict(`The network ${gid} is in NETWORKS_FILE of the operator: change it there.`);
      const shared = findSharedNames(
        network,
        known.map((each) => each.network),
      );
      if (shared.length > 0)
        throw conflict(`The name ${shared[0]!.name} is a name of the network ${shared[0]!.gid}.`);
      const fixed = before?.isUsed === true ? findFixedDifferences(before.network, network) : [];
      if (fixed.length > 0)
        throw conflict(
          `The network ${gid} was used, so these members cannot change: ${fixed.join(', ')}. Keep the values that they have.`,
        );
      await storeNetwork(sql, network, { source: 'api', document });
      await recordChange(
        sql,
        { principal, requestId },
        {
          action: 'workspace.network_set',
          targetId: principal.workspaceId,
          from: before && { document: toNetworkDocument(before.network) },
          to: { chain_gid: gid, document },
        },
      );
      return { isNew: before?.source !== 'api', isUsed: before?.isUsed === true };
    });
    await deps.networks.refresh();
    announceChain(deps, gid);
    return {
      status: stored.isNew ? 201 : 200,
      body: toNetworkRecord(network, { source: 'api', isUsed: stored.isUsed, base: baseOf(origin, deps) }),
      location: stored.isNew ? `/networks/${gid}` : undefined,
    };
  },
});
