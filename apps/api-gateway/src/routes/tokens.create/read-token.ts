// SPDX-License-Identifier: Apache-2.0
import type { ChainFamily, Network, TokenMetadata } from '@chainwatch/chain-core';
import { unprocessableEntity } from '@chainwatch/problem';
import type { Sql } from '@chainwatch/db';
import { askNodes } from '../../chains/ask-nodes.ts';
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
  { gid, signal, ...of }: TokenRead,
  deps: Pick<ApiDeps, 'db' | 'sealer' | 'dial' | 'settings'>,
): Promise<TokenMetadata | undefined> {
  return askNodes(
    {
      ...of,
      purpose: 'to read the token from',
      ask: async (client) => {
        if (!client.readTokens) throw unprocessableEntity(`The chain ${of.chain.gid} has no tokens to read.`);
        const [metadata] = await client.readTokens([gid], signal, await findMoved(deps.db, gid));
        return metadata;
      },
      explain: () => 'The token could not be read: no node of the chain answered.',
    },
    deps,
  );
}

/** An amount of a known transfer, by which a collection from before the standard is recognized. */
async function findMoved(sql: Sql, gid: string): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await sql.query<{ amount_raw: string }>(
    'SELECT amount_raw::text FROM transfers WHERE asset_gid = $1 LIMIT 1',
    [gid],
  );
  return new Map(rows.map(({ amount_raw }) => [gid, BigInt(amount_raw)]));
}
