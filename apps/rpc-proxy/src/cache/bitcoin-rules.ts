import { LRUCache } from 'lru-cache';
import type { Chain } from '../chains/chain.ts';
import { atMost, FOREVER, type CacheQuestion, type CacheRule, type Lifetime } from './lifetime.ts';

const HEIGHTS_MAX = 10_000;
const heights = new WeakMap<Chain, LRUCache<string, number>>();
const aSecond = atMost(1_000);
const tenSeconds = atMost(10_000);

/** Raw replies do not tell their height: it is remembered from those that do. */
function learnHeight(chain: Chain, hash: unknown, height: number | undefined): void {
  if (typeof hash !== 'string' || height === undefined) return;
  let known = heights.get(chain);
  if (known === undefined) heights.set(chain, (known = new LRUCache({ max: HEIGHTS_MAX })));
  known.set(hash, height);
}

function byHash({ chain, finalNumber }: CacheQuestion, hash: unknown): Lifetime | undefined {
  const height = typeof hash === 'string' ? heights.get(chain)?.get(hash) : undefined;
  if (height === undefined) return { ms: 10_000, untilHead: true };
  return height <= finalNumber ? FOREVER : { ms: 10_000, untilHead: true };
}

const blockHash: CacheRule = (question) => {
  const [height] = question.params;
  if (typeof height !== 'number') return undefined;
  learnHeight(question.chain, unquote(question.result), height);
  return height <= question.finalNumber ? FOREVER : tenSeconds(question);
};

/** Verbose replies hold `confirmations`, which grow with every block. */
const blockOrHeader: CacheRule = (question) => {
  const [hash, verbosity] = question.params;
  if (verbosity === 0 || verbosity === false) return byHash(question, hash);
  const height = /"height"\s*:\s*(\d{1,9})\b/.exec(
    question.result.toString('latin1', 0, Math.min(question.result.length, 4_096)),
  )?.[1];
  learnHeight(question.chain, hash, height === undefined ? undefined : Number(height));
  return tenSeconds(question);
};

const rawTransaction: CacheRule = (question) => {
  const [, verbosity, inBlock] = question.params;
  const isVerbose = verbosity !== undefined && verbosity !== null && verbosity !== false && verbosity !== 0;
  if (isVerbose) return question.result.includes('"blockhash"') ? tenSeconds(question) : undefined;
  return typeof inBlock === 'string' ? byHash(question, inBlock) : undefined;
};

export const bitcoinRules: Readonly<Record<string, CacheRule>> = {
  getblockhash: blockHash,
  getblock: blockOrHeader,
  getblockheader: blockOrHeader,
  getrawtransaction: rawTransaction,
  gettxoutproof: (question) =>
    typeof question.params[1] === 'string' ? byHash(question, question.params[1]) : undefined,
  getblockfilter: (question) => byHash(question, question.params[0]),
  getblockcount: aSecond,
  getbestblockhash: aSecond,
  getblockchaininfo: aSecond,
  estimatesmartfee: () => ({ ms: 10_000, untilHead: false }),
};

function unquote(result: Buffer): string {
  return result.toString('latin1', 1, Math.max(1, result.length - 1));
}
