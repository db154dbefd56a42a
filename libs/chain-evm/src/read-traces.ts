// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError, ChainClientError, IncompleteBlockError } from '@chainwatch/chain-core';
import type { BlockRef, UnknownPart } from '@chainwatch/chain-core';
import { isUnsupported } from './classify-node-error.ts';
import type { CallFrame, CallTrace, ParityTrace } from './raw-trace.ts';
import type { RawBlock } from './raw-block.ts';
import type { Session } from './session.ts';

/** What a trace adds to a transaction. */
export interface TransactionTrace {
  readonly isFailed: boolean;
  /** In execution order. */
  readonly transfers: readonly InternalTransfer[];
}

/** A movement of the native coin below a transaction's top call. */
export interface InternalTransfer {
  readonly from: string;
  /** Absent: burned. */
  readonly to?: string;
  /** Wei, greater than 0. */
  readonly amountRaw: bigint;
}

/** The block and transactions that the traces must belong to. */
export interface TracedBlock {
  /** Of the transactions, in their order. */
  readonly hashes: readonly string[];
  /** Hash of Polygon's state sync, which is not among `hashes`. */
  readonly stateSync?: string;
  /** Hashes of HyperEVM's system transactions, which are not among `hashes`. */
  readonly system?: readonly string[];
}

/** What a block itself pays, beyond its transactions. */
export interface BlockReward {
  readonly address: string;
  /** Wei, greater than 0. */
  readonly amountRaw: bigint;
}

export interface BlockTraces {
  /** One of each transaction, in their order; undefined of one that no node can trace (`unread`). */
  readonly transactions: readonly (TransactionTrace | undefined)[];
  readonly unread?: readonly UnknownPart[];
  /** Undefined where the endpoint does not tell rewards. */
  readonly rewards?: readonly BlockReward[];
}

/** The traces, checked to be those of `block`. @throws IncompleteBlockError */
export type ReadTraces = (block: TracedBlock) => BlockTraces;

/**
 * Whether traces tell anything of a block: of one without transactions only where blocks of its kind pay by themselves and
 * the endpoint tells it.
 */
export function hasTracesOf({ traits, capabilities }: Session, block: RawBlock): boolean {
  if (block.transactions.length > 0) return true;
  if (capabilities.trace !== 'trace_block') return false;
  return traits.rewards === 'traced' || (traits.rewards === 'mined' && BigInt(block.difficulty) > 0n);
}

