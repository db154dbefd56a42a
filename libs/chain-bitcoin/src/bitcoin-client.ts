// SPDX-License-Identifier: Apache-2.0
import { ChainClientError, parseEndpoint } from '@chainwatch/chain-core';
import type {
  Block,
  BlockHeader,
  BlockRef,
  ChainClient,
  ChainClientOptions,
  CoinReader,
  InclusionProof,
  MempoolReader,
  Network,
  NodeUpgrade,
  ReadBlockOptions,
  Upgrade,
} from '@chainwatch/chain-core';
import { EsploraClient } from './esplora-client.ts';
import { findNewUpgrades } from './find-new-upgrades.ts';
import { readTraits } from './networks.ts';
import { readBlock } from './read-block.ts';
import { readProofs } from './read-proofs.ts';
import { findHeaderByHash, findHeaderByNumber, readHead, readHeaders } from './read-headers.ts';
import { readSnapshot, readTransactions } from './read-mempool.ts';
import { readSpentOutputs } from './read-spent-outputs.ts';
import { RpcClient } from './rpc-client.ts';
import { scanCoins } from './scan-coins.ts';
import type { Session } from './session.ts';
import { subscribeHeads } from './subscribe-heads.ts';
import { verifyIdentity } from './verify-identity.ts';

/** One Bitcoin node. Its capabilities are found out by use and remembered. */
export class BitcoinClient implements ChainClient {
  readonly network: Network;
  readonly label: string;
  readonly mempool: MempoolReader;
  readonly coins: CoinReader;
  readonly #session: Session;
  readonly #timeoutMs: number;
  readonly #stops = new Set<() => void>();

  constructor(options: ChainClientOptions) {
    const { network, timeoutMs = 10_000 } = options;
    this.network = network;
    this.#timeoutMs = timeoutMs;
    const session = createSession({ ...options, timeoutMs });
    this.#session = session.session;
    this.label = session.label;
    this.mempool = {
      readSnapshot: (signal) => readSnapshot(this.#session, signal),
      readTransactions: (hashes, signal) => readTransactions(this.#session, hashes, signal),
    };
    this.coins = {
      scanCoins: (addresses, signal) => scanCoins(this.#session, addresses, signal),
      readSpentOutputs: (ref, signal) => readSpentOutputs(this.#session, ref, signal),
    };
  }

  verifyChain(signal?: AbortSignal): Promise<void> {
    return verifyIdentity(this.#session, signal);
  }

  readHead(signal?: AbortSignal): Promise<BlockHeader> {
    return readHead(this.#session, signal);
  }

  /** Proof of work makes a reorg improbable but no block final, so depth decides. */
  findFinalized(): Promise<BlockRef | undefined> {
    return Promise.resolve(undefined);
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

  /** A node without `waitfornewblock` says so at the first attempt; polling goes on. */
  subscribeHeads(onHead: (header: BlockHeader) => void, onEnd: (error: Error) => void): () => void {
    const stop = subscribeHeads(this.#session, {
      timeoutMs: this.#timeoutMs,
      onHead,
      onEnd: (error) => {
        this.#stops.delete(stop);
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

  readBalances(): Promise<never> {
    return Promise.reject(
      new ChainClientError('a Bitcoin node keeps no balances: expected them to be read from the UTXO set'),
    );
  }

  findNewUpgrades(
    known: readonly Upgrade[],
    signal?: AbortSignal,
  ): Promise<readonly NodeUpgrade[] | undefined> {
    return findNewUpgrades(this.#session.rpc, { known, nowMs: Date.now(), signal });
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#stops.clear();
    this.#session.rpc.close();
    this.#session.index?.close();
  }
}

/** A node has few threads for calls, and a short queue: 16 calls in Core up to 28. */
const CONCURRENCY_DEFAULT = 8;
const INDEX_CONCURRENCY = 4;

function createSession(options: ChainClientOptions & { timeoutMs: number }): {
  session: Session;
  label: string;
} {
  const { network, dial, timeoutMs, concurrency = CONCURRENCY_DEFAULT, indexUrl } = options;
  const endpoint = parseEndpoint(options.endpointUrl);
  const index =
    indexUrl === undefined
      ? undefined
      : new EsploraClient({
          endpoint: parseEndpoint(indexUrl),
          dial,
          timeoutMs,
          concurrency: INDEX_CONCURRENCY,
        });
  const capabilities = {
    rawForm: 0,
    hasWaitForNewBlock: true,
    hasScan: true,
    hasPrevouts: true,
    hasMempoolInfo: true,
  } as const;
  return {
    label: endpoint.label,
    session: {
      network,
      traits: readTraits(network),
      rpc: new RpcClient({ endpoint, dial, timeoutMs, concurrency }),
      capabilities: { ...capabilities },
      index,
    },
  };
}
