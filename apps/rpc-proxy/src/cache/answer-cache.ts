import type { ChainFamilyName } from '@chainwatch/chain-core';
import type { Chain } from '../chains/chain.ts';
import type { WholeReply } from '../exchange/receiver.ts';
import { isNull, scanReply } from '../json/scan-reply.ts';
import { skipSpace } from '../json/skip-value.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { bitcoinRules } from './bitcoin-rules.ts';
import { evmRules } from './evm-rules.ts';
import { FOREVER, type CacheRule } from './lifetime.ts';
import { MemoryStore, type StoredReply } from './memory-store.ts';
import type { SharedStore } from './shared-store.ts';
import { solanaRules } from './solana-rules.ts';
import { tronRules } from './tron-rules.ts';

const RULES: Readonly<Record<ChainFamilyName, Readonly<Record<string, CacheRule>>>> = {
  evm: evmRules,
  bitcoin: bitcoinRules,
  solana: solanaRules,
  tron: tronRules,
};

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
  readonly #shared: SharedStore | undefined;

  /** @param shared where other replicas look */
  constructor(bytesMax: number, shared?: SharedStore) {
    this.#store = new MemoryStore(bytesMax);
    this.#shared = shared;
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

  /** What another replica kept for good; undefined at once where none could have. */
  findShared(call: CacheCall): Promise<StoredReply | undefined> | undefined {
    if (this.#shared === undefined || !mayLast(call)) return undefined;
    return this.#shared.find(call.key)?.then((stored) => {
      if (stored !== undefined) this.#adopt(call, stored);
      return stored;
    });
  }

  /** Keeps a reply for as long as its rule says. Answers of a node that is not in service are never kept. */
  keep(call: CacheCall, reply: WholeReply, stored: StoredReply, upstream: Upstream): void {
    const { chain, key, method, finalNumber } = call;
    if (reply.status !== 200 || !chain.serves(upstream)) return;
    const result = findResult(reply.body);
    if (result === undefined || isEmpty(result)) return;
    const lifetime = RULES[chain.family][method]?.({
      chain,
      method,
      params: parseParams(call.params),
      finalNumber,
      result,
    });
    if (lifetime === FOREVER && isOfPublicChain(chain)) this.#shared?.set(key, stored);
    if (lifetime === undefined) return;
    // The head moved while the node answered: which one the answer belongs to is not known.
    if (lifetime.untilHead && call.stamp !== chain.headStamp) return;
    this.#store.set(key, stored, lifetime.ms, lifetime.untilHead ? call.stamp : undefined);
  }

  /** Rules learn from answers, also from those that other replicas got. */
  #adopt({ chain, key, method, params, finalNumber }: CacheCall, stored: StoredReply): void {
    const result = findResult(stored.body);
    if (result !== undefined)
      RULES[chain.family][method]?.({ chain, method, params: parseParams(params), finalNumber, result });
    this.#store.set(key, stored, Infinity, undefined);
  }
}

/** Tells without its reply that a call is worth a question to the other replicas: most are about the head. */
function mayLast({ chain, method, params }: CacheCall): boolean {
  return isOfPublicChain(chain) && !MOVING_METHODS.test(method) && !MOVING_TAG.test(params);
}

const MOVING_METHODS =
  /^(eth_(blockNumber|gasPrice|maxPriorityFeePerGas|blobBaseFee|baseFee|feeHistory)|get(blockcount|bestblockhash|blockchaininfo)|estimatesmartfee|get(Slot|BlockHeight|AccountInfo|MultipleAccounts|ProgramAccounts|SignaturesForAddress))$/;
const MOVING_TAG = /"(latest|pending|safe|processed|confirmed)"/;

/** The chain of somebody's own machine begins anew with its node; what is kept in Redis outlives that. */
function isOfPublicChain({ network }: Chain): boolean {
  return !LOCAL_CHAINS.has(network.gid);
}

const LOCAL_CHAINS: ReadonlySet<string> = new Set([
  'eip155:31337',
  'bip122:0f9188f13cb7b2c71f2a335e3a4fc328',
  'solana:localnet',
  'tron:0x7a69',
]);

function findResult(body: Buffer): Buffer | undefined {
  const reply = scanReply(body, skipSpace(body, 0));
  if (reply === undefined || reply.resultStart === -1) return undefined;
  if (reply.errorStart !== -1 && !isNull(body, reply.errorStart, reply.errorEnd)) return undefined;
  return body.subarray(reply.resultStart, reply.resultEnd);
}

function isEmpty(result: Buffer): boolean {
  return (
    result.length <= 4 && /^(null|\[\s*\]|\{\s*\}|"0x"|"")$/.test(result.toString('latin1', 0, result.length))
  );
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
