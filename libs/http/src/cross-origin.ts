import type { Request, RequestHandler, Response } from 'express';

interface CrossOriginOptions {
  /** Whose pages may call; `*` stands for any origin, none for no origin but the own one. */
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  readonly requestHeaders: readonly string[];
  /** What a page sees of an answer beside its body. */
  readonly exposedHeaders: readonly string[];
  /** Before a preflight is answered, which reaches no other middleware. */
  readonly beforePreflight?: (req: Request, res: Response) => Promise<void> | undefined;
}

const preflightSeconds = 600;

/**
 * The CORS protocol of the Fetch standard. Closed unless origins are given; never with credentials, as the key travels
 * in a header that a page has to know. What is not allowed gets the same answer, which its browser hides from the page.
 */
export function crossOrigin({
  origins,
  methods,
  requestHeaders,
  exposedHeaders,
  beforePreflight,
}: CrossOriginOptions): RequestHandler {
  const isOpen = origins.includes('*');
  return (req, res, next) => {
    if (origins.length === 0) return next();
    if (!isOpen) res.vary('Origin');
    const origin = req.get('origin');
    if (origin === undefined || !(isOpen || origins.includes(origin))) return next();
    res.setHeader('Access-Control-Allow-Origin', isOpen ? '*' : origin);
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    if (req.method !== 'OPTIONS' || req.get('access-control-request-method') === undefined) {
      res.setHeader('Access-Control-Expose-Headers', exposedHeaders.join(', '));
      return next();
    }
    return Promise.resolve(beforePreflight?.(req, res)).then(() => {
      res.setHeader('Access-Control-Allow-Methods', methods.join(', '));
      res.setHeader('Access-Control-Allow-Headers', requestHeaders.join(', '));
      res.setHeader('Access-Control-Max-Age', preflightSeconds);
      res.status(204).end();
    });
  };
}
