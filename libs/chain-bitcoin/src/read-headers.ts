// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChainClientError,
  IncompleteBlockError,
  WrongChainError,
  unwrap,
  type BlockHeader,
  type RpcAnswer,
} from '@chainwatch/chain-core';
import { z } from 'zod';
import { isMissingBlock, isUnsupported } from './classify-node-error.ts';
import { parseHeader, type HeaderTraits } from './parse-header.ts';
import { parseHex } from './parse-hex.ts';
import type { Session } from './session.ts';

const hashSchema = z.string().regex(/^[0-9a-f]{64}$/);
const heightSchema = z.object({ height: z.int().min(0) });

/** The node's best block. While it stays the same, this costs one request for its hash. */
export async function readHead(session: Session, signal?: AbortSignal): Promise<BlockHeader> {
  const hash = parseHash('getbestblockhash', await session.rpc.call('getbestblockhash', [], { signal }));
  if (session.head?.hash === hash) return session.head;
  const header = await findHeaderByHash(session, hash, signal);
  if (header === undefined)
    throw new ChainClientError(`getblockheader: expected the best block ${hash}, got none`);
  session.head = header;
  return header;
}

export async function findHeaderByNumber(
  session: Session,
  number: number,
  signal?: AbortSignal,
): Promise<BlockHeader | undefined> {
  const [header] = await readHeaders(session, { from: number, to: number, signal });
  return header;
}

/** A header on the best chain or off it. The 80 bytes hold no height, so only the height is taken on the node's word. */
export async function findHeaderByHash(
  session: Session,
  hash: string,
  signal?: AbortSignal,
): Promise<BlockHeader | undefined> {
  const [raw, told] = await session.rpc.callMany(
    [
      { method: 'getblockheader', params: [hash, false] },
      { method: 'getblockheader', params: [hash, true] },
    ],
    signal,
  );
  if (isMissing(raw) || isMissing(told)) return undefined;
  const height = heightSchema.safeParse(take(told));
  if (!height.success) throw new ChainClientError(`getblockheader: expected the height of ${hash}, got none`);
  return toHeader(session.traits, { hash, number: height.data.height, hex: take(raw) });
}

/**
 * Headers of the best chain, from their bytes, linked.
 * @throws ChainClientError when they are not: the chain changed meanwhile, or the node mixes two
 */
export async function readHeaders(
  session: Session,
  { from, to, signal }: { readonly from: number; readonly to: number; readonly signal?: AbortSignal },
): Promise<BlockHeader[]> {
  const hashes = await readHashes(session, { from, to, signal });
  const answers = await session.rpc.callMany(
    hashes.map((hash) => ({ method: 'getblockheader', params: [hash, false] })),
    signal,
  );
  const headers: BlockHeader[] = [];
  for (const [index, answer] of answers.entries()) {
    if (isMissing(answer)) break;
    const header = toHeader(session.traits, {
      hash: hashes[index] as string,
      number: from + index,
      hex: unwrap(answer),
    });
    const previous = headers.at(-1);
    if (previous !== undefined && header.parentHash !== previous.hash) {
      throw new ChainClientError(
        `headers are not linked: expected parent ${previous.hash} of block ${header.number}, got ${header.parentHash}`,
      );
    }
    headers.push(header);
  }
  return headers;
}

function parseHash(method: string, result: unknown): string {
  const parsed = hashSchema.safeParse(result);
  if (!parsed.success)
    throw new ChainClientError(
      `${method}: expected a block hash, got ${result === null ? 'null' : typeof result}`,
    );
  return parsed.data;
}

async function readHashes(
  session: Session,
  { from, to, signal }: { readonly from: number; readonly to: number; readonly signal?: AbortSignal },
): Promise<string[]> {
  const calls = [];
  for (let number = from; number <= to; number++) calls.push({ method: 'getblockhash', params: [number] });
  const hashes: string[] = [];
  for (const answer of await session.rpc.callMany(calls, signal)) {
    if (isMissing(answer)) break;
    hashes.push(parseHash('getblockhash', unwrap(answer)));
  }
  return hashes;
}

