// SPDX-License-Identifier: Apache-2.0
import { LRUCache } from 'lru-cache';
import {
  FOREVER,
  keptAtMost,
  keptFor,
  type CacheQuestion,
  type CacheRule,
  type Lifetime,
} from '@chainwatch/chain-core';

const HEIGHTS_MAX = 10_000;
const TEN_SECONDS: Lifetime = { ms: 10_000, untilHead: true };
const aSecond = keptAtMost(1_000);

/** Heights of blocks by hash: raw answers do not hold them, so they are remembered from answers that do. */
type Heights = LRUCache<string, number>;

export function createCacheRules(): ReadonlyMap<string, CacheRule> {
  const heights: Heights = new LRUCache({ max: HEIGHTS_MAX });
  const block: CacheRule = { lifetimeOf: (question) => ofBlock(heights, question) };
  return new Map<string, CacheRule>([
    ['getblockhash', { lifetimeOf: (question) => ofBlockHash(heights, question) }],
    ['getblock', block],
    ['getblockheader', block],
    ['getrawtransaction', { lifetimeOf: (question) => ofRawTransaction(heights, question) }],
    [
      'gettxoutproof',
      {
        lifetimeOf: (question) =>
          typeof question.params[1] === 'string' ? byHash(heights, question, question.params[1]) : undefined,
      },
    ],
    ['getblockfilter', { lifetimeOf: (question) => byHash(heights, question, question.params[0]) }],
    ['getblockcount', aSecond],
    ['getbestblockhash', aSecond],
    ['getblockchaininfo', aSecond],
    ['estimatesmartfee', keptFor({ ms: 10_000, untilHead: false })],
  ]);
}

function byHash(heights: Heights, { finalNumber }: CacheQuestion, hash: unknown): Lifetime {
  const height = typeof hash === 'string' ? heights.get(hash) : undefined;
  return height !== undefined && height <= finalNumber ? FOREVER : TEN_SECONDS;
}

function ofBlockHash(heights: Heights, { params, result, finalNumber }: CacheQuestion): Lifetime | undefined {
  const [height] = params;
  if (typeof height !== 'number') return undefined;
  heights.set(result.toString('latin1', 1, Math.max(1, result.length - 1)), height);
  return height <= finalNumber ? FOREVER : TEN_SECONDS;
}

/** Verbose answers hold `confirmations`, which grow with every block. */
function ofBlock(heights: Heights, question: CacheQuestion): Lifetime {
  const [hash, verbosity] = question.params;
  if (verbosity === 0 || verbosity === false) return byHash(heights, question, hash);
  const height = /"height"\s*:\s*(\d{1,9})\b/.exec(
    question.result.toString('latin1', 0, Math.min(question.result.length, 4_096)),
  )?.[1];
  if (typeof hash === 'string' && height !== undefined) heights.set(hash, Number(height));
  return TEN_SECONDS;
}

function ofRawTransaction(heights: Heights, question: CacheQuestion): Lifetime | undefined {
  const [, verbosity, inBlock] = question.params;
  const isVerbose = verbosity !== undefined && verbosity !== null && verbosity !== false && verbosity !== 0;
  if (isVerbose) return question.result.includes('"blockhash"') ? TEN_SECONDS : undefined;
  return typeof inBlock === 'string' ? byHash(heights, question, inBlock) : undefined;
}
