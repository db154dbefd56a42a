import type { Request } from 'express';

/** What makes two requests the same: method, path, query and body, whatever the order of its members. */
export function fingerprintOf({
  method,
  originalUrl,
  body,
}: Pick<Request, 'method' | 'originalUrl' | 'body'>): string {
  return `${method} ${originalUrl}\n${JSON.stringify(body ?? {}, sortMembers)}`;
}

function sortMembers(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
