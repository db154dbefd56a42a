import { ChainClientError } from '@chainwatch/chain-core';
import type { RpcAnswer, RpcCall } from '@chainwatch/chain-core';
import type { Session } from './session.ts';

const batchSize = 100;

/**
 * Many calls, answers in their order: as batches, or one by one where the endpoint does not take batches.
 * @throws ChainClientError when the transport fails; a node's error to one call is that call's answer
 */
export async function callMany(session: Session, calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[]> {
  const answers: Promise<RpcAnswer[]>[] = [];
  for (let start = 0; start < calls.length; start += batchSize) {
    answers.push(callChunk(session, calls.slice(start, start + batchSize), signal));
  }
  return (await Promise.all(answers)).flat();
}

async function callChunk(session: Session, calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[]> {
  if (session.capabilities.hasBatch && calls.length > 1) {
    try {
      return await session.transport.batch(calls, signal);
    } catch (error) {
      if (!refusesBatches(error)) throw error;
      session.capabilities.hasBatch = false;
    }
  }
  return Promise.all(calls.map((call) => callOne(session, call, signal)));
}

async function callOne({ transport }: Session, { method, params }: RpcCall, signal?: AbortSignal): Promise<RpcAnswer> {
  try {
    return { type: 'result', result: await transport.call(method, params, signal) };
  } catch (error) {
    if (error instanceof ChainClientError && error.nodeCode !== undefined && !isHttpStatus(error.nodeCode)) {
      return { type: 'error', error };
    }
    throw error;
  }
}

/** One error for the whole batch that is neither a rate limit nor a fault of the server. */
function refusesBatches(error: unknown): boolean {
  if (!(error instanceof ChainClientError) || error.nodeCode === undefined) return false;
  return error.nodeCode !== 429 && !(error.nodeCode >= 500 && error.nodeCode < 600) && error.nodeCode !== -32005;
}

function isHttpStatus(code: number): boolean {
  return code >= 100 && code < 600;
}
