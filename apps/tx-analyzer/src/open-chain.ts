import { createFailoverClient, type Dial } from '@chainwatch/chain-core';
import { findFamily, findNetwork } from '@chainwatch/chain-registry';
import type { ActiveChain, OpenedChain } from './analyzer-deps.ts';

interface ChainOpenerOptions {
  /** Opens what libs/secrets sealed. */
  readonly opener: { open(sealed: string, context: string): string };
  readonly dial: Dial;
  /** More endpoints by chain gid. */
  readonly endpoints: Readonly<Record<string, readonly string[]>>;
  /** One request's. */
  readonly timeoutMs: number;
}

/** The chain cannot be analysed as it is configured. */
class ChainNotConfiguredError extends Error {
  readonly code = 'chain_not_configured';
  readonly retryable = true;
  constructor(chainGid: string, reason: string) {
    super(`${chainGid}: ${reason}`);
    this.name = 'ChainNotConfiguredError';
  }
}

/** One client over a chain's endpoints: the one set over the API first, then those of the configuration. */
export function createChainOpener({ opener, dial, endpoints, timeoutMs }: ChainOpenerOptions): (chain: ActiveChain) => Promise<OpenedChain> {
  return async (chain) => {
    const network = findNetwork(chain.gid);
    if (network === undefined) throw new ChainNotConfiguredError(chain.gid, 'is not in the catalogue of this build');
    const family = await findFamily(chain.gid.split(':', 1)[0]!);
    if (family === undefined) throw new ChainNotConfiguredError(chain.gid, `chain family ${chain.family} is not configured in this build`);
    const stored = [
      ...(chain.endpointSealed === undefined ? [] : [opener.open(chain.endpointSealed, `endpoint:${chain.gid}`)]),
      ...(chain.evmEndpointSealed === undefined ? [] : [opener.open(chain.evmEndpointSealed, `evm_endpoint:${chain.gid}`)]),
    ];
    // A TRON chain's two endpoints are of two kinds; the wallet API is the one that serves whole blocks.
    const urls = [...new Set([...stored.slice(0, 1), ...(endpoints[chain.gid] ?? [])])];
    if (urls.length === 0) throw new ChainNotConfiguredError(chain.gid, 'no endpoint is configured');
    return { network, client: createFailoverClient(urls.map((endpointUrl) => family.createClient({ network, endpointUrl, dial, timeoutMs }))) };
  };
}
