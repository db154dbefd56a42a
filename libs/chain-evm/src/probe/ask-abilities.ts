// SPDX-License-Identifier: Apache-2.0
import type { ProbeFinding } from '@chainwatch/chain-core';
import { isMissingBlock, isUnsupported } from '../classify-node-error.ts';
import { MULTICALL3_ADDRESS } from '../multicall.ts';
import type { RpcTransport } from '../rpc-transport.ts';

export interface Asked {
  readonly transport: RpcTransport;
  readonly head: number;
  readonly signal?: AbortSignal | undefined;
}

type Answer = Pick<ProbeFinding, 'answer' | 'found'>;

const hex = (number: number): string => `0x${number.toString(16)}`;

/** Whether the node has a method, by an answer that is no refusal. */
async function has(
  { transport, signal }: Asked,
  method: string,
  params: readonly unknown[],
): Promise<true | string> {
  try {
    await transport.call(method, params, signal);
    return true;
  } catch (error) {
    signal?.throwIfAborted();
    // A transaction that it does not know is an answer, too.
    return !isUnsupported(error) && isMissingBlock(error) ? true : (error as Error).message;
  }
}

/** The first of the methods that is there. */
async function findFirst(
  asked: Asked,
  methods: readonly (readonly [method: string, params: readonly unknown[]])[],
): Promise<Answer> {
  const refusals: string[] = [];
  for (const [method, params] of methods) {
    const answer = await has(asked, method, params);
    if (answer === true) return { answer: 'yes', found: method };
    refusals.push(`${method}: ${answer.slice(0, 200)}`);
  }
  return { answer: 'no', found: refusals.join('; ') };
}

/** Blocks of one transaction in `hash`, where the sample has one. */
export function askRawEncodings(asked: Asked, hash: string | undefined): Promise<Answer> {
  const unknown = hash ?? `0x${'00'.repeat(32)}`;
  return findFirst(asked, [
    ['eth_getRawTransactionByHash', [unknown]],
    ['debug_getRawTransaction', [unknown]],
  ]);
}

export function askTraces(asked: Asked, blockHash: string): Promise<Answer> {
  return findFirst(asked, [
    ['trace_block', [hex(asked.head)]],
    ['debug_traceBlockByHash', [blockHash, { tracer: 'callTracer' }]],
  ]);
}

export interface Finality extends Answer {
  readonly tag: 'finalized' | 'safe' | undefined;
}

/** The tags whose block is below the head, or moves as blocks become final. */
export async function askFinality({ transport, head, signal }: Asked): Promise<Finality> {
  const told: string[] = [];
  let tag: Finality['tag'];
  for (const name of ['finalized', 'safe'] as const) {
    try {
      const block = (await transport.call('eth_getBlockByNumber', [name, false], signal)) as {
        readonly number?: string;
      } | null;
      if (block === null || typeof block.number !== 'string') told.push(`${name}: none`);
      else {
        told.push(`${name}: ${head - Number(block.number)} blocks behind the head`);
        tag ??= name;
      }
    } catch (error) {
      signal?.throwIfAborted();
      told.push(`${name}: ${(error as Error).message.slice(0, 200)}`);
    }
  }
  return { answer: tag === undefined ? 'no' : 'yes', found: told.join('; '), tag };
}

export async function askMulticall({ transport, signal }: Asked): Promise<Answer> {
  const code = await transport.call('eth_getCode', [MULTICALL3_ADDRESS, 'latest'], signal);
  return typeof code === 'string' && code.length > 2
    ? { answer: 'yes', found: `code at ${MULTICALL3_ADDRESS}` }
    : { answer: 'no', found: `no code at ${MULTICALL3_ADDRESS}` };
}

const RANGES = [10, 100, 1_000, 10_000, 100_000];

/** The widest range of blocks that eth_getLogs takes. Nobody logs what is asked for, so answers are small. */
export async function askLogRanges({ transport, head, signal }: Asked): Promise<Answer> {
  let widest = 0;
  for (const blocks of RANGES) {
    if (blocks > head + 1) break;
    const params = [
      { fromBlock: hex(head - blocks + 1), toBlock: hex(head), address: `0x${'00'.repeat(19)}01` },
    ];
    try {
      await transport.call('eth_getLogs', params, signal);
      widest = blocks;
    } catch (error) {
      signal?.throwIfAborted();
      return {
        answer: widest === 0 ? 'no' : 'some',
        found: `${widest} blocks at once; for ${blocks}: ${(error as Error).message.slice(0, 200)}`,
      };
    }
  }
  return widest === 0
    ? { answer: 'some', found: `too few blocks to tell: ${head + 1}` }
    : { answer: 'yes', found: `${widest} blocks at once` };
}
