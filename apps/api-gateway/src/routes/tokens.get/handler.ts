// SPDX-License-Identifier: Apache-2.0
import { defineRoute } from '../../define-route.ts';
import { findAsset } from '../../assets/find-asset.ts';
import { baseOf, withLogo } from '../../records/logo.ts';
import { assetParams } from '../../records/path-schemas.ts';
import { toTokenRecord, tokenSchema } from '../../records/token.ts';

export const getToken = defineRoute({
  method: 'GET',
  path: '/tokens/:chain_gid/:asset_path',
  permission: 'api:token:read',
  summary: "One token of the project's list",
  params: assetParams,
  responses: { 200: tokenSchema },
  handle: async ({ params, principal, origin }, deps) => ({
    status: 200,
    body: withLogo(toTokenRecord(await findAsset(deps, principal, params)), baseOf(origin, deps)),
  }),
});
