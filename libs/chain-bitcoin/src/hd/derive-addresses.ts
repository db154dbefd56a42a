// SPDX-License-Identifier: Apache-2.0
import { base58 } from '@scure/base';
import {
  type DerivationRequest,
  type DerivedAddress,
  type Network,
  DerivationUnavailableError,
} from '@chainwatch/chain-core';
import { toLibraryNetwork } from '../library-network.ts';
import { bitcoinCatalogue, readTraits } from '../networks.ts';
import { parseAddress } from '../parse-address.ts';
import { findAddress, matchKeyOf } from '../script-address.ts';
import type { HdFormat, DerivationAnswer, DerivationTask } from './derivation-task.ts';
import Tinypool from 'tinypool';

export interface DerivationPoolOptions {
  /** The module of the threads: its default export answers a task. */
  readonly filename: string;
  /** Threads at most, default 2: one takes two seconds for a thousand taproot addresses. */
  readonly threads?: number;
  /** Most requests that wait or are worked on, default 256. */
  readonly jobsMax?: number;
  /** Addresses computed before another request gets its turn, default 250. */
  readonly sliceSize?: number;
  /** A slice that takes longer, its wait for a thread included, is given up, and a thread that hangs with it; default 20,000. */
  readonly sliceTimeoutMs?: number;
  /** A thread without work ends after that, default 60,000. */
  readonly idleMs?: number;
}

const CRASHES_MAX = 2;

/**
 * Derives in threads, started with the first request, or by `start` before it, and again when they die. Requests take turns slice by slice, so that one
 * index does not wait for a thousand others. A thread keeps the process alive only while it works.
 */
export class DerivationPool {
  readonly #options: Required<DerivationPoolOptions>;
  /** Why the threads of a pool failed. */
  readonly #failures = new WeakMap<Tinypool, unknown>();
  #pool: Tinypool;
  #jobs = 0;

  constructor(options: DerivationPoolOptions) {
    this.#options = {
      ...{ threads: 2, jobsMax: 256, sliceSize: 250, sliceTimeoutMs: 20_000, idleMs: 60_000 },
      ...options,
    };
    this.#pool = this.#open();
  }

  /** Starts a thread that stays, for a service that is about to be asked. Before the first request. */
  start(): void {
    const pool = this.#pool;
    this.#pool = this.#open(1);
    void pool.destroy();
  }

  /** @throws DerivationUnavailableError, or the reason of the signal */
  async derive(task: DerivationTask, signal?: AbortSignal): Promise<readonly string[]> {
    signal?.throwIfAborted();
    const { jobsMax, sliceSize } = this.#options;
    if (this.#jobs >= jobsMax)
      throw unavailable(`expected at most ${jobsMax} derivations at once, got one more`);
    this.#jobs += 1;
    try {
      const addresses: string[] = [];
      while (addresses.length < task.indexes.length) {
        const indexes = task.indexes.slice(addresses.length, addresses.length + sliceSize);
        const answer = await this.#answer({ ...task, indexes });
        signal?.throwIfAborted();
        if ('fault' in answer) throw new Error(answer.fault);
        addresses.push(...answer.addresses);
      }
      return addresses;
    } finally {
      this.#jobs -= 1;
    }
  }

  /** A slice whose thread dies is computed again; one that ends its thread twice is not tried a third time. */
  async #answer(task: DerivationTask): Promise<DerivationAnswer> {
    for (let crashes = 1; ; crashes += 1) {
      const pool = this.#pool;
      const { completed } = pool;
      const signal = AbortSignal.timeout(this.#options.sliceTimeoutMs);
      try {
        return (await pool.run(task, { signal })) as DerivationAnswer;
      } catch (cause) {
        // Threads that answered others have too much to do; those that answered nobody hang.
        if (signal.aborted && pool.completed === completed) this.#replace(pool);
        if (signal.aborted) throw unavailable('the threads that derive addresses took too long', cause);
        if (crashes === CRASHES_MAX)
          throw unavailable(
            'the thread that derives addresses died twice',
            this.#failures.get(pool) ?? cause,
          );
      }
    }
  }

  /** @param staying threads that start at once and do not end without work */
  #open(staying = 0): Tinypool {
    const { filename, threads, idleMs } = this.#options;
    const pool = new Tinypool({
      filename,
      minThreads: staying,
      maxThreads: threads,
      idleTimeout: idleMs,
      execArgv: [],
    });
    // A thread that did not start, or died between two slices: what waits for it would wait for ever.
    pool.on('error', (error: unknown) => {
      this.#failures.set(pool, error);
      this.#replace(pool);
    });
    return pool;
  }

  /** What runs or waits in the pool fails, and is computed again in the new one. */
  #replace(pool: Tinypool): void {
    if (pool !== this.#pool) return;
    // None that stays: one that cannot start would be started again and again.
    this.#pool = this.#open();
    void pool.destroy();
  }
}

