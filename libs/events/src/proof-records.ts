// SPDX-License-Identifier: Apache-2.0
import { CHAIN_GID_PATTERN } from '@chainwatch/common/caip';
import { z } from 'zod';

const text = (description: string, example: string) => z.string().meta({ description, examples: [example] });
const siblings = (description: string) =>
  z.array(z.string().nullable()).meta({ description, examples: [[`${'ab'.repeat(32)}`]] });

/** What shows that a transaction is in a block (`InclusionProof` of chain-core). Members that a type does not have are absent. */
export const inclusionProofRecord = z
  .object({
    type: z.enum(['mpt', 'merkle', 'signed_merkle', 'none']).meta({
      description:
        'How the block covers the transaction. `mpt`: two Merkle-Patricia tries, of transactions and of receipts. `merkle`: a binary tree, with the branch of the coinbase. `signed_merkle`: a binary tree under a header that its producer signed. `none`: not at all; `reason` says why. New types may be added: treat an unknown one as `none`.',
      examples: ['mpt'],
    }),
    chain_gid: z
      .string()
      .regex(CHAIN_GID_PATTERN)
      .meta({ description: 'The chain as CAIP-2.', examples: ['eip155:1'] }),
    hash: text('The hash of the transaction.', `0x${'5c'.repeat(32)}`),
    block_hash: text(
      'The hash of the block. Take it from a second source before you believe the proof.',
      `0x${'1f'.repeat(32)}`,
    ),
    block_number: z.int().meta({ description: 'The number of the block.', examples: [21_000_000] }),
    header: z
      .string()
      .nullable()
      .meta({ description: 'The bytes that the block hash covers, hexadecimal.', examples: ['0xf90260a0…'] }),
    signature: z
      .string()
      .optional()
      .meta({ description: 'Of the producer, over SHA-256 of the header.', examples: ['6ac1…01'] }),
    branch: z
      .object({
        transaction: siblings(
          'From the root to the value (`mpt`: nodes), or siblings from the leaf up, null where a level has none.',
        ),
        receipt: siblings('Nodes of the trie of receipts, from the root.').optional(),
        coinbase: siblings('Siblings of the coinbase, which show the depth of the tree.').optional(),
      })
      .nullable()
      .meta({ description: 'What leads from the transaction to the header.' }),
    item: z
      .object({
        index: z.int().meta({ description: 'The position in the block, from 0.', examples: [12] }),
        transaction: text('The bytes of the transaction, hexadecimal.', '0x02f873…'),
        receipt: text('The bytes of the receipt.', '0x02f90108…').optional(),
        coinbase: text('The bytes of the coinbase.', '0100000001…').optional(),
      })
      .nullable()
      .meta({ description: 'What is shown to be in the block.' }),
    reason: z
      .string()
      .nullable()
      .meta({
        description: 'Why there is no proof; null where there is one.',
        examples: [null],
      }),
    signatures: z
      .array(z.string())
      .optional()
      .meta({ description: 'With `none`: the signatures of the transaction.', examples: [['5gri…']] }),
  })
  .meta({
    id: 'InclusionProof',
    description: 'What shows that the transaction is in its block. `@chainwatch/verify` checks it.',
  });
export type InclusionProofRecord = z.output<typeof inclusionProofRecord>;

/** Where a channel asks for a link, or where the proof is too long, or no node gave it. */
const proofLink = z
  .object({
    type: z.literal('link').meta({ description: 'The proof is to be fetched.' }),
    url: z.string().meta({
      description:
        'Where the API answers the proof. Absolute where the operator has set `PUBLIC_URL`, else without the host.',
      examples: [
        'https://chainwatch.example.com/v1/transactions/eip155:1/0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060/proof',
      ],
    }),
  })
  .meta({ id: 'ProofLink', description: 'A link to the proof.' });

/** `data.proof` of an event. */
export const eventProof = z.discriminatedUnion('type', [proofLink, inclusionProofRecord]).meta({
  description:
    'What shows that the transaction is in its block, as `include_proof` of the channel asks for it. Only in what is delivered to such a channel, and only where the transaction is in a block.',
  examples: [{ type: 'link', url: 'https://chainwatch.example.com/v1/transactions/eip155:1/0x5c50…/proof' }],
});
