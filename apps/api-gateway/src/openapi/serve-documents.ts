// SPDX-License-Identifier: Apache-2.0
import { Router } from 'express';
import type { Request } from 'express';
import { operations } from '../route-table.ts';
import { buildAsyncApi } from '../asyncapi/build-asyncapi.ts';
import { buildDocument, listServers } from './build-document.ts';
import type { DocumentOptions } from './build-document.ts';

/**
 * `/openapi.json` and `/asyncapi.json`, public as the API's paths are; for people they are part of the documentation
 * (serve-site.ts).
 */
export function serveDocuments({ namespaceLabel, publicUrl }: ServeOptions): Router {
  // Built on the first request: at the start they would make the start half as long again.
  let openapi: readonly [before: string, after: string] | undefined;
  let asyncapi: string | undefined;
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/openapi.json', (req, res) => {
    const [before, after] = (openapi ??= writeAroundServers({ namespaceLabel }));
    const servers = JSON.stringify(listServers(publicUrl?.replace(/\/+$/, '') ?? originOf(req)));
    res.type('application/json').send(`${before}${servers}${after}`);
  });
  router.get('/asyncapi.json', (_req, res) => {
    asyncapi ??= JSON.stringify(buildAsyncApi('subscribers'));
    res.type('application/json').send(asyncapi);
  });
  return router;
}

interface ServeOptions extends Pick<DocumentOptions, 'namespaceLabel'> {
  /** Where people reach the service; default: where they asked. */
  readonly publicUrl?: string | undefined;
}

/** What does not depend on where the client asked is written once. */
function writeAroundServers(options: DocumentOptions): readonly [string, string] {
  const mark = '"servers":';
  const text = JSON.stringify({ ...buildDocument(operations, options), servers: 0 });
  const start = text.indexOf(`${mark}0`) + mark.length;
  return [text.slice(0, start), text.slice(start + 1)];
}

/** As far as the proxies in front are trusted. */
function originOf(req: Request): string | undefined {
  const origin = `${req.protocol}://${req.host}`;
  return URL.canParse(origin) ? origin : undefined;
}
