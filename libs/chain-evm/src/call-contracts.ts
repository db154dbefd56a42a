// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError, ChainClientError, unwrap } from '@chainwatch/chain-core';
import { isMissingBlock, isTransient, isUnsupported } from './classify-node-error.ts';
import { decodeAggregate, encodeAggregate, MULTICALL3_ADDRESS } from './multicall.ts';
import type { ContractCall } from './multicall.ts';
import type { RpcAnswer } from '@chainwatch/chain-core';
import type { Session } from './session.ts';

/** A block as the parameter of a call: a number, a tag, or a hash (EIP-1898). */
export type BlockParameter = string | { readonly blockHash: string };

const MULTICALL_SIZE = 250;

/**
 * Results of view calls at a block, undefined where the contract does not answer. Sent as one multicall where
 * the network has Multicall3, else as one batch.
 * @throws BlockNotFoundError, ChainClientError
 */
export async function callContracts(
  session: Session,
  {
    calls,
    block,
    signal,
  }: {
    readonly calls: readonly ContractCall[];
    readonly block: BlockParameter;
    readonly signal?: AbortSignal;
  },
): Promise<(string | undefined)[]> {
  if (calls.length === 0) return [];
  if (session.capabilities.hasMulticall && calls.length > 1) {
    const chunks = [];
    for (let start = 0; start < calls.length; start += MULTICALL_SIZE) {
      chunks.push(
        callAggregate(session, { calls: calls.slice(start, start + MULTICALL_SIZE), block, signal }),
      );
    }
    return (await Promise.all(chunks)).flat();
  }
  return callSeparately(session, { calls, block, signal });
}

async function callAggregate(
  session: Session,
  {
    calls,
    block,
    signal,
  }: {
    readonly calls: readonly ContractCall[];
    readonly block: BlockParameter;
    readonly signal?: AbortSignal;
  },
): Promise<(string | undefined)[]> {
  try {
    const call = { to: MULTICALL3_ADDRESS, data: encodeAggregate(calls) };
    const result = await session.transport.call('eth_call', [call, block], signal);
    const results = typeof result === 'string' ? decodeAggregate(result, calls.length) : undefined;
    // One that burns all gas leaves none for those behind it, and they fail with it.
    if (results !== undefined) return await callFailedAgain(session, { calls, results, block, signal });
    // No code at Multicall3's address: before its deployment, or on a private chain with a public chain's id.
  } catch (error) {
    if (!isExecutionFailure(error)) throw error;
    // One token that burns all gas fails the whole multicall; in separate calls only that one fails.
  }
  return callSeparately(session, { calls, block, signal });
}

interface FailedCalls {
  readonly calls: readonly ContractCall[];
  readonly results: readonly (string | undefined)[];
  readonly block: BlockParameter;
  readonly signal?: AbortSignal | undefined;
}

async function callFailedAgain(
  session: Session,
  { calls, results, block, signal }: FailedCalls,
): Promise<(string | undefined)[]> {
  const failed = calls.filter((_, position) => results[position] === undefined);
  if (failed.length === 0) return [...results];
  const again = (await callSeparately(session, { calls: failed, block, signal })).values();
  return results.map((result) => result ?? again.next().value);
}

async function callSeparately(
  session: Session,
  {
    calls,
    block,
    signal,
  }: {
    readonly calls: readonly ContractCall[];
    readonly block: BlockParameter;
    readonly signal?: AbortSignal;
  },
): Promise<(string | undefined)[]> {
  const requests = calls.map((call) => ({ method: 'eth_call', params: [call, block] }));
  return (await session.transport.callMany(requests, signal)).map(readResult);
}

function readResult(answer: RpcAnswer): string | undefined {
  if (answer.type === 'error' && isExecutionFailure(answer.error)) return undefined;
  const result = unwrap(answer);
  return typeof result === 'string' ? result : undefined;
}

/** The node ran the call and the contract failed; anything else is the node's own trouble. */
function isExecutionFailure(error: unknown): boolean {
  if (!(error instanceof ChainClientError) || error.nodeCode === undefined) return false;
  if (EXECUTION_TEXT.test(error.message)) return true;
  return (
    !isMissingBlock(error) && !isTransient(error) && !isUnsupported(error) && !isHttpFailure(error.nodeCode)
  );
}

/** Nodes that call it an internal error, or a time-out of theirs: what a contract costs is the contract's fault. */
const EXECUTION_TEXT =
  /out.?of.?gas|execution (reverted|aborted)|invalid opcode|stack (under|over)flow|evm (error|timeout)|vm execution error/i;

function isHttpFailure(code: number): boolean {
  return code >= 100 && code < 600;
}

/** Turns "the node does not have that block or its state" into the port's error. */
export function toBlockError(error: unknown, what: string): unknown {
  return isMissingBlock(error)
    ? new BlockNotFoundError(`state of ${what} is not known to the node`, { cause: error })
    : error;
}
