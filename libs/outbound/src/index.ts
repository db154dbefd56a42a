// SPDX-License-Identifier: Apache-2.0
/**
 * Outbound calls to addresses that strangers choose (webhooks, node URLs) without reaching into the operator's own
 * network: every resolved address is checked, and only a checked address is dialled (architecture.md, invariant 11).
 *
 * @example
 * const dial = createDial({ allow: config.OUTBOUND_ALLOW }); // ['127.0.0.0/8', '::1/128'] in the local stack
 * await assertAllowedUrl(body.url, dial);                    // when a URL is stored: BlockedAddressError → 422
 * const http = createHttpClient({ dial, connectTimeoutMs: 5_000 });
 * const { status, body } = await http.request({ url, method: 'POST', body: '{}', signal: AbortSignal.timeout(10_000) });
 */
export {
  createDial,
  hostOf,
  type DialOptions,
} from './create-dial.ts';
export { assertAllowedUrl, resolveAllowed } from './resolve-allowed.ts';
export {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  type HttpRequest,
  type HttpResponse,
} from './create-http-client.ts';
export {
  createGuardedSockets,
  createSocketOpener,
  type OpenerOptions,
  type OpenSocket,
} from './create-socket-opener.ts';
export { findReachable, type ConnectTarget } from './connect-to-any.ts';
export {
  BlockedAddressError,
  OwnServiceError,
  ConnectTimeoutError,
  UnresolvableHostError,
  OutboundUrlError,
  PUBLIC_MESSAGES,
} from './errors.ts';
export type { ResolvedAddress, ResolveHost } from './resolve-host.ts';
