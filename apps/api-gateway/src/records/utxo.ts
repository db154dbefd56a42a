// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';

export const utxoSchema = z
  .object({
    txid: z.string().meta({
      description: 'The transaction that created it.',
      examples: ['4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b'],
    }),
    vout: z
      .int()
      .min(0)
      .meta({ description: 'Its position among the outputs of the transaction.', examples: [0] }),
    amount: z.string().meta({ description: 'In whole units.', examples: ['0.5'] }),
    amount_raw: z.string().meta({ description: 'In base units.', examples: ['50000000'] }),
    asset_gid: z.string().meta({
      description: 'The asset as CAIP-19.',
      examples: ['bip122:000000000019d6689c085ae165831e93/slip44:0'],
    }),
    chain_gid: z
      .string()
      .meta({ description: 'The chain as CAIP-2.', examples: ['bip122:000000000019d6689c085ae165831e93'] }),
    block_number: z.int().meta({ description: 'Height of its block.', examples: [870_000] }),
    is_coinbase: z.boolean().meta({ description: 'Whether it is the reward of a block.' }),
    /** Counts the coin's own block and the head. */
    confirmations: z
      .int()
      .min(0)
      .meta({ description: 'Blocks on top of it, its own included.', examples: [6] }),
    /** False only for a coinbase output that is too young to be spent. */
    is_mature: z.boolean().meta({ description: 'Whether it may be spent: coinbase outputs have to wait.' }),
  })
  .meta({ id: 'Utxo' });
export type UtxoRecord = z.infer<typeof utxoSchema>;
