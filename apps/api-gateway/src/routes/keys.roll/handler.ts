// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { defineRoute } from '../../server/define-route.ts';
import { announceRevokedKeys } from '../../management/announce-revoked-keys.ts';
import { findKey } from '../../management/find-key.ts';
import { createdKeySchema, keyParams, keySchema, toKeyRecord } from '../../records/key.ts';
import { rollKey } from './roll-key.ts';

const GRACE_SECONDS_MAX = 30 * 86_400;

export const rollKeyRoute = defineRoute({
  method: 'POST',
  path: '/management/keys/:key_id/actions/roll',
  permission: 'mgt:key:write',
  summary: 'Put a new key with the same permissions in the place of one, which ends after the grace',
  params: keyParams,
  body: z.strictObject({
    grace_seconds: z
      .int()
      .min(0)
      .max(GRACE_SECONDS_MAX)
      .meta({ description: 'How long the old key goes on, in seconds, at most 30 days.', examples: [3_600] }),
  }),
  example: { grace_seconds: 3_600 },
  responses: { 200: createdKeySchema.extend({ previous: keySchema.meta({ description: 'The old key.' }) }) },
  problems: [409, 422],
  handle: async ({ params, body, principal, requestId }, deps) => {
    const { id } = await findKey(deps, principal, params.key_id);
    const options = { id, graceSeconds: body.grace_seconds, label: deps.settings.namespaceLabel };
    const added = await deps.db.transaction((sql) => rollKey(sql, { principal, requestId }, options));
    const previous = await findKey(deps, principal, id);
    const endsAt = previous.revokedAt === null ? (previous.expiresAt ?? undefined) : undefined;
    announceRevokedKeys(deps, [{ id, keyHash: previous.keyHash, endsAt }]);
    return {
      status: 200,
      body: {
        ...toKeyRecord(await findKey(deps, principal, added.id)),
        key: added.key,
        previous: toKeyRecord(previous),
      },
    };
  },
});
