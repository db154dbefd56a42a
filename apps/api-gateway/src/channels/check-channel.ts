import type { ChannelFilters, ChannelKind } from '@chainwatch/channels';
import type { ApiDeps } from '../server/api-deps.ts';
import { checkOutboundUrl } from '../server/check-outbound-url.ts';
import { canonicalizeFilters } from './canonicalize-filters.ts';

/**
 * Checks what the request's schema cannot, and resolves to what was given with its filters in one spelling. @throws
 * ProblemError 400, or 422 for a URL that leads into a blocked range
 */
export async function checkChannel<G extends { readonly filters?: unknown }>(
  kind: ChannelKind,
  given: G,
  { dial, settings }: Pick<ApiDeps, 'dial' | 'settings'>,
): Promise<G> {
  const context = {
    allowsHttp: settings.allowHttpWebhooks,
    checkUrl: (url: string, protocols: readonly string[]) => checkOutboundUrl(url, dial, protocols),
  };
  await kind.check?.(given, context, settings.channelOptions[kind.kind] ?? {});
  if (given.filters === undefined) return given;
  return { ...given, filters: await canonicalizeFilters(given.filters as ChannelFilters) };
}
