import { Router } from 'express';
import { operations } from '../route-table.ts';
import { buildDocument } from './build-document.ts';
import type { DocumentOptions } from './build-document.ts';
import { renderPage, styleHash } from './render-page.ts';

/** `/openapi.json` for machines and `/docs` for people: public, like the paths of the API themselves. */
export function serveDocuments(options: DocumentOptions): Router {
  const document = buildDocument(operations, options);
  const json = JSON.stringify(document);
  const page = renderPage(document);
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/openapi.json', (_req, res) => void res.type('application/json').send(json));
  router.get('/docs', (_req, res) => {
    // Nothing but its own style: no script, no image, no other origin.
    res.setHeader('Content-Security-Policy', `default-src 'none'; style-src '${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`);
    res.type('text/html').send(page);
  });
  return router;
}
