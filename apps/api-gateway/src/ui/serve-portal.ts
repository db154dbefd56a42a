// SPDX-License-Identifier: Apache-2.0
import { Router, type RequestHandler } from 'express';
import { z } from 'zod';
import { writeContentSecurityPolicy } from './content-security-policy.ts';
import type { StaticFile } from './load-files.ts';
import { sendFile } from './send-file.ts';

/** Who may frame the page of a portal session; undefined: there is no such session, or it has ended. */
export type FindFrameOrigins = (id: string) => Promise<readonly string[] | undefined>;

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