function isMissing(answer: RpcAnswer | undefined): boolean {
  return answer?.type === 'error' && isMissingBlock(answer.error);
}

function take(answer: RpcAnswer | undefined): unknown {
  if (answer === undefined) throw new ChainClientError('getblockheader: expected an answer, got none');
  return unwrap(answer);
}

interface ToldHeader {
  readonly hash: string;
  readonly number: number;
  readonly hex: unknown;
}

/** @throws ChainClientError when the bytes are not the header of `hash` */
function toHeader(traits: HeaderTraits, { hash, number, hex }: ToldHeader): BlockHeader {
  const header = tryParse(hash, hex, traits);
  if (header.hash !== hash)
    throw new ChainClientError(`getblockheader: expected ${hash}, got ${header.hash}`);
  return { number, hash, parentHash: header.parentHash, timestamp: header.timestamp };
}

function tryParse(hash: string, hex: unknown, traits: HeaderTraits): ReturnType<typeof parseHeader> {
  try {
    return parseHeader(parseHex(`header ${hash}`, hex), traits);
  } catch (error) {
    if (!(error instanceof IncompleteBlockError)) throw error;
    throw new ChainClientError(`getblockheader: ${error.message}`, { cause: error });
  }
}

interface HeadSubscription {
  readonly onHead: (header: BlockHeader) => void;
  /** Called once, with the reason, unless stopped before. */
  readonly onEnd: (error: Error) => void;
  /** How long a node may take beyond the wait. */
  readonly timeoutMs: number;
}

/** Shorter than the idle time-outs of gateways. */
const WAIT_MS = 15_000;
/** A node that answers at once with the known head does not wait. This rest keeps it from being asked in a tight loop. */
const REST_MS = 250;

/** Heads by `waitfornewblock`, one long poll after the other. Returns a function that stops it. */
export function subscribeHeads(session: Session, subscription: HeadSubscription): () => void {
  const controller = new AbortController();
  follow(session, subscription, controller.signal).catch((error: unknown) => {
    if (controller.signal.aborted) return;
    controller.abort();
    subscription.onEnd(error instanceof Error ? error : new ChainClientError(String(error)));
  });
  return () => controller.abort();
}

async function follow(
  session: Session,
  { onHead, timeoutMs }: HeadSubscription,
  signal: AbortSignal,
): Promise<never> {
  let last: string | undefined;
  for (;;) {
    await waitForNewBlock(session, timeoutMs, signal);
    const head = await readHead(session, signal);
    if (head.hash === last) {
      await sleep(REST_MS, undefined, { signal });
      continue;
    }
    last = head.hash;
    if (!signal.aborted) onHead(head);
  }
}

async function waitForNewBlock(
  { rpc, capabilities }: Session,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  if (!capabilities.hasWaitForNewBlock)
    throw new ChainClientError('the endpoint does not push heads', { nodeCode: -32601 });
  try {
    await rpc.call('waitfornewblock', [WAIT_MS], { signal, timeoutMs: WAIT_MS + timeoutMs });
  } catch (error) {
    if (isUnsupported(error)) capabilities.hasWaitForNewBlock = false;
    throw error;
  }
}

/**
 * Asks the node for the blocks by which its chain is told: chains that split share every block up to the split.
 * @throws WrongChainError when it has another block at one of these heights, ChainClientError when it has none there yet
 */
export async function verifyIdentity(session: Session, signal?: AbortSignal): Promise<void> {
  const { network, traits } = session;
  for (const { height, hash } of traits.identity) {
    const got = await readHash(session, height, signal);
    if (got !== hash)
      throw new WrongChainError(
        `node serves another chain: expected block ${height} of ${network.gid} to be ${hash}, got ${got}`,
      );
  }
}

async function readHash({ rpc, network }: Session, height: number, signal?: AbortSignal): Promise<string> {
  try {
    return parseHash('getblockhash', await rpc.call('getblockhash', [height], { signal }));
  } catch (error) {
    if (height === 0 || !isMissingBlock(error)) throw error;
    throw new ChainClientError(
      `node has no block ${height} yet: expected the one that tells ${network.gid} from other chains`,
      { cause: error },
    );
  }
}
