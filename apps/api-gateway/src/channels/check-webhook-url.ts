import { invalidRequest } from '@chainwatch/problem';
import type { ApiDeps } from '../server/api-deps.ts';
import { checkOutboundUrl } from '../server/check-outbound-url.ts';

/** @throws ProblemError 400 for http where it is not allowed, 422 for a URL that resolves into a blocked range */
export async function checkWebhookUrl(
  url: string,
  { dial, settings }: Pick<ApiDeps, 'dial' | 'settings'>,
): Promise<void> {
  if (new URL(url).protocol !== 'https:' && !settings.allowHttpWebhooks) {
    throw invalidRequest([{ name: 'url', reason: 'expected an https URL' }]);
  }
  await checkOutboundUrl(url, dial);
}
