// SPDX-License-Identifier: Apache-2.0
import type { ChangeReason } from '@chainwatch/events';

/** A block as a statement names it. */
export interface BlockMark {
  readonly number: number;
  readonly hash: string;
  readonly time: string | null;
}

/** What the statement is about. The first line. */
interface HeadLine {
  readonly type: 'statement';
  readonly version: 1;
  readonly id: string;
  readonly project_id: string;
  readonly generated_at: string;
  /** Inclusive; `to` is exclusive. */
  readonly from: string;
  readonly to: string;
  readonly address_count: number;
  readonly chain_gids: readonly string[];
  /** What a reader must know to read it right. */
  readonly notes: readonly string[];
}

/** The window of a chain, in blocks. */
export interface ChainLine {
  readonly type: 'chain';
  readonly chain_gid: string;
  /** The last block before `from`: opening balances are of it or of an earlier one. */
  readonly opening_block: BlockMark | null;
  readonly first_block: BlockMark | null;
  readonly last_block: BlockMark | null;
  readonly block_count: number;
  /** Blocks of the window by what stands behind them; `unknown`: by an earlier release. */
  readonly verification: Readonly<Record<string, number>>;
  readonly final_block: number | null;
  /** When the round began that has read every balance of the chain again. */
  readonly balances_checked_at: string | null;
}

/** What the statement does not know, and why. */
export interface GapLine {
  readonly type: 'gap';
  readonly kind: GapKind;
  readonly chain_gid: string | null;
  readonly address: string | null;
  readonly asset_gid: string | null;
  readonly from_block: number | null;
  readonly to_block: number | null;
  readonly reason: string;
}

export type GapKind =
  | 'no_blocks'
  | 'missing_blocks'
  | 'not_analysed'
  | 'analysis_behind'
  | 'not_final'
  | 'unproved_blocks'
  | 'skipped_blocks'
  | 'incident'
  | 'inactive_chain'
  | 'deleted_address'
  | 'not_monitored'
  | 'not_watched'
  | 'history_not_covered'
  | 'history_incomplete'
  | 'late_opening'
  | 'no_reading'
  | 'reading_behind'
  | 'unexplained';

export interface AddressLine {
  readonly type: 'address';
  readonly address: string;
  readonly label: string | null;
  readonly chain_family: string;
  /** The block from which it is watched, by chain. */
  readonly watched_from: Readonly<Record<string, number>>;
}

interface OfBalance {
  readonly address: string;
  readonly chain_gid: string;
  readonly asset_gid: string;
}

/** One transfer, fee, or change by a block. */
export interface MovementLine extends OfBalance {
  readonly type: 'movement';
  readonly reason: ChangeReason;
  /** Signed, whole units; null while the decimals are unknown. */
  readonly amount: string | null;
  readonly amount_raw: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly block_number: number;
  readonly block_hash: string;
  readonly block_time: string | null;
  /** Null: a block did it without a transaction. */
  readonly transaction_hash: string | null;
  readonly transfer_index: number | null;
  /** The event that told it; null: none, or it is no longer kept. */
  readonly event_id: string | null;
  readonly verification: string | null;
  readonly status: string | null;
  /** Whether `explained` of the balance includes it. */
  readonly is_counted: boolean;
}

/** What no movement explained when the balance was read. Never part of `explained`. */
export interface AdjustmentLine extends OfBalance {
  readonly type: 'adjustment';
  readonly amount: string | null;
  readonly amount_raw: string;
  /** It happened after this block and up to `until_block`. */
  readonly since_block: number;
  readonly until_block: number;
  readonly block_hash: string;
}

/** A balance as it was read. */
export interface ReadingMember {
  readonly amount: string | null;
  readonly amount_raw: string;
  readonly block_number: number;
  readonly block_hash: string;
  readonly block_time: string | null;
}

export interface BalanceLine extends OfBalance {
  readonly type: 'balance';
  readonly symbol: string | null;
  readonly decimals: number | null;
  readonly opening: ReadingMember | null;
  readonly closing: ReadingMember | null;
  /** Base units by reason. */
  readonly explained: Readonly<Partial<Record<ChangeReason, string>>>;
  readonly explained_raw: string;
  /** closing − opening − explained; null where a reading is missing. */
  readonly unexplained: string | null;
  readonly unexplained_raw: string | null;
  readonly adjustments_raw: string;
  readonly movement_count: number;
  readonly checked_at: string | null;
}

/** The last line before the signature: how many lines of each type there are. */
interface EndLine {
  readonly type: 'end';
  readonly addresses: number;
  readonly balances: number;
  readonly movements: number;
  readonly adjustments: number;
  readonly gaps: number;
}

export type StatementLine =
  | HeadLine
  | ChainLine
  | GapLine
  | AddressLine
  | MovementLine
  | AdjustmentLine
  | BalanceLine
  | EndLine;

/** A gap with null for what it does not concern. */
export function gapOf(gap: Pick<GapLine, 'kind' | 'reason'> & Partial<Omit<GapLine, 'type'>>): GapLine {
  return {
    type: 'gap',
    kind: gap.kind,
    chain_gid: gap.chain_gid ?? null,
    address: gap.address ?? null,
    asset_gid: gap.asset_gid ?? null,
    from_block: gap.from_block ?? null,
    to_block: gap.to_block ?? null,
    reason: gap.reason,
  };
}
