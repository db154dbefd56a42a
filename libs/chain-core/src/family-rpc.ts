// SPDX-License-Identifier: Apache-2.0
import type { CacheRule, Pace } from './cache-rule.ts';
import type { ChainEndpoint } from './chain-endpoint.ts';
import type { Network } from './network.ts';
import type { RpcTransactions } from './rpc-transactions.ts';

/**
 * What the RPC gateway has to know of a family's nodes: data, and pure functions over what a client asked and a node
 * answered. The gateway itself names no family. Asked for every call: nothing here may wait, or grow with what clients send.
 */
export interface FamilyRpc {
  readonly methods: RpcMethods;
  /** Calls without `"jsonrpc":"2.0"` are served, as JSON-RPC 1.0 writes them. */
  readonly servesVersion1?: boolean;
  /** Content types of calls besides those of JSON-RPC: `text/plain`. */
  readonly contentTypes?: readonly string[];
  /** One spelling for raw parameters that mean the same to a node; absent: they are compared as written. */
  normalizeParams?(params: string): string;
  /** Cache rules by method. Created once for each chain, because rules may learn from answers. */
  createCacheRules(pace: Pace): ReadonlyMap<string, CacheRule>;
  /** By method: how its answers tell a block. */
  readonly blockReaders: ReadonlyMap<string, BlockReader>;
  /** What a JSON-RPC error asks for. */
  judgeError(error: RpcError): RpcVerdict;
  /** Judges a whole answer in place of `judgeError`, where nodes tell their failures in another form. */
  judgeText?(body: Buffer): RpcVerdict;
  /** Whether a page that is not JSON-RPC says that the node is busy. */
  isBusyPage?(status: number, body: Buffer): boolean;
  /**
   * The hash of a raw transaction that a node refuses because it has it already, which counts as sent.
   * Undefined where `error` (the raw member of the reply) says something else, or the hash cannot be told.
   */
  findKnownTransaction?(method: string, error: string, raw: Buffer): string | undefined;
  /** What a key sees of the transactions that it sent. */
  readonly transactions: RpcTransactions;
  /** Which chain a node serves and where it stands. What it refuses to say is undefined. @throws what `ask` throws */
  readHealth(ask: AskNode, network: Network): Promise<NodeHealth>;
  /** The cheapest method, for a node that is suspected to be gone; without parameters. */
  readonly probe: string;
  readonly filters?: RpcFilters;
  /** Absent: the nodes have no sockets. */
  readonly subscriptions?: RpcSubscriptions;
  /** An HTTP interface below the chain's address whose paths are the methods. */
  readonly paths?: RpcPaths;
}

/**
 * Names of methods, in the order of the questions. No expression may match a name that belongs to one other
 * family only: an unknown method that one other family knows is refused as that family's.
 */
export interface RpcMethods {
  /** For the operator of a node, or for a wallet: refused unless the configuration unlocks them. */
  readonly locked: RegExp;
  /**
   * Sends a signed transaction, which a second node may call known already: retried elsewhere, never hedged.
   */
  readonly send: RegExp;
  /** Never retried once bytes were sent. */
  readonly once: RegExp;
  /** About a filter: stays with the node that made it. */
  readonly filter?: RegExp;
  /** Hedged, and retried elsewhere. */
  readonly read: RegExp;
}

/** How an answer tells a block. Looks at the raw body only, which may be cut where it is long. */
export interface BlockReader {
  /** `head`: the node's highest block, which must never fall for a client; `block`: one that the node has. */
  readonly tells: 'head' | 'block';
  /**
   * The same by the parameters. Any other text names a number that is compared with its own kind alone, and never falls
   * either: the latest final block, the height at a commitment.
   */
  kindOf?(params: string): string;
  /** The number of the block that is asked for. A node may not know yet what the client has seen. */
  askedOf?(params: string): number | undefined;
  /** Whether `read` looks at the parameters. */
  readonly needsParams?: boolean;
  read(body: Buffer, params: string): number | undefined;
}

/**
 * `answer`: goes to the client; `busy`: the node takes no more for now; `unable`: the node cannot tell,
 * another one may; `broken`: not an answer of the node itself.
 */
export type RpcVerdict = 'answer' | 'busy' | 'unable' | 'broken';

export interface RpcError {
  readonly code?: unknown;
  readonly message?: unknown;
}

/** Undefined where the node refuses to say. @throws Error when it does not answer */
export type AskNode = <T>(method: string, params?: readonly unknown[]) => Promise<T | undefined>;

export interface NodeHealth {
  /** Undefined where the node does not tell which chain it serves. */
  readonly isRightChain: boolean | undefined;
  readonly head: NodeHead | undefined;
}

export interface NodeHead {
  readonly number: number;
  readonly hash: string;
  /** Height that this node considers final; undefined when it does not tell. */
  readonly final: number | undefined;
  /** Unix milliseconds of the block; of the answer where a node does not tell it with its head. Undefined: not known. */
  readonly timeMs?: number;
}

export interface RpcFilters {
  /** Methods that make one. */
  readonly makes: RegExp;
  /** The method that ends one. */
  readonly ends: string;
  /** What a node answers about a filter that it does not know, as the member of its reply: `"result":false`. */
  unknownAnswer(method: string): string;
}

export interface RpcSubscriptions {
  /** Methods that begin or end one, in `…subscribe` and `…unsubscribe`. */
  readonly methods: RegExp;
  readonly idType: 'quantity' | 'number';
  /** What a node answers to the end of one that it does not know. */
  readonly unknownError: readonly [code: number, message: string];
  /** The number of the block that a notification is about. @param findMember the raw JSON of a member of its result */
  readNotifiedHead?(findMember: (name: string) => string | undefined): number | undefined;
  /** Whether a notification with this raw result is the last one of its subscription. */
  isLast?(method: string, result: Buffer): boolean;
}

/** An interface of paths. The health of its nodes is watched, and they are picked, apart from the JSON-RPC ones. */
export interface RpcPaths {
  /** Its name in the family's `interfaces`, under which its health is shown. */
  readonly interfaceName: string;
  /** Which paths are served, with their queries: `/wallet/getnowblock?visible=true`. */
  readonly pattern: RegExp;
  /** The URLs of an endpoint's JSON-RPC interface and of its paths. */
  urlsOf(endpoint: ChainEndpoint): { readonly rpc: string; readonly paths: string };
  /** Whether an answer refuses what was asked of it. */
  isRefusal(reply: object): boolean;
  /** As of `FamilyRpc`. */
  readHealth(ask: AskPaths, network: Network): Promise<NodeHealth>;
  readonly probe: PathCall;
  /** As of `RpcTransactions`; the path is the method, its body the parameters. */
  readonly lookUp?: PathLookUp;
}

export interface PathLookUp {
  hashOf(method: string, body: string): string | undefined;
  questionsOf(hash: string): readonly PathCall[];
  isKnown(answer: object, hash: string): boolean;
  /** What a node answers that took the transaction. */
  answerOf(hash: string): object;
}

export type PathCall = readonly [path: string, body: object];

/** The answer to the first of `calls` that the node serves. @throws Error when it serves none, or does not answer */
export type AskPaths = <T>(calls: readonly PathCall[]) => Promise<T>;
