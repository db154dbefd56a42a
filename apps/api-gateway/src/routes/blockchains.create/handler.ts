import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/caip';
import { findNetwork, normalizeChainGid } from '@chainwatch/chain-registry';
import { conflict, unprocessableEntity } from '@chainwatch/problem';
import { announceChain } from '../../chains/announce-chain.ts';
import { defineRoute } from '../../server/define-route.ts';
import { findChain } from '../../chains/find-chain.ts';
import { blockchainSchema, toBlockchainRecord } from '../../records/blockchain.ts';
import { insertBlockchain } from './insert-blockchain.ts';

export const createBlockchain = defineRoute({
  method: 'POST',
  path: '/blockchains',
  permission: 'api:blockchain:write',
  summary: 'Add a blockchain of the reference data',
  body: z.strictObject({
    chain_gid: chainGidSchema.meta({
      description: 'A chain of the reference data as CAIP-2.',
      examples: ['eip155:1'],
    }),
  }),
  example: { chain_gid: 'eip155:1' },
  responses: { 201: blockchainSchema },
  problems: [409, 422],
  handle: async ({ body }, deps) => {
    const gid = normalizeChainGid(body.chain_gid);
    const network = findNetwork(gid);
    if (!network) throw unprocessableEntity(`The chain ${gid} is not in the reference data of this service.`);
    const isNew = await deps.db.transaction((sql) => insertBlockchain(sql, network));
    if (!isNew) throw conflict(`The blockchain ${network.gid} exists already.`);
    announceChain(deps, network.gid);
    return {
      status: 201,
      body: toBlockchainRecord(await findChain(deps, network.gid)),
      location: `/blockchains/${network.gid}`,
    };
  },
});
