// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { ChainClientError } from '@chainwatch/chain-core';
import type { BlockHeader } from '@chainwatch/chain-core';
import { isUnsupported } from './classify-node-error.ts';
import { readHead } from './read-headers.ts';
import type { Session } from './session.ts';

export interface HeadSubscription {
  readonly onHead: (header: BlockHeader) => void;
  /** Called once, with the reason, unless stopped before. */
  readonly onEnd: (error: Error) => void;
  /** How long a node may take beyond the wait. */
  readonly timeoutMs: number;
}

/** Shorter than the idle time-outs of gateways. */
const WAIT_MS = 15_000;
/** A node that answers at once with the known head does not wait. This rest keeps it from being asked in a tight loop. */
const REST_MS = 250;

/** Heads by `waitfornewblock`, one long poll after the other. Returns a function that stops it. */
export function subscribeHeads(session: Session, subscription: HeadSubscription): () => void {
  const controller = new AbortController();
  follow(session, subscription, controller.signal).catch((error: unknown) => {
    if (controller.signal.aborted) return;
    controller.abort();
    subscription.onEnd(error instanceof Error ? error : new ChainClientError(String(error)));
  });
  return () => controller.abort();
}

async function follow(
  session: Session,
  { onHead, timeoutMs }: HeadSubscription,
  signal: AbortSignal,
): Promise<never> {
  let last: string | undefined;
  for (;;) {
    await waitForNewBlock(session, timeoutMs, signal);
    const head = await readHead(session, signal);
    if (head.hash === last) {
      await sleep(REST_MS, undefined, { signal });
      continue;
    }
    last = head.hash;
    if (!signal.aborted) onHead(head);
  }
}

async function waitForNewBlock(
  { rpc, capabilities }: Session,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  if (!capabilities.hasWaitForNewBlock)
    throw new ChainClientError('the endpoint does not push heads', { nodeCode: -32601 });
  try {
    await rpc.call('waitfornewblock', [WAIT_MS], { signal, timeoutMs: WAIT_MS + timeoutMs });
  } catch (error) {
    if (isUnsupported(error)) capabilities.hasWaitForNewBlock = false;
    throw error;
  }
}
