import { conflict, unprocessableEntity } from '@chainwatch/problem';
import { defineRoute } from '../../define-route.ts';
import { toAssetGid } from '../../find-asset.ts';
import { findChain, loadFamily } from '../../find-chain.ts';
import { assetParams } from '../../records/path-schemas.ts';
import { toTokenRecord, tokenSchema } from '../../records/token.ts';
import { readToken } from './read-token.ts';
import { writeToken } from './write-token.ts';

export const createToken = defineRoute({
  method: 'POST',
  path: '/tokens/:chain_gid/:asset_path',
  summary: 'Add a token; its name, symbol and decimals are read from the chain',
  params: assetParams,
  responses: { 201: tokenSchema },
  problems: [409, 422, 502],
  handle: async ({ params, signal }, deps) => {
    const chain = await findChain(deps, params.chain_gid);
    const { network, family } = await loadFamily(chain.gid);
    const gid = toAssetGid(family, network, params.asset_path);
    const known = await deps.prisma.asset.findUnique({ where: { gid } });
    if (known?.archivedAt) throw conflict(`The token ${gid} exists and is archived; restore it instead.`);
    if (known?.status === 'active') throw conflict(`The token ${gid} exists already.`);
    const metadata = await readToken({ chain, network, family, gid, signal }, deps);
    if (!metadata) {
      // A row that the analyzer discovered, and has not asked about yet (decisions.md 1.4).
      await deps.prisma.asset.updateMany({ where: { gid, status: 'unknown', archivedAt: null }, data: { status: 'invalid', updatedAt: new Date() } });
      throw unprocessableEntity(`The contract of ${gid} is not a token.`);
    }
    const isWritten = await deps.db.transaction((sql) => writeToken(sql, { gid, chainGid: chain.gid, metadata }));
    if (!isWritten) throw conflict(`The token ${gid} exists already.`);
    return { status: 201, body: toTokenRecord(await deps.prisma.asset.findUniqueOrThrow({ where: { gid } })) };
  },
});
