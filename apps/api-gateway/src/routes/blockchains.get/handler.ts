import { normalizeChainGid } from '@chainwatch/chain-registry';
import { notFound } from '@chainwatch/problem';
import { defineRoute } from '../../server/define-route.ts';
import { blockchainSchema } from '../../records/blockchain.ts';
import { chainParams } from '../../records/path-schemas.ts';

export const getBlockchain = defineRoute({
  method: 'GET',
  path: '/blockchains/:chain_gid',
  permission: 'api:blockchain:read',
  summary: 'One blockchain',
  params: chainParams,
  responses: { 200: blockchainSchema },
  handle: async ({ params }, { chains }) => {
    const gid = normalizeChainGid(params.chain_gid);
    const record = await chains.find(gid);
    if (!record) throw notFound(`There is no blockchain ${gid} in this service.`);
    return { status: 200, body: record };
  },
});
