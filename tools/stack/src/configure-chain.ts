import type { ApiClient } from './api-client.ts';

/** Adds the chain, gives it its node and activates it, as an operator would through the API. Again and again: the same. */
export async function configureChain(api: ApiClient, chainGid: string, family: string, endpointUrl: string): Promise<void> {
  const alreadyThere = [409];
  await api.call('POST', '/blockchains', { chain_gid: chainGid }, alreadyThere);
  await api.call('PATCH', `/blockchains/${chainGid}/${family}`, { endpoint_url: endpointUrl });
  await api.call('POST', `/blockchains/${chainGid}/actions/activate`);
}
