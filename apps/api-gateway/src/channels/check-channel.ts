import type { ChannelKind } from '@chainwatch/channels';
import type { ApiDeps } from '../server/api-deps.ts';
import { checkOutboundUrl } from '../server/check-outbound-url.ts';

/**
 * Checks what the request's schema cannot. @throws ProblemError 400, or 422 for a URL that leads into a blocked range
 */
export async function checkChannel(
  kind: ChannelKind,
  given: object,
  { dial, settings }: Pick<ApiDeps, 'dial' | 'settings'>,
): Promise<void> {
  const context = {
    allowsHttp: settings.allowHttpWebhooks,
    checkUrl: (url: string, protocols: readonly string[]) => checkOutboundUrl(url, dial, protocols),
  };
  await kind.check?.(given, context, settings.channelOptions[kind.kind] ?? {});
}
