// SPDX-License-Identifier: Apache-2.0
import type pg from 'pg';
import { FairQueue } from '@chainwatch/chain-core';
import { ContextPool, type ConnectCallback } from './context-pool.ts';

/** Names whose statement this is, such as a workspace; undefined: the service's own. */
export type FindOwner = () => string | undefined;

/**
 * A pool whose sessions owners get in turn: one that asks for many leaves as many free as it has, and waits behind each of
 * the others once a turn. Who waits longer than `connectionTimeoutMillis` gets the error that the pool itself has for it.
 */
export class FairPool extends ContextPool {
  readonly #queue: FairQueue;
  readonly #findOwner: FindOwner;

  constructor(options: pg.PoolConfig, findOwner: FindOwner) {
    super(options);
    this.#queue = new FairQueue({ atOnce: this.options.max, leavesRoom: true });
    this.#findOwner = findOwner;
  }

  /** Statements and transactions that wait for a session. */
  countWaiting(): number {
    return this.waitingCount + this.#queue.waiting;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    const connected = this.#connect();
    if (callback === undefined) return connected;
    connected.then(
      (client) => callback(undefined, client, client.release),
      (error: Error) => callback(error, undefined, () => undefined),
    );
  }

  async #connect(): Promise<pg.PoolClient> {
    const leave = await this.#enter();
    try {
      const client = await super.connect();
      const release = client.release;
      client.release = (failure) => {
        try {
          release(failure);
        } finally {
          leave();
        }
      };
      return client;
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #enter(): Promise<() => void> {
    const owner = this.#findOwner();
    const timeout = new AbortController();
    const timer = setTimeout(
      () => timeout.abort(new Error('timeout exceeded when trying to connect')),
      this.options.connectionTimeoutMillis,
    );
    try {
      return await this.#queue.enter({ owner, signal: timeout.signal });
    } finally {
      clearTimeout(timer);
    }
  }
}
