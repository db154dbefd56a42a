import { listEndpoints, type ChainClient, type ChainFamily, type Network } from '@chainwatch/chain-core';
import { badGateway, BaseError, ProblemError, unprocessableEntity } from '@chainwatch/problem';
import type { ApiDeps } from '../server/api-deps.ts';
import type { ChainRow } from './find-chain.ts';

/** What a client waits for. */
interface Question<T> {
  readonly chain: ChainRow;
  readonly network: Network;
  readonly family: ChainFamily;
  /** As the rest of a sentence: `to read the token from`. */
  readonly purpose: string;
  readonly ask: (client: ChainClient) => Promise<T>;
  /** What the answer says where no node could help, from the last failure. */
  readonly explain: (failure: unknown) => string;
}

/**
 * Asks the chain's endpoints in turn: after a node's failure the next one is asked, a node's answer is final.
 * @throws ProblemError 422 without an endpoint, 502 if no node answers
 */
export async function askNodes<T>(
  { chain, network, family, purpose, ask, explain }: Question<T>,
  deps: Pick<ApiDeps, 'sealer' | 'dial' | 'settings'>,
): Promise<T> {
  let failure: unknown;
  const otherEndpointsSealed = chain.otherEndpointsSealed as Readonly<Record<string, string>>;
  for (const endpoint of listEndpoints(
    { ...chain, otherEndpointsSealed },
    deps.sealer,
    deps.settings.chainEndpoints[chain.gid],
  )) {
    const client = family.createClient({
      network,
      ...endpoint,
      dial: deps.dial,
      timeoutMs: deps.settings.nodeTimeoutMs,
    });
    try {
      return await ask(client);
    } catch (error) {
      if (!(error instanceof BaseError) || error instanceof ProblemError) throw error;
      failure = error;
    } finally {
      client.close();
    }
  }
  if (failure === undefined)
    throw unprocessableEntity(`The blockchain ${chain.gid} has no endpoint ${purpose}.`);
  throw badGateway(explain(failure), failure);
}
