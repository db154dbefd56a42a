// SPDX-License-Identifier: Apache-2.0
import type { DerivedAddress } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import { conflict } from '@chainwatch/common/problem';
import type { PublicKeyRow } from '../records/public-key.ts';
import { watchFromHead } from '../addresses/watch-address.ts';

export interface InsertedAddress {
  readonly id: string;
  readonly address: string;
  readonly isMonitored: boolean;
  /** The project had imported the address before. */
  readonly wasExternal: boolean;
}

interface Row {
  readonly id: string;
  readonly address: string;
  readonly is_monitored: boolean;
  readonly was_external: boolean;
}

/**
 * Registers derived addresses of one chain (receive or change) of a key. An address that the project imported before
 * becomes HD; it keeps its label, metadata, monitoring and everything found for it.
 * @throws ProblemError 409 when an address belongs to another key of the project
 */
export async function insertHdAddresses(
  sql: Sql,
  {
    key,
    change,
    derived,
  }: { readonly key: PublicKeyRow; readonly change: number; readonly derived: readonly DerivedAddress[] },
): Promise<InsertedAddress[]> {
  if (derived.length === 0) return [];
  const { rows } = await sql.query<Row>(
    `INSERT INTO addresses (project_id, chain_family, address, display, kind, format, public_key_id, derivation_change, derivation_index)
     SELECT $1, $2, d.address, d.display, 'hd', $3, $4, $5, d.index
     FROM unnest($6::text[], $7::text[], $8::bigint[]) AS d (address, display, index) ORDER BY d.address
     ON CONFLICT (project_id, chain_family, address) DO UPDATE
     SET kind = 'hd', format = excluded.format, public_key_id = excluded.public_key_id, derivation_change = excluded.derivation_change,
       derivation_index = excluded.derivation_index, updated_at = now(),
       is_used = addresses.is_used OR EXISTS (SELECT FROM transaction_addresses t JOIN transactions x ON x.id = t.transaction_id WHERE t.address_id = addresses.id AND NOT x.is_withheld)
         OR EXISTS (SELECT FROM utxos u WHERE u.chain_gid = $9 AND u.address = addresses.address)
     WHERE addresses.kind = 'external'
     RETURNING id, address, is_monitored, imported_at IS NOT NULL AS was_external`,
    [
      key.projectId,
      key.chainFamily,
      key.addressFormat,
      key.id,
      change,
      derived.map(({ address }) => address.canonical),
      derived.map(({ address }) => address.display),
      derived.map(({ index }) => index),
      key.chainGid,
    ],
  );
  if (rows.length < derived.length)
    throw conflict('An address of this key belongs to another public key of the project already.');
  const added = rows.filter((row) => !row.was_external).map(({ id }) => id);
  await watchFromHead(sql, {
    ids: added,
    chainFamily: key.chainFamily,
    networkGids: derived[0]?.address.networkGids,
  });
  return rows.map(({ id, address, is_monitored, was_external }) => ({
    id,
    address,
    isMonitored: is_monitored,
    wasExternal: was_external,
  }));
}
