import { Router } from 'express';
import { operations } from '../route-table.ts';
import { buildDocument } from './build-document.ts';
import type { DocumentOptions } from './build-document.ts';
import { renderPage, styleHash } from './render-page.ts';

/** `/openapi.json` for machines and `/docs` for people: both public, as the API's paths are. */
export function serveDocuments(options: DocumentOptions): Router {
  let made: Documents | undefined;
  // Built on the first request: at the start it would make the start half as long again.
  const readDocuments = (): Documents => (made ??= makeDocuments(options));
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/openapi.json', (_req, res) => void res.type('application/json').send(readDocuments().json));
  router.get('/docs', (_req, res) => {
    // The page may load only its own style: no script, no image, nothing from another origin.
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
