import { z } from 'zod';
import { announceAddress } from '../../announce-address.ts';
import { defineRoute } from '../../define-route.ts';
import { findAddress } from '../../find-address.ts';
import { addressParams, labelSchema, metadataSchema } from '../../records/address-input.ts';
import { addressSchema, toAddressRecord } from '../../records/address.ts';
import { watchFromHead } from '../../watch-address.ts';

export const updateAddress = defineRoute({
  method: 'PATCH',
  path: '/addresses/:address',
  summary: "Change an address's label, metadata or monitoring",
  params: addressParams,
  body: z
    .strictObject({ label: labelSchema.nullable().optional(), metadata: metadataSchema.optional(), is_monitored: z.boolean().optional() })
    .refine((body) => Object.keys(body).length > 0, { error: 'expected at least one of label, metadata, is_monitored' }),
  responses: { 200: addressSchema },
  handle: async ({ params, body, principal }, deps) => {
    const row = await findAddress(deps, principal, params.address);
    const isMonitored = body.is_monitored ?? row.isMonitored;
    await deps.db.transaction(async (sql) => {
      // A new watch_xid, so that the analyzer sees the change without gaps.
      await sql.query(
        `UPDATE addresses SET label = $2, metadata = $3, is_monitored = $4, watch_xid = pg_current_xact_id(), updated_at = now() WHERE id = $1`,
        [row.id, body.label === undefined ? row.label : body.label, JSON.stringify(body.metadata ?? row.metadata), isMonitored],
      );
      // Monitored again: it counts from now on, as if imported now.
      if (isMonitored && !row.isMonitored) await watchFromHead(sql, row);
    });
    announceAddress(deps, { ...row, isMonitored });
    return { status: 200, body: toAddressRecord(await findAddress(deps, principal, row.address)) };
  },
});
