// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError, ChainClientError } from '@chainwatch/chain-core';
import type { BlockRef, UnknownPart } from '@chainwatch/chain-core';
import { isBusy, isMissingBlock } from './classify-node-error.ts';
import type { CallFrame, ParityTrace } from './raw-trace.ts';
import {
  decodeCallTraces,
  decodeParityTraces,
  UntracedError,
  type BlockTraces,
  type ReadTraces,
  type TransactionTrace,
} from './read-traces.ts';
import type { Session } from './session.ts';
import type { VerifiedBlock } from './verify-block.ts';

const AT_ONCE = 8;

interface Traced {
  readonly ref: BlockRef;
  readonly verified: VerifiedBlock;
  /** The traces of the whole block (`readTraces`). */
  readonly asked: Promise<ReadTraces | undefined>;
  /** `ReadBlockOptions.takeUntraced` */
  readonly takeUntraced?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * What the traces tell of a proved block; undefined where the endpoint does not trace. With `takeUntraced`, and where the
 * node cannot trace the block as a whole, each transaction is traced by itself.
 * @throws BlockNotFoundError, IncompleteBlockError, ChainClientError
 */
export async function readBlockTraces(session: Session, traced: Traced): Promise<BlockTraces | undefined> {
  const { transactions, stateSync, system } = traced.verified;
  try {
    const read = await traced.asked;
    return read?.({
      hashes: transactions.map(({ hash }) => hash),
      ...(stateSync !== undefined && { stateSync: stateSync.transactionHash }),
      ...(system !== undefined && { system: system.map(({ tx }) => tx.hash) }),
    });
  } catch (error) {
    const isLast = traced.takeUntraced === true && transactions.length > 0;
    if (!isLast || !isFailure(error)) throw error;
    return readApart(session, { ...traced, failure: error });
  }
}

/** A node that fails at the traces of a block that it has, and has time for it. One that tells another's traces is not asked again. */
function isFailure(error: unknown): error is ChainClientError | UntracedError {
  if (error instanceof UntracedError) return true;
  return error instanceof ChainClientError && !isMissingBlock(error) && !isBusy(error);
}

interface Apart extends Pick<Traced, 'ref' | 'verified' | 'signal'> {
  readonly failure: Error;
}

/**
 * Anybody can send a transaction whose trace is larger or slower than every limit (go-ethereum issue 23552): it alone is
 * unknown then, and does not stop the chain. That the node refuses it twice, and in between traces it in the form with one
 * entry an account, shows that the node is not at fault.
 * @throws `failure` when the node does not trace a transaction in either form, BlockNotFoundError when it has left the block
 */
async function readApart(session: Session, apart: Apart): Promise<BlockTraces> {
  const { transactions: own, receipts } = apart.verified;
  // A transaction's hash names no block: what is traced is what the node's own chain has.
  await expectCanonical(session, apart);
  const transactions: (TransactionTrace | undefined)[] = [];
  const unread: UnknownPart[] = [];
  for (let start = 0; start < own.length; start += AT_ONCE) {
    const some = own.slice(start, start + AT_ONCE);
    const read = some.map(({ hash }, at) =>
      // Before Byzantium the trace alone tells whether it failed.
      readOne(session, apart, { hash, isOptional: typeof receipts[start + at]?.status === 'string' }),
    );
    for (const one of await Promise.all(read)) {
      const isUnread = 'kind' in one;
      transactions.push(isUnread ? undefined : one);
      if (isUnread) unread.push(one);
    }
  }
  await expectCanonical(session, apart);
  return unread.length === 0 ? { transactions } : { transactions, unread };
}

async function expectCanonical({ transport }: Session, { ref, signal }: Apart): Promise<void> {
  const number = `0x${ref.number.toString(16)}`;
  const told = (await transport.call('eth_getBlockByNumber', [number, false], signal)) as {
    hash?: unknown;
  } | null;
  if (told?.hash !== ref.hash)
    throw new BlockNotFoundError(
      `traces of block ${ref.number}: expected ${ref.hash}, the node has another one there`,
    );
}

async function readOne(
  session: Session,
  { ref, failure, signal }: Apart,
  { hash, isOptional }: { readonly hash: string; readonly isOptional: boolean },
): Promise<TransactionTrace | UnknownPart> {
  const ask = (method: string, params: readonly unknown[]): Promise<unknown> =>
    session.transport.call(method, params, signal);
  const isParity = session.capabilities.trace === 'trace_block';
  const trace = async (): Promise<TransactionTrace | ChainClientError | UntracedError | TypeError> => {
    try {
      const [read] = isParity
        ? decodeParityTraces(ref, [hash], (await ask('trace_transaction', [hash])) as readonly ParityTrace[])
        : decodeCallTraces(
            ref,
            [hash],
            [
              {
                result: (await ask('debug_traceTransaction', [hash, { tracer: 'callTracer' }])) as CallFrame,
              },
            ],
          );
      return read!;
    } catch (error) {
      // A list of traces that is none is read as one.
      if (isFailure(error) || error instanceof TypeError) return error;
      throw error;
    }
  };
  const first = await trace();
  if (!(first instanceof Error)) return first;
  const state = await (isParity
    ? ask('trace_replayTransaction', [hash, ['stateDiff']])
    : ask('debug_traceTransaction', [hash, { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }])
  ).catch(() => undefined);
  if (!isOptional || typeof state !== 'object' || state === null) throw failure;
  const second = await trace();
  if (!(second instanceof Error)) return second;
  return {
    kind: 'traces:unread',
    transactionHash: hash,
    expected: 'a trace with each call of the transaction',
    got: second instanceof TypeError ? 'no list of traces' : second.publicMessage,
  };
}
