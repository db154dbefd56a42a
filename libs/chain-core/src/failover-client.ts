// SPDX-License-Identifier: Apache-2.0
import type { Block, BlockHeader, BlockRef } from './block.ts';
import { blocksIn, BlockTime } from './block-time.ts';
import type {
  BalanceQuery,
  BlocksOfAddresses,
  BlocksWanted,
  ChainClient,
  CoinReader,
  MempoolReader,
  ReadBlockOptions,
  TokenMetadata,
} from './chain-family.ts';
import { EndpointState, type CircuitOptions, type EndpointHealth } from './endpoint-state.ts';
import { BlockNotFoundError, ChainClientError, UnknownContentError } from './errors.ts';
import { findNewUpgradesAt, joinLists, mayDiffer, moreTelling, proveSendersOf } from './failover-answers.ts';
import type { Network } from './network.ts';

export interface FailoverOptions extends Partial<CircuitOptions> {
  /** An endpoint is asked again which chain it serves after this time, in parallel with the call; default 30,000. */
  readonly verifyIntervalMs?: number;
  /** How often the others' heads are compared with the primary's, default 15,000. */
  readonly probeIntervalMs?: number;
  /** The primary is left when it is further behind another endpoint, by this time and ten blocks, default 5,000. */
  readonly lagMsMax?: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/** A primary that is no more than this behind is kept, however slow the chain is. */
const LAG_BLOCKS_MIN = 10;

/** What one endpoint says of a block. */
export interface BlockOpinion {
  readonly label: string;
  readonly block: Block;
}

/** Several endpoints of one network as one client. */
export interface FailoverClient extends ChainClient {
  /** In the order of configuration. */
  readonly clients: readonly EndpointHealth[];
  /** How many endpoints have this block as the canonical one at its number: the second opinion on a reorg. */
  countAgreeing(ref: BlockRef, signal?: AbortSignal): Promise<number>;
  /** Label of the endpoint that gave this very block; undefined for any other object. */
  endpointOf(block: object): string | undefined;
  /**
   * The block as endpoints with other labels tell it, unknown parts taken: they are the second opinion on
   * what one endpoint alone cannot prove. An endpoint that does not answer, or whose block is incomplete, has
   * no opinion.
   */
  readBlockElsewhere(ref: BlockRef, label: string, signal?: AbortSignal): Promise<BlockOpinion[]>;
  /** As `readBalances`, from another endpoint than the one that answers first, which stands in for the others. */
  readonly readBalancesElsewhere: ChainClient['readBalances'];
  /** As `coins.scanCoins`, in the same way; undefined also where that endpoint alone cannot tell. */
  readonly scanCoinsElsewhere?: CoinReader['scanCoins'];
}

/**
 * One client over several endpoints, first one first. It stays with the endpoint that answered last. It moves
 * on when a call fails in a way that may not happen elsewhere, when the node serves another chain, or when
 * the node lags behind.
 * @throws RangeError without clients
 */
export function createFailoverClient(
  clients: readonly ChainClient[],
  options: FailoverOptions = {},
): FailoverClient {
  const first = clients[0];
  if (first === undefined) throw new RangeError('failover: expected at least one client, got none');
  return new StickyFailoverClient(first.network, clients, options);
}

class StickyFailoverClient implements FailoverClient {
  readonly network: Network;
  readonly subscribeHeads: ChainClient['subscribeHeads'];
  readonly proveSenders: ChainClient['proveSenders'];
  readonly readTokens: ChainClient['readTokens'];
  readonly findBlocksOf: ChainClient['findBlocksOf'];
  readonly findNewUpgrades: ChainClient['findNewUpgrades'];
  readonly mempool: ChainClient['mempool'];
  readonly coins: ChainClient['coins'];
  readonly scanCoinsElsewhere: FailoverClient['scanCoinsElsewhere'];
  readonly #endpoints: readonly EndpointState[];
  readonly #options: Required<FailoverOptions>;
  readonly #blockTime: BlockTime;
  #primary: EndpointState;
  #probedAtMs = 0;
  #endSubscription: ((error: Error) => void) | undefined;
  readonly #givers = new WeakMap<object, string>();

