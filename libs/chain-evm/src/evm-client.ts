// SPDX-License-Identifier: Apache-2.0
import {
  ChainClientError,
  parseEndpoint,
  WrongChainError,
  readRegistered,
  type BalanceQuery,
  type Block,
  type BlockHeader,
  type BlockRef,
  type BlocksOfAddresses,
  type BlocksWanted,
  type ChainClient,
  type ChainClientOptions,
  type Endpoint,
  type InclusionProof,
  type Network,
  type NodeUpgrade,
  type ReadBlockOptions,
  type TokenMetadata,
  type Transaction,
  type Upgrade,
  askIfServed,
  timeOfUpgrade,
} from '@chainwatch/chain-core';
import { HttpTransport } from './http-transport.ts';
import { readTraits } from './networks.ts';
import { parseKnownHeader } from './parse-header.ts';
import { findBlocksOf } from './find-blocks-of.ts';
import { proveSenders } from './prove-senders.ts';
import { readBalances, tokenAddress } from './read-balances.ts';
import { readBlock } from './read-block.ts';
import {
  findFinalized,
  findHeaderByHash,
  findHeaderByNumber,
  readHead,
  readHeaders,
} from './read-headers.ts';
import { readProofs } from './read-proofs.ts';
import type { RpcTransport } from './rpc-transport.ts';
import type { Capabilities, Session } from './session.ts';
import { SettlementBook } from './settlement/settlement-book.ts';
import { SocketTransport, subscribeHeads, TwinTransport } from './socket-transport.ts';
import { readTokenContracts } from '@chainwatch/ethereum/abi';
import { callContracts, toBlockError } from './call-contracts.ts';
import { z } from 'zod';

/** One EVM node. Its capabilities are found out by use and remembered. */
export class EvmClient implements ChainClient {
  readonly network: Network;
  readonly label: string;
  readonly #endpoint: Endpoint;
  readonly #transportOptions;
  readonly #session: Session;
  readonly #stops = new Set<() => void>();

