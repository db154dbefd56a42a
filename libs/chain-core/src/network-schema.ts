// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { assetGidSchema, chainGidSchema, splitChainGid } from '@chainwatch/common/caip';
import { UNTOLD_REASONS } from './network.ts';
import type { Network } from './network.ts';

const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;
const name = z.string().regex(NAME, 'expected lower-case letters, digits and hyphens');
const text = (max: number) => z.string().trim().min(1).max(max);
/** A URL with one of the names in braces. */
const template = (...names: readonly string[]) =>
  z
    .string()
    .max(2_048)
    .refine((url) => /^https?:\/\//.test(url) && names.some((each) => url.includes(`{${each}}`)), {
      error: `expected a URL with ${names.map((each) => `{${each}}`).join(' or ')}`,
    });

/**
 * A network as a document: one in `networks.json` of its family, in NETWORKS_FILE, and what `/networks` takes and shows. A
 * family narrows it with `extend`.
 */
export const networkSchema = z.strictObject({
  gid: chainGidSchema.meta({ description: 'The chain as CAIP-2.', examples: ['eip155:5042'] }),
  family: z
    .string()
    .regex(/^[a-z]{1,32}$/, 'expected the name of a chain family')
    .meta({ description: 'The chain family whose code reads its blocks.', examples: ['evm'] }),
  name: name.meta({
    description: 'Unique name, also the name of its endpoint at the RPC gateway.',
    examples: ['arc'],
  }),
  short_name: text(32).meta({ description: 'Short name for lists.', examples: ['arc'] }),
  display_name: text(64).meta({ description: 'Name for people.', examples: ['Arc'] }),
  aliases: z
    .array(name)
    .max(32)
    .default([])
    .meta({
      description: 'More names that are accepted, each unique among all networks.',
      examples: [['arc-mainnet']],
    }),
  is_testnet: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether its coins are worth nothing.', examples: [false] }),
  is_local: z
    .boolean()
    .optional()
    .meta({
      description: 'A local chain of a developer: it starts anew with its node.',
      examples: [false],
    }),
  native: z
    .strictObject({
      gid: assetGidSchema
        .regex(/\/slip44:\d+$/, 'expected <gid>/slip44:<number>')
        .meta({ description: 'The coin as CAIP-19.', examples: ['eip155:5042/slip44:60'] }),
      symbol: text(32).meta({ description: 'Its symbol.', examples: ['USDC'] }),
      name: text(64).meta({ description: 'Its name.', examples: ['USD Coin'] }),
      decimals: z
        .int()
        .min(0)
        .max(77)
        .meta({ description: 'Its decimals.', examples: [18] }),
      aliases: z
        .array(assetGidSchema)
        .max(16)
        .optional()
        .meta({
          description: 'More asset ids that mean this coin.',
          examples: [['eip155:5042/slip44:5042']],
        }),
    })
    .optional()
    .meta({ description: 'The coin that pays fees. Left out: the chain has none.' }),
  token_namespace: z
    .string()
    .regex(/^[-a-z0-9]{3,8}$/, 'expected a CAIP-19 namespace')
    .meta({ description: 'The CAIP-19 namespace of its tokens.', examples: ['erc20'] }),
  confirmation: z
    .strictObject({
      type: z.enum(['tag', 'depth']).meta({
        description: '`tag`: the finality that the node tells; `depth`: blocks on top.',
        examples: ['tag'],
      }),
      tag: z
        .enum(['finalized', 'safe'])
        .optional()
        .meta({ description: 'The block tag that counts as final.', examples: ['finalized'] }),
      depth: z
        .int()
        .min(1)
        .max(1_000_000)
        .meta({ description: 'Blocks, the block itself included.', examples: [12] }),
    })
    .refine(({ type, tag }) => (type === 'tag') === (tag !== undefined), {
      error: 'expected a tag with type tag, and none with type depth',
      path: ['tag'],
    })
    .meta({ description: 'When a block is final, unless a project has its own rule.' }),
  block_time_ms: z
    .int()
    .min(1)
    .max(86_400_000)
    .meta({ description: 'A first guess of the time between blocks; it is measured.', examples: [500] }),
  evidence_delay_ms: z
    .int()
    .positive()
    .max(86_400_000)
    .optional()
    .meta({ description: 'Usual time until a later header proves a block.', examples: [4_000] }),
  untold_reasons: z
    .array(z.enum(UNTOLD_REASONS))
    .min(1)
    .optional()
    .meta({
      description: 'Reasons for balance changes without a transaction.',
      examples: [['withdrawal', 'adjustment']],
    }),
  wrapped_native: z
    .string()
    .max(128)
    .optional()
    .meta({
      description: 'The contract that wraps the native coin: its deposits mint and its withdrawals burn.',
      examples: ['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'],
    }),
  tokens: z
    .array(
      z.strictObject({
        gid: assetGidSchema.meta({
          description: 'The contract as CAIP-19.',
          examples: ['eip155:1/erc20:0x06012c8cf97bead5deae237070f9587f8e7a266d'],
        }),
        type: z
          .enum(['token', 'nft'])
          .default('token')
          .meta({ description: 'Whether its units are alike or each its own.', examples: ['nft'] }),
        symbol: text(32).meta({ description: 'Its symbol.', examples: ['CK'] }),
        name: text(64).meta({ description: 'Its name.', examples: ['CryptoKitties'] }),
        decimals: z
          .int()
          .min(0)
          .max(77)
          .default(0)
          .meta({ description: 'Its decimals.', examples: [0] }),
      }),
    )
    .max(1_000)
    .optional()
    .meta({ description: 'Old tokens whose contracts do not say what they are.' }),
  explorer: z
    .strictObject({
      address: template('address')
        .optional()
        .meta({
          description: 'Page of an address.',
          examples: ['https://explorer.example.com/address/{address}'],
        }),
      transaction: template('hash')
        .optional()
        .meta({
          description: 'Page of a transaction.',
          examples: ['https://explorer.example.com/tx/{hash}'],
        }),
      block: template('number', 'hash')
        .optional()
        .meta({ description: 'Page of a block.', examples: ['https://explorer.example.com/block/{number}'] }),
    })
    .optional()
    .meta({ description: 'URL templates of a block explorer.' }),
  image_url: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .optional()
    .meta({
      description: 'URL of a logo. Default: the one that this service has for its name.',
      examples: ['https://example.com/arc.svg'],
    }),
  traits: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({
      description: 'What the family has to know to prove its blocks; the members are those of the family.',
      examples: [{ stack: 'ethereum' }],
    }),
});

