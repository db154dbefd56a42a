// SPDX-License-Identifier: Apache-2.0
import { ProblemError, type ProblemField } from './problem-error.ts';

/** 400. `fields` say which values are wrong; pass `fieldsFromZodError(error)`. */
export function invalidRequest(fields: readonly ProblemField[], detail?: string): ProblemError {
  return new ProblemError('invalid_request', { fields, detail: detail ?? describeFields(fields) });
}

/** 401 */
export function unauthorized(detail?: string): ProblemError {
  return new ProblemError('unauthorized', { detail });
}

/** 403 */
export function forbidden(detail?: string): ProblemError {
  return new ProblemError('forbidden', { detail });
}

/** 410. No event up to `earliestPosition` is kept. */
export function gone(detail: string, earliestPosition: number): ProblemError {
  return new ProblemError('gone', { detail, earliestPosition });
}

/** 404, also for a resource of another project (decisions.md §6). */
export function notFound(detail?: string): ProblemError {
  return new ProblemError('not_found', { detail });
}

/** 405. `allow` are the methods that the resource has; RFC 9110 requires them in the Allow header. */
export function methodNotAllowed(allow: readonly string[]): ProblemError {
  const methods = allow.join(', ');
  return new ProblemError('method_not_allowed', {
    detail: `The resource does not have this method; expected one of: ${methods}.`,
    headers: { Allow: methods },
  });
}

/** 406 */
export function notAcceptable(detail?: string): ProblemError {
  return new ProblemError('not_acceptable', { detail });
}

/** 409 */
export function conflict(detail: string): ProblemError {
  return new ProblemError('conflict', { detail });
}

/** 413 */
export function contentTooLarge(maxBytes: number): ProblemError {
  return new ProblemError('content_too_large', {
    detail: `The request body is too large; expected at most ${maxBytes} bytes.`,
  });
}

/** 415. `got` is the request's Content-Type. */
export function unsupportedMediaType(got?: string): ProblemError {
  const shown = got === undefined || got === '' ? 'none' : JSON.stringify(got.slice(0, 100));
  return new ProblemError('unsupported_media_type', {
    detail: `Expected content type application/json, got ${shown}.`,
    headers: { Accept: 'application/json' },
  });
}

/** 422. The request is well-formed, but a precondition is not met. */
export function unprocessableEntity(detail: string, fields?: readonly ProblemField[]): ProblemError {
  return new ProblemError('unprocessable_entity', { detail, fields });
}

/** 429 */
export function tooManyRequests(retryAfterSeconds: number, detail?: string): ProblemError {
  const seconds = Math.max(1, Math.ceil(retryAfterSeconds));
  return new ProblemError('rate_limit', {
    detail: detail ?? `The rate limit is exceeded; try again in ${seconds} s.`,
    headers: retryAfter(seconds),
  });
}

/** 500. Takes no detail: what went wrong inside is for the log. */
export function internalServerError(cause?: unknown): ProblemError {
  return new ProblemError('internal_error', {
    cause,
    message: cause instanceof Error ? cause.message : undefined,
  });
}

/** 502 */
export function badGateway(detail?: string, cause?: unknown): ProblemError {
  return new ProblemError('bad_gateway', { detail, cause });
}

/** 503 */
export function serviceUnavailable(
  detail?: string,
  options: { retryAfterSeconds?: number; cause?: unknown } = {},
): ProblemError {
  const { retryAfterSeconds, cause } = options;
  const headers = retryAfterSeconds === undefined ? undefined : retryAfter(retryAfterSeconds);
  return new ProblemError('service_unavailable', { detail, headers, cause });
}

/** 504 */
export function gatewayTimeout(detail?: string, cause?: unknown): ProblemError {
  return new ProblemError('gateway_timeout', { detail, cause });
}

function retryAfter(seconds: number): Record<string, string> {
  return { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) };
}

function describeFields(fields: readonly ProblemField[]): string | undefined {
  const [first] = fields;
  if (first === undefined) return undefined;
  const more = fields.length === 1 ? '' : ` (and ${fields.length - 1} more)`;
  return `${first.name}: ${first.reason}${more}`;
}
