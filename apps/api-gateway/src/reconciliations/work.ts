// SPDX-License-Identifier: Apache-2.0
/** A reconciliation at work, its row locked. */
export interface Work {
  readonly id: string;
  readonly project_id: string;
  readonly phase: 'events' | 'rows' | 'books';
  readonly from_time: Date;
  readonly to_time: Date;
  readonly scope: 'project' | 'ledger';
  readonly include_fees: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly after_id: string | null;
  /** Text: PostgreSQL's times are finer than those of JavaScript. */
  readonly after_time: string | null;
  readonly received_at: string;
  readonly failure_count: number;
}

/** What a step changes of its reconciliation. */
export interface Progress {
  readonly phase: Work['phase'] | 'completed';
  readonly afterId?: string | null;
  readonly afterTime?: string | null;
  readonly rowsDone?: number;
  readonly counts?: Readonly<Record<string, number>>;
  readonly isTruncated?: boolean;
}

/** Before every id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
