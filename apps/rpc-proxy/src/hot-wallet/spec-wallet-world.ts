// SPDX-License-Identifier: Apache-2.0
import { createCache, type Cache } from '@chainwatch/platform/cache';
import { startRedis, waitFor, type RedisHandle } from '@chainwatch/testing';
import { startSpecWorld, type SpecWorld } from '../spec-world.ts';
import type { RpcProxy } from '../start-rpc-proxy.ts';
import { FaultyNode, type FaultyNodeOptions } from './spec-faulty-node.ts';

const SENDS = Number(process.env.WALLET_SENDS ?? 2_000);
/** How long the sends of one family may take. */
export const SOAK_MS = 1_800_000;
/** From one death of a node to the next. */
const DEATHS_MS = 500;
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface WalletWorldOptions extends Omit<FaultyNodeOptions, 'seed'> {
  /** A public chain: of a local one each replica has sessions of its own. */
  readonly gid: string;
  readonly family: string;
}

export interface Answer {
  readonly result?: unknown;
  readonly error?: unknown;
  readonly [name: string]: unknown;
}

/** One of the two workers of the wallet, which asks its own replica. */
export interface Worker {
  readonly index: number;
  call(method: string, params?: readonly unknown[]): Promise<Answer>;
  /** A path below the chain's address. */
  post(path: string, body: object): Promise<Answer>;
}

/** A signed payment. */
export interface Payment {
  readonly hash: string;
  /** What the payment uses up: a nonce, a coin. */
  readonly uses?: string;
  /** @returns undefined if it was accepted, otherwise what was told instead */
  send(): Promise<unknown>;
}

export interface HotWallet {
  /** Heights that must not fall, by kind. What is no number is no answer. */
  readHeights(worker: Worker, round: number): Promise<Readonly<Record<string, unknown>>>;
  /** Signs the next payment by what the gateway tells; undefined if it does not tell. */
  sign(worker: Worker, count: number): Promise<Payment | undefined>;
  /** Asks the node itself, which has no payment waiting any more. */
  isMined(hash: string): Promise<boolean>;
  /** Every payment that the node took is mined. */
  settle(): Promise<void>;
}

/** Two replicas of the gateway over Redis, an honest node, and a faulty one in front of the same chain. */
export class WalletWorld {
  readonly #world: SpecWorld;
  readonly #redis: RedisHandle;
  readonly #caches: readonly Cache[];
  readonly #honest: FaultyNode;
  readonly #faulty: FaultyNode;
  readonly #workers: readonly Worker[];
  /** What the gateway answered in place of the nodes, and how often. */
  readonly #unanswered: ReadonlyMap<string, number>;

