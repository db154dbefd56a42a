// SPDX-License-Identifier: Apache-2.0
import {
  ChainClientError,
  parseEndpoint,
  type Block,
  type BlockHeader,
  type BlockRef,
  type ChainClient,
  type ChainClientOptions,
  type CoinReader,
  type InclusionProof,
  type MempoolReader,
  type Network,
  type NodeUpgrade,
  type ReadBlockOptions,
  type Upgrade,
  type CoinScan,
  askIfServed,
  isActiveUpgrade,
  type MerkleProof,
  type ProofsQuery,
} from '@chainwatch/chain-core';
import { EsploraClient } from './esplora-client.ts';
import { readTraits } from './networks.ts';
import { readBlock, readRawBlock } from './read-block.ts';
import {
  findHeaderByHash,
  findHeaderByNumber,
  readHead,
  readHeaders,
  subscribeHeads,
  verifyIdentity,
} from './read-headers.ts';
import { readSnapshot, readTransactions } from './read-mempool.ts';
import { readSpentOutputs } from './read-spent-outputs.ts';
import { RpcClient } from './rpc-client.ts';
import type { Session } from './session.ts';
import { scanIndex } from './scan-index.ts';
import { scanTxOutSet } from './scan-tx-out-set.ts';
import { z } from 'zod';
import { toHashText } from './hash.ts';
import { computeMerkleLevels, listSiblings } from './merkle-root.ts';
import { UnknownEncodingError } from './read-transaction.ts';
import { verifyBlock } from './verify-block.ts';

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

/** Asks the node itself first, then the index beside it; undefined where neither can tell. */
async function scanCoins(
  session: Session,
  addresses: readonly string[],
  signal?: AbortSignal,
): Promise<CoinScan | undefined> {
  if (addresses.length === 0) {
    const { number, hash } = await readHead(session, signal);
    return { at: { number, hash }, coins: [] };
  }
  const scan = await scanTxOutSet(session, addresses, signal);
  if (scan !== undefined || session.index === undefined) return scan;
  return scanIndex(session, { index: session.index, addresses, signal });
}

/** `getdeploymentinfo`, since Bitcoin Core 23. */
const answerSchema = z.object({
  deployments: z.record(
    z.string().max(80),
    z.object({ active: z.boolean(), bip9: z.object({ status: z.string() }).optional() }),
  ),
});
/** Deployments of every node of these years; `testdummy` is none. */
const OLD = new Set(['bip34', 'bip66', 'bip65', 'csv', 'segwit', 'taproot', 'testdummy']);

/**
 * Deployments of the node that no row of `known` has, or that are active although their row has no past date. Undefined for
 * a node without `getdeploymentinfo`.
 */
export async function findNewUpgrades(
  rpc: Pick<RpcClient, 'call'>,
  {
    known,
    nowMs,
    signal,
  }: { readonly known: readonly Upgrade[]; readonly nowMs: number; readonly signal?: AbortSignal },
): Promise<readonly NodeUpgrade[] | undefined> {
  const answer = answerSchema.safeParse(await askIfServed(rpc.call('getdeploymentinfo', [], { signal })));
  if (!answer.success) return undefined;
  return Object.entries(answer.data.deployments).flatMap(([name, { active: isActive, bip9 }]) => {
    if (OLD.has(name) || bip9?.status === 'failed') return [];
    const row = known.find(({ signals }) => signals.includes(name));
    if (row === undefined) return [{ name, isActive }];
    return isActive && !isActiveUpgrade(row, nowMs) ? [{ name: row.name, isActive }] : [];
  });
}

const HEADER_BYTES = 80;

/** Header, and the branches of transactions and the coinbase. @throws BlockNotFoundError, IncompleteBlockError, ChainClientError */
async function readProofs(
  session: Session,
  { ref, hashes, signal }: ProofsQuery,
): Promise<Map<string, InclusionProof>> {
  const bytes = await readRawBlock(session, ref, signal);
  try {
    const { transactions } = verifyBlock(ref, bytes, session.traits);
    const places = new Map(transactions.map(({ txidBytes }, index) => [toHashText(txidBytes), index]));
    const levels = computeMerkleLevels(transactions.map(({ txidBytes }) => txidBytes));
    const branchOf = (index: number): string[] =>
      listSiblings(levels, index).map((hash) => hash.toString('hex'));
    const show = (index: number): MerkleProof => ({
      type: 'merkle',
      header: bytes.subarray(0, HEADER_BYTES).toString('hex'),
      branch: { transaction: branchOf(index), coinbase: branchOf(0) },
      item: {
        index,
        transaction: transactions[index]!.stripped.toString('hex'),
        coinbase: transactions[0]!.stripped.toString('hex'),
      },
    });
    return new Map(
      hashes.flatMap((hash) => {
        const index = places.get(hash);
        return index === undefined ? [] : [[hash, show(index)]];
      }),
    );
  } catch (error) {
    if (!(error instanceof UnknownEncodingError)) throw error;
    // What cannot be read is not compared with the root either: another node may give other bytes.
    const proof: InclusionProof = {
      type: 'none',
      reason: 'The block has transactions whose encoding is not known: their tree cannot be computed.',
      othersMayShow: true,
    };
    return new Map(hashes.map((hash) => [hash, proof]));
  }
}
