// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError, IncompleteBlockError } from '@chainwatch/chain-core';
import type { BlockRef } from '@chainwatch/chain-core';
import { readVerified } from '../read-verified.ts';
import type { Session } from '../session.ts';
import { askHeaders } from './find-settling-header.ts';
import type { Settling } from './find-settling-header.ts';
import { keepVerified } from './keep-verified.ts';
import type { KeptBlock } from './kept-block.ts';
import { EMPTY_ROOT, expectFollows } from './settlement-header.ts';
import type { SettlementHeader } from './settlement-header.ts';

/** A block by hash, verified and kept, or as it was kept before. */
export function loadBlock(
  session: Session,
  {
    ref,
    hasTraces,
    signal,
  }: { readonly ref: BlockRef; readonly hasTraces: boolean; readonly signal?: AbortSignal },
): Promise<KeptBlock> {
  return session.settlement.load(ref.hash, async () =>
    keepVerified(await readVerified(session, { ref, signal, hasTraces }), session.traits),
  );
}

/**
 * The blocks that are settled together with `block`, in order, without those that have no transaction. Each is read by its
 * hash, which its child names, unless it is kept.
 * @throws IncompleteBlockError, BlockNotFoundError, ChainClientError
 */
export async function readRange(
  session: Session,
  {
    block,
    settling,
    signal,
  }: {
    readonly block: KeptBlock;
    readonly settling: Extract<Settling, { type: 'header' }>;
    readonly signal?: AbortSignal;
  },
): Promise<readonly KeptBlock[]> {
  const { from, header, between } = settling;
  const before = await readHeadersBefore(session, { block: block.header, from, signal });
  const headers = [...before, block.header, ...between].filter(
    ({ number }) => number >= from && number <= header.settledHeight,
  );
  const early = headers.find(({ isAsynchronous }) => !isAsynchronous);
  if (early !== undefined)
    throw new IncompleteBlockError(
      `block ${early.number} ${early.hash}: expected receipts under its own root, got ones settled with block ${header.number}`,
    );
  return Promise.all(
    headers
      .filter(({ transactionsRoot }) => transactionsRoot !== EMPTY_ROOT)
      .map(async (ref) =>
        ref.hash === block.ref.hash ? block : loadBlock(session, { ref, hasTraces: false, signal }),
      ),
  );
}

/** Headers of [from, the parent of `block`], ascending: those that are linked to it. */
async function readHeadersBefore(
  session: Session,
  {
    block,
    from,
    signal,
  }: { readonly block: SettlementHeader; readonly from: number; readonly signal?: AbortSignal },
): Promise<readonly SettlementHeader[]> {
  const headers: SettlementHeader[] = [];
  let child = block;
  let hasAsked = false;
  while (child.number > from) {
    const parent = session.settlement.headerAt(child.number - 1);
    if (parent?.hash === child.parentHash) {
      expectFollows(parent, child);
      headers.unshift(parent);
      child = parent;
      continue;
    }
    if (hasAsked)
      throw new BlockNotFoundError(`block ${child.number - 1} ${child.parentHash} is not known to the node`);
    hasAsked = true;
    await askHeaders(session, { from, count: child.number - from, signal });
  }
  return headers;
}
