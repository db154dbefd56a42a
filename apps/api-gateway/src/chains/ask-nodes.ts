// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  listEndpoints,
  type ChainClient,
  type ChainFamily,
  type Network,
  type SealedEndpoint,
} from '@chainwatch/chain-core';
import { type Sql, MORE_ENDPOINTS } from '@chainwatch/data/db';
import { badGateway, BaseError, ProblemError, unprocessableEntity } from '@chainwatch/common/problem';
import type { ApiDeps } from '../api-deps.ts';
import type { ChainRow } from './find-chain.ts';

/** What a client waits for. */
interface Question<T> {
  readonly chain: ChainRow;
  readonly network: Network;
  readonly family: ChainFamily;
  /** As the rest of a sentence: `to read the token from`. */
  readonly purpose: string;
  readonly ask: (client: ChainClient) => Promise<T>;
  /** False: another node may know more, and this holds where all others know no more either. Default: always true. */
  readonly isFinal?: (answer: T) => boolean;
  /** What the answer says where no node could help, from the last failure. That a node lacks the block counts least. */
  readonly explain: (failure: unknown) => string;
}

/**
 * Asks the chain's endpoints in turn: after a node's failure the next one is asked, a node's answer is final.
 * @throws ProblemError 422 without an endpoint, 502 if no node answers, or none finally and not all of them
 */
export async function askNodes<T>(
  { chain, network, family, purpose, ask, isFinal = () => true, explain }: Question<T>,
  deps: Pick<ApiDeps, 'sealer' | 'dial' | 'settings'> & { readonly db: Sql },
): Promise<T> {
  let failure: BaseError | undefined;
  let answer: { readonly value: T } | undefined;
  const otherEndpointsSealed = chain.otherEndpointsSealed as Readonly<Record<string, string>>;
  const moreEndpoints = await readMoreEndpoints(deps.db, chain.gid);
  for (const endpoint of listEndpoints(
    { ...chain, otherEndpointsSealed, moreEndpoints },
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
      const value = await ask(client);
      if (isFinal(value)) return value;
      answer ??= { value };
    } catch (error) {
      if (!(error instanceof BaseError) || error instanceof ProblemError) throw error;
      if (failure === undefined || !(error instanceof BlockNotFoundError)) failure = error;
    } finally {
      client.close();
    }
  }
  // Nodes without the block have nothing to add.
  const isWhole = failure === undefined || failure instanceof BlockNotFoundError;
  if (answer !== undefined && isWhole) return answer.value;
  if (failure === undefined)
    throw unprocessableEntity(`The blockchain ${chain.gid} has no endpoint ${purpose}.`);
  throw badGateway(explain(failure), failure);
}

/** Further nodes of a chain, sealed. */
async function readMoreEndpoints(sql: Sql, chainGid: string): Promise<readonly SealedEndpoint[]> {
  const { rows } = await sql.query<{ endpoints: readonly SealedEndpoint[] }>(
    `SELECT (${MORE_ENDPOINTS}) AS endpoints FROM blockchains b WHERE b.gid = $1`,
    [chainGid],
  );
  return rows[0]?.endpoints ?? [];
}
