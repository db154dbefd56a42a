// SPDX-License-Identifier: Apache-2.0
import type { Database } from '@chainwatch/data/db';
import type { PrismaClient } from '@chainwatch/data/prisma';

/** Where rows are read from. */
export interface Source {
  readonly db: Database;
  readonly prisma: PrismaClient;
}

/** Of a request: where it reads, and the primary where that is a standby. */
export interface Sources extends Source {
  readonly primary?: Source;
}

/**
 * For answers that are read while they are sent. What fails at a standby is read from the primary, and everything after it:
 * what was found at a primary may not be there yet at a standby.
 */
export function readOn(deps: Sources): <T>(work: (source: Source) => Promise<T>) => Promise<T> {
  let isLost = false;
  return async (work) => {
    const { primary } = deps;
    if (primary === undefined) return work(deps);
    if (!isLost)
      try {
        return await work(deps);
      } catch {
        isLost = true;
      }
    return work(primary);
  };
}
