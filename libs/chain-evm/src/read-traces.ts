import { BlockNotFoundError, ChainClientError } from '@chainwatch/chain-core';
import type { BlockRef } from '@chainwatch/chain-core';
import { isUnsupported } from './classify-node-error.ts';
import { decodeCallTraces, decodeParityTraces } from './decode-traces.ts';
import type { TransactionTrace } from './decode-traces.ts';
import type { RawBlock } from './raw-block.ts';
import type { CallTrace, ParityTrace } from './raw-trace.ts';
import type { Session } from './session.ts';
import type { VerifiedBlock } from './verify-block.ts';

type ReadTraces = (verified: VerifiedBlock) => readonly TransactionTrace[];

/**
 * Traces of a block, to be read once the block itself is proved; undefined where there is no transaction or the endpoint
 * does not trace at all.
 * @throws ChainClientError when the node offers tracing and fails at it
 */
export async function readTraces(
  session: Session,
  ref: BlockRef,
  block: RawBlock,
  signal?: AbortSignal,
): Promise<ReadTraces | undefined> {
  // Of no transaction can it be said beforehand that it runs no code: what a bare payment costs differs with the fork.
  if (block.transactions.length === 0) return undefined;
  const { capabilities } = session;
  while (capabilities.trace !== 'none') {
    const tried = capabilities.trace;
    try {
      return tried === 'trace_block'
        ? await readParityTraces(session, ref, signal)
        : await readCallTraces(session, ref, signal);
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      capabilities.trace = tried === 'trace_block' ? 'debug_hash' : 'none';
    }
  }
  return undefined;
}

async function readCallTraces(session: Session, ref: BlockRef, signal?: AbortSignal): Promise<ReadTraces> {
  const params = [ref.hash, { tracer: 'callTracer' }];
  const traces = expectList<CallTrace>(
    ref,
    await session.transport.call('debug_traceBlockByHash', params, signal),
  );
  return (verified) => decodeCallTraces(ref, hashesOf(verified), withoutStateSync(traces, verified));
}

async function readParityTraces(session: Session, ref: BlockRef, signal?: AbortSignal): Promise<ReadTraces> {
  const params = [`0x${ref.number.toString(16)}`];
  const traces = expectList<ParityTrace>(ref, await session.transport.call('trace_block', params, signal));
  return (verified) => {
    const stateSync = verified.stateSync?.transactionHash;
    const own = traces.filter((trace) => stateSync === undefined || trace.transactionHash !== stateSync);
    return decodeParityTraces(ref, hashesOf(verified), own);
  };
}

/** Bor may trace the state sync as one more transaction. */
function withoutStateSync(
  traces: readonly CallTrace[],
  { stateSync, transactions }: VerifiedBlock,
): readonly CallTrace[] {
  return stateSync !== undefined && traces.length === transactions.length + 1 ? traces.slice(0, -1) : traces;
}

function hashesOf({ transactions }: VerifiedBlock): readonly string[] {
  return transactions.map(({ hash }) => hash);
}

function expectList<T extends object>(ref: BlockRef, json: unknown): readonly T[] {
  if (json === null)
    throw new BlockNotFoundError(`traces of block ${ref.number} ${ref.hash} are not known to the node`);
  if (!Array.isArray(json)) throw new ChainClientError(`traces: expected a list, got ${typeof json}`);
  for (const item of json) {
    if (typeof item !== 'object' || item === null)
      throw new ChainClientError(`traces: expected objects, got ${typeof item}`);
  }
  return json as T[];
}
