// SPDX-License-Identifier: Apache-2.0
import { createParser } from 'eventsource-parser';

/** What a client of server-sent events got, as a parser of somebody else reads it. */
export interface EventStreamClient {
  readonly status: number;
  readonly headers: Headers;
  /** In the order of their arrival. */
  readonly events: readonly { readonly id: string; readonly type: string; readonly data: string }[];
  readonly comments: number;
  /** As the server asked. */
  readonly retryMs: number | undefined;
  /** Of the last event, those without data included: what the client comes again with. */
  readonly lastEventId: string | undefined;
  readonly isOver: boolean;
  readonly text: string;
  close(): void;
}

/** Opens a stream and reads on until it ends. Resolves when its head has come. */
export async function openEventStream(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<EventStreamClient> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const events: { id: string; type: string; data: string }[] = [];
  const seen = {
    comments: 0,
    retryMs: undefined as number | undefined,
    isOver: false,
    text: '',
    lastId: undefined as string | undefined,
  };
  const parser = createParser({
    onEvent: ({ id = '', event = 'message', data }) => void events.push({ id, type: event, data }),
    onComment: () => void (seen.comments += 1),
    onRetry: (ms) => void (seen.retryMs = ms),
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  void (async () => {
    try {
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) {
        const text = decoder.decode(chunk, { stream: true });
        seen.text = (seen.text + text).slice(-100_000);
        if (isStream) parser.feed(text);
        // The parser tells of events with data alone. What the blank line has not ended was not received.
        seen.lastId =
          [...seen.text.matchAll(/^id: (\d+)\n(?:(?:event|data): .*\n)*\n/gm)].at(-1)?.[1] ?? seen.lastId;
      }
    } catch {
      // Cut, by the server or by us.
    }
    seen.isOver = true;
  })();
  return {
    status: response.status,
    headers: response.headers,
    events,
    get comments() {
      return seen.comments;
    },
    get retryMs() {
      return seen.retryMs;
    },
    get lastEventId() {
      return seen.lastId;
    },
    get isOver() {
      return seen.isOver;
    },
    get text() {
      return seen.text;
    },
    close: () => abort.abort(),
  };
}
