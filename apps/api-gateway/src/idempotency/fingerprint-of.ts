// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import type { Request } from 'express';

/**
 * Equal for requests that are the same: method, path, query and body, in whatever order the body's members stand. A body
 * of bytes is compared as it is, and one that is read while it arrives by its length alone.
 */
export function fingerprintOf({
  method,
  originalUrl,
  body,
  headers,
}: Pick<Request, 'method' | 'originalUrl' | 'body' | 'headers'>): string {
  if (body instanceof Readable)
    return `${method} ${originalUrl}\n${headers['content-type']} ${headers['content-length']}`;
  const text = Buffer.isBuffer(body) ? body.toString('utf8') : JSON.stringify(body ?? {}, sortMembers);
  return `${method} ${originalUrl}\n${text}`;
}

function sortMembers(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
