import type { RequestHandler } from 'express';

/** Headers of an API that is never framed, sniffed or cached by intermediaries. */
export function securityHeaders(): RequestHandler {
  return (_req, res, next) => {
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('X-Frame-Options', 'DENY');
    res.setHeader('Referrer-Policy', 'no-referrer');
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
    res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    // Browsers take it from TLS connections only: a proxy in front is what has these.
    res.setHeader('Strict-Transport-Security', 'max-age=31536000');
    next();
  };
}
