import type { ApiClient } from './api-client.ts';
import type { NodeUrls } from '../../devnet/local-node.ts';

/** Adds the chain, gives it its node and activates it, as an operator would through the API. Again and again: the same. */
export async function configureChain(
  api: ApiClient,
  chainGid: string,
  family: string,
  urls: NodeUrls,
): Promise<void> {
  const alreadyThere = [409];
  await api.call('POST', '/blockchains', { chain_gid: chainGid }, alreadyThere);
  await api.call('PATCH', `/blockchains/${chainGid}/${family}`, urls);
  await api.call('POST', `/blockchains/${chainGid}/actions/activate`);
}
