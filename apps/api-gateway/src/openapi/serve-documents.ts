import { Router } from 'express';
import { operations } from '../route-table.ts';
import { buildDocument } from './build-document.ts';
import type { DocumentOptions } from './build-document.ts';
import { renderPage, styleHash } from './render-page.ts';

/** `/openapi.json` for machines and `/docs` for people: public, like the paths of the API themselves. */
export function serveDocuments(options: DocumentOptions): Router {
  let made: Documents | undefined;
  // Not at the start, which it would delay by half, but when first asked for.
  const readDocuments = (): Documents => (made ??= makeDocuments(options));
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/openapi.json', (_req, res) => void res.type('application/json').send(readDocuments().json));
  router.get('/docs', (_req, res) => {
    // Nothing but its own style: no script, no image, no other origin.
    res.setHeader(
      'Content-Security-Policy',
      `default-src 'none'; style-src '${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    res.type('text/html').send(readDocuments().page);
  });
  return router;
}

interface Documents {
  readonly json: string;
  readonly page: string;
}

function makeDocuments(options: DocumentOptions): Documents {
  const document = buildDocument(operations, options);
  return { json: JSON.stringify(document), page: renderPage(document) };
}
