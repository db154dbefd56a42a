// SPDX-License-Identifier: Apache-2.0
import { useSyncExternalStore } from 'react';

/** `away`: the API does not answer. */
export type Connection = 'up' | 'away';

/** A request that is silent for so long is a reason to ask whether the API is there. */
const SILENT_MS = 1_500;
/** Together with the silence before it, so that a person is told within 3 s. */
const PROBE_MS = 1_200;
const RETRY_MS = 2_000;
/** What a proxy answers when the API behind it is gone, and the API when it cannot serve. */
const AWAY = [502, 503, 504];

const listeners = new Set<() => void>();
let connection: Connection = 'up';
let probing: Promise<void> | undefined;
let probe: (signal: AbortSignal) => Promise<number> = () => Promise.resolve(200);

/** @param ask for a light answer of the API; its status */
export function probeWith(ask: (signal: AbortSignal) => Promise<number>): void {
  probe = ask;
}

/** `fetch`, which notes whether the API answers. */
export async function reach(request: Request | string, init?: RequestInit): Promise<Response> {
  const silent = setTimeout(suspect, SILENT_MS);
  try {
    const response = await fetch(request, init);
    if (AWAY.includes(response.status)) suspect();
    return response;
  } catch (error) {
    if ((error as Error).name !== 'AbortError') suspect();
    throw error;
  } finally {
    clearTimeout(silent);
  }
}

/** Asks until the API answers, unless that is done already. */
export function suspect(): void {
  probing ??= askUntilUp().finally(() => (probing = undefined));
}

async function askUntilUp(): Promise<void> {
  while (!(await isUp())) {
    change('away');
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, RETRY_MS);
      window.addEventListener('online', () => (clearTimeout(timer), resolve()), { once: true });
    });
  }
  change('up');
}

async function isUp(): Promise<boolean> {
  try {
    return !AWAY.includes(await probe(AbortSignal.timeout(PROBE_MS)));
  } catch {
    return false;
  }
}

function change(next: Connection): void {
  if (next === connection) return;
  connection = next;
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useConnection(): Connection {
  return useSyncExternalStore(listen, () => connection);
}

/** Called each time that the API answers again. */
export function listenForReturn(onReturn: () => void): void {
  listen(() => connection === 'up' && onReturn());
}
