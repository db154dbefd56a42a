// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';

/** Turns packed blocks into rows (ADR 22), for whoever writes to them or refers to them. Others stay as they are. */
export async function unpackBlocks(sql: Sql, chainGid: string, numbers: readonly number[]): Promise<void> {
  if (numbers.length === 0) return;
  await sql.query({
    name: 'unpack_blocks',
    text: 'SELECT unpack_blocks($1, number, number) FROM unnest($2::bigint[]) AS number',
    values: [chainGid, [...new Set(numbers)].sort((a, b) => a - b)],
  });
}
