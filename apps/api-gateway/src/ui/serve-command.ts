// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { Router } from 'express';
import type { RequestHandler } from 'express';

/**
 * The command `chainwatch` as a package that npm installs, `/cli/chainwatch.tgz`: of the same release as the service.
 * Public, as the documents are. In memory, so that no request reaches the disk.
 * @param file where its build is; where there is none, the path does not exist
 */
export function serveCommand(file: string | undefined): RequestHandler {
  const router = Router({ caseSensitive: true });
  if (file === undefined || !existsSync(file)) return router;
  const bytes = readFileSync(file);
  router.get('/cli/chainwatch.tgz', (_req, res) => {
    res.set({
      'Content-Type': 'application/gzip',
      'Content-Disposition': 'attachment; filename="chainwatch.tgz"',
      'Cache-Control': 'no-cache',
    });
    res.send(bytes);
  });
  return router;
}
