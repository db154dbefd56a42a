// SPDX-License-Identifier: Apache-2.0
import { Router, type RequestHandler, type Request, type Response } from 'express';
import { writeContentSecurityPolicy } from './content-security-policy.ts';
import { z } from 'zod';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

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

/** Who may frame the page of a portal session; undefined: there is no such session, or it has ended. */
type FindFrameOrigins = (id: string) => Promise<readonly string[] | undefined>;

/**
 * The page of a portal session, `/ui/portal/<id>` and below. The token is in the fragment, which browsers keep to
 * themselves, so the id says who may frame it. Where the session has ended the page says so, framed by nobody.
 */
export function servePortal(
  page: StaticFile | undefined,
  findFrameOrigins: FindFrameOrigins,
): RequestHandler {
  const router = Router({ caseSensitive: true });
  if (page === undefined) return router;
  router.get(/^\/ui\/portal(?:\/|$)/, async (req, res) => {
    const id = z.uuid().safeParse(req.path.split('/')[3]);
    const origins = id.success ? await findFrameOrigins(id.data) : undefined;
    // In browsers that enforce both headers, X-Frame-Options would block the frames that the policy allows.
    if (origins !== undefined && origins.length > 0) res.removeHeader('X-Frame-Options');
    res.setHeader('Content-Security-Policy', writeContentSecurityPolicy([], origins));
    sendFile(req, res.status(origins === undefined ? 404 : 200), page);
  });
  return router;
}

/** Answers with a file, smaller to whoever can read that. */
function sendFile(req: Request, res: Response, file: StaticFile): void {
  res.setHeader('Content-Type', file.type);
  res.vary('Accept-Encoding');
  const zipped = req.acceptsEncodings('gzip') === 'gzip' ? file.gzipped() : undefined;
  if (zipped !== undefined) res.setHeader('Content-Encoding', 'gzip');
  res.end(zipped ?? file.bytes);
}

interface StaticFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Compressed when it is first asked for; undefined where it would not be smaller. */
  gzipped(): Buffer | undefined;
}

const TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.woff2', 'font/woff2'],
]);

/**
 * Every file of a folder by its path in it, in memory: they are few, and no request reaches the disk. Empty if there is
 * no such folder.
 * @throws TypeError for a kind of file that has no media type here
 */
function loadFiles(folder: string): ReadonlyMap<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  for (const entry of listFolder(folder)) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const type = TYPES.get(extname(path));
    if (type === undefined)
      throw new TypeError(`expected one of ${[...TYPES.keys()].join(' ')}, got ${path}`);
    files.set(path.slice(folder.length + 1), toStaticFile(type, readFileSync(path)));
  }
  return files;
}

function toStaticFile(type: string, bytes: Buffer): StaticFile {
  let zipped: Buffer | undefined;
  return {
    type,
    bytes,
    gzipped() {
      zipped ??= gzipSync(bytes, { level: 9 });
      return zipped.length < bytes.length ? zipped : undefined;
    },
  };
}

function listFolder(folder: string) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
