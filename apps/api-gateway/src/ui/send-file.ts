import type { Request, Response } from 'express';
import type { StaticFile } from './load-files.ts';

/** Answers with a file, smaller to whoever can read that. */
export function sendFile(req: Request, res: Response, { type, bytes, gzipped }: StaticFile): void {
  res.setHeader('Content-Type', type);
  res.vary('Accept-Encoding');
  const isZipped = gzipped !== undefined && req.acceptsEncodings('gzip') === 'gzip';
  if (isZipped) res.setHeader('Content-Encoding', 'gzip');
  res.end(isZipped ? gzipped : bytes);
}
