// SPDX-License-Identifier: Apache-2.0
import { conflict, unprocessableEntity } from '@chainwatch/problem';
import { readProjectAssets } from '../../assets/project-asset.ts';
import { defineRoute } from '../../server/define-route.ts';
import { toAssetGid } from '../../assets/find-asset.ts';
import { findChain, loadFamily } from '../../chains/find-chain.ts';
import { assetParams } from '../../records/path-schemas.ts';
import { toTokenRecord, tokenSchema } from '../../records/token.ts';
import { readToken } from './read-token.ts';
import { noteNoToken, writeToken } from './write-token.ts';

export const createToken = defineRoute({
  method: 'POST',
  path: '/tokens/:chain_gid/:asset_path',
  permission: 'api:token:write',
  summary: "Add a token to the project's list; its name, symbol and decimals are read from the chain",
  params: assetParams,
  responses: { 201: tokenSchema },
  problems: [409, 422, 502],
  handle: async ({ params, principal, signal }, deps) => {
    const { projectId } = principal;
    const chain = await findChain(deps, params.chain_gid);
    const { network, family } = await loadFamily(chain.gid);
    const gid = toAssetGid(family, network, params.asset_path);
    const [known] = await readProjectAssets(deps.db, projectId, [gid]);
    if (known?.archivedAt) throw conflict(`The token ${gid} exists and is archived; restore it instead.`);
    // With decimals that nobody knows it is asked again.
    if (known?.status === 'active' && (known.decimals !== null || known.type === 'nft'))
      throw conflict(`The token ${gid} exists already.`);
    // The chain is always asked, even if another project has the token: neither the answer nor its time reveals other
    // projects.
    const metadata = await readToken({ chain, network, family, gid, signal }, deps);
    if (!metadata) {
      if (known) await deps.db.transaction((sql) => noteNoToken(sql, chain.gid, gid));
      throw unprocessableEntity(`The contract of ${gid} is not a token.`);
    }
    const isAdded = await deps.db.transaction((sql) =>
      writeToken(sql, { gid, chainGid: chain.gid, projectId, isListed: known !== undefined, metadata }),
    );
    if (!isAdded) throw conflict(`The token ${gid} exists already.`);
    const [token] = await readProjectAssets(deps.db, projectId, [gid]);
    return { status: 201, body: toTokenRecord(token!), location: `/tokens/${gid}` };
  },
});
