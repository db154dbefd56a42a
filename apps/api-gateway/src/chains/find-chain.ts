// SPDX-License-Identifier: Apache-2.0
import type { ChainFamily, Network } from '@chainwatch/chain-core';
import { findFamily, findNetwork, normalizeChainGid } from '@chainwatch/chain-registry';
import type { Prisma } from '@chainwatch/data/prisma';
import { notFound, unprocessableEntity } from '@chainwatch/common/problem';
import type { ApiDeps } from '../api-deps.ts';
import { BLOCKCHAIN_INCLUDE } from '../records/blockchain.ts';

export type ChainRow = Prisma.BlockchainGetPayload<{ include: typeof BLOCKCHAIN_INCLUDE }>;

/** The registered blockchain of a path parameter, any accepted spelling. @throws ProblemError 404 */
export async function findChain({ prisma }: Pick<ApiDeps, 'prisma'>, chainGid: string): Promise<ChainRow> {
  const gid = normalizeChainGid(chainGid);
  const row = await prisma.blockchain.findUnique({ where: { gid }, include: BLOCKCHAIN_INCLUDE });
  if (!row) throw notFound(`There is no blockchain ${gid} in this service.`);
  return row;
}

/**
 * The catalogue entry of a registered chain, with the code of its family. @throws ProblemError 422 if this build lacks
 * the family
 */
export async function loadFamily(gid: string): Promise<{ network: Network; family: ChainFamily }> {
  const network = findNetwork(gid);
  if (!network)
    throw unprocessableEntity(`The chain ${gid} is not among the networks that this service knows.`);
  const family = await findFamily(network.namespace);
  if (!family)
    throw unprocessableEntity(
      `The chain family ${network.family} is not part of this build, so ${gid} cannot be monitored by it.`,
    );
  return { network, family };
}
