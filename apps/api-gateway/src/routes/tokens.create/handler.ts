// SPDX-License-Identifier: Apache-2.0
import { conflict, unprocessableEntity } from '@chainwatch/common/problem';
import { readProjectAssets } from '../../assets/project-asset.ts';
import { defineRoute } from '../../define-route.ts';
import { toAssetGid } from '../../assets/find-asset.ts';
import { findChain, loadFamily, type ChainRow } from '../../chains/find-chain.ts';
import { assetParams } from '../../records/path-schemas.ts';
import { toTokenRecord, tokenSchema } from '../../records/token.ts';
import type { ChainFamily, Network, TokenMetadata } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import { askNodes } from '../../chains/ask-nodes.ts';
import type { ApiDeps } from '../../api-deps.ts';
import { splitAssetGid } from '@chainwatch/common/caip';
import { askForBalances } from '../../assets/ask-for-balances.ts';
import { lockChain } from '../../assets/lock-chain.ts';

export const createToken = defineRoute({
  method: 'POST',
  path: '/tokens/:chain_gid/:asset_path',
  permission: 'api:token:write',
  summary: "Add a token to the project's list; its name, symbol and decimals are read from the chain",
  params: assetParams,
  responses: { 201: tokenSchema },
  problems: [409, 422, 502],
  handle: async ({ params, principal, signal }, deps) => {
    const { projectId } = principal;
    const chain = await findChain(deps, params.chain_gid);
    const { network, family } = await loadFamily(chain.gid);
    const gid = toAssetGid(family, network, params.asset_path);
    const [known] = await readProjectAssets(deps.db, projectId, [gid]);
    if (known?.archivedAt) throw conflict(`The token ${gid} exists and is archived; restore it instead.`);
    // With decimals that nobody knows it is asked again.
    if (known?.status === 'active' && (known.decimals !== null || known.type === 'nft'))
      throw conflict(`The token ${gid} exists already.`);
    // The chain is always asked, even if another project has the token: neither the answer nor its time reveals other
    // projects.
    const metadata = await readToken({ chain, network, family, gid, signal }, deps);
    if (!metadata) {
      if (known) await deps.db.transaction((sql) => noteNoToken(sql, chain.gid, gid));
      throw unprocessableEntity(`The contract of ${gid} is not a token.`);
    }
    const isAdded = await deps.db.transaction((sql) =>
      writeToken(sql, { gid, chainGid: chain.gid, projectId, isListed: known !== undefined, metadata }),
    );
    if (!isAdded) throw conflict(`The token ${gid} exists already.`);
    const [token] = await readProjectAssets(deps.db, projectId, [gid]);
    return { status: 201, body: toTokenRecord(token!), location: `/tokens/${gid}` };
  },
});

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
async function readToken(
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

/** Before every address of a project, as `project_assets.read_after` and `read_after_id`. */
const FIRST = ['-infinity', '00000000-0000-0000-0000-000000000000'];

interface TokenWrite {
  readonly gid: string;
  readonly chainGid: string;
  readonly projectId: string;
  /** The project had discovered the token before its metadata was known. */
  readonly isListed: boolean;
  readonly metadata: TokenMetadata;
}

/**
 * Puts the token on the project's list, and stores its metadata if the service does not have it. Then asks for the
 * balances of the addresses that moved it before, and has the project's other addresses read page by page. False if another
 * request of the project was faster.
 */
async function writeToken(
  sql: Sql,
  { gid, chainGid, projectId, isListed, metadata }: TokenWrite,
): Promise<boolean> {
  await lockChain(sql, chainGid);
  const isLearned = await learnToken(sql, { gid, chainGid, metadata });
  const added = await sql.query(
    `INSERT INTO project_assets (project_id, asset_gid, read_after, read_after_id) VALUES ($1, $2, $3, $4)
     ON CONFLICT (project_id, asset_gid) DO NOTHING`,
    [projectId, gid, ...FIRST],
  );
  const isAdded = added.rowCount === 1;
  if (isLearned) await askForBalances(sql, gid);
  if (isLearned && !isAdded)
    await sql.query(
      'UPDATE project_assets SET read_after = $3, read_after_id = $4 WHERE project_id = $1 AND asset_gid = $2',
      [projectId, gid, ...FIRST],
    );
  return isAdded || (isListed && isLearned);
}

async function learnToken(
  sql: Sql,
  {
    gid,
    chainGid,
    metadata: { name, symbol, decimals, isNft, uiMultiplier },
  }: { readonly gid: string; readonly chainGid: string; readonly metadata: TokenMetadata },
): Promise<boolean> {
  const { namespace, reference } = splitAssetGid(gid);
  const { rowCount } = await sql.query(
    `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, name, symbol, decimals, ui_multiplier, ui_read_at)
     VALUES ($1, $2, $3, $4, $8, 'active', $5, $6, $7, $9, CASE WHEN $9::jsonb IS NOT NULL THEN now() END)
     ON CONFLICT (gid) DO UPDATE SET status = 'active', type = $8, name = $5, symbol = $6, decimals = $7, updated_at = now(),
       ui_multiplier = $9, ui_read_at = excluded.ui_read_at
     WHERE assets.status <> 'active' OR assets.decimals IS NULL AND $7 IS NOT NULL`,
    [
      ...[gid, chainGid, namespace, reference, name, symbol, decimals ?? null],
      isNft === true ? 'nft' : 'fungible',
      uiMultiplier === undefined ? null : JSON.stringify(uiMultiplier),
    ],
  );
  return rowCount === 1;
}

/**
 * Records that a contract is no token. The analyzer had discovered the asset, and has not asked about it yet
 * (decisions.md 1.4).
 */
async function noteNoToken(sql: Sql, chainGid: string, gid: string): Promise<void> {
  await lockChain(sql, chainGid);
  await sql.query(
    `UPDATE assets SET status = 'invalid', updated_at = now() WHERE gid = $1 AND status = 'unknown'`,
    [gid],
  );
}
