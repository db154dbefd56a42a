/** One HTTP request to a receiver and what came of it. */
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
}

/** Credentials masked; the body is the event's payload. */
export interface RecordedRequest {
  readonly method: 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
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
  /** The service's own fault; never counts against a channel. */
  | 'internal_error';
