// SPDX-License-Identifier: Apache-2.0
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
  /** The receiver took it and says that it takes nothing more for so long. */
  readonly pauseMs?: number;
  /** The receiver has a new name, which it says itself: the channel goes on with it. */
  readonly move?: ChannelMove;
  /** It was sent in the same request as the attempt before it: several events in one message. */
  readonly isShared?: boolean;
}

/** Members of a channel's config: what they were, and what they are now. */
export interface ChannelMove {
  readonly from: Readonly<Record<string, string | number>>;
  readonly to: Readonly<Record<string, string | number>>;
}

/** Credentials masked; the body is the event's payload, or what it was rendered to. */
export interface RecordedRequest {
  readonly method: 'POST' | 'PUB' | 'MAIL';
  readonly url: string;
  readonly subject?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What every kind can say; each adds its own. */
type CommonErrorCode =
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
  /** The receiver says that requests come too fast, and how long to wait: costs no attempt. */
  | 'rate_limited'
  /** The service's own fault; never counts against a channel. */
  | 'internal_error';
// `& {}` keeps the common ones in the editor's list.
export type ErrorCode = CommonErrorCode | (string & {});

/** Whether an attempt counts neither for the schedule nor against the channel. */
export function isUncounted({ errorCode }: Pick<Attempt, 'errorCode'>): boolean {
  return errorCode === 'internal_error' || errorCode === 'rate_limited';
}
