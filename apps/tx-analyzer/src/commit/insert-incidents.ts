// SPDX-License-Identifier: Apache-2.0
import type { BlockRef, UnknownPart } from '@chainwatch/chain-core';
import { SqlParams } from '../model/sql-params.ts';

/** Longer texts of a decoder or a node are cut. */
const TEXT_MAX = 500;

/**
 * Inserts incidents for the first sightings of unknown kinds, in a transaction of the chain's owner. A kind with an
 * open or accepted incident gets no other here; a block taken after the acceptance opens a new one
 * (`write-unknowns.ts`). A block that was already passed does not wait, so its kind counts as taken.
 */
export function insertIncidentsSql(
  chainGid: string,
  ref: BlockRef,
  unknowns: readonly UnknownPart[],
): { text: string; values: unknown[] } {
  const params = new SqlParams();
  const source = unnestUnknowns(params, unknowns);
  const number = params.add(ref.number, 'bigint');
  const text = `INSERT INTO incidents (chain_gid, kind, block_number, block_hash, last_block_number, transaction_hash, expected, got)
    SELECT s.chain_gid, u.kind, ${number}, ${params.add(ref.hash, 'text')}, CASE WHEN s.cursor_number >= ${number} THEN ${number} END, u.transaction_hash, u.expected, u.got
    FROM analyzer_states s, ${source} AS u (kind, transaction_hash, expected, got)
    WHERE s.chain_gid = ${params.add(chainGid, 'text')}
      AND NOT EXISTS (SELECT FROM incidents i WHERE i.chain_gid = s.chain_gid AND i.kind = u.kind AND i.status IN ('open', 'accepted'))
    ON CONFLICT (chain_gid, kind) WHERE status = 'open' DO NOTHING`;
  return { text, values: params.values };
}

/** Ordered by kind, the order in which every writer of incidents locks them. */
export function unnestUnknowns(params: SqlParams, unknowns: readonly UnknownPart[]): string {
  const byKind = [...new Map(unknowns.map((part) => [part.kind, part])).values()].sort((a, b) =>
    a.kind < b.kind ? -1 : 1,
  );
  return params.unnest(byKind, [
    ['text', ({ kind }) => kind],
    ['text', ({ transactionHash }) => transactionHash ?? null],
    ['text', ({ expected }) => expected.slice(0, TEXT_MAX)],
    ['text', ({ got }) => got.slice(0, TEXT_MAX)],
  ]);
}
