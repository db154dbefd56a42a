import { Router } from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { writeContentSecurityPolicy } from './content-security-policy.ts';
import { loadFiles, type StaticFile } from './load-files.ts';

/**
 * The dashboard under `/ui`, where `/` leads a browser. Every path that is no file is a page of it. Public as the
 * documents are: what it shows it asks the API for.
 * @param folder that its build wrote; where there is none, neither path exists
 * @param called URLs beside the API that the page calls; their origins are what its policy lets through
 */
export function serveDashboard(
  folder: string | undefined,
  called: readonly (string | undefined)[] = [],
): RequestHandler {
  const origins = called.flatMap((url) => (url === undefined ? [] : [new URL(url).origin]));
  const policy = writeContentSecurityPolicy(origins);
  const router = Router({ caseSensitive: true });
  const files = folder === undefined ? new Map<string, StaticFile>() : loadFiles(folder);
  const page = files.get('index.html');
  if (page === undefined) return router;
  router.get('/', (req, res, next) =>
    req.accepts('json', 'html') === 'html' ? res.redirect('/ui/') : next(),
  );
  router.get(/^\/ui(?:\/|$)/, (req, res, next) => {
    const path = req.path.slice('/ui/'.length);
    const file = files.get(path);
    if (file !== undefined && file !== page) {
      // Its name has a hash of its content.
      res.setHeader(
        'Cache-Control',
        path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
      return send(req, res, file);
    }
    if (path.startsWith('assets/')) return next();
    res.setHeader('Content-Security-Policy', policy);
    res.setHeader('Cache-Control', 'no-cache');
    send(req, res, page);
  });
  return router;
}

function send(req: Request, res: Response, { type, bytes, gzipped }: StaticFile): void {
  res.setHeader('Content-Type', type);
  res.vary('Accept-Encoding');
  const isZipped = gzipped !== undefined && req.acceptsEncodings('gzip') === 'gzip';
  if (isZipped) res.setHeader('Content-Encoding', 'gzip');
  res.end(isZipped ? gzipped : bytes);
}
