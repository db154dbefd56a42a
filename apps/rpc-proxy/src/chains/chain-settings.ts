// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';

const httpUrl = z
  .string()
  .refine(
    (text) => /^(https?|wss?):\/\//.test(text) && URL.canParse(text),
    'expected a URL that starts with http:// or https://',
  );
const patterns = z.array(z.string().min(1).max(128)).optional();

/** RPC_CHAINS, by chain gid: nodes besides the one set over the API, and which methods may be called. */
export const chainSettingsSchema = z.record(
  z.string(),
  z.strictObject({
    upstreams: z
      .array(
        z.strictObject({
          url: httpUrl,
          weight: z.number().positive().max(1_000).default(1),
          /** Signed transactions that another node accepted are sent to this one as well. */
          broadcast: z.boolean().optional(),
          headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/), z.string().max(4_096)).default({}),
        }),
      )
      .default([]),
    methods: z.strictObject({ allow: patterns, deny: patterns, unlock: patterns }).default({}),
    /** False turns the cache of this chain off. */
    cache: z.boolean().default(true),
  }),
);

export type ChainSettings = z.output<typeof chainSettingsSchema>[string];
