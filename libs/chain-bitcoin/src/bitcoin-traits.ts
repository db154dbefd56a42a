// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';

const byteSchema = z.int().min(0).max(255);
const heightSchema = z.int().min(0);
const prefixSchema = z.string().regex(/^[a-z]{1,83}$/);
const versionSchema = z.string().regex(/^[0-9a-f]{8}$/);
const extendedKeySchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z]{4}$/),
  version: versionSchema,
});

/** What this family has to know of a network (`traits` in networks.json). */
export const bitcoinTraitsSchema = z
  .strictObject({
    /**
     * Blocks by which a node's chain is told: it must have these hashes at these heights. The genesis block, and the first
     * own block after each split from another chain.
     */
    identity: z
      .array(z.strictObject({ height: heightSchema, hash: z.string().regex(/^[0-9a-f]{64}$/) }))
      .min(1),
    /** From this height on witness commitments are checked (BIP-141). Absent: the chain has no witnesses. */
    segwitHeight: heightSchema.optional(),
    /** Version bytes of Base58Check addresses. `oldP2sh` is read, and written as `p2sh`. */
    base58: z.strictObject({ p2pkh: byteSchema, p2sh: byteSchema, oldP2sh: byteSchema.optional() }),
    /** Human-readable part of segwit addresses (BIP-173). */
    bech32Hrp: prefixSchema.optional(),
    /** Prefix of CashAddr. Where it is set, addresses are written so, and Base58Check is only read. */
    cashAddrPrefix: prefixSchema.optional(),
    /** From this height on outputs may have a token prefix (CHIP-2022-02 CashTokens). */
    cashTokensHeight: heightSchema.optional(),
    /** MimbleWimble extension blocks (LIP-2 to LIP-4), and the human-readable part of their addresses. */
    mweb: z.strictObject({ hrp: prefixSchema }).optional(),
    /** The hash of a header that meets its target. */
    proofOfWork: z.enum(['sha256d', 'scrypt']).default('sha256d'),
    /** Merged mining: the header may carry the work of another chain's header (AuxPoW). */
    mergedMining: z.strictObject({ chainId: z.int().min(0).max(0xffff) }).optional(),
    /** `canonical`: transactions are in the order of their ids, so that a parent may follow its child. */
    transactionOrder: z.enum(['topological', 'canonical']).default('topological'),
    /** Blocks on top of a coinbase, its own included, before it may be spent. */
    coinbaseMaturity: z.int().positive().default(100),
    /** All coins that there can be. Absent: there is no limit. */
    coinsMax: z.int().positive().optional(),
    /** Extended keys of its own beside those of BIP-32 and SLIP-132 for Bitcoin, by purpose. */
    extendedKeys: z
      .array(
        z.strictObject({
          purpose: z.int().positive(),
          public: extendedKeySchema,
          private: extendedKeySchema,
        }),
      )
      .default([]),
  })
  .refine((traits) => (traits.segwitHeight === undefined) === (traits.bech32Hrp === undefined), {
    error: 'expected segwitHeight and bech32Hrp together, or neither',
  });

export type BitcoinTraits = z.infer<typeof bitcoinTraitsSchema>;
