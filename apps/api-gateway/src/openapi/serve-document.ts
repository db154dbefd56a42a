import { Router } from 'express';
import { operations } from '../route-table.ts';
import { buildDocument } from './build-document.ts';
import type { DocumentOptions } from './build-document.ts';

/** `/openapi.json`, public as the API's paths are; for people it is part of the documentation (serve-site.ts). */
export function serveDocument(options: DocumentOptions): Router {
  let made: string | undefined;
  // Built on the first request: at the start it would make the start half as long again.
  const readDocument = (): string => (made ??= JSON.stringify(buildDocument(operations, options)));
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/openapi.json', (_req, res) => void res.type('application/json').send(readDocument()));
  return router;
}
