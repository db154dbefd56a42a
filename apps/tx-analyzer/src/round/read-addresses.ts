// SPDX-License-Identifier: Apache-2.0
import type { RoundPosition, Sql } from '@chainwatch/db';
import type { CoinOwner } from '../backfill/find-passed.ts';
import type { ChainContext } from '../model/chain-context.ts';

interface AddressRow {
  readonly id: string;
  readonly address: string;
  readonly is_compared: boolean;
}

/** The addresses of one scan. */
export interface AddressPage {
  /** Those with a complete import: canonical, each once. */
  readonly addresses: readonly string[];
  /** The last row of the page, and whether more follow. */
  readonly after: RoundPosition['after'];
  readonly isLast: boolean;
}

const IS_COMPARED = `a.is_monitored AND EXISTS (SELECT FROM address_backfills f WHERE f.address_id = a.id AND f.chain_gid = $1 AND f.status = 'complete')`;
const NIL = '00000000-0000-0000-0000-000000000000';

/** The next addresses of a round. @param addressesMax at least 1 */
export async function readAddressPage(
  sql: Sql,
  { gid, family }: Pick<ChainContext, 'gid' | 'family'>,
  { after, addressesMax }: { readonly after: RoundPosition['after']; readonly addressesMax: number },
): Promise<AddressPage> {
  const { rows } = await sql.query<AddressRow>({
    name: 'read_coin_round_addresses',
    text: `SELECT a.id, a.address, ${IS_COMPARED} AS is_compared FROM addresses a
           WHERE a.chain_family = $2 AND a.address >= $3 AND (a.address > $3 OR a.id > $4) ORDER BY a.address, a.id LIMIT $5`,
    values: [gid, family, after?.address ?? '', after?.id ?? NIL, addressesMax],
  });
  const last = rows.at(-1);
  return {
    addresses: [...new Set(rows.flatMap((row) => (row.is_compared ? [row.address] : [])))],
    after: last && { address: last.address, id: last.id },
    isLast: rows.length < addressesMax,
  };
}

/** Whoever watches `addresses` and has all of their coins, as if they counted from a block on. */
export async function readOwners(
  sql: Sql,
  { gid, family }: Pick<ChainContext, 'gid' | 'family'>,
  { addresses, watchedFrom }: { readonly addresses: readonly string[]; readonly watchedFrom: number },
): Promise<CoinOwner[]> {
  const { rows } = await sql.query<Pick<AddressRow, 'id' | 'address'>>(
    `SELECT a.id, a.address FROM addresses a WHERE ${IS_COMPARED} AND a.chain_family = $2 AND a.address = ANY($3) ORDER BY a.id`,
    [gid, family, addresses],
  );
  return rows.map(({ id, address }) => ({ id, address, watchedFrom }));
}
