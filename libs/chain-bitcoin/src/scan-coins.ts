// SPDX-License-Identifier: Apache-2.0
import type { CoinScan } from '@chainwatch/chain-core';
import { readHead } from './read-headers.ts';
import { scanIndex } from './scan-index.ts';
import { scanTxOutSet } from './scan-tx-out-set.ts';
import type { Session } from './session.ts';

/** Asks the node itself first, then the index beside it; undefined where neither can tell. */
export async function scanCoins(
  session: Session,
  addresses: readonly string[],
  signal?: AbortSignal,
): Promise<CoinScan | undefined> {
  if (addresses.length === 0) {
    const { number, hash } = await readHead(session, signal);
    return { at: { number, hash }, coins: [] };
  }
  const scan = await scanTxOutSet(session, addresses, signal);
  if (scan !== undefined || session.index === undefined) return scan;
  return scanIndex(session, { index: session.index, addresses, signal });
}
