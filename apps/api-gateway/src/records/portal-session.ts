// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Prisma } from '@chainwatch/data/prisma';
import { createdAtSchema } from './recorded-times.ts';

/** Permissions that a portal session can have. Each applies to the session's own channels only. */
export const portalPermissionSchema = z.enum([
  'api:notification_channel:read',
  'api:notification_channel:write',
  'api:delivery:read',
  'api:delivery:replay',
  'api:event:read',
]);

export const portalSessionSchema = z
  .object({
    id: z.uuid().meta({
      description: 'Of the session; no secret.',
      examples: ['6f1d1f4e-0000-4000-8000-000000000001'],
    }),
    channel_ids: z.array(z.uuid()).meta({
      description: 'The notification channels that it shows.',
      examples: [['6f1d1f4e-0000-4000-8000-000000000001']],
    }),
    permissions: z.array(portalPermissionSchema).meta({
      description: 'What it may do with them.',
      examples: [['api:notification_channel:read', 'api:delivery:read']],
    }),
    frame_origins: z.array(z.string()).meta({
      description: 'Origins whose pages may frame it.',
      examples: [['https://shop.example.com']],
    }),
    created_at: createdAtSchema,
    expires_at: z.iso.datetime().meta({
      description: 'When it ends, unless the key that made it ends before.',
      examples: ['2026-01-01T01:00:00.000Z'],
    }),
  })
  .meta({ id: 'PortalSession' });

/** The only answer with the token, which is stored nowhere. */
export const createdPortalSessionSchema = portalSessionSchema
  .extend({
    url: z.url().meta({
      description:
        'The page for the customer. Its fragment is the token, which no server sees in the address. Shown this once.',
      examples: [
        'https://api.example.com/ui/portal/6f1d1f4e-0000-4000-8000-000000000001#svc_portal_0123456789ABCDEFGHIJKLMNOPQRST2YbPlI',
      ],
    }),
  })
  .meta({ id: 'CreatedPortalSession' });

/** A path parameter. */
export const portalSessionParams = z.object({ portal_session_id: z.uuid() });

export function toPortalSessionRecord(
  row: Prisma.PortalSessionGetPayload<object>,
): z.infer<typeof portalSessionSchema> {
  return {
    id: row.id,
    channel_ids: row.channelIds,
    permissions: portalPermissionSchema.array().parse(row.permissions),
    frame_origins: row.frameOrigins,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
  };
}
