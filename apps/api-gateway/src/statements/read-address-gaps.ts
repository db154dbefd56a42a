import type { Sql } from '@chainwatch/db';
import { gapOf, type GapLine } from './statement-lines.ts';
import type { StatedAddress } from './stated-address.ts';
import type { ChainWindow } from './read-window.ts';

interface WatchRow {
  readonly chain_gid: string;
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
  const { rows } = await sql.query<WatchRow>(
    `SELECT c.chain_gid, w.from_block, h.status, h.from_block AS history_from, h.next_block, coalesce(h.not_covered, '[]') AS not_covered, f.status AS search_status
     FROM (SELECT chain_gid FROM address_watches WHERE address_id = $1 UNION SELECT chain_gid FROM balances WHERE address_id = $1) c
     LEFT JOIN address_watches w ON w.address_id = $1 AND w.chain_gid = c.chain_gid
     LEFT JOIN address_histories h ON h.address_id = $1 AND h.chain_gid = c.chain_gid
     LEFT JOIN address_backfills f ON f.address_id = $1 AND f.chain_gid = c.chain_gid
     WHERE c.chain_gid = ANY ($2) ORDER BY c.chain_gid`,
    [address.id, windows.map(({ line }) => line.chain_gid)],
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
  if (row.status === null || row.history_from === null)
    return gap('not_watched', [low, watched - 1], notWatched);
  const until = row.status === 'complete' ? watched : (row.next_block ?? row.history_from);
  return [
    ...gap('not_watched', [low, Math.min(row.history_from, watched) - 1], notWatched),
    ...gap('history_incomplete', [until, watched - 1], `the history of the address is ${row.status}`),
    ...row.not_covered.flatMap(({ from_block, to_block }) =>
      gap(
        'history_not_covered',
        [from_block, to_block],
        'the chain recorded too little here to find every transfer',
      ),
    ),
  ];
}
