import type { DeliveryJob } from './delivery-job.ts';

/** One request to a receiver and what came of it. */
export interface Attempt {
  /** X-Webhook-Delivery-Id. */
  readonly id: string;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly statusCode: number | undefined;
  /** Undefined for a success. */
  readonly errorCode: ErrorCode | undefined;
  readonly request: RecordedRequest;
  readonly responseHeaders: Readonly<Record<string, string>> | undefined;
  /** At most 16 KiB. */
  readonly responseBody: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** The same request as the attempt before it: several events went in one message. */
  readonly isShared?: boolean;
}

export interface FinishedAttempt {
  readonly job: DeliveryJob;
  readonly attempt: Attempt;
  /** Whether the channel was clean when the attempt began: then a success has nothing to reset. */
  readonly isChannelClean: boolean;
}

/** Credentials masked; the body is the event's payload, or what Telegram got. */
export interface RecordedRequest {
  readonly method: 'POST' | 'PUB';
  readonly url: string;
  readonly subject?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type ErrorCode =
  | 'timeout'
  | 'dns_error'
  | 'blocked_address'
  | 'connection_refused'
  | 'connection_reset'
  | 'unreachable'
  | 'tls_error'
  | 'invalid_request'
  | 'invalid_response'
  | 'redirect_refused'
  | 'gone'
  | 'http_error'
  | 'request_failed'
  /** The receiver does not take the channel's credentials. */
  | 'authentication_failed'
  /** The credentials may not publish to the subject. */
  | 'permission_denied'
  /** A stream takes the subject, but did not say that it stored the message. */
  | 'not_acknowledged'
  | 'chat_not_found'
  | 'chat_forbidden'
  /** Too fast for the receiver, which said how long to wait: costs no attempt. */
  | 'rate_limited'
  /** The service's own fault; never counts against a channel. */
  | 'internal_error';

/** Errors after which no attempt can succeed until somebody changes something: the channel fails at once. */
export const FATAL_ERRORS: Readonly<Partial<Record<ErrorCode, string>>> = {
  gone: 'the endpoint answered 410 Gone',
  chat_not_found: 'Telegram does not know the chat',
  chat_forbidden: 'the bot may not write to the chat',
};

/** What neither counts for the schedule nor against the channel. */
export function isUncounted({ errorCode }: Pick<Attempt, 'errorCode'>): boolean {
  return errorCode === 'internal_error' || errorCode === 'rate_limited';
}
