// SPDX-License-Identifier: Apache-2.0
import { settleUnknowns } from '@chainwatch/chain-core';
import type { Block, BlockRef, DecodedVerification, ReadBlockOptions } from '@chainwatch/chain-core';
import { decodeTraced } from '../read-verified.ts';
import { proveDoubted } from '../prove-senders.ts';
import { hasTracesOf, readTraces } from '../read-traces.ts';
import { readBlockTraces } from '../read-traces-apart.ts';
import type { Session } from '../session.ts';
import { findEvidence } from './find-evidence.ts';
import type { Evidence } from './find-evidence.ts';
import type { ReadBlock } from '../read-verified.ts';
import type { KeptBlock } from './kept-block.ts';
import { loadBlock } from './read-range.ts';

/**
 * A block whose receipts a later header proves: `settling` until that header is there, then proved. What it has that is not
 * known stays `unproved`. A block without transactions has no receipts, so its own header proves it.
 * @param kept the block, where it was just read
 * @throws BlockNotFoundError, IncompleteBlockError, ChainClientError, UnknownContentError unless `takeUnknown`
 */
export async function readSettledBlock(
  session: Session,
  {
    ref,
    kept,
    signal,
    options = {},
  }: {
    readonly ref: BlockRef;
    readonly kept?: KeptBlock;
    readonly signal?: AbortSignal;
    readonly options?: ReadBlockOptions;
  },
): Promise<Block> {
  const { settlement, doubted } = session;
  // A node may know better by now what it told in an unknown form, and tell the sender rightly.
  if (kept === undefined && (doubted.has(ref.hash) || settlement.find(ref.hash)?.unknown !== undefined))
    settlement.forget([ref]);
  const loaded = kept ?? (await loadBlock(session, { ref, hasTraces: true, signal }));
  const { block, evidence } = needsEvidence(loaded)
    ? await findEvidence(session, loaded, signal)
    : { block: loaded, evidence: undefined };
  const decoded = await decode(session, block, { signal, takeUntraced: options.takeUntraced });
  await proveDoubted(session, { ref, block: decoded, signal });
  const parts = [
    ...(block.unknown?.parts ?? []),
    ...(decoded.unknowns ?? []),
    ...(evidence?.type === 'unknown' ? evidence.parts : []),
  ];
  return settleUnknowns(mark(decoded, evidence), parts, options);
}

function needsEvidence({ header, encodings, unknown }: KeptBlock): boolean {
  return header.isAsynchronous && encodings.length > 0 && unknown?.isEverything !== true;
}

async function decode(
  session: Session,
  kept: KeptBlock,
  asking: { readonly signal: AbortSignal | undefined; readonly takeUntraced: boolean | undefined },
): Promise<Block> {
  const { block, read, ref } = kept;
  if (block !== undefined) return block;
  if (read === undefined)
    throw new TypeError(`block ${ref.number} ${ref.hash} has nothing to be decoded from`);
  // The book keeps what `keepVerified` gave it.
  const { verified, hasTraces, traces: asked } = read as ReadBlock;
  const traces =
    hasTraces || !hasTracesOf(session, verified.block)
      ? asked
      : await readBlockTraces(session, {
          ...{ ref, verified, ...asking },
          asked: readTraces(session, ref, asking.signal),
        });
  const decoded = decodeTraced(session.network, verified, traces);
  // What was not traced may be traced the next time.
  if (traces?.unread === undefined) session.settlement.setDecoded(kept, decoded);
  return decoded;
}

function mark(block: Block, evidence: Evidence | undefined): Block {
  if (evidence === undefined) return block;
  if (evidence.type === 'proved') return { ...block, provedBy: evidence.by };
  const verification: DecodedVerification = evidence.type === 'none' ? 'settling' : 'unproved';
  return {
    ...block,
    verification,
    transactions: block.transactions.map((transaction) => ({ verification, ...transaction })),
  };
}
