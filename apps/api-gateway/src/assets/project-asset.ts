// SPDX-License-Identifier: Apache-2.0
import type { UiMultiplier } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import { LISTED_ASSETS } from './listed-assets.ts';

/** An asset as a project sees it. Its properties come from the chain; its status and times are the project's own. */
export interface ProjectAsset {
  readonly gid: string;
  readonly chainGid: string;
  readonly namespace: string;
  readonly reference: string;
  readonly type: string;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  readonly imageUrl: string | null;
  /** What wallets multiply its amounts with. */
  readonly uiMultiplier: UiMultiplier | null;
  readonly source: string;
  readonly status: string;
  /** The status on the chain, whatever the project did. */
  readonly chainStatus: string;
  readonly archivedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The assets among these that the project lists, in the given order. */
export async function readProjectAssets(
  sql: Sql,
  projectId: string,
  gids: readonly string[],
): Promise<ProjectAsset[]> {
  if (gids.length === 0) return [];
  const { rows } = await sql.query<ProjectAsset>(
    `SELECT l.gid, l.chain_gid AS "chainGid", l.namespace, l.reference, l.type, l.name, l.symbol, a.decimals, a.image_url AS "imageUrl", a.ui_multiplier AS "uiMultiplier", a.source,
            l.status, a.status AS "chainStatus", l.archived_at AS "archivedAt", l.created_at AS "createdAt", l.updated_at AS "updatedAt"
     FROM unnest($2::text[]) WITH ORDINALITY AS g (gid, position) JOIN ${LISTED_ASSETS} l ON l.gid = g.gid JOIN assets a ON a.gid = l.gid
     WHERE l.project_id = $1 ORDER BY g.position`,
    [projectId, gids],
  );
  return rows;
}
