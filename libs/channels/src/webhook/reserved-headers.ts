// SPDX-License-Identifier: Apache-2.0
/** What the notifier and HTTP itself set (decisions.md §5). */
const RESERVED = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'date',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

/** Why a webhook may not carry this header; undefined when it may. */
export function findReservedHeader(name: string, { isCredential = false } = {}): string | undefined {
  const lower = name.toLowerCase();
  if (RESERVED.has(lower) || lower.startsWith('x-webhook-'))
    return 'expected a header name that is not reserved';
  if (lower === 'authorization' && !isCredential)
    return 'expected credentials in auth, where they are stored encrypted';
  return undefined;
}
