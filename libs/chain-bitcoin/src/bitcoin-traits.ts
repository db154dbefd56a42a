import { z } from 'zod';

/** What this family has to know of a network (`traits` in networks.json). */
export const bitcoinTraitsSchema = z.strictObject({
  /** Hash of block 0 as nodes write it, 64 hexadecimal digits. Tells which chain a node serves. */
  genesisHash: z.string().regex(/^[0-9a-f]{64}$/),
  /** From this height on witness commitments are checked (BIP-141). */
  segwitHeight: z.int().min(0),
  /** Version bytes of Base58Check addresses. */
  base58: z.strictObject({ p2pkh: z.int().min(0).max(255), p2sh: z.int().min(0).max(255) }),
  /** Human-readable part of segwit addresses (BIP-173). */
  bech32Hrp: z.string().regex(/^[a-z]{1,83}$/),
});

export type BitcoinTraits = z.infer<typeof bitcoinTraitsSchema>;
