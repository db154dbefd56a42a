import { z } from 'zod';

/** What this family has to know of a network to prove and decode its blocks (`traits` in networks.json). */
export const evmTraitsSchema = z.strictObject({
  /** Which transaction, header and receipt extensions may occur. */
  stack: z.enum(['ethereum', 'optimism', 'arbitrum', 'bor', 'avalanche']),
  /** `strict`: the header's hash is recomputed and must match. `tolerant`: some of its blocks use another encoding. */
  header: z.enum(['strict', 'tolerant']).default('strict'),
  /** `tolerant`: where a root does not come out (unknown encoding), the header's logsBloom decides. */
  roots: z.enum(['strict', 'tolerant']).default('strict'),
  /** First block from which `tolerant` no longer holds: everything comes out from there on. */
  strictFrom: z.number().int().nonnegative().optional(),
  /**
   * Its nodes send for accounts without their keys (anvil, Hardhat): a transaction's hash may be another than that of its
   * fields, and its signature nobody's. Both are the node's word there.
   */
  impersonation: z.boolean().default(false),
  /** A contract that mirrors the native coin and logs every native transfer; its logs say nothing new. */
  nativeTokenContract: z.string().optional(),
  /** False where withdrawals pay a token through a system contract (Gnosis: GNO), so no native balance changes. */
  withdrawalsAreNative: z.boolean().default(true),
  /** Multicall3 stands at its usual address. */
  multicall3: z.boolean().default(false),
});

export type EvmTraits = z.infer<typeof evmTraitsSchema>;

/** What holds at a height. */
export function traitsAt(traits: EvmTraits, number: number): EvmTraits {
  return traits.strictFrom === undefined || number < traits.strictFrom
    ? traits
    : { ...traits, header: 'strict', roots: 'strict' };
}
