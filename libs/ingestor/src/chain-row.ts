import type { Sql } from '@chainwatch/db';
import type { ChainFamilyName } from '@chainwatch/chain-core';

/** What the ingestor wants to know of an active chain. */
export interface ChainRow {
  readonly gid: string;
  readonly endpoint_sealed: string | null;
  readonly evm_endpoint_sealed: string | null;
}

/** The active chains of a family, by gid. */
export async function readActiveChains(sql: Sql, family: ChainFamilyName): Promise<Map<string, ChainRow>> {
  const { rows } = await sql.query<ChainRow>('SELECT gid, endpoint_sealed, evm_endpoint_sealed FROM blockchains WHERE family = $1 AND is_active', [family]);
  return new Map(rows.map((row) => [row.gid, row]));
}