  constructor(network: Network, clients: readonly ChainClient[], options: FailoverOptions) {
    this.network = network;
    this.#blockTime = new BlockTime(network);
    this.#endpoints = clients.map((client) => new EndpointState(client));
    this.#primary = this.#endpoints[0] as EndpointState;
    this.#options = {
      cooldownMs: 1_000,
      cooldownMsMax: 60_000,
      verifyIntervalMs: 30_000,
      probeIntervalMs: 15_000,
      lagMsMax: 5_000,
      now: Date.now,
      ...options,
    };
    if (clients.some((client) => client.subscribeHeads !== undefined)) {
      this.subscribeHeads = (onHead, onEnd) => this.#subscribe(onHead, onEnd);
    }
    if (clients.some((client) => client.proveSenders !== undefined)) {
      this.proveSenders = (ref, transactions, signal) =>
        proveSendersOf(clients, { ref, transactions, signal });
    }
    if (clients.some((client) => client.readTokens !== undefined)) {
      this.readTokens = (assetGids, signal, moved) =>
        this.#run((client) => readTokensOf(client, { assetGids, signal, moved }), signal);
    }
    if (clients.some((client) => client.findBlocksOf !== undefined)) {
      this.findBlocksOf = (wanted, signal) =>
        this.#run((client) => this.#findBlocksAt(client, wanted, signal), signal);
    }
    if (clients.some((client) => client.findNewUpgrades !== undefined)) {
      this.findNewUpgrades = (known, signal) => findNewUpgradesAt(clients, known, signal);
    }
    if (clients.some((client) => client.mempool !== undefined)) {
      this.mempool = {
        readSnapshot: (signal) => this.#run((client) => mempoolOf(client).readSnapshot(signal), signal),
        readTransactions: (hashes, signal) =>
          this.#run((client) => mempoolOf(client).readTransactions(hashes, signal), signal),
      };
    }
    if (clients.some((client) => client.coins !== undefined)) {
      this.coins = {
        scanCoins: (addresses, signal) =>
          this.#run((client) => coinsOf(client).scanCoins(addresses, signal), signal),
        readSpentOutputs: (ref, signal) =>
          this.#run((client) => coinsOf(client).readSpentOutputs(ref, signal), signal),
      };
      this.scanCoinsElsewhere = (addresses, signal) =>
        this.#run((client) => coinsOf(client).scanCoins(addresses, signal), signal, true);
    }
  }

  get label(): string {
    return this.#primary.client.label;
  }