/**
 * Traces of a block, to be read once the block itself is proved; undefined where the endpoint does not
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
  return (block) => ({ transactions: decodeCallTraces(ref, block.hashes, withoutUncovered(traces, block)) });
}

async function readParityTraces(session: Session, ref: BlockRef, signal?: AbortSignal): Promise<ReadTraces> {
  const params = [`0x${ref.number.toString(16)}`];
  const traces = expectList<ParityTrace>(ref, await session.transport.call('trace_block', params, signal));
  return ({ hashes, stateSync, system = [] }) => {
    const uncovered = new Set<unknown>(stateSync === undefined ? system : [...system, stateSync]);
    const own =
      uncovered.size === 0 ? traces : traces.filter(({ transactionHash }) => !uncovered.has(transactionHash));
    return { transactions: decodeParityTraces(ref, hashes, own), rewards: decodeRewards(traces) };
  };
}

/** Removes the traces of system transactions, and that of the state sync, which Bor may list as one more transaction. */
function withoutUncovered(
  traces: readonly CallTrace[],
  { stateSync, system = [], hashes }: TracedBlock,
): readonly CallTrace[] {
  if (system.length > 0 && traces.length === hashes.length + system.length)
    return traces.slice(system.length);
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

/** The node has an error in place of the trace of a transaction. */
export class UntracedError extends IncompleteBlockError {}

/**
 * Reads a `debug_traceBlockBy…` answer with the callTracer.
 * @throws UntracedError, IncompleteBlockError when it is not one trace for each of `hashes`
 */
export function decodeCallTraces(
  ref: BlockRef,
  hashes: readonly string[],
  traces: readonly CallTrace[],
): TransactionTrace[] {
  if (traces.length !== hashes.length) fail(ref, `expected ${hashes.length} traces, got ${traces.length}`);
  return traces.map((trace, index) => {
    const hash = hashes[index] ?? '';
    if (typeof trace.txHash === 'string' && trace.txHash !== hash)
      fail(ref, `expected trace of ${hash}, got ${trace.txHash}`);
    const frame = trace.result;
    if (frame === undefined || frame === null)
      throw new UntracedError(
        `${describe(ref)}: expected a trace of ${hash}, got error ${trace.error ?? 'none'}`,
      );
    const transfers: InternalTransfer[] = [];
    const isFailed = isReverted(frame);
    if (!isFailed) for (const call of frame.calls ?? []) collect(ref, call, transfers);
    return { isFailed, transfers };
  });
}

/**
 * Reads a `trace_block` answer (Parity's form).
 * @throws BlockNotFoundError when it is of another block, IncompleteBlockError when it lacks the top call of one of `hashes`
 */
export function decodeParityTraces(
  ref: BlockRef,
  hashes: readonly string[],
  traces: readonly ParityTrace[],
): TransactionTrace[] {
  const byHash = new Map<string, ParityState>();
  for (const trace of traces) {
    // The traces were asked for by number: the node has another block at that number now, and has dropped this one.
    if (trace.blockHash !== ref.hash) {
      throw new BlockNotFoundError(
        `traces of block ${ref.number}: expected ${ref.hash}, the node has ${trace.blockHash} there`,
      );
    }
    if (typeof trace.transactionHash === 'string')
      addStep(ref, { byHash, hash: trace.transactionHash, trace }); // else a reward
  }
  if (byHash.size > hashes.length)
    fail(ref, `expected traces of ${hashes.length} transactions, got ${byHash.size}`);
  return hashes.map((hash) => {
    const found = byHash.get(hash);
    if (found === undefined) fail(ref, `expected traces of ${hash}, got none`);
    return { isFailed: found.isFailed, transfers: found.transfers };
  });
}

/**
 * Rewards in a `trace_block` answer: those of the block and its uncles (before the Merge), and what a contract told the
 * chain to mint (`external`: AuRa). `decodeParityTraces` has checked that they are the block's.
 */
export function decodeRewards(traces: readonly ParityTrace[]): BlockReward[] {
  return traces.flatMap(({ type, action: { author, value } }) => {
    if (type !== 'reward' || typeof author !== 'string' || typeof value !== 'string') return [];
    const amountRaw = BigInt(value);
    return amountRaw > 0n ? [{ address: author.toLowerCase(), amountRaw }] : [];
  });
}

interface ParityState {
  readonly isFailed: boolean;
  readonly transfers: InternalTransfer[];
  /** Paths of calls that failed; what lies below them was undone. Anybody can make as many as the gas of a block allows. */
  readonly dead: Set<string>;
}

function addStep(
  ref: BlockRef,
  {
    byHash,
    hash,
    trace,
  }: { readonly byHash: Map<string, ParityState>; readonly hash: string; readonly trace: ParityTrace },
): void {
  const isFailed = isSet(trace.error);
  if (trace.traceAddress.length === 0) {
    byHash.set(hash, { isFailed, transfers: [], dead: new Set(isFailed ? [''] : []) });
    return;
  }
  const state = byHash.get(hash);
  if (state === undefined)
    fail(ref, `expected the top call of ${hash} first, got ${trace.traceAddress.join('.')}`);
  if (isBelow(state.dead, trace.traceAddress)) return;
  if (isFailed) {
    state.dead.add(trace.traceAddress.map((index) => `.${index}`).join(''));
    return;
  }
  const transfer = toTransfer(trace);
  if (transfer !== undefined) state.transfers.push(transfer);
}

function isBelow(dead: ReadonlySet<string>, address: readonly number[]): boolean {
  let path = '';
  return dead.size > 0 && (dead.has(path) || address.some((index) => dead.has((path += `.${index}`))));
}

function collect(ref: BlockRef, frame: CallFrame, transfers: InternalTransfer[]): void {
  if (isReverted(frame)) return;
  // Geth before 1.10 tells that a contract was destroyed, but not what it held and who got it.
  if (frame.type === 'SELFDESTRUCT' && typeof frame.value !== 'string')
    fail(ref, 'expected a SELFDESTRUCT with its value, got none');
  if (movesValue(frame.type) && typeof frame.value === 'string' && typeof frame.to === 'string') {
    const amountRaw = BigInt(frame.value);
    if (amountRaw > 0n)
      transfers.push({ from: frame.from.toLowerCase(), to: frame.to.toLowerCase(), amountRaw });
  }
  for (const call of frame.calls ?? []) collect(ref, call, transfers);
}

function movesValue(type: string): boolean {
  // DELEGATECALL and CALLCODE keep the caller's own balance, STATICCALL moves nothing.
  return type === 'CALL' || type === 'CREATE' || type === 'CREATE2' || type === 'SELFDESTRUCT';
}

function toTransfer(trace: ParityTrace): InternalTransfer | undefined {
  const { action } = trace;
  switch (trace.type) {
    case 'call':
      return action.callType === 'call' ? toPositive(action.from, action.to, action.value) : undefined;
    case 'create':
      return toPositive(action.from, trace.result?.address, action.value);
    case 'suicide':
    case 'selfdestruct':
      return toPositive(action.address, action.refundAddress, action.balance);
    default:
      return undefined;
  }
}

function toPositive(
  from: string | undefined,
  to: string | undefined,
  value: string | undefined,
): InternalTransfer | undefined {
  if (typeof from !== 'string' || typeof to !== 'string' || typeof value !== 'string') return undefined;
  const amountRaw = BigInt(value);
  return amountRaw > 0n ? { from: from.toLowerCase(), to: to.toLowerCase(), amountRaw } : undefined;
}

function isReverted(frame: CallFrame): boolean {
  return isSet(frame.error);
}

function isSet(error: string | null | undefined): boolean {
  return error !== undefined && error !== null && error !== '';
}

const describe = ({ number, hash }: BlockRef): string => `traces of block ${number} ${hash}`;

function fail(ref: BlockRef, text: string): never {
  throw new IncompleteBlockError(`${describe(ref)}: ${text}`);
}
