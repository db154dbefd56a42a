// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { NetworkCatalogue, networkSchema, traitsSchema } from '@chainwatch/chain-core';
import type { Network } from '@chainwatch/chain-core';
import networksJson from './networks.json' with { type: 'json' };

/** What this family has to know of a network to prove and decode its blocks (`traits` in networks.json). */
export const evmTraitsSchema = z.strictObject({
  /** Which transaction, header and receipt extensions may occur. */
  stack: z.enum([
    'ethereum',
    'optimism',
    'base',
    'arbitrum',
    'bor',
    'avalanche',
    'celo',
    'scroll',
    'berachain',
    'hyperevm',
  ]),
  /** `strict`: the header's hash is recomputed and must match. `tolerant`: some of its blocks use another encoding. */
  header: z.enum(['strict', 'tolerant']).default('strict'),
  /** `tolerant`: where a root does not match (unknown encoding), the header's logsBloom decides. */
  roots: z.enum(['strict', 'tolerant']).default('strict'),
  /** First block from which `tolerant` no longer applies: from there on every hash and root must match. */
  strictFrom: z.number().int().nonnegative().optional(),
  /**
   * Its nodes send transactions for accounts without their keys (anvil, Hardhat). A transaction's hash may
   * then differ from that of its fields, and its signature may be nobody's: for both there is only the node's
   * word.
   */
  impersonation: z.boolean().default(false),
  /** A contract by which the native coin is also a token. It is no asset of its own: its asset is the native coin. */
  nativeTokenContract: z
    .string()
    .regex(/^0x[0-9a-f]{40}$/)
    .optional(),
  /**
   * What the logs of `nativeTokenContract` tell: `payouts` that it pays the receiver what the caller paid it (Polygon),
   * `moves` a move of the native coin that nothing else shows (Celo), `copies` what another log has told already (Arc).
   */
  nativeTokenLogs: z.enum(['payouts', 'moves', 'copies']).default('payouts'),
  /** The account by which the chain itself sends ordinary transactions, for which it charges nothing (MegaETH). */
  unchargedSender: z
    .string()
    .regex(/^0x[0-9a-f]{40}$/)
    .optional(),
  /** False where withdrawals pay a token through a system contract (Gnosis: GNO), so no native balance changes. */
  withdrawalsAreNative: z.boolean().default(true),
  /** Avalanche: id of AVAX on the other chains of its network, by which atomic transactions name it. */
  avaxAssetId: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/)
    .optional(),
  /**
   * Where blocks pay beyond their transactions, as `trace_block` tells it: `mined` those with a difficulty (before the
   * Merge), `traced` every one (AuRa's rewards, by which Gnosis mints what its bridge brings).
   */
  rewards: z.enum(['none', 'mined', 'traced']).default('none'),
  /** The contract that logs who is to be paid by a block (`AddedReceiver`). */
  rewardContract: z
    .string()
    .regex(/^0x[0-9a-f]{40}$/)
    .optional(),
  /** Multicall3 stands at its usual address. */
  multicall3: z.boolean().default(false),
});

export type EvmTraits = z.infer<typeof evmTraitsSchema>;

const evmNetworkSchema = networkSchema
  .extend({
    gid: networkSchema.shape.gid.regex(/^eip155:[1-9]\d*$/),
    family: z.literal('evm'),
    token_namespace: z.enum(['erc20', 'bep20']),
    wrapped_native: z
      .string()
      .regex(/^0x[0-9a-f]{40}$/, 'expected a lower-case address')
      .optional(),
    traits: traitsSchema(evmTraitsSchema).prefault({ stack: 'ethereum' }),
  })
  .refine(({ native, traits }) => native !== undefined || traits.stack === 'ethereum', {
    error: 'expected the coin that this stack has',
    path: ['native'],
  })
  .refine(({ native, traits }) => native !== undefined || traits.nativeTokenContract === undefined, {
    error: 'expected a native coin of which it is the contract',
    path: ['traits', 'native_token_contract'],
  });

/** Every known EVM network. One that this build has is a document in networks.json, checked once at load. */
export const evmCatalogue = new NetworkCatalogue(evmNetworkSchema, networksJson);

/** Those that this build has. */
export const evmNetworks = evmCatalogue.builtIn;

// Read for every block, so parsed only once for each network object.
const traitsOf = new WeakMap<Network, EvmTraits>();

/** The typed traits of a network; a network that an operator added without traits counts as plain Ethereum. */
export function readTraits(network: Network): EvmTraits {
  const known = traitsOf.get(network);
  if (known !== undefined) return known;
  const traits = evmTraitsSchema.parse(network.traits ?? { stack: 'ethereum' });
  traitsOf.set(network, traits);
  return traits;
}

/** The traits that apply at a height. */
export function traitsAt(traits: EvmTraits, number: number): EvmTraits {
  return traits.strictFrom === undefined || number < traits.strictFrom
    ? traits
    : { ...traits, header: 'strict', roots: 'strict' };
}
