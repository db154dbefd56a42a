import { setTimeout as delay } from 'node:timers/promises';
import type { JsMsg } from '@nats-io/jetstream';
import type { SubjectKind } from '@chainwatch/events';
import type { BusMessage } from './bus.ts';
import { describeError, type BusLogger } from './bus-logger.ts';
import type { ConsumerFilter } from './consumer-filter.ts';
import { kindOf, parseMessage } from './parse-message.ts';

const BACKOFF_MIN_MS = 200;
const BACKOFF_MAX_MS = 30_000;

export type Outcome =
  | { readonly type: 'ack' }
  | { readonly type: 'nak'; readonly delayMs: number }
  | { readonly type: 'term' };

export interface MessageHandlerOptions<K extends SubjectKind> {
  readonly filter: ConsumerFilter<K>;
  readonly handler: (message: BusMessage<K>) => Promise<void>;
  /** Tried again in place, so that the messages behind it wait: otherwise it would come back after them. */
  readonly isOrdered: boolean;
  readonly stopped: AbortSignal;
  readonly logger: BusLogger;
}

/** Runs the handler until it says what becomes of the message. Never rejects. */
export async function handleMessage<K extends SubjectKind>(
  options: MessageHandlerOptions<K>,
  raw: JsMsg,
): Promise<Outcome> {
  const { filter, handler, isOrdered, stopped, logger } = options;
  const kind = kindOf(raw.subject);
  // A sibling kind that the filter of the whole stream lets through.
  if (kind === undefined || !filter.kinds.has(kind as K)) return { type: 'ack' };
  for (let attempt = raw.info.deliveryCount; ; attempt += 1) {
    const message = tryParse(kind as K, raw, attempt, logger);
    if (message === undefined) return { type: 'term' };
    if (stopped.aborted) return { type: 'nak', delayMs: 0 };
    try {
      await handler(message);
      return { type: 'ack' };
    } catch (error) {
      const delayMs = backoffMs(attempt);
      logger.warn(
        {
          subject: raw.subject,
          message_id: message.messageId,
          attempt,
          delay_ms: delayMs,
          error: describeError(error),
        },
        'a message was not handled, it is tried again',
      );
      if (!isOrdered || stopped.aborted) return { type: 'nak', delayMs: stopped.aborted ? 0 : delayMs };
      await delay(delayMs, undefined, { signal: stopped }).catch(() => undefined);
    }
  }
}

function backoffMs(attempt: number): number {
  return Math.min(BACKOFF_MIN_MS * 2 ** Math.min(attempt - 1, 20), BACKOFF_MAX_MS);
}

function tryParse<K extends SubjectKind>(
  kind: K,
  raw: JsMsg,
  attempt: number,
  logger: BusLogger,
): BusMessage<K> | undefined {
  try {
    return parseMessage(kind, raw, attempt);
  } catch (error) {
    logger.error(
      { subject: raw.subject, stream_sequence: raw.seq, error: describeError(error) },
      'a message that is not JSON was dropped',
    );
    return undefined;
  }
}
