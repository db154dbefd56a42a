import type { ChainFamilyName } from '@chainwatch/chain-core';
import type { Chain } from '../chains/chain.ts';
import type { WholeReply } from '../exchange/receiver.ts';
import { isNull, scanReply } from '../json/scan-reply.ts';
import { skipSpace } from '../json/skip-value.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { bitcoinRules } from './bitcoin-rules.ts';
import { evmRules } from './evm-rules.ts';
import type { CacheRule } from './lifetime.ts';
import { MemoryStore, type StoredReply } from './memory-store.ts';
import { solanaRules } from './solana-rules.ts';
import { tronRules } from './tron-rules.ts';

const RULES: Readonly<Record<ChainFamilyName, Readonly<Record<string, CacheRule>>>> = { evm: evmRules, bitcoin: bitcoinRules, solana: solanaRules, tron: tronRules };

/** A call whose answer may be kept. */
export interface CacheCall {
  readonly chain: Chain;
  readonly key: string;
  readonly method: string;
  /** As text, parsed when there is something to keep. */
  readonly params: string;
  /** When the call was made. */
  readonly finalNumber: number;
  readonly stamp: number;
}

/** Answers that cannot change, and some that do not change for a moment (rpc-gateway.md, "Caching"). */
export class AnswerCache {
  readonly #store: MemoryStore;

  constructor(bytesMax: number) {
    this.#store = new MemoryStore(bytesMax);
  }

  get bytes(): number {
    return this.#store.bytes;
  }

  /** Whether answers of a method are ever kept or shared. */
  static covers(family: ChainFamilyName, method: string): boolean {
    return Object.hasOwn(RULES[family], method);
  }

  find(chain: Chain, key: string): StoredReply | undefined {
    return this.#store.find(key, chain.headStamp);
  }

  /** Keeps a reply for as long as its rule says. Answers of a node that is not in service are never kept. */
  keep(call: CacheCall, reply: WholeReply, stored: StoredReply, upstream: Upstream): void {
    const { chain, key, method, finalNumber } = call;
    if (reply.status !== 200 || !chain.serves(upstream)) return;
    const result = findResult(reply.body);
    if (result === undefined || isEmpty(result)) return;
    const lifetime = RULES[chain.family][method]?.({ chain, method, params: parseParams(call.params), finalNumber, result });
    if (lifetime === undefined) return;
    // The head moved while the node answered: which one the answer belongs to is not known.
    if (lifetime.untilHead && call.stamp !== chain.headStamp) return;
    this.#store.set(key, stored, lifetime.ms, lifetime.untilHead ? call.stamp : undefined);
  }
}

function findResult(body: Buffer): Buffer | undefined {
  const reply = scanReply(body, skipSpace(body, 0));
  if (reply === undefined || reply.resultStart === -1) return undefined;
  if (reply.errorStart !== -1 && !isNull(body, reply.errorStart, reply.errorEnd)) return undefined;
  return body.subarray(reply.resultStart, reply.resultEnd);
}

function isEmpty(result: Buffer): boolean {
  return result.length <= 4 && /^(null|\[\s*\]|\{\s*\}|"0x"|"")$/.test(result.toString('latin1', 0, result.length));
}

function parseParams(text: string): readonly unknown[] {
  try {
    const params = JSON.parse(text || '[]') as unknown;
    return Array.isArray(params) ? params : [NAMED];
  } catch {
    return [NAMED];
  }
}

/** Parameters by name are legal in Bitcoin Core: no rule takes a symbol for a height or a hash. */
const NAMED = Symbol('named');