  constructor(options: ChainClientOptions) {
    const { network, dial, timeoutMs = 10_000, concurrency = 16 } = options;
    this.network = network;
    this.#endpoint = parseEndpoint(options.endpointUrl);
    this.label = this.#endpoint.label;
    this.#transportOptions = { endpoint: this.#endpoint, dial, timeoutMs, concurrency };
    const traits = readTraits(network);
    this.#session = {
      network,
      traits,
      transport: this.#createTransport(),
      capabilities: initialCapabilities(traits.multicall3),
      doubted: new Set(),
      settlement: new SettlementBook(),
    };
  }

  async verifyChain(signal?: AbortSignal): Promise<void> {
    const result = await this.#session.transport.call('eth_chainId', [], signal);
    if (typeof result !== 'string' || !/^0x[0-9a-fA-F]+$/.test(result)) {
      throw new ChainClientError(`eth_chainId: expected a quantity, got ${typeof result}`);
    }
    const got = `eip155:${BigInt(result).toString()}`;
    if (got !== this.network.gid)
      throw new WrongChainError(`node serves another chain: expected ${this.network.gid}, got ${got}`);
  }

  readHead(signal?: AbortSignal): Promise<BlockHeader> {
    return readHead(this.#session, signal);
  }

  findFinalized(signal?: AbortSignal): Promise<BlockRef | undefined> {
    return findFinalized(this.#session, signal);
  }

  findHeaderByNumber(number: number, signal?: AbortSignal): Promise<BlockHeader | undefined> {
    return findHeaderByNumber(this.#session, number, signal);
  }

  findHeaderByHash(hash: string, signal?: AbortSignal): Promise<BlockHeader | undefined> {
    return findHeaderByHash(this.#session, hash, signal);
  }

  readHeaders(from: number, to: number, signal?: AbortSignal): Promise<BlockHeader[]> {
    return readHeaders(this.#session, { from, to, signal });
  }

  /** For an http URL the same host and port are tried as WebSocket; a refusal is remembered. */
  subscribeHeads(onHead: (header: BlockHeader) => void, onEnd: (error: Error) => void): () => void {
    const { capabilities } = this.#session;
    if (!capabilities.hasSocket) {
      const timer = setImmediate(() =>
        onEnd(new ChainClientError('the endpoint does not push heads', { nodeCode: -32601 })),
      );
      return () => clearImmediate(timer);
    }
    const stop = subscribeHeads({
      socket: this.#transportOptions,
      toHeader: (pushed) => this.#toHeader(pushed),
      onHead,
      onEnd: (error) => {
        this.#stops.delete(stop);
        if (!this.#endpoint.isSocket && refusesSocket(error)) capabilities.hasSocket = false;
        onEnd(error);
      },
    });
    this.#stops.add(stop);
    return () => {
      this.#stops.delete(stop);
      stop();
    };
  }

  readBlock(ref: BlockRef, signal?: AbortSignal, options?: ReadBlockOptions): Promise<Block> {
    return readBlock(this.#session, { ref, signal, options });
  }

  readProofs(
    ref: BlockRef,
    hashes: readonly string[],
    signal?: AbortSignal,
  ): Promise<Map<string, InclusionProof>> {
    return readProofs(this.#session, { ref, hashes, signal });
  }

  findBlocksOf(wanted: BlocksWanted, signal?: AbortSignal): Promise<BlocksOfAddresses | undefined> {
    return findBlocksOf(this.#session, wanted, signal);
  }

  proveSenders(ref: BlockRef, transactions: readonly Transaction[], signal?: AbortSignal): Promise<void> {
    return proveSenders(this.#session, { ref, transactions, signal });
  }

  readBalances(
    at: BlockRef,
    queries: readonly BalanceQuery[],
    signal?: AbortSignal,
  ): Promise<(bigint | undefined)[]> {
    return readBalances(this.#session, { at, queries, signal });
  }

  readTokens(
    assetGids: readonly string[],
    signal?: AbortSignal,
    moved?: ReadonlyMap<string, bigint>,
  ): Promise<(TokenMetadata | undefined)[]> {
    return readRegistered(this.network, assetGids, (others) =>
      readTokens(this.#session, { assetGids: others, moved, signal }),
    );
  }

  findNewUpgrades(
    known: readonly Upgrade[],
    signal?: AbortSignal,
  ): Promise<readonly NodeUpgrade[] | undefined> {
    return findNewUpgrades(this.#session.transport, known, signal);
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#stops.clear();
    this.#session.transport.close();
  }

  #createTransport(): RpcTransport {
    const http = new HttpTransport(this.#transportOptions);
    return this.#endpoint.isSocket
      ? new TwinTransport(http, new SocketTransport(this.#transportOptions))
      : http;
  }

  /** Some nodes push a header without all its fields. Its hash then proves nothing, so the whole header is asked for. */
  #toHeader(pushed: unknown): BlockHeader | Promise<BlockHeader> {
    try {
      return parseKnownHeader(pushed, this.#session.traits) ?? this.#requireHead(pushed);
    } catch {
      return this.#requireHead(pushed);
    }
  }

  async #requireHead(pushed: unknown): Promise<BlockHeader> {
    const hash = typeof pushed === 'object' && pushed !== null && 'hash' in pushed ? pushed.hash : undefined;
    const header = typeof hash === 'string' ? await this.findHeaderByHash(hash) : undefined;
    return header ?? this.readHead();
  }
}

function initialCapabilities(hasMulticall: boolean): Capabilities {
  return {
    receipts: 'by_hash',
    trace: 'trace_block',
    hasBlockByHash: true,
    hasMulticall,
    hasLogs: true,
    hasSocket: true,
  };
}

/**
 * True when the endpoint answered, but not with a WebSocket that pushes heads. A node that is down tells
 * nothing about that.
 */
function refusesSocket(error: Error): boolean {
  return (
    error instanceof ChainClientError &&
    error.nodeCode !== undefined &&
    error.nodeCode !== 429 &&
    error.nodeCode < 500
  );
}

/** Metadata of token contracts, in order; undefined: the contract is not a token, or mirrors the native coin. */
export async function readTokens(
  session: Session,
  {
    assetGids,
    moved,
    signal,
  }: {
    readonly assetGids: readonly string[];
    readonly moved?: ReadonlyMap<string, bigint> | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<(TokenMetadata | undefined)[]> {
  const prefix = `${session.network.gid}/${session.network.tokenNamespace}:`;
  const native = `${prefix}${session.traits.nativeTokenContract}`;
  const own = assetGids.filter((gid) => gid.startsWith(prefix) && gid !== native);
  try {
    const found = await readTokenContracts(
      own.map((gid) => ({ to: tokenAddress(gid), moved: moved?.get(gid) })),
      (calls) => callContracts(session, { calls, block: 'latest', signal }),
    );
    const tokens = new Map(own.map((gid, index) => [gid, found[index]]));
    return assetGids.map((gid) => tokens.get(gid));
  } catch (error) {
    throw toBlockError(error, 'the latest block');
  }
}

const forkSchema = z.object({ activationTime: z.int().nonnegative(), forkId: z.string().max(80) });
/** EIP-7910: the fork in force, and the next one that the node is configured for. */
const configSchema = z.object({ current: forkSchema, next: forkSchema.nullish() });

/** Forks of the node's configuration that no row of `known` has. Undefined for a node without `eth_config`. */
export async function findNewUpgrades(
  transport: Pick<RpcTransport, 'call'>,
  known: readonly Upgrade[],
  signal?: AbortSignal,
): Promise<readonly NodeUpgrade[] | undefined> {
  const answer = configSchema.safeParse(await askIfServed(transport.call('eth_config', [], signal)));
  if (!answer.success) return undefined;
  const { current, next } = answer.data;
  const firstMs = Math.min(...known.map((row) => timeOfUpgrade(row) ?? Infinity));
  const forks = [
    // Older ones than the calendar are nothing new.
    ...(current.activationTime * 1_000 > firstMs ? [{ fork: current, isActive: true }] : []),
    ...(next ? [{ fork: next, isActive: false }] : []),
  ];
  return forks.flatMap(({ fork, isActive }) => {
    const at = new Date(fork.activationTime * 1_000).toISOString();
    return known.some((row) => isAt(row, at)) ? [] : [{ name: `fork ${fork.forkId}`, isActive, at }];
  });
}

/** A row with a day alone has every moment of that day. */
function isAt({ date }: Upgrade, at: string): boolean {
  if (date === null) return false;
  return date.length === 10 ? at.startsWith(date) : Date.parse(date) === Date.parse(at);
}
