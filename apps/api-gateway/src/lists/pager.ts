// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { offsetOf, type PageRequest } from '@chainwatch/platform/http';
import type { Principal } from '@chainwatch/data/key-store';
import { invalidRequest } from '@chainwatch/common/problem';
import type { Sealer } from '@chainwatch/platform/secrets';

/** Where a row stands in its list: the values of the columns that order it, as PostgreSQL writes them. */
export type Key = readonly (string | null)[];

/** What is found of a row before its record is read. */
export interface ListedRow {
  readonly id: string;
  readonly key: Key;
}

/** Which part of a list to read. */
export interface Range {
  /** Rows to skip; 0 with `after`. */
  readonly offset: number;
  readonly limit: number;
  /** Only rows behind this one. */
  readonly after: Key | undefined;
}

export interface Pager {
  /** One row more than the page has: it tells whether there is another page. */
  readonly range: Range;
  /** The rows of the page, and the cursor of the next one. */
  close<R extends { readonly key: Key }>(
    rows: readonly R[],
  ): { readonly rows: readonly R[]; readonly nextCursor: string | undefined };
}

interface ListRequest {
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly principal: Pick<Principal, 'projectId' | 'workspaceId'>;
  /** Names the list, and whatever of its path says which: `deliveries <channel id>`. */
  readonly list: string;
  readonly query: PageRequest;
}

const keySchema = z.array(z.string().nullable()).min(1);

/**
 * A cursor names the row behind which the next page begins, whatever is added or removed meanwhile. It is sealed for one
 * list with its filters and order, and for its owner.
 * @throws ProblemError 400 for one that was made for another list, filter, order or owner, or stands beside `page`
 */
export function openPager({ sealer, principal, list, query }: ListRequest): Pager {
  const { cursor, page, limit, ...filters } = query;
  const context = `cursor ${principal.workspaceId} ${principal.projectId} ${list} ${JSON.stringify(filters)}`;
  const refuse = (reason: string): Error => invalidRequest([{ name: 'cursor', reason }]);
  if (cursor !== undefined && page !== undefined) throw refuse('expected no page beside it');
  const after = cursor === undefined ? undefined : openKey(() => sealer.open(cursor, context));
  if (cursor !== undefined && after === undefined)
    throw refuse('expected next_cursor of an answer to the same request, with the same filters and order');
  return {
    range: { offset: offsetOf({ limit, page }), limit: limit + 1, after },
    close(rows) {
      const shown = rows.slice(0, limit);
      const isLast = rows.length <= limit;
      return {
        rows: shown,
        nextCursor: isLast ? undefined : sealer.seal(JSON.stringify(shown.at(-1)!.key), context),
      };
    },
  };
}

function openKey(open: () => string): Key | undefined {
  try {
    return keySchema.parse(JSON.parse(open()));
  } catch {
    return undefined;
  }
}
