// SPDX-License-Identifier: Apache-2.0
import { findStateSync } from '../bor-state-sync.ts';
import { computeOrderedRoot } from '../compute-ordered-root.ts';
import { encodeTransaction, isOfStack, typeOf } from '../encode-transaction.ts';
import { keccak256Hex } from '../encode-rlp.ts';
import { computeLogsBloom } from '../logs-bloom.ts';
import { evmTraitsSchema } from '../networks.ts';
import { encodeHeader } from '../parse-header.ts';
import { parseRawBlock } from '../parse-raw-block.ts';
import type { RawBlock } from '../raw-block.ts';
import { splitSystem } from '../system-transactions.ts';
import type { Stack } from '../types-of-stack.ts';
import { verifyBlock } from '../verify-block.ts';
import { encodeReceipts } from '../verify-receipts.ts';
import type { SampleBlock } from './read-sample.ts';

/** In how many blocks of the sample each proof holds. */
export interface Proofs {
  readonly stack: Stack;
  readonly blocks: number;
  readonly header: number;
  readonly transactionsRoot: number;
  readonly receiptsRoot: number;
  readonly bloom: number;
  /** Blocks that are whole by the rules of the stack, each of them strict. */
  readonly whole: number;
  /** Why the first one is not. */
  readonly reason: string | undefined;
}

const STACKS = evmTraitsSchema.shape.stack.options;

/** The stack by whose rules most of the sample is proved; of two that prove as much, the simpler one. */
export async function judgeStacks(sample: readonly SampleBlock[]): Promise<Proofs> {
  let best: Proofs | undefined;
  for (const stack of STACKS) {
    const proofs = await judgeStack(sample, stack);
    if (best === undefined || rank(proofs) > rank(best)) best = proofs;
    if (proofs.whole === sample.length) return proofs;
  }
  return best!;
}

const rank = ({ whole, transactionsRoot, receiptsRoot, header }: Proofs): number =>
  whole * 4 + transactionsRoot + receiptsRoot + header;

async function judgeStack(sample: readonly SampleBlock[], stack: Stack): Promise<Proofs> {
  const traits = evmTraitsSchema.parse({ stack });
  const proofs = { header: 0, transactionsRoot: 0, receiptsRoot: 0, bloom: 0, whole: 0 };
  let reason: string | undefined;
  for (const { number, hash, json, receipts } of sample) {
    try {
      const block = parseRawBlock(JSON.parse(json), stack);
      for (const [name, holds] of Object.entries(judgeParts(block, receipts, stack)))
        proofs[name as keyof typeof proofs] += holds ? 1 : 0;
      const { unknown } = await verifyBlock({ number, hash }, { block, receipts }, traits);
      if (unknown === undefined) proofs.whole += 1;
      else reason ??= unknown.parts.map(({ kind }) => kind).join(', ');
    } catch (error) {
      reason ??= (error as Error).message;
    }
  }
  return { stack, blocks: sample.length, ...proofs, reason };
}

/** A part by itself: a proof may hold where another one does not. */
function judgeParts(block: RawBlock, told: SampleBlock['receipts'], stack: Stack) {
  const { transactions, receipts } = listCovered(block, told, stack);
  return {
    header: holds(() => `0x${keccak256Hex(encodeHeader(block))}` === block.hash),
    transactionsRoot: holds(() => {
      const encodings = transactions.map((tx) =>
        isOfStack(typeOf(tx), stack) ? encodeTransaction(tx, stack) : undefined,
      );
      return (
        encodings.every((encoding) => encoding !== undefined) &&
        computeOrderedRoot(encodings) === block.transactionsRoot
      );
    }),
    receiptsRoot: holds(
      () =>
        receipts.length === transactions.length &&
        computeOrderedRoot(encodeReceipts({ transactions, receipts }, stack)) === block.receiptsRoot,
    ),
    bloom: holds(() => computeLogsBloom(receipts) === block.logsBloom),
  };
}

/** Without what the stack's roots do not cover. */
function listCovered(block: RawBlock, receipts: SampleBlock['receipts'], stack: Stack) {
  if (stack === 'hyperevm') return splitSystem(block, receipts);
  const stateSync = stack === 'bor' ? findStateSync(receipts, block) : undefined;
  return {
    transactions: block.transactions.filter(({ hash }) => hash !== stateSync?.transactionHash),
    receipts: receipts.filter((receipt) => receipt !== stateSync),
  };
}

/** What a block says in a form that cannot be encoded is not proved. */
function holds(judge: () => boolean): boolean {
  try {
    return judge();
  } catch {
    return false;
  }
}
