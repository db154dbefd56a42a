// SPDX-License-Identifier: Apache-2.0
import { LRUCache } from 'lru-cache';
import { uiMultiplierAt, type UiMultiplier } from '@chainwatch/chain-core';
import { assetsOf, type NameBook, type NamedToken } from '@chainwatch/channels';
import type { Sql } from '@chainwatch/data/db';
import type { Logger } from '@chainwatch/platform/telemetry';
import type { DeliveryDependencies } from '../delivery-options.ts';

/** The names that messages to people use. */
export interface MessageNames {
  /** Names for messages about these events. Never rejects: a name that cannot be read is missing. */
  read(payloads: readonly string[]): Promise<NameBook>;
}

export interface MessageNamesDeps extends Pick<DeliveryDependencies, 'findNetwork' | 'publicUrl'> {
  readonly db: Sql;
  readonly logger: Pick<Logger, 'warn'>;
  /** How long a message waits for names. */
  readonly timeoutMs?: number;
}

interface TokenRow {
  readonly gid: string;
  readonly symbol: string | null;
  readonly multiplier: UiMultiplier | null;
}

const TOKENS_MAX = 20_000;
/** A symbol seldom changes; one that is missing may be read from the chain at any moment. */
const KNOWN_MS = 600_000;
const UNKNOWN_MS = 5_000;
const TIMEOUT_MS = 1_000;

/** Keeps what the database knows of tokens, so that most messages ask nothing. */
export function createMessageNames({
  db,
  findNetwork = () => undefined,
  publicUrl,
  logger,
  timeoutMs = TIMEOUT_MS,
}: MessageNamesDeps): MessageNames {
  const tokens = new LRUCache<string, TokenRow>({ max: TOKENS_MAX });

  async function learn(assets: readonly string[]): Promise<void> {
    const missing = assets.filter((gid) => !tokens.has(gid));
    if (missing.length === 0) return;
    const { rows } = await db.query<TokenRow>({
      name: 'read_message_names',
      text: 'SELECT gid, symbol, ui_multiplier AS multiplier FROM assets WHERE gid = ANY($1::text[])',
      values: [missing],
    });
    const found = new Map(rows.map((row) => [row.gid, row]));
    for (const gid of missing) {
      const row = found.get(gid) ?? { gid, symbol: null, multiplier: null };
      tokens.set(gid, row, { ttl: row.symbol === null ? UNKNOWN_MS : KNOWN_MS });
    }
  }

  function findToken(assetGid: string): NamedToken | undefined {
    const row = tokens.get(assetGid);
    return row && { symbol: row.symbol, multiplier: multiplierOf(row) };
  }

  return {
    async read(payloads) {
      try {
        await within(timeoutMs, learn(assetsOf(payloads)));
      } catch (error) {
        logger.warn({ err: error }, 'failed to read names for a message');
      }
      return { publicUrl, findNetwork, findToken };
    },
  };
}

function multiplierOf({ multiplier }: TokenRow): string | undefined {
  const value = multiplier === null ? undefined : uiMultiplierAt(multiplier, Date.now() / 1_000);
  return value === '1' ? undefined : value;
}

/** @throws Error when the time is up; the work goes on, and its result is kept for the next message */
async function within(timeoutMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the names did not come within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
