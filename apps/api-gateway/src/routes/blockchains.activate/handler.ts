// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { conflict, unprocessableEntity } from '@chainwatch/common/problem';
import { announceChain } from '../../chains/announce-chain.ts';
import { defineRoute } from '../../define-route.ts';
import { findChain, loadFamily, type ChainRow } from '../../chains/find-chain.ts';
import {
  BLOCKCHAIN_INCLUDE,
  blockchainSchema,
  hasEndpoint,
  toBlockchainRecord,
} from '../../records/blockchain.ts';
import { baseOf, withLogo } from '../../records/logo.ts';
import { chainParams } from '../../records/path-schemas.ts';

const bodySchema = z
  .strictObject({
    from_block: z
      .int()
      .min(0)
      .optional()
      .meta({
        description:
          'Where a chain begins that was never followed; without it at the `START_BLOCK` of its ingestor, else at the head of then.',
        examples: [21_000_000],
      }),
  })
  .prefault({});

export const activateBlockchain = defineRoute({
  method: 'POST',
  path: '/blockchains/:chain_gid/actions/activate',
  permission: 'api:blockchain:write',
  summary: 'Start to monitor a blockchain',
  params: chainParams,
  body: bodySchema,
  example: { from_block: 21_000_000 },
  responses: { 200: blockchainSchema },
  problems: [409, 422],
  handle: async ({ params, body: { from_block: fromBlock }, origin }, deps) => {
    const chain = await findChain(deps, params.chain_gid);
    if (fromBlock !== undefined) assertBeginsAt(chain, fromBlock);
    if (chain.isActive)
      return { status: 200, body: withLogo(toBlockchainRecord(chain), baseOf(origin, deps)) };
    await loadFamily(chain.gid);
    const isConfigured = hasEndpoint(chain) || (deps.settings.chainEndpoints[chain.gid]?.length ?? 0) > 0;
    if (!isConfigured) {
      throw unprocessableEntity(
        `The blockchain ${chain.gid} has no endpoint; set one with PATCH /blockchains/${chain.gid}/${chain.family} first.`,
      );
    }
    const row = await deps.prisma.blockchain.update({
      where: { gid: chain.gid },
      data: {
        isActive: true,
        updatedAt: new Date(),
        startBlock: fromBlock,
      },
      include: BLOCKCHAIN_INCLUDE,
    });
    announceChain(deps, chain.gid);
    return { status: 200, body: withLogo(toBlockchainRecord(row), baseOf(origin, deps)) };
  },
});

/**
 * A chain that was followed before keeps its start block until it is reset; naming the same one again changes nothing.
 */
function assertBeginsAt({ gid, isActive, startBlock, ingestorState }: ChainRow, fromBlock: number): void {
  const startNumber = ingestorState?.startNumber ?? undefined;
  if ((startNumber === undefined && !isActive) || (startBlock !== null && Number(startBlock) === fromBlock))
    return;
  const fact =
    startNumber === undefined ? 'is active already' : `was followed from block ${startNumber} on already`;
  throw conflict(
    `The blockchain ${gid} ${fact}: to let it begin at block ${fromBlock}, use POST /blockchains/${gid}/actions/reset with from_block.`,
  );
}
