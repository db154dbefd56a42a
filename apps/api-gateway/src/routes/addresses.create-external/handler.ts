// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { findNotationNamed } from '@chainwatch/chain-registry';
import { conflict, unprocessableEntity } from '@chainwatch/common/problem';
import { chainGidsSchema, chooseSpelling } from '../../addresses/choose-spelling.ts';
import { announceAddress } from '../../addresses/announce-address.ts';
import { findHistoryStarts, historySchema, readActiveChains } from '../../addresses/ask-for-history.ts';
import { defineRoute } from '../../define-route.ts';
import { insertExternalAddresses } from '../../addresses/insert-external-addresses.ts';
import { parseWith, refuseBurnAddress } from '../../addresses/parse-address.ts';
import { readMonitoring } from '../../addresses/read-monitoring.ts';
import { groupsSchema, labelSchema, metadataSchema } from '../../records/address-input.ts';
import { externalAddressSchema, toExternalRecord } from '../../records/address.ts';
import { families, familySchema } from '../../records/path-schemas.ts';

/** The guide spells it `chainFamily`; everything else uses `chain_family` (decisions.md 1.6). */
const bodySchema = z
  .strictObject({
    value: z
      .string()
      .min(1)
      .max(128)
      .meta({
        description: 'The address, in any supported format of its family.',
        examples: ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
      }),
    chain_family: familySchema.optional().meta({
      description: 'The family of chains that the address belongs to. Required, unless `chainFamily` has it.',
    }),
    label: labelSchema.nullish().meta({ description: 'Optional name.', examples: ['Treasury'] }),
    metadata: metadataSchema.optional().meta({
      description: 'Your own JSON. Maximum 50 members and 16 KiB.',
      examples: [{ customer_id: '1042' }],
    }),
    groups: groupsSchema.optional(),
    chain_gids: chainGidsSchema.optional(),
    allow_burn: z.boolean().default(false).meta({
      description:
        'Monitor the zero address or a burn address all the same: every mint and burn of a chain then becomes an event.',
    }),
    from_block: z
      .int()
      .min(0)
      .optional()
      .meta({
        description: 'As `history`, for the only active chain that knows the address.',
        examples: [0],
      }),
    history: historySchema.optional(),
    chainFamily: familySchema
      .optional()
      .meta({ description: 'Another spelling of `chain_family`.', deprecated: true }),
  })
  .superRefine((body, ctx) => {
    if (body.chain_family === undefined && body.chainFamily === undefined) {
      ctx.addIssue({
        code: 'custom',
        path: ['chain_family'],
        message: `expected one of ${families.map((name) => `"${name}"`).join(', ')}, got nothing`,
      });
    } else if (
      body.chain_family !== undefined &&
      body.chainFamily !== undefined &&
      body.chain_family !== body.chainFamily
    ) {
      ctx.addIssue({
        code: 'custom',
        path: ['chain_family'],
        message: 'expected the same family as chainFamily',
      });
    }
  });

export const createExternalAddress = defineRoute({
  method: 'POST',
  path: '/addresses/external',
  permission: 'api:address:write',
  summary: 'Import an address and monitor it from now on',
  body: bodySchema,
  example: {
    value: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
    chain_family: 'evm',
    label: 'Treasury',
  },
  responses: { 201: externalAddressSchema },
  problems: [409, 422],
  handle: async ({ body, principal }, deps) => {
    const chainFamily = familySchema.parse(body.chain_family ?? body.chainFamily);
    const family = await findNotationNamed(chainFamily);
    if (family === undefined)
      throw unprocessableEntity(
        `The chain family ${chainFamily} is not part of this build, so its addresses cannot be monitored by it.`,
      );
    const parsed = chooseSpelling(parseWith(family, body.value, 'value'), body.chain_gids);
    if (!body.allow_burn) refuseBurnAddress(family, parsed);
    const { label, metadata, groups } = body;
    const { networkGids } = parsed;
    const history = findHistoryStarts(
      await readActiveChains(deps.db, chainFamily),
      { chainFamily, networkGids },
      body,
    );
    const { created, refused, problem } = await deps.db.transaction((sql) =>
      insertExternalAddresses(sql, {
        workspaceId: principal.workspaceId,
        projectId: principal.projectId,
        chainFamily,
        addresses: [
          { parsed, label: label ?? null, metadata: metadata ?? {}, groups: groups ?? [], history },
        ],
      }),
    );
    if (refused.size > 0) throw problem;
    const row = created.get(parsed.canonical);
    if (row === undefined) throw conflict(`The address ${parsed.display} exists already in this project.`);
    announceAddress(deps, row);
    const monitoringOf = await readMonitoring(deps.db, [row]);
    const record = toExternalRecord(row, monitoringOf(row));
    return { status: 201, body: record, location: `/addresses/${record.address}` };
  },
});