/** A network as a document, checked. */
export type NetworkDocument = z.infer<typeof networkSchema>;

/** Traits in a document have the spelling of documents, and in code that of code. */
export function traitsSchema<S extends z.ZodType>(schema: S) {
  return z.preprocess((traits) => spell(traits, toCamelCase), schema);
}

/** @throws ZodError naming the members of the document */
export function parseNetwork(schema: z.ZodType<NetworkDocument>, document: unknown): Network {
  const {
    short_name: shortName,
    display_name: displayName,
    image_url: imageUrl,
    is_testnet: isTestnet,
    is_local: isLocal,
    token_namespace: tokenNamespace,
    block_time_ms: blockTimeMs,
    evidence_delay_ms: evidenceDelayMs,
    untold_reasons: untoldReasons,
    wrapped_native: wrappedNative,
    ...same
  } = schema.parse(document);
  return {
    ...same,
    ...splitChainGid(same.gid),
    shortName,
    displayName,
    isTestnet,
    tokenNamespace,
    blockTimeMs,
    ...(imageUrl !== undefined && { imageUrl }),
    ...(isLocal !== undefined && { isLocal }),
    ...(evidenceDelayMs !== undefined && { evidenceDelayMs }),
    ...(untoldReasons !== undefined && { untoldReasons }),
    ...(wrappedNative !== undefined && { wrappedNative }),
  };
}

/** The rows of a `networks.json`. @throws ZodError naming the row and the member */
export function parseNetworks(
  schema: z.ZodType<NetworkDocument>,
  rows: readonly unknown[],
): readonly Network[] {
  return rows.map((row) => parseNetwork(schema, row));
}

/** The document of a network, as it would be given. */
export function toNetworkDocument({
  namespace: _namespace,
  reference: _reference,
  traits,
  tokens,
  explorer,
  ...network
}: Network): NetworkDocument {
  return {
    ...(spell(network, toSnakeCase) as NetworkDocument),
    ...(tokens !== undefined && { tokens: [...tokens] }),
    ...(explorer !== undefined && { explorer: { ...explorer } }),
    ...(traits !== undefined && { traits: spell(traits, toSnakeCase) as Record<string, unknown> }),
  };
}

/** The names of members, at every depth. Keys that are no names (addresses) stay. */
function spell(value: unknown, toCase: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => spell(item, toCase));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [toCase(key), spell(item, toCase)]));
}

const toCamelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Also of a path in a fault. */
export const toSnakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
