// SPDX-License-Identifier: Apache-2.0
import type { Request, Response } from 'express';
import type { StaticFile } from './load-files.ts';

/** Answers with a file, smaller to whoever can read that. */
export function sendFile(req: Request, res: Response, file: StaticFile): void {
  res.setHeader('Content-Type', file.type);
  res.vary('Accept-Encoding');
  const zipped = req.acceptsEncodings('gzip') === 'gzip' ? file.gzipped() : undefined;
  if (zipped !== undefined) res.setHeader('Content-Encoding', 'gzip');
  res.end(zipped ?? file.bytes);
}
