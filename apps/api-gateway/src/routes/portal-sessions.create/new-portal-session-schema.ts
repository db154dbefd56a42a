// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { portalPermissionSchema } from '../../records/portal-session.ts';

const TTL_SECONDS_MAX = 3_600;
/** What the page shows nothing without. */
const NEEDED = ['api:notification_channel:read', 'api:delivery:read'] as const;
/**
 * Written into the page's Content-Security-Policy, so nothing that means something there: no wildcard, no list, no
 * quote. As browsers write it, which is how they compare it.
 */
const ORIGIN = /^(?:https:\/\/[a-z0-9.-]+|http:\/\/localhost)(?::\d{1,5})?$/;

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

export const newPortalSessionSchema = z.strictObject({
  channel_ids: z
    .array(z.uuid().toLowerCase())
    .min(1)
    .max(100)
    .transform(distinct)
    .meta({
      description: 'The notification channels of this customer.',
      examples: [['6f1d1f4e-0000-4000-8000-000000000001']],
    }),
  ttl_seconds: z
    .int()
    .min(60)
    .max(TTL_SECONDS_MAX)
    .meta({ description: 'How long it lives, in seconds, at most an hour.', examples: [900] }),
  permissions: z
    .array(portalPermissionSchema)
    .min(1)
    .max(10)
    .transform(distinct)
    .refine((names) => NEEDED.every((name) => names.includes(name)), {
      error: `expected ${NEEDED.join(' and ')} among them`,
    })
    .default([...NEEDED])
    .meta({
      description:
        'What the customer may do, none of it that the asking key may not. `api:delivery:replay`: redeliver and recover; `api:event:read`: see the bodies that were sent; `api:notification_channel:write`: send test messages, and nothing else.',
      examples: [[...NEEDED, 'api:delivery:replay']],
    }),
  frame_origins: z
    .array(
      z
        .string()
        .max(255)
        .refine((text) => ORIGIN.test(text) && URL.parse(text)?.origin === text, {
          error:
            'expected an origin such as https://shop.example.com, without a path; http is for localhost alone',
        }),
    )
    .max(10)
    .transform(distinct)
    .default([])
    .meta({
      description: 'Origins whose pages may frame it: `frame-ancestors` of the page. None: it stands alone.',
      examples: [['https://shop.example.com']],
    }),
});
