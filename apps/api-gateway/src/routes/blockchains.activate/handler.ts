import { unprocessableEntity } from '@chainwatch/problem';
import { announceChain } from '../../announce-chain.ts';
import { defineRoute } from '../../define-route.ts';
import { findChain, loadFamily } from '../../find-chain.ts';
import { blockchainInclude, blockchainSchema, toBlockchainRecord } from '../../records/blockchain.ts';
import { chainParams } from '../../records/path-schemas.ts';

export const activateBlockchain = defineRoute({
  method: 'POST',
  path: '/blockchains/:chain_gid/actions/activate',
  summary: 'Start to monitor a blockchain',
  params: chainParams,
  responses: { 200: blockchainSchema },
  problems: [422],
  handle: async ({ params }, deps) => {
    const chain = await findChain(deps, params.chain_gid);
    if (chain.isActive) return { status: 200, body: toBlockchainRecord(chain) };
    await loadFamily(chain.gid);
    const isConfigured = chain.endpointSealed !== null || chain.evmEndpointSealed !== null || (deps.settings.chainEndpoints[chain.gid]?.length ?? 0) > 0;
    if (!isConfigured) {
      throw unprocessableEntity(`The blockchain ${chain.gid} has no endpoint; set one with PATCH /blockchains/${chain.gid}/${chain.family} first.`);
    }
    const row = await deps.prisma.blockchain.update({
      where: { gid: chain.gid },
      data: { isActive: true, updatedAt: new Date() },
      include: blockchainInclude,
    });
    announceChain(deps, chain.gid);
    return { status: 200, body: toBlockchainRecord(row) };
  },
});
