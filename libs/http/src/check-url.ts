import type { RequestHandler } from 'express';
import { invalidRequest } from '@chainwatch/problem';
import { findTextFault } from './find-text-fault.ts';

const MAX_URL_LENGTH = 8_192;

/** Refuses URLs that cannot be decoded or carry null bytes, before the router trips over them. */
export function checkUrl(): RequestHandler {
  return (req, _res, next) => {
    // Without an escape there is nothing to decode: Node's parser passes only printable ASCII, and bytes that are
    // characters by themselves.
    if (req.originalUrl.length <= MAX_URL_LENGTH && !req.originalUrl.includes('%')) return next();
    const queryStart = req.originalUrl.indexOf('?');
    const path = queryStart < 0 ? req.originalUrl : req.originalUrl.slice(0, queryStart);
    const query = queryStart < 0 ? '' : req.originalUrl.slice(queryStart + 1);
    const reason =
      req.originalUrl.length > MAX_URL_LENGTH
        ? `expected a URL of at most ${MAX_URL_LENGTH} characters`
        : undefined;
    const pathReason = reason ?? findEncodingFault(path);
    if (pathReason !== undefined) return next(invalidRequest([{ name: 'path', reason: pathReason }]));
    const queryReason = findEncodingFault(query.replaceAll('+', ' '));
    if (queryReason !== undefined) return next(invalidRequest([{ name: 'query', reason: queryReason }]));
    next();
  };
}

function findEncodingFault(encoded: string): string | undefined {
  try {
    return findTextFault(decodeURIComponent(encoded));
  } catch {
    return 'expected percent-encoded UTF-8';
  }
}
