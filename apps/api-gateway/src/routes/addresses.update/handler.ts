import { z } from 'zod';
import type { Sql } from '@chainwatch/db';
import { announceAddress } from '../../addresses/announce-address.ts';
import { defineRoute } from '../../server/define-route.ts';
import { findAddress } from '../../addresses/find-address.ts';
import { findNetworkGids } from '../../addresses/parse-address.ts';
import { readAddressById } from '../../addresses/read-addresses.ts';
import { addressParams, groupsSchema, labelSchema, metadataSchema } from '../../records/address-input.ts';
import { addressSchema } from '../../records/address.ts';
import type { AddressRow } from '../../records/address.ts';
import { watchFromHead } from '../../addresses/watch-address.ts';

const bodySchema = z
  .strictObject({
    label: labelSchema
      .nullable()
      .optional()
      .meta({ description: 'As you call it. Null takes it away.', examples: ['Treasury'] }),
    metadata: metadataSchema.optional().meta({
      description: 'JSON of yours, in place of what was there.',
      examples: [{ customer_id: '1042' }],
    }),
    groups: groupsSchema
      .optional()
      .meta({ description: 'Its groups, in place of those it was in.', examples: [['customers', 'eu']] }),
    is_monitored: z.boolean().optional().meta({ description: 'Whether transactions of it are told.' }),
  })
  .refine((body) => Object.keys(body).length > 0, {
    error: 'expected at least one of label, metadata, groups, is_monitored',
  });

export const updateAddress = defineRoute({
  method: 'PATCH',
  path: '/addresses/:address',
  permission: 'api:address:write',
  summary: "Change an address's label, metadata, groups or monitoring",
  params: addressParams,
  body: bodySchema,
  example: { label: 'Treasury', is_monitored: true },
  responses: { 200: addressSchema },
  handle: async ({ params, body, principal }, deps) => {
    const row = await findAddress(deps, principal, params.address);
    const isSwitched = await deps.db.transaction((sql) => updateRow(sql, row, body));
    if (isSwitched) announceAddress(deps, { ...row, isMonitored: body.is_monitored === true });
    return { status: 200, body: await readAddressById(deps, principal, row.id) };
  },
});

/** Writes only what the body names. Resolves to whether monitoring was switched on or off. */
async function updateRow(
  sql: Sql,
  { id, chainFamily, address }: AddressRow,
  body: z.infer<typeof bodySchema>,
): Promise<boolean> {
  // Locked and read again, so that two concurrent requests neither undo each other nor both believe that they switched.
  const { rows } = await sql.query<{ is_monitored: boolean }>(
    'SELECT is_monitored FROM addresses WHERE id = $1 FOR UPDATE',
    [id],
  );
  const isMonitored = body.is_monitored;
  const isSwitched =
    isMonitored !== undefined && rows[0] !== undefined && rows[0].is_monitored !== isMonitored;
  // A new watch_xid makes the analyzer look through the blocks from watched_from on, which a new label does not need.
  await sql.query(
    `UPDATE addresses SET label = CASE WHEN $2 THEN $3 ELSE label END, metadata = coalesce($4::jsonb, metadata), groups = coalesce($7::text[], groups),
       is_monitored = coalesce($5, is_monitored), watch_xid = CASE WHEN $6 THEN pg_current_xact_id() ELSE watch_xid END, updated_at = now()
     WHERE id = $1`,
    [
      id,
      body.label !== undefined,
      body.label ?? null,
      body.metadata === undefined ? null : JSON.stringify(body.metadata),
      isMonitored ?? null,
      isSwitched,
      body.groups ?? null,
    ],
  );
  // Monitored again: the address counts from now on, as if it were imported now.
  if (isSwitched && isMonitored)
    await watchFromHead(sql, {
      ids: [id],
      chainFamily,
      networkGids: await findNetworkGids(chainFamily, address),
    });
  return isSwitched;
}
