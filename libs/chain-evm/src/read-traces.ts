import { BlockNotFoundError, ChainClientError } from '@chainwatch/chain-core';
import type { BlockRef } from '@chainwatch/chain-core';
import { isUnsupported } from './classify-node-error.ts';
import { decodeCallTraces, decodeParityTraces } from './decode-traces.ts';
import type { TransactionTrace } from './decode-traces.ts';
import type { CallTrace, ParityTrace } from './raw-trace.ts';
import type { Session } from './session.ts';

/** The block and transactions that the traces must belong to. */
export interface TracedBlock {
  /** Of the transactions, in their order. */
  readonly hashes: readonly string[];
  /** Hash of Polygon's state sync, which is not among `hashes`. */
  readonly stateSync?: string;
}

type ReadTraces = (block: TracedBlock) => readonly TransactionTrace[];

/**
 * Traces of a block with transactions, to be read once the block itself is proved; undefined where the endpoint does not
 * trace at all.
 * @throws ChainClientError when the node offers tracing and fails at it
 */
export async function readTraces(
  session: Session,
  ref: BlockRef,
  signal?: AbortSignal,
): Promise<ReadTraces | undefined> {
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
  return (block) => decodeCallTraces(ref, block.hashes, withoutStateSync(traces, block));
}

async function readParityTraces(session: Session, ref: BlockRef, signal?: AbortSignal): Promise<ReadTraces> {
  const params = [`0x${ref.number.toString(16)}`];
  const traces = expectList<ParityTrace>(ref, await session.transport.call('trace_block', params, signal));
  return ({ hashes, stateSync }) => {
    const own = traces.filter((trace) => stateSync === undefined || trace.transactionHash !== stateSync);
    return decodeParityTraces(ref, hashes, own);
  };
}

/** Removes the trace of the state sync, which Bor may list as one more transaction. */
function withoutStateSync(
  traces: readonly CallTrace[],
  { stateSync, hashes }: TracedBlock,
): readonly CallTrace[] {
  return stateSync !== undefined && traces.length === hashes.length + 1 ? traces.slice(0, -1) : traces;
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
