// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Sql } from '@chainwatch/data/db';
import { booleanParameter } from '@chainwatch/platform/http';
import { conflict } from '@chainwatch/common/problem';
import { announceAddresses } from '../../addresses/announce-address.ts';
import { defineRoute } from '../../define-route.ts';
import { findPublicKey } from '../../public-keys/find-public-key.ts';
import { recordChange } from '../../management/record-change.ts';
import { publicKeyParams } from '../../records/public-key.ts';

export const deletePublicKey = defineRoute({
  method: 'DELETE',
  path: '/public_keys/:public_key_id',
  permission: 'api:public_key:write',
  summary: 'Delete a public key for good; with `cascade` its addresses too',
  params: publicKeyParams,
  query: z.strictObject({ cascade: booleanParameter.optional() }),
  responses: { 204: undefined },
  problems: [409],
  handle: async ({ params, query, principal, requestId }, deps) => {
    const key = await findPublicKey(deps, principal, params.public_key_id);
    const { id, projectId, chainFamily } = key;
    const deleted = await deps.db.transaction(async (sql) => {
      const addresses = await deleteKey(sql, id, query.cascade ?? false);
      if (addresses === undefined) return [];
      const from = { label: key.label, chain_family: chainFamily, addresses: addresses.length };
      await recordChange(sql, { principal, requestId }, { action: 'public_key.deleted', targetId: id, from });
      return addresses;
    });
    announceAddresses(
      deps,
      deleted.map((address) => ({ ...address, projectId, chainFamily, isMonitored: false })),
    );
    return { status: 204 };
  },
});

/** Returns the deleted addresses, undefined where the key is gone. @throws ProblemError 409 if the key has addresses and they are to stay */
async function deleteKey(
  sql: Sql,
  id: string,
  isCascading: boolean,
): Promise<{ id: string; address: string }[] | undefined> {
  // Requests that generate addresses take this lock, so none is added from here on.
  await sql.query('SELECT FROM public_keys WHERE id = $1 FOR UPDATE', [id]);
  const { rows } = isCascading
    ? await sql.query<{ id: string; address: string }>(
        'DELETE FROM addresses WHERE public_key_id = $1 RETURNING id, address',
        [id],
      )
    : await sql.query<{ id: string; address: string }>(
        'SELECT id, address FROM addresses WHERE public_key_id = $1 LIMIT 1',
        [id],
      );
  if (rows.length > 0 && !isCascading)
    throw conflict('The public key has addresses: delete them first, or all together with ?cascade=true.');
  const { rowCount } = await sql.query('DELETE FROM public_keys WHERE id = $1', [id]);
  return rowCount === 0 ? undefined : rows;
}
