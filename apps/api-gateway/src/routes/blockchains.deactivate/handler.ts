// SPDX-License-Identifier: Apache-2.0
import { announceChain } from '../../chains/announce-chain.ts';
import { defineRoute } from '../../define-route.ts';
import { findChain } from '../../chains/find-chain.ts';
import { BLOCKCHAIN_INCLUDE, blockchainSchema, toBlockchainRecord } from '../../records/blockchain.ts';
import { baseOf, withLogo } from '../../records/logo.ts';
import { chainParams } from '../../records/path-schemas.ts';

export const deactivateBlockchain = defineRoute({
  method: 'POST',
  path: '/blockchains/:chain_gid/actions/deactivate',
  permission: 'api:blockchain:write',
  summary: 'Stop to monitor a blockchain',
  params: chainParams,
  responses: { 200: blockchainSchema },
  handle: async ({ params, origin }, deps) => {
    const chain = await findChain(deps, params.chain_gid);
    if (!chain.isActive)
      return { status: 200, body: withLogo(toBlockchainRecord(chain), baseOf(origin, deps)) };
    const row = await deps.prisma.blockchain.update({
      where: { gid: chain.gid },
      data: { isActive: false, updatedAt: new Date() },
      include: BLOCKCHAIN_INCLUDE,
    });
    announceChain(deps, chain.gid);
    return { status: 200, body: withLogo(toBlockchainRecord(row), baseOf(origin, deps)) };
  },
});
