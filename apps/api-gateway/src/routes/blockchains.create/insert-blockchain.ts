// SPDX-License-Identifier: Apache-2.0
import { splitAssetGid } from '@chainwatch/caip';
import type { Network } from '@chainwatch/chain-core';
import { logoPathOf } from '../../records/logo.ts';
import type { Sql } from '@chainwatch/db';

/** Inserts a network of the catalogue and its native asset, where it has one; false if the chain exists already. */
export async function insertBlockchain(sql: Sql, network: Network): Promise<boolean> {
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
