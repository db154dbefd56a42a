// SPDX-License-Identifier: Apache-2.0
const COLUMNS = ['chain_gid', 'namespace', 'reference', 'type', 'name', 'symbol'];

/**
 * Assets that every project lists without a row of its own. They count as created with the project, which reveals
 * nothing about other projects.
 */
const REGISTRY_ASSETS = `
  SELECT j.id AS project_id, a.gid, ${COLUMNS.map((column) => `a.${column}`).join(', ')}, a.status, NULL::timestamptz AS archived_at, j.created_at, j.created_at AS updated_at
  FROM projects j CROSS JOIN assets a
  WHERE a.source = 'registry' AND NOT EXISTS (SELECT FROM project_assets p WHERE p.project_id = j.id AND p.asset_gid = a.gid)`;

/**
 * Assets by project, as a table: native coins, the registry's tokens, and the assets that the project created or
 * discovered.
 */
export const LISTED_ASSETS = `(
  SELECT project_id, asset_gid AS gid, ${COLUMNS.join(', ')}, status, archived_at, created_at, updated_at FROM project_assets
  UNION ALL ${REGISTRY_ASSETS})`;
