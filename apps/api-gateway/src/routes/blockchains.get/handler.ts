import { defineRoute } from '../../define-route.ts';
import { findChain } from '../../find-chain.ts';
import { blockchainSchema, toBlockchainRecord } from '../../records/blockchain.ts';
import { chainParams } from '../../records/path-schemas.ts';

export const getBlockchain = defineRoute({
  method: 'GET',
  path: '/blockchains/:chain_gid',
  summary: 'One blockchain',
  params: chainParams,
  responses: { 200: blockchainSchema },
  handle: async ({ params }, deps) => ({ status: 200, body: toBlockchainRecord(await findChain(deps, params.chain_gid)) }),
});
