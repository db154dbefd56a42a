// SPDX-License-Identifier: Apache-2.0
import type { Block, BlockRef, Network } from '@chainwatch/chain-core';
import { decodeAddedReceivers, decodeRewards } from './block-rewards.ts';
import { addStateSync } from './bor-state-sync.ts';
import { decodeBlock } from './decode-block.ts';
import { askAll, readBody, readReceipts } from './read-answers.ts';
import { readRawEncodings, verifyWithEncodings } from './read-raw-encodings.ts';
import { hasTracesOf, readTraces } from './read-traces.ts';
import type { BlockTraces } from './read-traces.ts';
import { readBlockTraces } from './read-traces-apart.ts';
import type { Session } from './session.ts';
import type { VerifiedBlock } from './verify-block.ts';

/** A verified block, and its traces where they were asked for. */
export interface ReadBlock {
  readonly verified: VerifiedBlock;
  /** Absent where they tell nothing of the block, or the endpoint does not trace. */
  readonly traces?: BlockTraces;
  /** False: nobody asked for the traces yet. */
  readonly hasTraces: boolean;
}

/**
 * Body and receipts of a block by hash, verified.
 * @param hasTraces ask for the traces too, in parallel with the receipts
 * @throws BlockNotFoundError, IncompleteBlockError, ChainClientError
 */
export async function readVerified(
  session: Session,
  {
    ref,
    signal,
    hasTraces,
    takeUntraced,
  }: {
    readonly ref: BlockRef;
    readonly signal?: AbortSignal;
    readonly hasTraces: boolean;
    readonly takeUntraced?: boolean | undefined;
  },
): Promise<ReadBlock> {
  const replies = session.capabilities.receipts === 'single' ? undefined : await askAll(session, ref, signal);
  const body = readBody(session, { ref, signal, reply: replies?.body });
  // No transaction is known beforehand to run no code, because the gas of a bare payment differs between forks.
  const asked = body.then((raw) =>
    hasTraces && hasTracesOf(session, raw) ? readTraces(session, ref, signal) : undefined,
  );
  // Awaited once the block is proved.
  asked.catch(() => undefined);
  const [block, receipts, encodings] = await Promise.all([
    body,
    readReceipts(session, { ref, source: { body, asked: replies?.receipts }, signal }),
    body.then((raw) => readRawEncodings(session, raw, signal)),
  ]);
  const whole = await addStateSync(session, { block, receipts, signal });
  const verified = await verifyWithEncodings(session, {
    ref,
    answers: { block, receipts: whole, encodings },
    signal,
  });
  const traces = await readBlockTraces(session, { ref, verified, asked, takeUntraced, signal });
  return { verified, traces, hasTraces };
}

/** A verified block with what its traces tell. */
export function decodeTraced(
  network: Network,
  verified: VerifiedBlock,
  traces: BlockTraces | undefined,
): Block {
  const { transactions: traced, rewards, unread = [] } = traces ?? {};
  const block = decodeBlock(network, verified, traced);
  const paid =
    rewards === undefined
      ? decodeAddedReceivers(network, verified.receipts)
      : decodeRewards(network, rewards);
  return {
    ...block,
    balanceChanges: [...block.balanceChanges, ...paid],
    // What it did is not all told: it is read again until a node traces it.
    ...(unread.length > 0 && {
      unknowns: [...(block.unknowns ?? []), ...unread],
      verification: 'unproved' as const,
    }),
    ...((traces === undefined ? verified.transactions.length > 0 : unread.length > 0) && {
      leavesOut: 'internal' as const,
    }),
  };
}
