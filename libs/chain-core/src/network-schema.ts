import { z } from 'zod';
import { assetGidSchema, chainGidSchema, splitChainGid } from '@chainwatch/caip';
import { UNTOLD_REASONS } from './network.ts';
import type { Network } from './network.ts';

/** Shape of one network in a `networks.json`. A family narrows it with `extend`. */
export const networkSchema = z.strictObject({
  gid: chainGidSchema,
  name: z.string().regex(/^[a-z0-9-]+$/),
  shortName: z.string().min(1),
  displayName: z.string().min(1),
  imageUrl: z.url(),
  family: z.string().regex(/^[a-z]+$/),
  isTestnet: z.boolean(),
  isLocal: z.boolean().optional(),
  aliases: z.array(z.string().regex(/^[a-z0-9-]+$/)),
  native: z.strictObject({
    gid: assetGidSchema.regex(/\/slip44:\d+$/),
    symbol: z.string().min(1),
    name: z.string().min(1),
    decimals: z.int().min(0).max(77),
    aliases: z.array(z.string()).optional(),
  }),
  tokenNamespace: z.string().min(1),
  confirmation: z.strictObject({
    type: z.enum(['tag', 'depth']),
    tag: z.enum(['finalized', 'safe']).optional(),
    depth: z.int().positive(),
  }),
  blockTimeMs: z.int().positive(),
  evidenceDelayMs: z.int().positive().optional(),
  untoldReasons: z.array(z.enum(UNTOLD_REASONS)).min(1).optional(),
  traits: z.record(z.string(), z.unknown()).optional(),
});

/** The rows of a `networks.json`. @throws ZodError naming the row and the member */
export function parseNetworks(
  schema: z.ZodType<Omit<Network, 'namespace' | 'reference'>>,
  rows: unknown,
): readonly Network[] {
  return z
    .array(schema)
    .parse(rows)
    .map((row) => ({ ...row, ...splitChainGid(row.gid) }));
}
