// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Router } from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { writeContentSecurityPolicy } from './content-security-policy.ts';

const CONTENT_SECURITY_POLICY = writeContentSecurityPolicy();

/**
 * The documentation under `/docs/`, and `/problems/<name>`, to which the types of problems under API_HOST lead. Public as
 * `/openapi.json` is. Beside a file `x.gz` is what `x` is for clients that unpack.
 * @param folder that its build wrote; while there is none, no path exists
 */
export function serveSite(folder: string | undefined): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  if (folder === undefined) return router;
  const list = listOnceThere(folder);
  router.get('/docs', (_req, res, next) => (list().size > 0 ? res.redirect('/docs/') : next()));
  router.get('/problems/:name', (req, res, next) =>
    list().has(`problems/${req.params.name}.html`) ? res.redirect(`/docs${req.path}`) : next(),
  );
  router.get(/^\/docs\//, (req, res, next) => {
    const files = list();
    const path = req.path.slice('/docs/'.length);
    const name = findFile(files, path);
    if (name !== undefined) return send(folder, { req, res, next, name, files });
    if (files.has(`${path}/index.html`)) return res.redirect(`/docs/${path}/`);
    const isPage = req.accepts('json', 'html') === 'html' && !path.startsWith('assets/');
    if (!isPage || !files.has('404.html')) return next();
    send(folder, { req, res: res.status(404), next, name: '404.html', files });
  });
  return router;
}

/** Its paths: the local stack builds them while it runs already, and then leads the folder's link to what is new. */
function listOnceThere(folder: string): () => ReadonlySet<string> {
  let found: ReadonlySet<string> = new Set();
  let listed: string | undefined;
  return () => {
    const place = existsSync(folder) ? realpathSync(folder) : undefined;
    if (place !== listed || found.size === 0) found = listFiles(folder);
    listed = place;
    return found;
  };
}

function listFiles(folder: string): ReadonlySet<string> {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return new Set(files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Set();
    throw error;
  }
}

/** A page has the path of its file without `.html`, a folder's own page that of the folder. */
function findFile(files: ReadonlySet<string>, path: string): string | undefined {
  const isFolder = path === '' || path.endsWith('/');
  const names = isFolder ? [`${path}index.html`] : [path, `${path}.html`];
  return names.find((name) => files.has(name) && !name.endsWith('.gz'));
}

interface Sending {
  readonly req: Request;
  readonly res: Response;
  readonly next: (error?: unknown) => void;
  readonly name: string;
  readonly files: ReadonlySet<string>;
}

function send(folder: string, { req, res, next, name, files }: Sending): void {
  // The name of an asset has a hash of its content.
  const isAsset = name.startsWith('assets/');
  res.setHeader('Cache-Control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache');
  const type = extname(name);
  if (type === '.html') res.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
  res.type(type).vary('Accept-Encoding');
  const isZipped = files.has(`${name}.gz`) && req.acceptsEncodings('gzip') === 'gzip';
  if (isZipped) res.setHeader('Content-Encoding', 'gzip');
  const options = { root: folder, cacheControl: false, acceptRanges: false };
  res.sendFile(isZipped ? `${name}.gz` : name, options, (error?: Error) => error && next(error));
}
