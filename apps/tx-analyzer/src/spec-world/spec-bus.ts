// SPDX-License-Identifier: Apache-2.0
import type { Bus, BusMessage } from '@chainwatch/data/bus';
import { SUBJECTS, type SubjectKind } from '@chainwatch/events';

interface Published {
  readonly kind: SubjectKind;
  readonly tokens: readonly string[];
  readonly messageId: string;
  readonly payload: { readonly event_id: string; readonly type: string; readonly sequence: number | null };
}

/** What an analyzer asks of its bus. */
export type AnalyzerBus = Pick<
  Bus<'tx-analyzer'>,
  'publish' | 'subscribe' | 'consume' | 'isConnected' | 'onStreamsRecreated' | 'streamState' | 'readStream'
>;

/** A bus in memory; payloads are checked against the public schemas. */
export class SpecBus implements AnalyzerBus {
  readonly published: Published[] = [];
  isConnected = true;
  readonly #listeners = new Set<(firstWord: string) => void>();
  readonly #handlers = new Map<SubjectKind, Set<(message: BusMessage<SubjectKind>) => void>>();

  publish: Bus<'tx-analyzer'>['publish'] = async (kind, { tokens, payload, messageId }) => {
    if (!this.isConnected) throw new Error('the bus is away');
    SUBJECTS[kind].payload.parse(payload);
    this.published.push({ kind, tokens, messageId, payload });
  };

  subscribe: Bus<'tx-analyzer'>['subscribe'] = (kind, _tokens, handler) => {
    const handlers = this.#handlers.get(kind) ?? new Set();
    this.#handlers.set(kind, handlers);
    handlers.add(handler as (message: BusMessage<SubjectKind>) => void);
    return () => void handlers.delete(handler as (message: BusMessage<SubjectKind>) => void);
  };

  consume: Bus<'tx-analyzer'>['consume'] = ([kind], tokens, { onMessage, onOpen }) => {
    const stop = this.subscribe(kind, tokens, onMessage);
    onOpen();
    return async () => stop();
  };

  onStreamsRecreated(listener: (firstWord: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #incarnation = 1;
  streamState = () => ({ incarnation: String(this.#incarnation), lastSeq: this.published.length });
  readStream = async () => this.streamState();

  loseStreams(): void {
    this.#incarnation += 1;
    for (const listener of this.#listeners) listener('tx');
  }

  /** Sends what the ingestor or the gateway would. */
  send(kind: SubjectKind, tokens: readonly string[], payload: unknown): void {
    for (const handler of this.#handlers.get(kind) ?? [])
      handler({ kind, subject: kind, tokens, payload } as BusMessage<SubjectKind>);
  }
}
