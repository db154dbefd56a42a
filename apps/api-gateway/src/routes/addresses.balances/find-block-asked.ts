// SPDX-License-Identifier: Apache-2.0
import { normalizeChainGid } from '@chainwatch/chain-registry';
import type { Sql } from '@chainwatch/db';
import { invalidRequest, unprocessableEntity } from '@chainwatch/problem';

interface Asked {
  readonly id: string;
  readonly chainFamily: string;
  readonly block: number;
  readonly chainGid: string | undefined;
}

interface ChainRow {
  readonly gid: string;
  /** The first block that counts for the address. */
  readonly from_block: number;
  /** The last block that was analysed. */
  readonly until_block: number | null;
}

/**
 * The chain that a block number is of. @throws ProblemError 400 where several are meant, 422 for a block that was not
 * watched or not analysed: nothing is known of the address there
 */
export async function findBlockAsked(sql: Sql, asked: Asked): Promise<string> {
  const wanted = asked.chainGid && normalizeChainGid(asked.chainGid);
  const { rows } = await sql.query<ChainRow>(
    `SELECT c.gid, coalesce(w.from_block, i.start_number, 0) AS from_block, s.cursor_number AS until_block
     FROM blockchains c LEFT JOIN address_watches w ON w.chain_gid = c.gid AND w.address_id = $1
       LEFT JOIN ingestor_states i ON i.chain_gid = c.gid LEFT JOIN analyzer_states s ON s.chain_gid = c.gid
     WHERE c.family = $2 AND CASE WHEN $3::text IS NULL THEN c.is_active ELSE c.gid = $3 END`,
    [asked.id, asked.chainFamily, wanted ?? null],
  );
  const [chain, ...others] = rows;
  if (chain === undefined || others.length > 0)
    throw invalidRequest([
      { name: 'chain_gid', reason: `expected the chain of at_block, because ${rows.length} could be meant` },
    ]);
  const { gid, from_block: from, until_block: until } = chain;
  if (asked.block < from)
    throw unprocessableEntity(
      `Expected a block from ${from} on: the address is watched on ${gid} from there, and nothing is known of it before.`,
    );
  if (until === null || asked.block > until)
    throw unprocessableEntity(
      `Expected a block up to ${until ?? 'the first one'}: ${gid} was analysed as far as there.`,
    );
  return gid;
}
