export interface TokenRequest {
  /** What to count, with its subject: `api:<key id>`, `auth:<client address>`. */
  readonly key: string;
  /** Requests per window. */
  readonly limit: number;
  readonly windowSeconds: number;
  /** Number of requests to take. Default 1. */
  readonly cost?: number;
  /** Takes the cost whatever is left, for requests that were already let through. Default false. */
  readonly isSpent?: boolean;
  /** Unix time in milliseconds; default now. */
  readonly now?: number;
}

export interface TokenResult {
  readonly allowed: boolean;
  readonly limit: number;
  /** Requests that would be allowed right now. */
  readonly remaining: number;
  /** Unix seconds when the whole limit is free again. */
  readonly resetAt: number;
  /** 0 when allowed; otherwise when to try again. */
  readonly retryAfterSeconds: number;
}

/**
 * The generic cell rate algorithm. `tat` is the time at which the key would have used up all its requests, at one
 * request per `windowSeconds / limit`. A request is allowed while `tat` lies less than a window ahead.
 *
 * @param tat milliseconds; undefined for a key that was not used for a window
 * @returns the answer and, if the request was allowed, the next `tat`
 */
export function decideToken(
  { limit, windowSeconds, cost = 1, isSpent = false }: TokenRequest,
  tat: number | undefined,
  now: number,
): { result: TokenResult; nextTat: number | undefined } {
  const windowMs = windowSeconds * 1_000;
  const intervalMs = windowMs / limit;
  const start = Math.max(tat ?? now, now);
  const next = start + intervalMs * cost;
  const allowed = isSpent || next - now <= windowMs + EPSILON_MS;
  const used = allowed ? next : start;
  return {
    result: {
      allowed,
      limit,
      remaining: Math.max(0, Math.floor((windowMs - (used - now) + EPSILON_MS) / intervalMs)),
      resetAt: Math.ceil(used / 1_000),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((next - windowMs - now) / 1_000)),
    },
    nextTat: allowed ? next : undefined,
  };
}

/** Tolerance for rounding: fractions of an interval add up to slightly more than the window. */
export const EPSILON_MS = 0.001;
