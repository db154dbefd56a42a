import type { ProblemCode, ProblemField } from '@chainwatch/problem';
import type { ChangedAddress } from '../addresses/changed-address.ts';
import type { Author } from '../management/record-change.ts';

/** What the thread is started with. */
export interface BulkSettings {
  readonly databaseUrl: string;
  readonly isPrepared?: boolean;
  readonly statementTimeoutMs?: number;
  /** Roots of the problem types of entries. */
  readonly docsUrl: string;
  readonly apiHost: string;
}

export interface ImportRequest {
  readonly type: 'import';
  readonly id: number;
  /** The body. */
  readonly bytes: Uint8Array;
  readonly author: Author;
}

export type BulkRequest = ImportRequest | { readonly type: 'abort'; readonly id: number };

/** What travels of an address that is announced; the other addresses of its transaction are only counted. */
export type Announced = ChangedAddress & { readonly count: number };

export type BulkReply =
  | { readonly type: 'changed'; readonly id: number; readonly first: Announced }
  | { readonly type: 'answer'; readonly id: number; readonly bytes: Uint8Array }
  | {
      readonly type: 'problem';
      readonly id: number;
      readonly code: ProblemCode;
      readonly detail: string;
      readonly fields?: readonly ProblemField[];
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly type: 'error'; readonly id: number; readonly error: Error };
