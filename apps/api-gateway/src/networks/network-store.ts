// SPDX-License-Identifier: Apache-2.0
import type { Network } from '@chainwatch/chain-core';
import { readNetwork } from '@chainwatch/chain-registry';
import type { Sql } from '@chainwatch/data/db';
import { logoPathOf } from '../records/logo.ts';

export interface StoredNetwork {
  readonly gid: string;
  readonly source: 'file' | 'api';
  readonly document: unknown;
}

/** A chain of this service: its network was used. */
export interface UsedChain {
  readonly gid: string;
  readonly name: string;
}

/** In an open transaction: until its end nobody else changes a network or adds a chain. */
export async function lockNetworks(sql: Sql): Promise<void> {
  await sql.query(`SELECT pg_advisory_xact_lock(hashtext('chainwatch.networks'))`);
}

export async function readStoredNetworks(sql: Sql): Promise<readonly StoredNetwork[]> {
  const { rows } = await sql.query<StoredNetwork>('SELECT gid, source, document FROM networks ORDER BY gid');
  return rows;
}

export async function readUsedChains(sql: Sql): Promise<readonly UsedChain[]> {
  const { rows } = await sql.query<UsedChain>('SELECT gid, name FROM blockchains ORDER BY gid');
  return rows;
}

/** Takes their names from chains that are to get others, so that two may change theirs for each other's. */
export async function freeNames(sql: Sql, networks: readonly Network[]): Promise<void> {
  await sql.query(
    `UPDATE blockchains b SET name = b.gid FROM unnest($1::text[], $2::text[]) AS n (gid, name) WHERE b.gid = n.gid AND b.name <> n.name`,
    [networks.map(({ gid }) => gid), networks.map(({ name }) => name)],
  );
}

/** Stores a document, and shows its names and logo on the chain that uses it. */
export async function storeNetwork(
  sql: Sql,
  network: Network,
  { source, document }: Pick<StoredNetwork, 'source' | 'document'>,
): Promise<void> {
  await sql.query(
    `INSERT INTO networks (gid, source, document) VALUES ($1, $2, $3)
     ON CONFLICT (gid) DO UPDATE SET source = excluded.source, document = excluded.document, updated_at = now()
     WHERE (networks.source, networks.document) IS DISTINCT FROM (excluded.source, excluded.document)`,
    [network.gid, source, JSON.stringify(document)],
  );
  await showNetwork(sql, network);
}

/** `network`: what holds from now on; undefined: nothing does. */
export async function removeNetwork(sql: Sql, gid: string, network: Network | undefined): Promise<void> {
  await sql.query('DELETE FROM networks WHERE gid = $1', [gid]);
  if (network !== undefined) await showNetwork(sql, network);
}

/** The chain's row has copies, which lists sort and search by. */
async function showNetwork(sql: Sql, { gid, name, shortName, native, imageUrl }: Network): Promise<void> {
  await sql.query(
    `UPDATE blockchains SET name = $2, short_name = $3, updated_at = now() WHERE gid = $1 AND (name, short_name) IS DISTINCT FROM ($2, $3)`,
    [gid, name, shortName],
  );
  if (native === undefined) return;
  await sql.query('UPDATE assets SET name = $2, image_url = $3 WHERE gid = $1', [
    native.gid,
    native.name,
    imageUrl ?? logoPathOf(name),
  ]);
}

/** A stored document that this release cannot read. */
export async function findUnreadable(sql: Sql, gid: string): Promise<StoredNetwork | undefined> {
  const row = (await readStoredNetworks(sql)).find((each) => each.gid === gid);
  return row !== undefined && networkOf(row) === undefined ? row : undefined;
}

/** The network that a stored document says; undefined where this release cannot read it. */
export function networkOf({ document }: Pick<StoredNetwork, 'document'>): Network | undefined {
  return readNetwork(document).network;
}
