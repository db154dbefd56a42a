// SPDX-License-Identifier: Apache-2.0
import { unwrap } from '@chainwatch/chain-core';
import type { UnknownPart } from '@chainwatch/chain-core';
import { isMissingBlock } from '../classify-node-error.ts';
import { parseWholeHeader } from '../parse-header.ts';
import type { Session } from '../session.ts';
import { expectFollows, toSettlementHeader } from './settlement-header.ts';
import type { SettlementHeader } from './settlement-header.ts';

/** Headers that one request asks for at most. */
const HEADERS_AT_ONCE = 16;
/** Chains may be faster than the time between blocks in their data by this factor. */
const HASTE = 4;
/** Headers after a block among which the one that settles it is looked for. */
const HEADERS_MAX = 1_024;

/** `header`: the first one that settles a block; `unknown`: one before it has members that are not known. */
export type Settling =
  | { readonly type: 'none' }
  | { readonly type: 'unknown'; readonly parts: readonly UnknownPart[] }
  | {
      readonly type: 'header';
      readonly header: SettlementHeader;
      /** Height of the first block that it settles. */
      readonly from: number;
      /** Every header between the block and this one, ascending. */
      readonly between: readonly SettlementHeader[];
    };

/**
 * Looks for the header that settles `block` among those after it, each of which is proved, linked to the one before and
 * checked by it. A block that is younger than the network's delay cannot be settled: then no header is asked for.
 * @throws IncompleteBlockError where a header contradicts the one before it; all of them are forgotten then
 */
export async function findSettlingHeader(
  session: Session,
  block: SettlementHeader,
  signal?: AbortSignal,
): Promise<Settling> {
  const { network, settlement } = session;
  const isOldEnough = settlement.now() - block.timestampMs >= (network.evidenceDelayMs ?? 0);
  const between: SettlementHeader[] = [];
  let parent = block;
  try {
    while (parent.number < block.number + HEADERS_MAX) {
      const next = await findChild(session, parent, { mayAsk: isOldEnough, signal });
      if (next === undefined) return { type: 'none' };
      if ('parts' in next) return { type: 'unknown', parts: next.parts };
      expectFollows(parent, next);
      if (next.settledHeight >= block.number)
        return { type: 'header', header: next, from: parent.settledHeight + 1, between };
      between.push(next);
      parent = next;
    }
    return { type: 'none' };
  } catch (error) {
    settlement.forgetHeaders(block.number + 1);
    throw error;
  }
}

interface UnknownHeader {
  readonly parts: readonly UnknownPart[];
}

/**
 * The header on `parent`: a known one, or the node's. Undefined where the node has none yet, for which it is asked at most
 * twice in the time of a block, however many blocks wait. It is asked for no more headers than there can be.
 */
async function findChild(
  session: Session,
  parent: SettlementHeader,
  { mayAsk, signal }: { readonly mayAsk: boolean; readonly signal?: AbortSignal },
): Promise<SettlementHeader | UnknownHeader | undefined> {
  const known = session.settlement.headerAt(parent.number + 1);
  if (known?.parentHash === parent.hash) return known;
  const { settlement, network } = session;
  if (!mayAsk || settlement.isLast(parent.hash, network.blockTimeMs / 2)) return undefined;
  const ageMs = Math.max(0, settlement.now() - parent.timestampMs);
  const count = Math.min(HEADERS_AT_ONCE, 2 + Math.ceil((HASTE * ageMs) / network.blockTimeMs));
  const [first] = await settlement.shareAsking(parent.hash, () =>
    askHeaders(session, { from: parent.number + 1, count, signal }),
  );
  if (first === undefined) settlement.noteLast(parent.hash);
  return first;
}

/**
 * Headers that the node has from a height on, ascending, and noted. They end where the node has no more, and before one that
 * is not linked to the one before or has members that are not known.
 */
export async function askHeaders(
  { transport, traits, settlement }: Session,
  { from, count, signal }: { readonly from: number; readonly count: number; readonly signal?: AbortSignal },
): Promise<readonly (SettlementHeader | UnknownHeader)[]> {
  const calls = Array.from({ length: count }, (_, index) => ({
    method: 'eth_getBlockByNumber',
    params: [`0x${(from + index).toString(16)}`, false],
  }));
  const headers: SettlementHeader[] = [];
  for (const answer of await transport.callMany(calls, signal)) {
    const result = answer.type === 'error' && isMissingBlock(answer.error) ? null : unwrap(answer);
    const last = headers.at(-1);
    if (result === null) {
      if (last !== undefined) settlement.noteLast(last.hash);
      break;
    }
    const { header, unknown } = parseWholeHeader(result, traits);
    if (unknown.length > 0) return headers.length > 0 ? headers : [{ parts: unknown }];
    const next = toSettlementHeader(header, traits);
    if (last !== undefined && next.parentHash !== last.hash) break;
    headers.push(next);
  }
  for (const header of headers) settlement.noteHeader(header);
  return headers;
}