  get clients(): readonly EndpointHealth[] {
    const nowMs = this.#options.now();
    return this.#endpoints.map((endpoint) => ({
      ...endpoint.health(nowMs),
      isPrimary: endpoint === this.#primary,
    }));
  }

  verifyChain(signal?: AbortSignal): Promise<void> {
    for (const endpoint of this.#endpoints) endpoint.verifiedAtMs = undefined;
    return this.#run(() => Promise.resolve(), signal);
  }

  async readHead(signal?: AbortSignal): Promise<BlockHeader> {
    this.#probe();
    return this.#run((_, endpoint) => this.#readHeadOf(endpoint, signal), signal);
  }

  findFinalized(signal?: AbortSignal): Promise<BlockRef | undefined> {
    return this.#run((client) => client.findFinalized(signal), signal);
  }

  findHeaderByNumber(number: number, signal?: AbortSignal): Promise<BlockHeader | undefined> {
    return this.#run((client) => client.findHeaderByNumber(number, signal), signal);
  }

  /** A hash names the same block everywhere, so every endpoint is asked before the answer is undefined. */
  async findHeaderByHash(hash: string, signal?: AbortSignal): Promise<BlockHeader | undefined> {
    try {
      return await this.#run(async (client) => {
        const header = await client.findHeaderByHash(hash, signal);
        if (header === undefined)
          throw new BlockNotFoundError(`block ${hash} is not known to ${client.label}`);
        return header;
      }, signal);
    } catch (error) {
      if (error instanceof BlockNotFoundError) return undefined;
      throw error;
    }
  }

  readHeaders(from: number, to: number, signal?: AbortSignal): Promise<BlockHeader[]> {
    return this.#run((client) => client.readHeaders(from, to, signal), signal);
  }

  readBlock(ref: BlockRef, signal?: AbortSignal, options?: ReadBlockOptions): Promise<Block> {
    return this.#run(async ({ label }, endpoint) => {
      const others = this.#endpoints.filter(({ client: other }) => other.label !== label);
      const block = await endpoint.client.readBlock(ref, signal, {
        ...options,
        ...(others.length > 0 && {
          listElsewhere: (listed: BlockRef, listSignal?: AbortSignal) =>
            this.#listAt(others, listed, listSignal),
        }),
      });
      this.#givers.set(block, label);
      return block;
    }, signal);
  }

  /** The first list of a block's transactions that one of `endpoints` gives. */
  async #listAt(
    endpoints: readonly EndpointState[],
    ref: BlockRef,
    signal?: AbortSignal,
  ): Promise<readonly string[] | undefined> {
    for (const endpoint of endpoints) {
      try {
        await this.#verify(endpoint, signal);
        const listed = await endpoint.client.listTransactions?.(ref, signal);
        if (listed !== undefined) return listed;
      } catch (error) {
        if (signal?.aborted === true) throw error;
      }
    }
    return undefined;
  }

  /** What an index lists is joined with what those of other operators list. One that does not answer lists nothing. */
  async #findBlocksAt(
    client: ChainClient,
    wanted: BlocksWanted,
    signal?: AbortSignal,
  ): Promise<BlocksOfAddresses | undefined> {
    const found = await client.findBlocksOf?.(wanted, signal);
    if (found?.isListed !== true) return found;
    const nowMs = this.#options.now();
    const others = this.#endpoints.filter(
      (endpoint) => endpoint.client.label !== client.label && !endpoint.isOpen(nowMs),
    );
    const answers = await Promise.all(
      others.map(async (endpoint) => {
        try {
          await this.#verify(endpoint, signal);
          return await endpoint.client.findBlocksOf?.({ ...wanted, toBlock: found.toBlock }, signal);
        } catch {
          return undefined;
        }
      }),
    );
    return joinLists([found, ...answers.filter((answer) => answer !== undefined)]);
  }

  endpointOf(block: object): string | undefined {
    return this.#givers.get(block);
  }

  async readBlockElsewhere(ref: BlockRef, label: string, signal?: AbortSignal): Promise<BlockOpinion[]> {
    const others = this.#endpoints.filter(({ client }) => client.label !== label);
    const opinions = await Promise.all(
      others.map(async (endpoint) => {
        try {
          await this.#verify(endpoint, signal);
          return {
            label: endpoint.client.label,
            block: await endpoint.client.readBlock(ref, signal, { takeUnknown: true }),
          };
        } catch {
          return undefined;
        }
      }),
    );
    return opinions.filter((opinion) => opinion !== undefined);
  }

  readBalances(
    at: BlockRef,
    queries: readonly BalanceQuery[],
    signal?: AbortSignal,
  ): Promise<(bigint | undefined)[]> {
    return this.#run((client) => client.readBalances(at, queries, signal), signal);
  }

  readBalancesElsewhere(
    at: BlockRef,
    queries: readonly BalanceQuery[],
    signal?: AbortSignal,
  ): Promise<(bigint | undefined)[]> {
    return this.#run((client) => client.readBalances(at, queries, signal), signal, true);
  }

  async countAgreeing(ref: BlockRef, signal?: AbortSignal): Promise<number> {
    const opinions = await Promise.all(
      this.#endpoints.map(async (endpoint) => {
        try {
          await this.#verify(endpoint, signal);
          return (await endpoint.client.findHeaderByNumber(ref.number, signal))?.hash === ref.hash;
        } catch {
          return false;
        }
      }),
    );
    return opinions.filter(Boolean).length;
  }

  close(): void {
    for (const { client } of this.#endpoints) client.close();
  }

  /** @param isElsewhere the primary is asked last, and stays it */
  async #run<T>(
    call: (client: ChainClient, endpoint: EndpointState) => Promise<T>,
    signal?: AbortSignal,
    isElsewhere = false,
  ): Promise<T> {
    let failure: Error | undefined;
    const order = this.#order();
    if (isElsewhere) order.sort((a, b) => Number(a === this.#primary) - Number(b === this.#primary));
    for (const endpoint of order) {
      try {
        const [result] = await Promise.all([call(endpoint.client, endpoint), this.#verify(endpoint, signal)]);
        endpoint.succeed(this.#options.now());
        if (!isElsewhere) this.#choose(endpoint);
        return result;
      } catch (error) {
        if (signal?.aborted === true || !mayDiffer(error)) throw error;
        // A node that merely lacks a block, or has one with something unknown, is not broken.
        if (!(error instanceof BlockNotFoundError || error instanceof UnknownContentError))
          endpoint.fail(error, this.#options.now(), this.#options);
        failure = moreTelling(failure, error);
      }
    }
    throw failure ?? new ChainClientError('no endpoint answered');
  }

  /** The primary, then the others as configured. Those that cool down come last, the one that is due soonest first. */
  #order(): EndpointState[] {
    const nowMs = this.#options.now();
    const all = [this.#primary, ...this.#endpoints.filter((endpoint) => endpoint !== this.#primary)];
    const open = all
      .filter((endpoint) => endpoint.isOpen(nowMs))
      .sort((a, b) => a.openUntilMs - b.openUntilMs);
    return [...all.filter((endpoint) => !endpoint.isOpen(nowMs)), ...open];
  }

  async #verify(endpoint: EndpointState, signal?: AbortSignal): Promise<void> {
    const nowMs = this.#options.now();
    if (endpoint.verifiedAtMs !== undefined && nowMs - endpoint.verifiedAtMs < this.#options.verifyIntervalMs)
      return;
    await endpoint.client.verifyChain(signal);
    endpoint.verifiedAtMs = nowMs;
  }

  async #readHeadOf(endpoint: EndpointState, signal?: AbortSignal): Promise<BlockHeader> {
    const startedAtMs = this.#options.now();
    const head = await endpoint.client.readHead(signal);
    endpoint.headNumber = head.number;
    this.#blockTime.noteHeader(head);
    endpoint.headMs = this.#options.now() - startedAtMs;
    return head;
  }

  #choose(endpoint: EndpointState): void {
    if (endpoint === this.#primary) return;
    this.#primary = endpoint;
    this.#endSubscription?.(new ChainClientError(`moved to ${endpoint.client.label}`));
  }

  #subscribe(onHead: (header: BlockHeader) => void, onEnd: (error: Error) => void): () => void {
    const endpoint = this.#order().find(({ client }) => client.subscribeHeads !== undefined);
    let isOver = false;
    const end = (error: Error): void => {
      if (isOver) return;
      isOver = true;
      stop?.();
      onEnd(error);
    };
    const stop = endpoint?.client.subscribeHeads?.((header) => {
      if (isOver) return;
      endpoint.headNumber = header.number;
      this.#blockTime.noteHeader(header);
      onHead(header);
    }, end);
    this.#endSubscription = end;
    return () => {
      isOver = true;
      stop?.();
    };
  }

  /** Compares heads in the background, so that a primary that stands still is noticed. */
  #probe(): void {
    const nowMs = this.#options.now();
    if (this.#endpoints.length < 2 || nowMs - this.#probedAtMs < this.#options.probeIntervalMs) return;
    this.#probedAtMs = nowMs;
    void Promise.all(this.#endpoints.map((endpoint) => this.#probeOne(endpoint))).then(() =>
      this.#leaveLagging(),
    );
  }

  async #probeOne(endpoint: EndpointState): Promise<void> {
    if (endpoint.isOpen(this.#options.now())) return;
    try {
      await this.#verify(endpoint);
      await this.#readHeadOf(endpoint);
      endpoint.answeredAtMs = this.#options.now();
    } catch (error) {
      if (error instanceof Error) endpoint.fail(error, this.#options.now(), this.#options);
    }
  }

  #leaveLagging(): void {
    const nowMs = this.#options.now();
    const healthy = this.#endpoints.filter((endpoint) => !endpoint.isOpen(nowMs));
    const best = healthy.toSorted((a, b) => (b.headNumber ?? 0) - (a.headNumber ?? 0))[0];
    const lagMax = blocksIn(this.#options.lagMsMax, this.#blockTime, LAG_BLOCKS_MIN);
    if (best === undefined || (this.#primary.headNumber ?? 0) + lagMax >= (best.headNumber ?? 0)) return;
    this.#choose(best);
  }
}

async function readTokensOf(
  client: ChainClient,
  {
    assetGids,
    signal,
    moved,
  }: {
    readonly assetGids: readonly string[];
    readonly signal: AbortSignal | undefined;
    readonly moved: ReadonlyMap<string, bigint> | undefined;
  },
): Promise<(TokenMetadata | undefined)[]> {
  if (client.readTokens === undefined) throw new ChainClientError(`${client.label} does not read tokens`);
  return client.readTokens(assetGids, signal, moved);
}

function mempoolOf(client: ChainClient): MempoolReader {
  if (client.mempool === undefined) throw new ChainClientError(`${client.label} does not tell its mempool`);
  return client.mempool;
}

function coinsOf(client: ChainClient): CoinReader {
  if (client.coins === undefined) throw new ChainClientError(`${client.label} does not tell coins`);
  return client.coins;
}
