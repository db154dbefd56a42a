/**
 * Outbound calls to addresses that strangers choose (webhooks, node URLs) without reaching into the operator's own
 * network: every resolved address is checked, and only a checked address is dialled (architecture.md, invariant 11).
 *
 * @example
 * const dial = createDial({ allow: config.OUTBOUND_ALLOW }); // ['127.0.0.0/8', '::1/128'] in the local stack
 * await assertAllowedUrl(body.url, dial);                    // when a URL is stored: BlockedAddressError → 422
 * const agent = createGuardedAgent(dial, { connectTimeoutMs: 5_000, headersTimeoutMs: 10_000, bodyTimeoutMs: 10_000 });
 */
export {
  createDial,
  hostOf,
  type DialOptions,
  type ResolveHost,
  type ResolvedAddress,
} from './create-dial.ts';
export { assertAllowedUrl } from './assert-allowed-url.ts';
export { createGuardedAgent, type GuardedAgentOptions } from './create-guarded-agent.ts';
export { createGuardedSockets, type OpenSocket } from './create-guarded-sockets.ts';
export { resolveAllowed } from './resolve-allowed.ts';
export { BlockedAddressError, UnresolvableHostError, OutboundUrlError } from './errors.ts';