function unavailable(message: string, cause?: unknown): DerivationUnavailableError {
  return new DerivationUnavailableError(message, {
    cause,
    publicMessage: 'Addresses cannot be derived at the moment.',
  });
}

const ADDRESSES_MAX = 1_000;
const INDEX_MAX = 2 ** 31 - 1;
/** Beside the sources a TypeScript file, beside a bundle its own entry point (tools/stack/bundle.mjs). */
const file = import.meta.url.endsWith('.ts') ? './source.worker.mjs' : './derivation.worker.mjs';
const THREADS = 2;
const pool = new DerivationPool({ filename: new URL(file, import.meta.url).href, threads: THREADS });
/** From this many addresses on, a request is shared among the threads. */
const SHARED_MIN = 100;

/** `HdDerivation.deriveAddresses` for Bitcoin. */
export async function deriveAddresses(
  request: DerivationRequest,
  signal?: AbortSignal,
): Promise<DerivedAddress[]> {
  const { extendedPublicKey, change, indexes } = request;
  checkIndexes(change, indexes);
  if (indexes.length === 0) return [];
  const format = checkFormat(request.addressFormat);
  const network = readNetwork(request.networkGid, format);
  const keyVersion = readVersion(extendedPublicKey);
  const size = indexes.length > SHARED_MIN ? Math.ceil(indexes.length / THREADS) : indexes.length;
  const parts = Array.from({ length: THREADS }, (_, position) =>
    indexes.slice(position * size, (position + 1) * size),
  ).filter((part) => part.length > 0);
  const derived = await Promise.all(
    parts.map((part) =>
      pool.derive(
        {
          ...{ extendedPublicKey, keyVersion, change, indexes: part, format },
          network: toLibraryNetwork(network),
        },
        signal,
      ),
    ),
  );
  const addresses = derived.flat().map((address) => writeOn(network, address));
  // The networks that write this format the same way: test networks share most of their prefixes.
  const { networkGids } = parseAddress(addresses[0]!);
  return addresses.map((address, position) => ({
    index: indexes[position]!,
    address: { canonical: address, display: address, format, networkGids },
  }));
}

/** `HdDerivation.start` for Bitcoin. */
export function startDeriving(): void {
  pool.start();
}

function readNetwork(networkGid: string, format: HdFormat): Network {
  const network = bitcoinCatalogue.networks.find(({ gid }) => gid === networkGid);
  if (network === undefined) throw new Error(`expected a network of this family, got ${networkGid}`);
  if (format !== 'p2pkh' && readTraits(network).segwitHeight === undefined)
    throw new Error(`expected the format p2pkh on ${networkGid}, which has no segwit, got ${format}`);
  return network;
}

function readVersion(extendedPublicKey: string): number {
  return Buffer.from(base58.decode(extendedPublicKey).subarray(0, 4)).readUInt32BE();
}

/** The library knows no CashAddr. */
function writeOn(network: Network, address: string): string {
  if (readTraits(network).cashAddrPrefix === undefined) return address;
  return findAddress(network, matchKeyOf(address))!;
}

function checkIndexes(change: number, indexes: readonly number[]): void {
  if (change !== 0 && change !== 1) throw new RangeError(`expected change 0 or 1, got ${change}`);
  if (indexes.length > ADDRESSES_MAX)
    throw new RangeError(`expected at most ${ADDRESSES_MAX} indexes, got ${indexes.length}`);
  const wrong = indexes.find((index) => !Number.isInteger(index) || index < 0 || index > INDEX_MAX);
  if (wrong !== undefined) throw new RangeError(`expected indexes from 0 to ${INDEX_MAX}, got ${wrong}`);
}

function checkFormat(format: string): HdFormat {
  if (format === 'p2pkh' || format === 'p2sh-p2wpkh' || format === 'p2wpkh' || format === 'p2tr')
    return format;
  throw new Error(`expected the format p2pkh, p2sh-p2wpkh, p2wpkh or p2tr, got ${format}`);
}
