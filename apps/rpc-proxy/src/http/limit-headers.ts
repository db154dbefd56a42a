import type { TokenResult } from '@chainwatch/cache';

/** Name, value, name, value: on every answer, refusals included (decisions.md, section 8). */
export function pushLimitHeaders(headers: string[], limit: TokenResult | undefined): void {
  if (limit === undefined) return;
  headers.push(
    'X-RateLimit-Limit',
    String(limit.limit),
    'X-RateLimit-Remaining',
    String(limit.remaining),
    'X-RateLimit-Reset',
    String(limit.resetAt),
  );
  if (!limit.allowed) headers.push('Retry-After', String(limit.retryAfterSeconds));
}

export function tooMany(limit: TokenResult): string {
  return `too many requests: at most ${limit.limit} in 60 seconds`;
}
