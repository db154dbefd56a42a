// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http';

/** Longest time for a ledger to arrive and be stored. */
export const UPLOAD_MS_MAX = 900_000;

/** Whether a request brings a ledger. */
export function isUpload({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  return method === 'POST' && /^\/v1\/reconciliations\/?(?:\?|$)/.test(url);
}
