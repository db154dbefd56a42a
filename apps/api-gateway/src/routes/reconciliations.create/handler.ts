// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { booleanParameter } from '@chainwatch/platform/http';
import { findReconciliation } from '../../reconciliations/find-reconciliation.ts';
import { UPLOAD_MS_MAX } from '../../reconciliations/is-upload.ts';
import { receiveLedger } from '../../reconciliations/receive-ledger.ts';
import { timestampSchema } from '../../records/path-schemas.ts';
import { reconciliationSchema, toReconciliationRecord } from '../../records/reconciliation.ts';
import { defineRoute } from '../../define-route.ts';

const HASH = '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060';
const ADDRESS = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

const csv = z.string().meta({
  description:
    'CSV (RFC 4180) in UTF-8 with a header. Columns: `hash` or `event_id`, `address`, `asset_gid`, `amount` (whole units) or `amount_raw` (base units); optional `reference`, `direction` (`in`, `out` or `fee`), `time` (RFC 3339), `chain_gid`. A negative amount is outgoing. Other columns are ignored.',
  examples: [
    `reference,hash,address,asset_gid,amount,direction,time\r\nINV-1042,${HASH},${ADDRESS},eip155:1/slip44:60,1.5,in,2026-10-01T12:00:00Z\r\n`,
  ],
});

const ndjson = z.string().meta({
  description: 'The same as JSON objects, one a line. Amounts are strings.',
  examples: [
    `${JSON.stringify({ reference: 'INV-1042', hash: HASH, address: ADDRESS, asset_gid: 'eip155:1/slip44:60', amount: '1.5' })}\n`,
  ],
});

const MEDIA_TYPES = { 'text/csv': csv, 'application/x-ndjson': ndjson };

export const createReconciliation = defineRoute({
  method: 'POST',
  path: '/reconciliations',
  permission: 'api:reconciliation:write',
  summary:
    'Compare a ledger with the transactions of the project: the body is the ledger, at most 1,000,000 rows and 256 MiB, and `Content-Type` says its format; rows fail and succeed one by one',
  // A ledger that broke off is sent again.
  isRepeatable: true,
  query: z.strictObject({
    from: timestampSchema.optional().meta({
      description:
        'Movements from this time on count as missing in the books. Defaults to the earliest time of the ledger.',
      examples: ['2026-10-01T00:00:00Z'],
    }),
    to: timestampSchema.optional().meta({
      description: 'Movements before this time count. Defaults to just behind the latest time of the ledger.',
      examples: ['2026-11-01T00:00:00Z'],
    }),
    scope: z.enum(['project', 'ledger']).default('project').meta({
      description:
        'Which addresses count as missing in the books: all of the project, or those that the ledger names.',
    }),
    include_fees: booleanParameter
      .optional()
      .meta({ description: 'Whether fees that no row names count as missing in the books.' }),
    name: z
      .string()
      .trim()
      .min(1)
      .max(255)
      .optional()
      .meta({ description: 'Optional name.', examples: ['October 2026'] }),
  }),
  streamedBody: { mediaTypes: MEDIA_TYPES, limitBytes: 256 * 1_024 * 1_024, deadlineMs: UPLOAD_MS_MAX },
  responses: { 202: reconciliationSchema },
  problems: [422],
  handle: async ({ query, stream, contentType, principal, requestId }, deps) => {
    const id = await receiveLedger(
      deps.db,
      { principal, requestId },
      {
        bytes: stream!,
        format: contentType === 'text/csv' ? 'csv' : 'ndjson',
        name: query.name,
        from: query.from,
        to: query.to,
        scope: query.scope,
        includeFees: query.include_fees ?? false,
      },
    );
    return {
      status: 202,
      body: toReconciliationRecord(await findReconciliation(deps, principal, id)),
      location: `/reconciliations/${id}`,
    };
  },
});
