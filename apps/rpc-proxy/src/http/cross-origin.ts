// SPDX-License-Identifier: Apache-2.0
const METHODS = 'POST, GET';
const REQUEST_HEADERS = 'Content-Type, X-Api-Key, Authorization';
const EXPOSED_HEADERS = 'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After';
const PREFLIGHT_SECONDS = '600';

/** Additional headers for the answer to a page: name, value, name, value. */
export interface CrossOrigin {
  /** Undefined if no page of another origin may call at all. */
  headersFor(origin: string): readonly string[] | undefined;
  /** Undefined if pages of this origin may not call: the request is then answered like any other. */
  preflightFor(origin: string): readonly string[] | undefined;
}

/**
 * The CORS protocol of the Fetch standard, for answers that are written without Express. Closed unless origins are
 * given. Never with credentials: a page must know its key.
 * @param origins whose pages may call; `*` stands for any
 */
export function createCrossOrigin(origins: readonly string[]): CrossOrigin {
  const isOpen = origins.includes('*');
  const vary = isOpen ? [] : ['Vary', 'Origin'];
  const admit = (origin: string): string[] | undefined =>
    isOpen || origins.includes(origin)
      ? [
          ...vary,
          'Access-Control-Allow-Origin',
          isOpen ? '*' : origin,
          'Cross-Origin-Resource-Policy',
          'cross-origin',
        ]
      : undefined;
  return {
    headersFor(origin) {
      const admitted = admit(origin);
      if (admitted !== undefined) return [...admitted, 'Access-Control-Expose-Headers', EXPOSED_HEADERS];
      return origins.length === 0 ? undefined : vary;
    },
    preflightFor(origin) {
      const admitted = admit(origin);
      return (
        admitted && [
          ...admitted,
          'Access-Control-Allow-Methods',
          METHODS,
          'Access-Control-Allow-Headers',
          REQUEST_HEADERS,
          'Access-Control-Max-Age',
          PREFLIGHT_SECONDS,
        ]
      );
    },
  };
}
