// SPDX-License-Identifier: Apache-2.0
import { InvalidAddressError, type Network, type UtxoCodec } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';

interface EnrollDeps {
  readonly sql: Sql;
  readonly network: Network;
  readonly codec: UtxoCodec;
  readonly signal: AbortSignal;
}

const PAGE_ROWS = 1_000;

/**
 * Addresses registered while the chain was not active have no backfill on it: this adds one and asks for their
 * balance. Addresses of other networks have none and get none.
 */
export async function enrollAddresses({ sql, network, codec, signal }: EnrollDeps): Promise<void> {
  for (let lastId = '00000000-0000-0000-0000-000000000000'; !signal.aborted; ) {
    const { rows } = await sql.query<{ id: string; address: string }>(
      `SELECT a.id, a.address FROM addresses a
       WHERE a.chain_family = $1 AND a.is_monitored AND a.id > $3
         AND NOT EXISTS (SELECT FROM address_backfills b WHERE b.address_id = a.id AND b.chain_gid = $2)
       ORDER BY a.id LIMIT ${PAGE_ROWS}`,
      [network.family, network.gid, lastId],
    );
    const own = rows.filter(({ address }) => isOwn({ network, codec }, address));
    if (own.length > 0)
      await enroll(
        sql,
        network.gid,
        own.map(({ id }) => id),
      );
    if (rows.length < PAGE_ROWS) return;
    lastId = rows.at(-1)!.id;
  }
}

/** Addresses of networks that are not known here are others' too. */
function isOwn({ network, codec }: Pick<EnrollDeps, 'network' | 'codec'>, address: string): boolean {
  try {
    return codec.findAddress(network, codec.matchKeyOf(address)) === address;
  } catch (error) {
    if (error instanceof InvalidAddressError) return false;
    throw error;
  }
}

async function enroll(sql: Sql, chainGid: string, ids: readonly string[]): Promise<void> {
  await sql.query(
    `WITH enrolled AS (
       INSERT INTO address_backfills (address_id, chain_gid)
       SELECT id, $1 FROM addresses WHERE id = ANY($2::uuid[]) ORDER BY id FOR KEY SHARE
       ON CONFLICT (address_id, chain_gid) DO NOTHING RETURNING address_id
     )
     INSERT INTO balance_reads (chain_gid, address_id, reason) SELECT $1, address_id, 'imported' FROM enrolled`,
    [chainGid, ids],
  );
}
