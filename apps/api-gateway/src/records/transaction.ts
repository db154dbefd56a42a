// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { transactionRecord } from '@chainwatch/events';

/** A transaction may touch thousands of addresses of a project. */
export const OWN_ADDRESSES_MAX = 100;

const ownAddress = z.object({
  address_id: z.uuid().meta({
    description: 'The monitored address, as `id` in `/addresses`.',
    examples: ['6f1d1f4e-0000-4000-8000-000000000001'],
  }),
  address: z.string().meta({
    description: 'The address in its display form (EVM: EIP-55), as in `/addresses`.',
    examples: ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
  }),
  label: z
    .string()
    .nullable()
    .meta({ description: 'Its label. Null: it has none.', examples: ['Order 4711'] }),
  groups: z.array(z.string()).meta({ description: 'Its groups.', examples: [['shop-7']] }),
});

/** A transaction as the API shows it: with the addresses of the project, as they are called now. */
export const transactionSchema = transactionRecord
  .extend({
    addresses: z.array(ownAddress).meta({
      description: `Addresses of the project that it touches, at most ${OWN_ADDRESSES_MAX}, those with a label first. Deleted addresses are missing.`,
    }),
  })
  .meta({ id: 'TransactionWithAddresses' });
export type OwnTransaction = z.infer<typeof transactionSchema>;
