// SPDX-License-Identifier: Apache-2.0
import {
  settleUnknowns,
  type Block,
  type BlockRef,
  type DecodedVerification,
  type ReadBlockOptions,
  IncompleteBlockError,
  type UnknownPart,
  BlockNotFoundError,
} from '@chainwatch/chain-core';
import { decodeTraced, type ReadBlock, readVerified } from '../read-verified.ts';
import { proveDoubted } from '../prove-senders.ts';
import { hasTracesOf, readTraces } from '../read-traces.ts';
import { readBlockTraces } from '../read-traces-apart.ts';
import type { Session } from '../session.ts';
import type { KeptBlock } from './kept-block.ts';
import { computeOrderedRoot } from '../compute-ordered-root.ts';
import { joinBlooms } from '../logs-bloom.ts';
import { findSettlingHeader, type Settling, askHeaders } from './find-settling-header.ts';
import { type SettlementHeader, EMPTY_ROOT, expectFollows } from './settlement-header.ts';
import { keepVerified } from './keep-verified.ts';

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

/** Blocks that are settled with one header; a range with more is left without evidence. */
const RANGE_MAX = 256;

type Evidence =
  | { readonly type: 'none' }
  | { readonly type: 'proved'; readonly by: BlockRef }
  | { readonly type: 'unknown'; readonly parts: readonly UnknownPart[] };

/** What stands behind a block, and the block of which it is true: it may have been read again. */
interface Judged {
  readonly block: KeptBlock;
  readonly evidence: Evidence;
}

/**
 * Looks for the header that settles a block, and computes its `receiptsRoot` and `logsBloom` over the receipts of all blocks
 * that it settles. Where they do not match, these blocks and the headers are read once more.
 * @throws IncompleteBlockError where they do not match again and all receipts are of a known form
 */
async function findEvidence(session: Session, block: KeptBlock, signal?: AbortSignal): Promise<Judged> {
  const by = session.settlement.findProof(block);
  if (by !== undefined) return { block, evidence: { type: 'proved', by } };
  const first = await judge(session, block, signal);
  if (first.mismatch === undefined) return first;
  forget(session, first.mismatch);
  const again = await loadBlock(session, { ref: block.ref, hasTraces: false, signal });
  const second = await judge(session, again, signal);
  if (second.mismatch === undefined) return second;
  forget(session, second.mismatch);
  return { block: again, evidence: explain(second.mismatch) };
}

interface Mismatch {
  readonly block: KeptBlock;
  readonly blocks: readonly KeptBlock[];
  readonly header: SettlementHeader;
  readonly root: string;
  readonly bloom: string;
}

async function judge(
  session: Session,
  block: KeptBlock,
  signal?: AbortSignal,
): Promise<Judged & { readonly mismatch?: Mismatch }> {
  const settling = await findSettlingHeader(session, block.header, signal);
  if (settling.type !== 'header') return { block, evidence: settling };
  if (sizeOf(settling) > RANGE_MAX) return { block, evidence: { type: 'none' } };
  const { header } = settling;
  const blocks = await readRange(session, { block, settling, signal });
  const root = computeOrderedRoot(blocks.flatMap(({ encodings }) => encodings));
  const bloom = joinBlooms(blocks.map((settled) => settled.bloom));
  if (root !== header.receiptsRoot || bloom !== header.logsBloom)
    return { block, evidence: { type: 'none' }, mismatch: { block, blocks, header, root, bloom } };
  const by = { number: header.number, hash: header.hash };
  session.settlement.setProved(blocks, by);
  return { block, evidence: { type: 'proved', by } };
}

function sizeOf({ from, header }: Extract<Settling, { type: 'header' }>): number {
  return header.settledHeight - from + 1;
}

function forget({ settlement }: Session, { block, blocks }: Mismatch): void {
  settlement.forget(blocks.map(({ ref }) => ref));
  settlement.forgetHeaders(block.ref.number + 1);
}

/** What is not known, if that can be the reason. @throws IncompleteBlockError */
function explain({ block, blocks, header, root, bloom }: Mismatch): Evidence {
  const parts = blocks.flatMap(({ ref, strangeReceipts }) =>
    // A part of another block names no transaction of this one.
    ref.hash === block.ref.hash
      ? strangeReceipts
      : strangeReceipts.map(({ transactionHash: _, ...part }) => part),
  );
  const of = `block ${header.number} ${header.hash}, which settles block ${block.ref.number} ${block.ref.hash}`;
  if (root !== header.receiptsRoot && parts.length === 0)
    throw new IncompleteBlockError(
      `receiptsRoot of ${of}: expected ${header.receiptsRoot}, got ${root} from the receipts of ${blocks.length} blocks`,
    );
  if (bloom !== header.logsBloom)
    throw new IncompleteBlockError(`logsBloom of ${of}: expected ${header.logsBloom}, got ${bloom}`);
  return { type: 'unknown', parts };
}

/** A block by hash, verified and kept, or as it was kept before. */
function loadBlock(
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
async function readRange(
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
