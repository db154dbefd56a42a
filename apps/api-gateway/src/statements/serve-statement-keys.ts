// SPDX-License-Identifier: Apache-2.0
import { Router } from 'express';
import type { Sql } from '@chainwatch/data/db';
import { listPublishedKeys } from './signing-key.ts';

/** `/.well-known/chainwatch-keys`, public: what statements are and were signed with, as JWKs. */
export function serveStatementKeys({ db }: { readonly db: Sql }): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/.well-known/chainwatch-keys', async (_req, res) => {
    res.type('application/json').send(JSON.stringify({ keys: await listPublishedKeys(db) }));
  });
  return router;
}
