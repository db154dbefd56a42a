// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/platform/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import {
  BlockNotFoundError,
  ChainClientError,
  describePublicly,
  IncompleteBlockError,
  UnknownContentError,
  type Block,
  type BlockRef,
} from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';

const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 5_000;
/** From this attempt on an orphan, or a block that may be skipped, is passed over, whatever error the node gives. */
const ORPHAN_ATTEMPTS = 3;

interface ReadBodyDeps {
  /** Reads through the gate that holds back blocks with something unknown. */
  readonly read: (ref: BlockRef, signal: AbortSignal) => Promise<Block>;
  readonly sql: Sql;
  readonly chainGid: string;
  readonly logger: Pick<Logger, 'warn'>;
  /** Reports whether a node answers. */
  readonly reportReach: (isReachable: boolean) => void;
}

interface BodyReading {
  readonly ref: BlockRef;
  readonly onTrouble: (reason: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Reads a whole block by hash and retries for ever. Undefined only for an orphan whose body no node has any more, and for
 * a block that the operator allowed to skip (invariant 6). Rejects when `signal` aborts.
 */
export async function readBody(
  deps: ReadBodyDeps,
  { ref, onTrouble, signal }: BodyReading,
): Promise<Block | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      const block = await deps.read({ number: ref.number, hash: ref.hash }, signal);
      deps.reportReach(true);
      return block;
    } catch (error) {
      signal.throwIfAborted();
      deps.reportReach(!(error instanceof ChainClientError));
      const isMissing = error instanceof BlockNotFoundError || error instanceof IncompleteBlockError;
      if ((isMissing || attempt >= ORPHAN_ATTEMPTS) && (await mayPass(deps, ref))) return undefined;
      // API clients see the reason; the operator reads the log.
      if (attempt > 1)
        deps.logger.warn(
          { chain_gid: deps.chainGid, height: ref.number, attempt, err: error },
          'failed to read block, will retry',
        );
      onTrouble(`block ${ref.number} ${ref.hash} cannot be read: ${describeTrouble(error)}`);
    }
    await delay(
      Math.min(RETRY_MS_MIN * 2 ** (attempt - 1), RETRY_MS_MAX) * (0.8 + Math.random() * 0.4),
      undefined,
      { signal },
    );
  }
}

function describeTrouble(error: unknown): string {
  if (!(error instanceof UnknownContentError)) return describePublicly(error);
  return `it holds what this release does not know (${error.unknowns.map(({ kind }) => kind).join(', ')}); other endpoints are asked before it is taken as far as it is understood`;
}

async function mayPass(deps: ReadBodyDeps, { number, hash }: BlockRef): Promise<boolean> {
  try {
    const { rows } = await deps.sql.query<{ may_pass: boolean }>(
      `SELECT status = 'reorged' OR EXISTS (SELECT FROM skips s WHERE s.chain_gid = $1 AND $3::bigint BETWEEN s.from_block AND s.to_block) AS may_pass
       FROM blocks WHERE chain_gid = $1 AND hash = $2`,
      [deps.chainGid, hash, number],
    );
    return rows[0]?.may_pass === true;
  } catch {
    // The database is away: the next attempt asks again.
    return false;
  }
}
