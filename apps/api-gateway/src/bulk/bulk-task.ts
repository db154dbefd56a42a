// SPDX-License-Identifier: Apache-2.0
import type { ChangedAddress } from '../addresses/changed-address.ts';
import type { Author } from '../management/record-change.ts';
import type { ProblemData } from '../server/problem-data.ts';

/** What the threads are started with. */
export interface BulkSettings {
  readonly databaseUrl: string;
  readonly isPrepared?: boolean;
  readonly statementTimeoutMs?: number;
  /** Roots of the problem types of entries. */
  readonly docsUrl: string;
  readonly apiHost: string;
}

/** One import: the body, and who sent it. */
export interface BulkTask {
  readonly bytes: Uint8Array;
  readonly author: Author;
}

/** What travels of an address that is announced; the other addresses of its transaction are only counted. */
export type Announced = ChangedAddress & { readonly count: number };

/** How an import ended, and the transactions that were committed before. */
export type BulkAnswer = { readonly changed: readonly Announced[] } & (
  | { readonly type: 'json'; readonly bytes: Uint8Array }
  | ProblemData
  | { readonly type: 'error'; readonly error: Error }
);
