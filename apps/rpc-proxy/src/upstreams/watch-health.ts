// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { Chain } from '../chains/chain.ts';
import { askHealth } from './ask-health.ts';
import { NotServedError } from './call-upstream.ts';
import type { Upstream } from './upstream.ts';

export interface HealthLog {
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

interface HealthWatch {
  readonly log: HealthLog;
  readonly signal: AbortSignal;
  /** Of a node that serves; otherwise by the chain's block time. */
  readonly intervalMs?: number | undefined;
}

const INTERVAL_MS_MIN = 250;
const INTERVAL_MS_MAX = 2_000;
const DOWN_INTERVAL_MS = 250;
/** The shortest pause where calls wait for the head. */
const HURRY_MS = 50;
/** A node that is up without this interface is unlikely to offer it soon. */
const NOT_SERVED_INTERVAL_MS = 5_000;

/** Checks a node's health repeatedly until `signal` aborts. Never rejects. */
export async function watchHealth(
  chain: Chain,
  upstream: Upstream,
  { log, signal, intervalMs }: HealthWatch,
): Promise<void> {
  while (!signal.aborted) {
    const wasServing = upstream.isChecked && !upstream.isDown && !upstream.isWrongChain;
    const downMs = await check(chain, upstream);
    if (signal.aborted) return;
    const isServing = !upstream.isDown && !upstream.isWrongChain;
    upstream.isChecked = true;
    chain.refreshHead();
    const fields = { chain_gid: chain.network.gid, upstream: upstream.label, reason: upstream.reason };
    if (wasServing && !isServing) log.warn(fields, 'a node was taken out of service');
    if (!wasServing && isServing) log.info(fields, 'a node was taken into service');
    await pause(upstream, isServing ? (intervalMs ?? intervalOf(chain)) : downMs, signal);
  }
}

/** Until the interval is over, or somebody waits for the node's head. */
async function pause(upstream: Upstream, ms: number, signal: AbortSignal): Promise<void> {
  const hurry = new AbortController();
  const stop = (): void => hurry.abort();
  signal.addEventListener('abort', stop, { once: true });
  const startedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  upstream.hurryHealth = () => {
    const early = HURRY_MS - (performance.now() - startedAt);
    timer ??= setTimeout(stop, Math.max(0, early)).unref();
  };
  await delay(ms, undefined, { signal: hurry.signal, ref: false }).catch(() => undefined);
  signal.removeEventListener('abort', stop);
  clearTimeout(timer);
  upstream.hurryHealth = () => undefined;
}

function intervalOf({ blockTime }: Chain): number {
  return Math.min(INTERVAL_MS_MAX, Math.max(INTERVAL_MS_MIN, blockTime.ms / 2));
}

/** @returns how long to wait before the next check if the node does not serve */
async function check(chain: Chain, upstream: Upstream): Promise<number> {
  try {
    const { isRightChain, head } = await askHealth(upstream, chain);
    if (isRightChain === undefined && head === undefined)
      throw new Error('tells neither its chain nor its head');
    if (isRightChain === true) upstream.hasToldChain = true;
    // A node that never said which chain it serves is not trusted to serve this one.
    upstream.isWrongChain = isRightChain === false || !upstream.hasToldChain;
    if (upstream.isWrongChain) {
      upstream.reason =
        isRightChain === false ? 'serves another chain' : 'does not tell which chain it serves';
      if (isRightChain === false) upstream.hasToldChain = false;
      return DOWN_INTERVAL_MS;
    }
    upstream.recover();
    if (head === undefined) return DOWN_INTERVAL_MS;
    chain.setHead(upstream, head);
  } catch (error) {
    upstream.isWrongChain = !upstream.hasToldChain;
    upstream.goDown(error instanceof Error ? error.message : String(error));
    if (error instanceof NotServedError) return NOT_SERVED_INTERVAL_MS;
  }
  return DOWN_INTERVAL_MS;
}
