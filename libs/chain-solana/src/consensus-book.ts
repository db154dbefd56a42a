// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from '@chainwatch/chain-core';
import { z } from 'zod';
import type { RpcClient } from './rpc-client.ts';

const METHOD_NOT_FOUND = -32601;
/** A cluster that has not migrated is asked again after this, and so is a node that did not answer. */
const ASK_AGAIN_MS = 60_000;
/** A node before Agave 4.3 has to be upgraded first. */
const ASK_UPGRADED_MS = 600_000;

const certificateSchema = z.object({ block: z.object({ slot: z.int().min(0) }) }).nullable();

/**
 * Since which slot a cluster is on Alpenglow, as its node tells by `getAgGenesisCert`
 * (https://solana.com/docs/rpc/http/getaggenesiscert). From there on a confirmed block is final, because one
 * certificate says both (SIMD-0326).
 */
export class ConsensusBook {
  #since: number | undefined;
  #askAtMs = 0;

  /** The slot above which a confirmed block is final; undefined where the node tells of none. */
  async findAlpenglowSlot(rpc: Pick<RpcClient, 'call'>, signal?: AbortSignal): Promise<number | undefined> {
    if (this.#since === undefined && performance.now() >= this.#askAtMs) await this.#ask(rpc, signal);
    return this.#since;
  }

  async #ask(rpc: Pick<RpcClient, 'call'>, signal?: AbortSignal): Promise<void> {
    this.#askAtMs = performance.now() + ASK_AGAIN_MS;
    try {
      const told = certificateSchema.safeParse(await rpc.call('getAgGenesisCert', [], signal));
      this.#since = told.success ? told.data?.block.slot : undefined;
    } catch (error) {
      if (!(error instanceof ChainClientError)) throw error;
      if (error.nodeCode === METHOD_NOT_FOUND) this.#askAtMs = performance.now() + ASK_UPGRADED_MS;
    }
  }
}
