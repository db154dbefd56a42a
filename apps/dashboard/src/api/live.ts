// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from 'react';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { createParser } from 'eventsource-parser';
import { actingHeaders, noteSignedOut } from './client.ts';
import { reach } from './connection.ts';

const RETRY_MS = 3_000;
/** The API sends a comment every 15 s: a stream that is silent for longer is cut without a word. */
const SILENT_MS = 40_000;
/** Pages are told together what came within this time. */
const GATHER_MS = 250;

/** Queries that an event of the project makes old, by the first word of its type. */
const CHANGED: Readonly<Record<string, readonly string[]>> = {
  transaction: ['transactions', 'transaction', 'events', 'stats', 'deliveries', 'balances'],
  balance: ['balances', 'events', 'stats'],
  channel: ['channels', 'channel', 'events', 'stats'],
};

export type LiveState = 'connecting' | 'live' | 'off';

/** Follows the project's events while the page is open, and reads again what they changed. */
export function useLiveEvents(isOn: boolean, projectId: string | undefined): LiveState {
  const client = useQueryClient();
  const [state, setState] = useState<LiveState>('off');
  useEffect(() => {
    if (!isOn || projectId === undefined) return setState('off');
    const stopping = new AbortController();
    void follow({ client, signal: stopping.signal, onState: setState });
    return () => stopping.abort();
  }, [client, isOn, projectId]);
  return state;
}

interface Following {
  readonly client: QueryClient;
  readonly signal: AbortSignal;
  readonly onState: (state: LiveState) => void;
}

async function follow({ client, signal, onState }: Following): Promise<void> {
  let lastId: string | undefined;
  const gathered = new Set<string>();
  const tell = (names: readonly string[]): void => {
    if (gathered.size === 0) setTimeout(() => invalidate(client, gathered), GATHER_MS);
    for (const name of names) gathered.add(name);
  };
  const parser = createParser({
    onEvent: ({ id, event }) => {
      lastId = id ?? lastId;
      if (event !== undefined) tell(CHANGED[event.split('.', 1)[0] ?? ''] ?? ['events', 'stats']);
    },
  });
  while (!signal.aborted) {
    try {
      onState('connecting');
      await readStream({
        signal,
        lastId,
        onOpen: () => onState('live'),
        onText: (text) => parser.feed(text),
      });
    } catch {
      if (signal.aborted) return;
    }
    onState('connecting');
    parser.reset();
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

interface Reading {
  readonly signal: AbortSignal;
  readonly lastId: string | undefined;
  readonly onOpen: () => void;
  readonly onText: (text: string) => void;
}

/** An EventSource sends no header of ours, so the stream is read by hand. */
async function readStream({ signal, lastId, onOpen, onText }: Reading): Promise<void> {
  const response = await reach('/v1/events/stream', {
    signal,
    headers: { ...actingHeaders(), ...(lastId !== undefined && { 'Last-Event-ID': lastId }) },
  });
  if (response.status === 401) noteSignedOut();
  if (!response.ok || response.body === null) throw new Error(`the stream answered ${response.status}`);
  onOpen();
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (;;) {
    const silent = setTimeout(() => void reader.cancel().catch(() => undefined), SILENT_MS);
    const { done, value } = await reader.read().finally(() => clearTimeout(silent));
    if (done) return;
    onText(decoder.decode(value, { stream: true }));
  }
}

function invalidate(client: QueryClient, gathered: Set<string>): void {
  const names = new Set(gathered);
  gathered.clear();
  void client.invalidateQueries({ predicate: ({ queryKey }) => names.has(String(queryKey[0])) });
}
