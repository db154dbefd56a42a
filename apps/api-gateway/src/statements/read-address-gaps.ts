// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { findNetworkGids } from '../addresses/parse-address.ts';
import { gapOf, type GapLine } from './statement-lines.ts';
import type { StatedAddress } from './stated-address.ts';
import type { ChainWindow } from './read-window.ts';

interface WatchRow {
  readonly chain_gid: string;
  /** Without a watch of its own an address counts from the first block that the chain was followed from. */
  readonly from_block: number | null;
  readonly status: string | null;
  readonly history_from: number | null;
  readonly next_block: number | null;
  /** Of the search for earlier coins; null: there is none. */
  readonly search_status: string | null;
  readonly not_covered: readonly { readonly from_block: number; readonly to_block: number }[];
}

/** From which block an address is watched, by chain, and what is not known of it in the windows of these chains. */
export interface AddressCoverage {
  readonly watchedFrom: Readonly<Record<string, number>>;
  /** The chains on which it is watched, or has balances. */
  readonly chainGids: ReadonlySet<string>;
  readonly gaps: readonly GapLine[];
}

export async function readCoverage(
  sql: Sql,
  address: StatedAddress,
  windows: readonly ChainWindow[],
): Promise<AddressCoverage> {
  // An address that an earlier release took counts as one that every network knows.
  const knownOn = await findNetworkGids(address.chainFamily, address.address).catch(() => undefined);
  const { rows } = await sql.query<WatchRow>(
    `SELECT c.gid AS chain_gid, coalesce(w.from_block, s.start_number) AS from_block, h.status, h.from_block AS history_from, h.next_block,
       coalesce(h.not_covered, '[]') AS not_covered, f.status AS search_status
     FROM blockchains c
     LEFT JOIN address_watches w ON w.address_id = $1 AND w.chain_gid = c.gid
     LEFT JOIN ingestor_states s ON s.chain_gid = c.gid AND ($4::text[] IS NULL OR c.gid = ANY ($4))
     LEFT JOIN address_histories h ON h.address_id = $1 AND h.chain_gid = c.gid
     LEFT JOIN address_backfills f ON f.address_id = $1 AND f.chain_gid = c.gid
     WHERE c.gid = ANY ($2) AND c.family = $3
       AND (coalesce(w.from_block, s.start_number) IS NOT NULL OR EXISTS (SELECT FROM balances b WHERE b.address_id = $1 AND b.chain_gid = c.gid))
     ORDER BY c.gid`,
    [address.id, windows.map(({ line }) => line.chain_gid), address.chainFamily, knownOn],
  );
  const byChain = new Map(windows.map((window) => [window.line.chain_gid, window]));
  const monitoring = address.isMonitored
    ? []
    : [
        gapOf({
          ...{ kind: 'not_monitored', address: address.display },
          reason: 'the address is not monitored now: what it does is not recorded',
        }),
      ];
  const unknown =
    rows.length > 0
      ? []
      : [
          gapOf({
            ...{ kind: 'not_watched', address: address.display },
            reason: 'the address is watched on none of these chains',
          }),
        ];
  return {
    watchedFrom: Object.fromEntries(
      rows.flatMap(({ chain_gid, from_block }) => (from_block === null ? [] : [[chain_gid, from_block]])),
    ),
    chainGids: new Set(rows.map(({ chain_gid }) => chain_gid)),
    gaps: [
      ...monitoring,
      ...unknown,
      ...rows.flatMap((row) => listSearchGaps(row, address)),
      ...rows.flatMap((row) => listGaps(row, address, byChain.get(row.chain_gid)!)),
    ],
  };
}

/** Coins that are not found yet are in no balance, whatever the window. */
function listSearchGaps(
  { chain_gid, search_status: status }: WatchRow,
  { display }: StatedAddress,
): GapLine[] {
  if (status === null || status === 'complete') return [];
  const reason = `the search for coins from before the address was watched is ${status}: balances may be too low`;
  return [gapOf({ kind: 'history_incomplete', chain_gid, address: display, reason })];
}

function listGaps(row: WatchRow, { display }: StatedAddress, window: ChainWindow): GapLine[] {
  const low = window.line.first_block?.number;
  const high = window.closeNumber;
  if (low === undefined || high < low) return [];
  const watched = row.from_block ?? high + 1;
  const gap = (kind: GapLine['kind'], [from, to]: readonly [number, number], reason: string): GapLine[] =>
    Math.max(from, low) > Math.min(to, high)
      ? []
      : [
          gapOf({
            ...{ kind, chain_gid: row.chain_gid, address: display, reason },
            ...{ from_block: Math.max(from, low), to_block: Math.min(to, high) },
          }),
        ];
  const notWatched = 'the address was not watched before, and this part of its history was not asked for';
  if (row.status === null || row.history_from === null || row.next_block === null)
    return gap('not_watched', [low, watched - 1], notWatched);
  // Behind a complete history the address was watched, then paused; from which block on, nobody knows.
  const unread =
    row.status === 'complete'
      ? gap(
          'not_watched',
          [row.next_block, watched - 1],
          'the address was paused in some or all of these blocks, and its history was complete before',
        )
      : gap(
          'history_incomplete',
          [row.next_block, watched - 1],
          `the history of the address is ${row.status}`,
        );
  return [
    ...gap('not_watched', [low, Math.min(row.history_from, watched) - 1], notWatched),
    ...unread,
    ...row.not_covered.flatMap(({ from_block, to_block }) =>
      gap(
        'history_not_covered',
        [from_block, to_block],
        'the chain recorded too little here to find every transfer',
      ),
    ),
  ];
}
