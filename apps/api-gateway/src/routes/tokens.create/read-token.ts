import { listEndpoints, type ChainFamily, type Network, type TokenMetadata } from '@chainwatch/chain-core';
import { badGateway, BaseError, ProblemError, unprocessableEntity } from '@chainwatch/problem';
import type { Sql } from '@chainwatch/db';
import type { ApiDeps } from '../../server/api-deps.ts';
import type { ChainRow } from '../../chains/find-chain.ts';

interface TokenRead {
  readonly chain: ChainRow;
  readonly network: Network;
  readonly family: ChainFamily;
  /** Canonical CAIP-19. */
  readonly gid: string;
  readonly signal: AbortSignal;
}

/**
 * Asks the chain's endpoints in turn; undefined if the contract is not a token. @throws ProblemError 422 without an
 * endpoint, 502 if no node answers
 */
export async function readToken(
  read: TokenRead,
  deps: Pick<ApiDeps, 'db' | 'sealer' | 'dial' | 'settings'>,
): Promise<TokenMetadata | undefined> {
  let failure: unknown;
  const otherEndpointsSealed = read.chain.otherEndpointsSealed as Readonly<Record<string, string>>;
  for (const endpoint of listEndpoints(
    { ...read.chain, otherEndpointsSealed },
    deps.sealer,
    deps.settings.chainEndpoints[read.chain.gid],
  )) {
    const client = read.family.createClient({
      network: read.network,
      ...endpoint,
      dial: deps.dial,
      timeoutMs: deps.settings.nodeTimeoutMs,
    });
    try {
      if (!client.readTokens) throw unprocessableEntity(`The chain ${read.chain.gid} has no tokens to read.`);
      const [metadata] = await client.readTokens([read.gid], read.signal, await findMoved(deps.db, read.gid));
      return metadata;
    } catch (error) {
      // After a node's failure the next one is asked; a node's answer is final.
      if (!isRetryable(error)) throw error;
      failure = error;
    } finally {
      client.close();
    }
  }
  if (failure === undefined)
    throw unprocessableEntity(`The blockchain ${read.chain.gid} has no endpoint to read the token from.`);
  throw badGateway('The token could not be read: no node of the chain answered.', failure);
}

/** An amount of a known transfer, by which a collection from before the standard is recognised. */
async function findMoved(sql: Sql, gid: string): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await sql.query<{ amount_raw: string }>(
    'SELECT amount_raw::text FROM transfers WHERE asset_gid = $1 LIMIT 1',
    [gid],
  );
  return new Map(rows.map(({ amount_raw }) => [gid, BigInt(amount_raw)]));
}

function isRetryable(error: unknown): boolean {
  return error instanceof BaseError && !(error instanceof ProblemError);
}