  private constructor(parts: {
    readonly world: SpecWorld;
    readonly redis: RedisHandle;
    readonly caches: readonly Cache[];
    readonly nodes: readonly [FaultyNode, FaultyNode];
    readonly workers: readonly Worker[];
    readonly unanswered: ReadonlyMap<string, number>;
  }) {
    this.#world = parts.world;
    this.#redis = parts.redis;
    this.#caches = parts.caches;
    [this.#honest, this.#faulty] = parts.nodes;
    this.#workers = parts.workers;
    this.#unanswered = parts.unanswered;
  }

  static async start({ gid, family, ...node }: WalletWorldOptions): Promise<WalletWorld> {
    const [world, redis] = await Promise.all([startSpecWorld(), startRedis()]);
    const caches = [0, 1].map(() => createCache(redis.url, { name: 'rpc-proxy' }));
    await waitFor(() => caches.every(({ isReady }) => isReady));
    const seed = Number(process.env.SPEC_SEED ?? 7);
    const nodes = [new FaultyNode({ ...node, seed }), new FaultyNode({ ...node, seed })] as const;
    await Promise.all(nodes.map((each) => each.open()));
    const endpoints = { [gid]: nodes.map(({ url }) => url) };
    const replicas = await Promise.all(
      caches.map((cache) =>
        world.open({}, { endpoints, cache, cacheBytes: 10_000_000, healthIntervalMs: 50 }),
      ),
    );
    const key = await world.makeKey([`rpc:${family}:read`, `rpc:${family}:send`]);
    await waitFor(() => replicas.every((replica) => servesAll(replica, gid)), { timeoutMs: 20_000 });
    const unanswered = new Map<string, number>();
    const workers = replicas.map(({ url }, index) =>
      createWorker(index, { url: `${url}/${gid}`, key, unanswered }),
    );
    return new WalletWorld({ world, redis, caches, nodes, workers, unanswered });
  }

  /** Two workers in turns, each at its own replica; the node dies now and then, and Redis once. */
  async run(wallet: HotWallet): Promise<void> {
    const accepted = new Map<string, Payment>();
    const refused = new Map<string, unknown>();
    const heights = new HeightRecord();
    let redisEnds: Promise<void> | undefined;
    let round = 0;
    this.#faulty.isHonest = false;
    const dying = this.#loseNodes();
    for (; accepted.size < SENDS; round += 1) {
      if (round === SENDS * 2)
        throw new Error(
          `expected ${SENDS} payments, got ${accepted.size}: ${JSON.stringify([...refused.values()].slice(-3))}`,
        );
      const worker = this.#workers[round % 2]!;
      if (accepted.size === SENDS >> 1) redisEnds ??= this.#loseRedis();
      heights.see(round, await wallet.readHeights(worker, round), this.#faulty.lags);
      const payment = await wallet.sign(worker, round);
      // No answer is nothing to pay with: it asks again.
      if (payment === undefined) continue;
      const refusal = await payment.send();
      if (refusal === undefined) accepted.set(payment.hash, payment);
      else refused.set(payment.hash, refusal);
    }
    await redisEnds;
    this.#faulty.isHonest = true;
    await dying;
    await wallet.settle();
    console.log(
      JSON.stringify({
        ...{ round, refused: refused.size, faults: this.#faulty.faults, heights: heights.highest },
        unanswered: Object.fromEntries(this.#unanswered),
      }),
    );
    await this.#check(wallet, accepted, refused);
    expect(heights.falls).toEqual([]);
    expect(this.#faulty.faults.old).toBeGreaterThan(SENDS / 200);
  }

  async stop(): Promise<void> {
    // No node dies any more.
    this.#faulty.isHonest = true;
    await this.#world.stop();
    this.#honest.stop();
    this.#faulty.stop();
    await Promise.all(this.#caches.map((cache) => cache.close()));
    await this.#redis.stop();
    expect(this.#world.failures).toEqual([]);
  }

  async #check(
    wallet: HotWallet,
    accepted: ReadonlyMap<string, Payment>,
    refused: ReadonlyMap<string, unknown>,
  ): Promise<void> {
    const uses = [...accepted.values()].flatMap((payment) => payment.uses ?? []);
    expect(uses.filter((use, index) => uses.indexOf(use) !== index)).toEqual([]);
    const lost: string[] = [];
    for (const hash of accepted.keys()) if (!(await wallet.isMined(hash))) lost.push(hash);
    expect(lost).toEqual([]);
    // Nothing was told as failed that was mined.
    const paid: unknown[] = [];
    for (const [hash, refusal] of refused)
      if (!accepted.has(hash) && (await wallet.isMined(hash))) paid.push([hash, refusal]);
    expect(paid).toEqual([]);
  }

  /**
   * Each node is away now and then, never both: writes stay with the node that took the last one, so the wallet would not
   * come to the faulty one otherwise.
   */
  async #loseNodes(): Promise<void> {
    for (let count = 0; !this.#faulty.isHonest; count += 1) {
      await wait(DEATHS_MS);
      await (count % 2 === 0 ? this.#honest : this.#faulty).die();
    }
  }

  async #loseRedis(): Promise<void> {
    this.#faulty.lags = false;
    await this.#redis.kill9();
    await wait(1_500);
    await this.#redis.restart();
    await waitFor(() => this.#caches.every(({ isReady }) => isReady));
    // It came back empty: each replica says once a second what it knows.
    await wait(2_500);
    this.#faulty.lags = true;
  }
}

/** A quantity of an answer; undefined if there is none. */
export function toNumber(quantity: unknown): number | undefined {
  return typeof quantity === 'string' ? Number(quantity) : undefined;
}

/** The heights that the wallet was told. */
class HeightRecord {
  readonly highest: Record<string, number> = {};
  readonly falls: unknown[] = [];

  /** @param isShared replicas know from each other what the key has seen */
  see(round: number, heights: Readonly<Record<string, unknown>>, isShared: boolean): void {
    for (const [kind, height] of Object.entries(heights)) {
      if (typeof height !== 'number') continue;
      const before = this.highest[kind] ?? -1;
      if (height < before && isShared) this.falls.push({ round, kind, before, height });
      this.highest[kind] = isShared ? Math.max(before, height) : height;
    }
  }
}

function servesAll({ directory }: RpcProxy, gid: string): boolean {
  const chain = directory.find(gid)!;
  return [chain, ...(chain.paths === undefined ? [] : [chain.paths])].every(
    (side) => side.upstreams.length > 0 && side.upstreams.every((upstream) => side.serves(upstream)),
  );
}

interface Desk {
  readonly url: string;
  readonly key: string;
  readonly unanswered: Map<string, number>;
}

function createWorker(index: number, { url, key, unanswered }: Desk): Worker {
  const post = async (path: string, body: object): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'x-api-key': key },
    });
    const answer = (await response.json()) as Answer;
    if (typeof answer.error === 'string')
      unanswered.set(answer.error, (unanswered.get(answer.error) ?? 0) + 1);
    return answer;
  };
  return {
    index,
    post,
    call: (method, params = []) => post('', { jsonrpc: '2.0', id: 1, method, params }),
  };
}
