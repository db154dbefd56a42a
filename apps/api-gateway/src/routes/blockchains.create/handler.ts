// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { chainGidSchema, splitAssetGid } from '@chainwatch/common/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { conflict, unprocessableEntity } from '@chainwatch/common/problem';
import { announceChain } from '../../chains/announce-chain.ts';
import { defineRoute } from '../../define-route.ts';
import { findChain } from '../../chains/find-chain.ts';
import { blockchainSchema, toBlockchainRecord } from '../../records/blockchain.ts';
import { baseOf, withLogo, logoPathOf } from '../../records/logo.ts';
import { findKnownNetwork } from '../../networks/known-networks.ts';
import { lockNetworks } from '../../networks/network-store.ts';
import type { Network } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';

export const createBlockchain = defineRoute({
  method: 'POST',
  path: '/blockchains',
  permission: 'api:blockchain:write',
  summary: 'Add the blockchain of a known network',
  body: z.strictObject({
    chain_gid: chainGidSchema.meta({
      description: 'A known network as CAIP-2 (`GET /networks`).',
      examples: ['eip155:1'],
    }),
  }),
  example: { chain_gid: 'eip155:1' },
  responses: { 201: blockchainSchema },
  problems: [409, 422],
  handle: async ({ body, origin }, deps) => {
    const gid = normalizeChainGid(body.chain_gid);
    const network = await deps.db.transaction(async (sql) => {
      // Nobody removes the network meanwhile.
      await lockNetworks(sql);
      const known = await findKnownNetwork(sql, gid);
      if (known === undefined)
        throw unprocessableEntity(`The network ${gid} is not known: PUT /networks/${gid} says what it is.`);
      if (!(await insertBlockchain(sql, known.network)))
        throw conflict(`The blockchain ${gid} exists already.`);
      return known.network;
    });
    await deps.networks.refresh();
    announceChain(deps, network.gid);
    return {
      status: 201,
      body: withLogo(toBlockchainRecord(await findChain(deps, network.gid)), baseOf(origin, deps)),
      location: `/blockchains/${network.gid}`,
    };
  },
});

/** Inserts a network of the catalogue and its native asset, where it has one; false if the chain exists already. */
async function insertBlockchain(sql: Sql, network: Network): Promise<boolean> {
  const { rowCount } = await sql.query(
    `INSERT INTO blockchains (gid, family, name, short_name, image_url) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (gid) DO NOTHING`,
    [
      network.gid,
      network.family,
      network.name,
      network.shortName,
      network.imageUrl ?? logoPathOf(network.name),
    ],
  );
  if (rowCount === 0) return false;
  const { native } = network;
  if (native === undefined) return true;
  const { namespace, reference } = splitAssetGid(native.gid);
  await sql.query(
    `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, name, symbol, decimals, image_url, source)
     VALUES ($1, $2, $3, $4, 'native', 'active', $5, $6, $7, $8, 'registry') ON CONFLICT (gid) DO NOTHING`,
    [
      native.gid,
      network.gid,
      namespace,
      reference,
      native.name,
      native.symbol,
      native.decimals,
      network.imageUrl ?? logoPathOf(network.name),
    ],
  );
  return true;
}
