// SPDX-License-Identifier: Apache-2.0
import { Router } from 'express';
import type { RequestHandler } from 'express';
import { writeContentSecurityPolicy } from './content-security-policy.ts';
import { loadFiles, toStaticFile, type StaticFile } from './load-files.ts';
import { sendFile } from './send-file.ts';
import { servePortal, type FindFrameOrigins } from './serve-portal.ts';

interface DashboardOptions {
  /** URLs beside the API that the page calls; their origins are what its policy lets through. */
  readonly called?: readonly (string | undefined)[];
  readonly findFrameOrigins: FindFrameOrigins;
  /** Through whom people may sign in: the page names its host, before anybody signed in. */
  readonly issuer?: string | undefined;
}

/**
 * Serves the dashboard under `/ui` and redirects browsers there from `/`. Any path without a file gets the dashboard's page,
 * except below `/ui/portal`. No key is needed: the page asks the API for its data.
 * @param folder that its build wrote; where there is none, neither path exists
 */
export function serveDashboard(
  folder: string | undefined,
  { called = [], findFrameOrigins, issuer }: DashboardOptions,
): RequestHandler {
  const origins = called.flatMap((url) => (url === undefined ? [] : [new URL(url).origin]));
  const policy = writeContentSecurityPolicy(origins);
  const router = Router({ caseSensitive: true });
  const files = folder === undefined ? new Map<string, StaticFile>() : loadFiles(folder);
  const index = files.get('index.html');
  if (index === undefined) return router;
  const page = issuer === undefined ? index : nameIssuer(index, new URL(issuer).host);
  router.get('/', (req, res, next) =>
    req.accepts('json', 'html') === 'html' ? res.redirect('/ui/') : next(),
  );
  router.use(servePortal(files.get('portal.html'), findFrameOrigins));
  router.get(/^\/ui(?:\/|$)/, (req, res, next) => {
    const path = req.path.slice('/ui/'.length);
    const file = files.get(path);
    if (file !== undefined && !path.endsWith('.html')) {
      // Its name has a hash of its content.
      res.setHeader(
        'Cache-Control',
        path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
      return sendFile(req, res, file);
    }
    if (path.startsWith('assets/')) return next();
    res.setHeader('Content-Security-Policy', policy);
    res.setHeader('Cache-Control', 'no-cache');
    sendFile(req, res, page);
  });
  return router;
}

/** @param host of a URL, which has no letter that HTML could read otherwise */
function nameIssuer({ type, bytes }: StaticFile, host: string): StaticFile {
  const tag = `<meta name="chainwatch-issuer" content="${host}">`;
  return toStaticFile(type, Buffer.from(bytes.toString('utf8').replace(/(?=<title>)/, tag)));
}
