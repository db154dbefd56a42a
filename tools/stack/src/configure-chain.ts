// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, type ApiClient } from './api-client.ts';
import type { NodeUrls } from '../../devnet/local-node.ts';

const BUSY_MS_MAX = 60_000;
const BUSY_PAUSE_MS = 1_000;

/**
 * Adds the chain, gives it its node and activates it, as an operator would through the API. Again and again: the same, so
 * it comes again where the API is busy (503) or does not answer in time, as on a slow machine that starts everything at
 * once.
 */
export async function configureChain(
  api: ApiClient,
  { chainGid, family, urls }: { readonly chainGid: string; readonly family: string; readonly urls: NodeUrls },
): Promise<void> {
  for (const deadline = Date.now() + BUSY_MS_MAX; ; await delay(BUSY_PAUSE_MS))
    try {
      return await configure(api, { chainGid, family, urls });
    } catch (error) {
      const isBusy = !(error instanceof ApiError) || error.status >= 500;
      if (!isBusy || Date.now() > deadline) throw error;
    }
}

async function configure(
  api: ApiClient,
  { chainGid, family, urls }: { readonly chainGid: string; readonly family: string; readonly urls: NodeUrls },
): Promise<void> {
  const alreadyThere = [409];
  await api.call('POST', '/blockchains', { chain_gid: chainGid }, alreadyThere);
  await api.call('PATCH', `/blockchains/${chainGid}/${family}`, urls);
  await api.call('POST', `/blockchains/${chainGid}/actions/activate`);
}
